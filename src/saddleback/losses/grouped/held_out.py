"""The losses of linear models on rows other than those of the fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from .memberships import Memberships
from .pointwise_loss import PointwiseLoss
from .tables.layout import Layout
from .tables.margins import margins_of
from .tables.sources import Source


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Losses of the same linear models on other rows, without the penalty; made by ``GroupedLinear.on``.

    Groups and classes are those of the losses that it was made from, in their order. A group without rows here has size
    0, and its loss is NaN.
    """

    _matrix: Source = field(repr=False)
    _y: Vector = field(repr=False)
    _memberships: Memberships = field(repr=False)
    _loss: PointwiseLoss = field(repr=False)
    _layout: Layout = field(repr=False)
    _offset: Matrix | None = field(repr=False, default=None)

    def __repr__(self) -> str:
        shape = f"{self.n_samples} x {self._layout.n_features}, {len(self.group_names)} groups"
        return f"HeldOut({shape}, loss={self._loss})"

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return self._matrix.shape[0]

    @property
    def group_names(self) -> list[Any]:
        """The labels of the groups."""
        return list(self._memberships.names)

    @property
    def group_sizes(self) -> NDArray[np.intp]:
        """The number of rows of each group that have a positive weight."""
        return self._memberships.sizes

    @property
    def group_weights(self) -> Vector:
        """The total weight of each group."""
        return self._memberships.weights

    def values(self, w: Vector) -> Vector:
        """The (weighted) mean loss of each group, of shape (J,); NaN for a group without rows."""
        members = self._memberships
        means = np.bincount(members.groups, members.coefficients * self.rows(w)[members.rows], members.n_groups)
        return np.where(members.sizes > 0, means, np.nan)

    def rows(self, w: Vector) -> Vector:
        """The loss of each row, of shape (n,), without weights."""
        y, offset = self._loss.absorb(self._y, self._offset)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._loss.value_and_slope(self._margins(w, offset), y)[0]

    def margins(self, w: Vector) -> Vector | Matrix:
        """x'w + b + offset for each row, of shape (n,); for softmax of shape (n, K), a column per class."""
        return self._margins(w, self._offset)

    def _margins(self, w: Vector, offset: Matrix | None) -> Vector | Matrix:
        W, intercepts = self._layout.split(w)
        eta = margins_of(self._matrix, W)
        if intercepts.size:
            eta += intercepts
        if offset is not None:
            eta += offset
        return eta if self._loss.response == "classes" else eta[:, 0]
