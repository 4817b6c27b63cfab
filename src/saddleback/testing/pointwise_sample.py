"""A pointwise loss, and the margins and responses at which it is tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Matrix, Vector
from ..losses.grouped.pointwise_loss import PointwiseLoss


@dataclass(frozen=True, eq=False)
class PointwiseSample:
    """A pointwise loss, and the margins and responses at which it is tested."""

    functions: Any
    """The user's object."""
    loss: PointwiseLoss
    """The same with what it declares, and with checks of what it returns."""
    margins: Vector
    """Sorted."""
    responses: Vector
    eta: Vector
    """Each margin, combined with each response."""
    y: Vector

    def table(self, x: Vector) -> Matrix:
        """One row per margin, one column per response."""
        return x.reshape(self.margins.size, self.responses.size)

    def values(self, eta: Vector) -> Vector:
        return self.loss.value_and_slope(eta, self.y)[0]

    def slopes(self, eta: Vector) -> Vector:
        return self.loss.value_and_slope(eta, self.y)[1]

    def calls(self) -> Iterator[tuple[str, Callable[[Vector, Vector], tuple[Vector, ...]]]]:
        """The functions of the loss by name; each returns a tuple of arrays."""
        yield "value_and_slope", lambda eta, y: tuple(map(np.asarray, self.functions.value_and_slope(eta, y)))
        if self.loss.has_curvature:
            yield "curvature", lambda eta, y: (np.asarray(self.functions.curvature(eta, y)),)

    def where(self, i: int) -> str:
        return f"at eta = {self.eta[i]:.6g}, y = {self.y[i]:.6g}"
