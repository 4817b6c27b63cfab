"""Active-set refinement: from a nearly optimal point of a quadratic program to the last digits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgesv, dgetrs

from ..._types import EPS, Matrix, Vector
from ..._validation import all_finite
from ...dual_sets import LinearConstraints
from ..incumbent import Incumbent
from .kkt_operator import KKTOperator

# Relative to the diagonal: added to singular systems, and taken back by further corrections.
REGULARIZATION = 1e-13
CORRECTIONS = 3
# A target that leaves the bounds by more is not worth measuring.
OUTSIDE = 1e-9

Mask: TypeAlias = NDArray[np.bool_]


def refine(
    kkt: KKTOperator, constraints: LinearConstraints, x: Vector, free: Mask, incumbent: Incumbent, rounds: int
) -> int:
    """Primal active-set method for min 1/2 x'Px + q'x, E x = e, lower <= x <= upper (Nocedal and Wright, Alg. 16.3).

    Starts from a feasible x, with the coordinates that are not ``free`` at their nearer bound. Each round solves
    the equality-constrained problem of the m free coordinates (m^3 flops), fixes the first coordinate that blocks
    the way there, or frees the one with the worst multiplier. Targets are offered to the incumbent, which
    keeps them only when their measured gap is smaller; x is lam in units of the set. Returns the rounds taken.
    """
    n, k = kkt.shape
    adversary = incumbent.subproblem.adversary
    unit, clock = adversary.unit, adversary.clock
    shift = REGULARIZATION * np.maximum(kkt.diagonal, EPS)
    shift[n:] = -REGULARIZATION
    lower, upper, capped = constraints.lower, constraints.upper, constraints.capped
    # Where the coordinates that do not move are; a free one is at neither bound.
    pinned = np.where(upper - x < x - lower, upper, lower) if capped else lower
    # X = (x, y): the multipliers y of E x = e are free in every round.
    X, moving = np.zeros(n + k), np.zeros(n + k, dtype=np.bool_)
    X[:n], moving[:n], moving[n:] = x, free, True
    for round_ in range(1, rounds + 1):
        index = moving.nonzero()[0]
        if k and index.size == k:
            # Nothing is left to satisfy E x = e with: the guess of the active set was wrong.
            return round_ - 1
        clock.check(2 / 3 * index.size**3)
        start = np.where(moving[:n], X[:n], pinned)
        X[:n] = start
        face = _Face(kkt, index, shift)
        for _ in range(CORRECTIONS):
            X = face.corrected(X)
            if _outside(X[:n], constraints) <= OUTSIDE:
                incumbent.offer(X[:n] if unit == 1.0 else unit * X[:n])
                if incumbent.done:
                    return round_
            if round_ == rounds or not all_finite(X):
                return round_
            residual = kkt.residual(X)
            if not index.size or _largest(residual.take(index)) <= EPS:
                break
        step, j = _first_blocking(start, X[:n], constraints)
        if j is not None:
            moving[j] = False
            if capped:
                pinned[j] = upper[j] if X[j] > upper[j] else lower[j]
            X[:n] = start + step * (X[:n] - start)
            continue
        z = residual[:n]
        wrong = np.where(moving[:n], 0.0, np.where(pinned == lower, -z, z))
        worst = wrong.argmax()
        if wrong[worst] <= 0.0:
            return round_
        moving[worst] = True
    return rounds


class _Face:
    """The optimality conditions of the free coordinates, factored.

    A correction is one solve from the current point: where P is singular it leaves its null space alone.
    """

    def __init__(self, kkt: KKTOperator, index: NDArray[np.intp], shift: Vector) -> None:
        self._kkt, self._index, self._shift = kkt, index, shift
        self._factors: tuple[Matrix, NDArray[np.intc]] | None = None

    def corrected(self, X: Vector) -> Vector:
        """X less the solution for its residual."""
        if not self._index.size:
            return X
        residual = self._kkt.residual(X).take(self._index)
        if self._factors is None:
            K = self._kkt.block(self._index)
            K.ravel()[:: len(K) + 1] += self._shift.take(self._index)
            # LAPACK reads matrices by columns; K is symmetric, so that its transpose is itself.
            *self._factors, change, _ = dgesv(K.T, residual, overwrite_a=1)
        else:
            change = dgetrs(*self._factors, residual)[0]
        X = X.copy()
        X[self._index] -= change
        return X


def _outside(x: Vector, constraints: LinearConstraints) -> float:
    """How far x leaves its bounds."""
    below = constraints.lower - x
    worst = below.item(below.argmax())
    if constraints.capped:
        above = x - constraints.upper
        worst = max(worst, above.item(above.argmax()))
    return worst


def _largest(x: Vector) -> float:
    sizes = np.abs(x)
    return sizes.item(sizes.argmax())


def _first_blocking(x: Vector, target: Vector, constraints: LinearConstraints) -> tuple[float, int | None]:
    """The longest step to the target, at most 1, that stays within the bounds, and the coordinate that blocks it."""
    lower, upper = constraints.lower, constraints.upper
    outside = ((target < lower) | (target > upper) if constraints.capped else target < lower).nonzero()[0]
    if not outside.size:
        return 1.0, None
    x, target = x[outside], target[outside]
    bound = np.where(target > x, upper[outside], lower[outside])
    lengths = np.maximum((bound - x) / (target - x), 0.0)
    first = int(lengths.argmin())
    return lengths.item(first), int(outside[first])
