"""Active-set method that refines a nearly optimal point of a quadratic program to full accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgesv, dgetrs

from ..._types import EPS, Matrix, Vector
from ..._validation import all_finite
from ...dual_sets import LinearConstraints
from ..incumbent import Incumbent
from .kkt_operator import KKTOperator

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class ActiveSetControl:
    """The numbers of `refine`; the largest |x_j| is about one."""

    regularization: float = 1e-13
    """Added to K relative to its diagonal, because P may be singular; the corrections remove its effect."""
    corrections: int = 3
    """Solves per face: the first one, and iterative refinement."""
    feasibility: float = 1e-9
    """The gap of a point that violates a bound by more is not measured: restoring it to Lambda would change it too
    much."""
    rounds_per_coordinate: int = 3
    """The most rounds after PIQP, for each coordinate that may become free or fixed."""


CONTROL = ActiveSetControl()


def refine(
    kkt: KKTOperator, constraints: LinearConstraints, x: Vector, free: Mask, incumbent: Incumbent, rounds: int
) -> int:
    """Primal active-set method for min 1/2 x'Px + q'x, E x = e, lower <= x <= upper (Nocedal and Wright, Alg. 16.3).

    Starts from a feasible x = lam/largest_weight, with the coordinates that are not ``free`` at their nearer bound.
    Each round solves the equality-constrained problem of the m free coordinates (2/3 m^3 flops). If a bound blocks the
    way to its solution, the first such coordinate is fixed there; else the one with the worst multiplier is freed.
    Solutions are offered to the incumbent, which keeps them only if their measured gap is smaller. Returns the rounds.
    """
    n, k = kkt.shape
    adversary = incumbent.subproblem.adversary
    largest_weight, clock = adversary.largest_weight, adversary.clock
    shift = CONTROL.regularization * np.maximum(kkt.diagonal, EPS)
    shift[n:] = -CONTROL.regularization
    lower, upper, capped = constraints.lower, constraints.upper, constraints.capped
    # The bounds at which coordinates are fixed; entries of free coordinates are not read.
    pinned = np.where(upper - x < x - lower, upper, lower) if capped else lower
    # X = (x, y); the multipliers y of E x = e are free in every round.
    X, moving = np.zeros(n + k), np.zeros(n + k, dtype=np.bool_)
    X[:n], moving[:n], moving[n:] = x, free, True
    for round_ in range(1, rounds + 1):
        index = moving.nonzero()[0]
        if k and index.size == k:
            # No free coordinate is left to satisfy E x = e: the guess of the active set was wrong.
            return round_ - 1
        clock.check(2 / 3 * index.size**3)
        start = np.where(moving[:n], X[:n], pinned)
        X[:n] = start
        face = _Face(kkt, index, shift)
        for _ in range(CONTROL.corrections):
            X = face.corrected(X)
            if _violation(X[:n], constraints) <= CONTROL.feasibility:
                incumbent.offer(X[:n] if largest_weight == 1.0 else largest_weight * X[:n])
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
    """The optimality conditions of the free coordinates, factored at the first correction.

    A correction solves for the residual at the current X, so that X does not move in the null space of a singular P.
    """

    def __init__(self, kkt: KKTOperator, index: NDArray[np.intp], shift: Vector) -> None:
        self._kkt, self._index, self._shift = kkt, index, shift
        self._factors: tuple[Matrix, NDArray[np.intc]] | None = None

    def corrected(self, X: Vector) -> Vector:
        """X minus the solution for its residual."""
        if not self._index.size:
            return X
        residual = self._kkt.residual(X).take(self._index)
        if self._factors is None:
            K = self._kkt.block(self._index)
            K.ravel()[:: len(K) + 1] += self._shift.take(self._index)
            # LAPACK reads matrices by columns; K is symmetric, so that its transpose needs no copy.
            *self._factors, change, _ = dgesv(K.T, residual, overwrite_a=1)
        else:
            change = dgetrs(*self._factors, residual)[0]
        X = X.copy()
        X[self._index] -= change
        return X


def _violation(x: Vector, constraints: LinearConstraints) -> float:
    """The largest violation of a bound; negative where x is inside all of them."""
    below = constraints.lower - x
    worst = below.item(below.argmax())
    if constraints.capped:
        above = x - constraints.upper
        worst = max(worst, above.item(above.argmax()))
    return worst


def _largest(x: Vector) -> float:
    magnitudes = np.abs(x)
    return magnitudes.item(magnitudes.argmax())


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
