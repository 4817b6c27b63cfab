"""BFGS with the Hessian model as a dense matrix."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from .._types import Matrix, ParamMatrix, ParamRows, Vector
from ..linalg.hessian_models import SMALLEST_SHIFT_RATIO, CholeskySystem, cholesky_system


@dataclass(frozen=True)
class BFGSControl:
    """The tuned numbers of both forms of BFGS.

    With a third or three times any of them, the number of evaluations changes by at most 2 %.
    """

    flat_step_divisor: float = 10.0
    """B is divided by this after a step along which the losses are flat, so that the next step may be that many times
    longer. Piecewise-linear losses need a few such divisions."""
    obsolete_ratio: float = 1e10
    """B is started again where its largest entry is more than this many times y'y/s'y of a new pair: the new second
    derivatives would be below the rounding errors of B + y y'/s'y."""
    scaling_power: float = 0.5
    """tau of the dense form is min(1, s'y/s'Bs) to this power. With 0, which is plain BFGS, the small problems of
    benchmarks/small_set.py take 16 % more evaluations to 1e-7, and logistic tables 10 % more; with 1 small problems
    take 2 % fewer in their own units and 4 % more in others, and tables 6 % more."""
    smaller_initial: float = 1e-2
    """The initial Hessian is multiplied by this where the model predicts no further decrease, so that directions
    without a pair are tried (docs/mathematics.md, 6, "The estimate")."""


CONTROL = BFGSControl()


@final
@dataclass(frozen=True, eq=False)
class DenseBFGS:
    """B+ = tau (B - B s s'B/(s'B s)) + y y'/(y's), as a matrix: O(d^2) per pair.

    tau = min(1, s'y/s'Bs)^(1/2) where B was built from pairs, else 1 (Nocedal and Wright 2006, eq. 6.19). Self-scaling
    (Oren and Luenberger 1974; Al-Baali 1998): with unit steps, BFGS reduces eigenvalues of B that are too large slowly.
    The last d pairs are kept, to build B again from a smaller initial Hessian.
    """

    matrix: ParamMatrix
    """B."""
    delta: float
    """The initial Hessian is delta I."""
    S: ParamRows
    """The steps s of the pairs, one per row."""
    Y: ParamRows
    """The changes y of G' lam along them."""
    from_hessian: bool = False
    """Whether the initial Hessian was the losses' own instead of delta I, so that B is known in every direction."""

    @staticmethod
    def start(d: int, delta: float) -> DenseBFGS:
        return DenseBFGS(delta * np.eye(d), delta, np.empty((0, d)), np.empty((0, d)))

    @staticmethod
    def start_from(H: Matrix) -> DenseBFGS:
        """B = H, the losses' own Hessian."""
        none = np.empty((0, len(H)))
        return DenseBFGS(H, float(H.diagonal().max()), none, none, from_hessian=True)

    @property
    def smallest_eigenvalue_bound(self) -> float:
        """An upper bound of the smallest eigenvalue of B."""
        return float(self.matrix.diagonal().min())

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * float(self.matrix.diagonal().max())

    def scaled_down(self) -> DenseBFGS:
        """B after a step along which the losses are flat: smaller, and without the earlier pairs."""
        divisor = CONTROL.flat_step_divisor
        return DenseBFGS(self.matrix / divisor, self.delta / divisor, self.S[:0], self.Y[:0])

    def with_smaller_initial(self) -> DenseBFGS:
        """The same pairs on a smaller initial Hessian; B unchanged where it is known in every direction."""
        if self.from_hessian:
            return self
        delta = CONTROL.smaller_initial * self.delta
        B = delta * np.eye(len(self.matrix))
        for s, y in zip(self.S, self.Y, strict=True):
            B = _updated(B, s, y)
        return DenseBFGS(B, delta, self.S, self.Y)

    def updated(self, s: Vector, y: Vector) -> DenseBFGS:
        """B with one more pair."""
        delta = float(y.dot(y)) / float(s.dot(y))
        diagonal = self.matrix.diagonal()
        # The first pair sets the initial Hessian of the directions without one (ibid., eq. 6.20).
        if (len(self.S) or self.from_hessian) and diagonal.item(diagonal.argmax()) <= CONTROL.obsolete_ratio * delta:
            return self._with(s, y)
        return DenseBFGS.start(s.size, delta)._with(s, y)

    def _with(self, s: Vector, y: Vector) -> DenseBFGS:
        B = _updated(self.matrix, s, y, scaling=not self.from_hessian)
        kept = max(0, len(self.S) + 1 - s.size)
        S, Y = np.concatenate((self.S[kept:], s[None])), np.concatenate((self.Y[kept:], y[None]))
        return DenseBFGS(B, self.delta, S, Y, self.from_hessian)

    def system(self, G: Matrix, sigma: float) -> CholeskySystem | None:
        return cholesky_system(self.matrix, G, sigma)


def _updated(B: Matrix, s: Vector, y: Vector, *, scaling: bool = True) -> Matrix:
    """B+ of one more pair; without ``scaling``, tau = 1."""
    Bs = B.dot(s)
    sBs, sy = float(s.dot(Bs)), float(s.dot(y))
    # Outer products of one vector with itself keep B exactly symmetric.
    z = y / sqrt(sy)
    change = z[:, None] * z
    # By rounding, s'Bs may be zero or negative; then there is nothing to subtract.
    if not sBs > 0:
        return B + change
    v = Bs / sqrt(sBs)
    B = B - v[:, None] * v
    if scaling and sy < sBs:
        B *= (sy / sBs) ** CONTROL.scaling_power
    B += change
    return B
