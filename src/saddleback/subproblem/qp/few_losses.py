"""Active-set method for (D) with few losses on a simplex, in plain Python: NumPy's calls would take longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from ..._types import EPS, Matrix, Vector
from ..dual_subproblem import DualSubproblem
from .kkt_operator import scaled_quadratic

Numbers = list[float]


@dataclass(frozen=True)
class FewLossesControl:
    """The numbers of `solve_few`; the largest |x_j| and |P_ij| are about one."""

    most_losses: int = 32
    """With more, PIQP takes no longer."""
    most_by_loops: int = 6
    """Steps on faces of more coordinates are computed by LAPACK, whose calls take as long as the loops for six."""
    most_large_faces: int = 2
    """Where more faces of so many coordinates would be visited, the start was far off, and PIQP takes over."""
    at_bound: float = 1e-9
    """A coordinate of the start within this share of 1 - sum(lower) of its bound is fixed there."""
    regularization: float = 1e-13
    """Added to the diagonal of the reduced P, relative to it, because P may be singular."""
    residual: float = 4 * EPS
    """The gradients of the free coordinates are equal up to this: rounding errors."""
    corrections: int = 3
    """Solves per face: the first one, and iterative refinement."""
    most_faces: int = 10
    """Where more are needed, PIQP takes over: it costs as much as about ten faces."""


CONTROL = FewLossesControl()


class FewSolution(NamedTuple):
    """The last point of `solve_few`."""

    x: Vector
    faces: int
    """How many were visited."""
    solved: bool
    """Whether x is the minimum, up to rounding; else the start was too far off."""


def solve_few(subproblem: DualSubproblem, lower: Vector, start: Vector) -> FewSolution:
    """min over x of 1/2 x'Px - b'x,  x >= lower, sum x = 1,  from a feasible start.

    The primal active-set method of `active_set.refine` (Nocedal and Wright, Alg. 16.3). One free coordinate k is
    eliminated: P_ij - P_ik - P_kj + P_kk of the others is positive semidefinite, without the part that is common to all
    losses, and has a Cholesky factor. With m free of n coordinates a face costs n m + m^3/6 multiplications.
    """
    least, x = lower.tolist(), start.tolist()
    bound = CONTROL.at_bound * (1.0 - sum(least))
    free = [i for i, x_i in enumerate(x) if x_i - least[i] > bound]
    if not free:
        return FewSolution(start, 0, solved=False)
    fixed = [i for i, x_i in enumerate(x) if x_i - least[i] <= bound]
    largest = max(free, key=x.__getitem__)
    for i in fixed:
        x[largest] += x[i] - least[i]
        x[i] = least[i]
    P_array, b_array = scaled_quadratic(subproblem)
    P, r = P_array.tolist(), (b_array - P_array.dot(np.array(x))).tolist()
    corrections, faces, large_faces = 0, 1, 0
    while faces <= CONTROL.most_faces and large_faces < CONTROL.most_large_faces:
        large = len(free) > CONTROL.most_by_loops
        change = _step_by_lapack(P_array, r, free) if large else None
        if change is None:
            change = _step(P, r, free)
        large_faces += large and corrections == 0
        length, blocking = _longest(x, least, free, change)
        for i, dx in zip(free, change, strict=True):
            x[i] += length * dx
        if blocking >= 0:
            x[blocking] = least[blocking]
            free.remove(blocking)
            fixed.append(blocking)
        # Its rounding errors are those of a sum of n numbers of magnitude one.
        r = (b_array - P_array.dot(np.array(x))).tolist()
        if blocking >= 0:
            corrections, faces = 0, faces + 1
            continue
        residuals = [r[i] for i in free]
        corrections += 1
        if max(residuals) - min(residuals) > CONTROL.residual and corrections < CONTROL.corrections:
            continue
        worst = max(fixed, key=r.__getitem__, default=-1)
        if worst < 0 or r[worst] <= max(residuals):
            return FewSolution(np.array(x), faces, solved=True)
        fixed.remove(worst)
        free.append(worst)
        corrections, faces = 0, faces + 1
    return FewSolution(np.array(x), faces, solved=False)


def _longest(x: Numbers, least: Numbers, free: list[int], change: Numbers) -> tuple[float, int]:
    """The longest step, at most 1, that stays above the bounds, and the coordinate that blocks it, or -1."""
    length, blocking = 1.0, -1
    for i, dx in zip(free, change, strict=True):
        room = least[i] - x[i]
        if dx < room:
            share = room / dx if room < 0.0 else 0.0
            if share < length:
                length, blocking = share, i
    return length, blocking


def _step_by_lapack(P: Matrix, r: Numbers, free: list[int]) -> Numbers | None:
    """The same as `_step`; None where the reduced P has no Cholesky factor."""
    others, k = np.array(free[:-1]), free[-1]
    to_k, b = P[k].take(others), np.array(r)
    A = P.take(others, 0).take(others, 1) - to_k + (P[k, k] - to_k)[:, None]
    diagonal = A.ravel()[:: others.size + 1]
    diagonal += CONTROL.regularization * np.maximum(diagonal, EPS)
    _, change, info = dposv(A, b.take(others) - b[k])
    return [*change.tolist(), -float(change.sum())] if info == 0 else None


def _step(P: list[Numbers], r: Numbers, free: list[int]) -> Numbers:
    """The change of the free coordinates, of sum zero, to the minimum on their face, where r = b - P x."""
    *others, k = free
    if not others:
        return [0.0]
    Pk, rk = P[k], r[k]
    Pkk = Pk[k]
    # The rows of L and D of L D L', and the forward substitution along with them.
    L: list[Numbers] = []
    D: Numbers = []
    y: Numbers = []
    for a, i in enumerate(others):
        Pi = P[i]
        shift = Pkk - Pk[i]
        row: Numbers = []
        for c in range(a):
            j = others[c]
            Lc = L[c]
            v = Pi[j] - Pk[j] + shift
            for e in range(c):
                v -= row[e] * Lc[e]
            row.append(v)
        diagonal = Pi[i] - Pk[i] + shift
        pivot, z = diagonal, r[i] - rk
        # row holds L D so far.
        for e in range(a):
            scaled = row[e] / D[e]
            pivot -= row[e] * scaled
            row[e] = scaled
            z -= scaled * y[e]
        L.append(row)
        D.append(max(pivot, 0.0) + CONTROL.regularization * max(diagonal, EPS))
        y.append(z)
    m = len(others)
    change = [y[a] / D[a] for a in range(m)]
    for a in range(m - 1, -1, -1):
        v = change[a]
        for e in range(a):
            change[e] -= L[a][e] * v
    change.append(-sum(change))
    return change
