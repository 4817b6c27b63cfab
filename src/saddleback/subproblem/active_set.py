"""Active-set refinement: from a nearly optimal point of a quadratic program to the last digits."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf, dgetrs

from .._types import Matrix, Vector
from ..dual_sets import LinearConstraints
from .incumbent import Incumbent

# Relative to a problem of size one: added to singular systems, and taken back by refinement.
REGULARIZATION = 1e-13
REFINEMENTS = 3

Mask: TypeAlias = NDArray[np.bool_]


def refine(
    P: Matrix, q: Vector, constraints: LinearConstraints, x: Vector, free: Mask, incumbent: Incumbent, rounds: int
) -> int:
    """Primal active-set method for min 1/2 x'Px + q'x, E x = e, lower <= x <= upper (Nocedal and Wright, Alg. 16.3).

    Starts from a feasible x, with the coordinates that are not ``free`` at their nearer bound. Each round solves
    the equality-constrained problem of the free coordinates (m^3 flops), fixes the first coordinate that blocks
    the way there, or frees the one with the worst multiplier. Every target is offered to the incumbent, which
    keeps it only when its measured gap is smaller. P and q are expected of size one. Returns the rounds taken.
    """
    lower, upper = constraints.lower, constraints.upper
    at_upper = upper - x < x - lower
    for round_ in range(1, rounds + 1):
        if len(constraints.E) and not free.any():
            # Nothing is left to satisfy E x = e with: the guess of the active set was wrong.
            return round_ - 1
        x = np.where(free, x, np.where(at_upper, upper, lower))
        target, z = _equality_constrained(P, q, constraints, free, x)
        if not np.isfinite(target).all():
            return round_
        incumbent.offer(target)
        if incumbent.done:
            return round_
        step, j = _first_blocking(x, target - x, lower, upper)
        if j is not None:
            x = x + step * (target - x)
            free[j], at_upper[j] = False, target[j] > upper[j]
            continue
        x = target
        wrong = np.where(free, 0.0, np.where(at_upper, z, -z))
        if wrong.max() <= 0.0:
            return round_
        free[wrong.argmax()] = True
    return rounds


def _equality_constrained(
    P: Matrix, q: Vector, constraints: LinearConstraints, free: Mask, x: Vector
) -> tuple[Vector, Vector]:
    """The minimizer that moves only free coordinates of x, and the multipliers P x + q + E'y of all of them."""
    E = constraints.E
    index = np.flatnonzero(free)
    m, k = index.size, len(E)
    x, y = x.copy(), np.zeros(k)
    if m == 0:
        return x, P @ x + q
    K = np.zeros((m + k, m + k), order="F")
    K[:m, :m] = P[np.ix_(index, index)]
    K[:m, m:] = E[:, index].T
    K[m:, :m] = E[:, index]
    K.ravel("K")[:: m + k + 1] += np.repeat((REGULARIZATION, -REGULARIZATION), (m, k))
    factor, pivots, _ = dgetrf(K, overwrite_a=1)
    # Corrections of the current point: where P is singular they leave its null space alone.
    for _ in range(REFINEMENTS):
        r = P @ x + q + E.T @ y
        d = dgetrs(factor, pivots, np.concatenate((r[index], E @ x - constraints.e)))[0]
        x[index] -= d[:m]
        y -= d[m:]
    return x, P @ x + q + E.T @ y


def _first_blocking(x: Vector, d: Vector, lower: Vector, upper: Vector) -> tuple[float, int | None]:
    """The longest step along d, at most 1, that stays within the bounds, and the coordinate that blocks it."""
    outside = np.flatnonzero((x + d < lower) | (x + d > upper))
    if not outside.size:
        return 1.0, None
    bound = np.where(d > 0, upper, lower)[outside]
    lengths = np.maximum((bound - x[outside]) / d[outside], 0.0)
    first = int(lengths.argmin())
    return float(lengths[first]), int(outside[first])
