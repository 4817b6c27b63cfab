"""Sums of sets, such as the ball of total variation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from ..._types import Vector
from .base import Interior, InteriorForm, InteriorModel
from .bounds import BoundsForm


@dataclass(frozen=True, eq=False)
class SumForm(InteriorForm):
    """{lam_1 + lam_2 + ... : lam_i in part i}: h and phi_tau are the sums of those of the parts.

    y and v hold those of the parts, one after the other.
    """

    parts: tuple[BoundsForm, ...]

    @property
    def n_pairs(self) -> float:
        return sum(part.n_pairs for part in self.parts)

    def start(self, z: Vector, scale: float) -> Interior:
        return _joined([part.start(z, scale) for part in self.parts])

    def value(self, z: Vector, y: Vector, tau: float) -> float:
        return sum(part.value(z, of, tau) for part, of in zip(self.parts, self._multipliers(y), strict=True))

    def model(self, z: Vector, at: Interior, tau: float) -> InteriorModel:
        models = [part.model(z, of, tau) for part, of in self._split(at)]
        border, own = (block_diag(*blocks) for blocks in zip(*((m.border, m.rest) for m in models), strict=True))
        thetas = np.stack([model.theta for model in models])
        theta = thetas.sum(axis=0)
        # sum_j of theta_i theta_k/theta for two parts i and k: what border_ii has beyond sum_j theta_i^2/theta.
        coupling = (thetas / np.where(theta > 0.0, theta, 1.0)) @ thetas.T
        np.fill_diagonal(coupling, 0.0)
        balanced = [part.total is not None for part in self.parts]
        coupling = (np.diag(coupling.sum(axis=1)) - coupling)[np.ix_(balanced, balanced)]
        return InteriorModel(
            sum(model.weights for model in models),  # type: ignore[arg-type]
            np.concatenate([model.gradient for model in models]),
            theta,
            np.concatenate([model.cross for model in models]),
            border,
            own + coupling,
        )

    def moved(
        self, before: Vector, z: Vector, at: Interior, y: Vector, change: Vector, dy: Vector, tau: float
    ) -> Interior:
        steps = zip(self._split(at), self._multipliers(y), self._multipliers(dy), strict=True)
        return _joined([part.moved(before, z, of, y_i, change, dy_i, tau) for (part, of), y_i, dy_i in steps])

    def lam(self, at: Interior) -> Vector:
        return sum(part.lam(of) for part, of in self._split(at))  # type: ignore[return-value]

    def _multipliers(self, y: Vector) -> list[Vector]:
        return np.split(y, np.cumsum([0 if part.total is None else 1 for part in self.parts])[:-1])

    def _split(self, at: Interior) -> Iterator[tuple[BoundsForm, Interior]]:
        weights = np.split(at.v, len(self.parts))
        for part, y, v in zip(self.parts, self._multipliers(at.y), weights, strict=True):
            yield part, Interior(y, v)


def _joined(parts: list[Interior]) -> Interior:
    return Interior(np.concatenate([part.y for part in parts]), np.concatenate([part.v for part in parts]))
