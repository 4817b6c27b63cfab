"""Linear systems of interior-point steps: a shifted Hessian, or one from which the dominant losses are split off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dsysv

from .._types import Indices, Matrix, Vector
from ..engine.evaluation import Breakdown


@dataclass(frozen=True)
class InteriorSystemControl:
    """The numbers of these systems."""

    first_shift: float = 1e-13
    """The first shift of the scaled Hessian where it is not positive definite: its rounding error."""
    shift_growth: float = 100.0
    """The shift is multiplied by this until the Hessian is positive definite."""
    largest_shift: float = 1e3
    """Beyond it a Hessian is not a number."""
    least_pivot: float = 1e-11
    """Below this squared pivot of the scaled Hessian, rounding errors are more than 1e-5 of the step along it."""
    rows_per_unknown: int = 2
    """Losses that are split off, per unknown: about one per unknown is between its bounds at a solution."""
    refinements: int = 2
    """Steps of iterative refinement."""
    residual: float = 1e-6
    """The largest relative residual with which a split system counts as solved."""


CONTROL = InteriorSystemControl()


@dataclass(frozen=True, eq=False)
class Direction:
    """p = -H^-1 gradient."""

    p: Vector
    shift: float
    """Of H, scaled to a diagonal of ones."""
    accurate: bool
    """Whether H is positive definite beyond rounding."""


def shifted_direction(H: Matrix, gradient: Vector) -> Direction:
    """By Cholesky's method, with the least shift for which H is positive definite."""
    diagonal = H.diagonal()
    scales = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled, shift = scales[:, None] * H * scales, 0.0
    while shift <= CONTROL.largest_shift:
        P = scaled.copy()
        P.ravel()[:: len(P) + 1] += shift
        L, info = dpotrf(P, lower=1)
        if info == 0:
            p = -scales * dpotrs(L, scales * gradient, lower=1)[0]
            if np.isfinite(p).all() and float(gradient.dot(p)) <= 0.0:
                accurate = shift == 0.0 and float(L.diagonal().min()) ** 2 >= CONTROL.least_pivot
                return Direction(p, shift, accurate)
        shift = max(CONTROL.first_shift, CONTROL.shift_growth * shift)
    raise Breakdown("the Hessian is not positive definite at the point of the last step")


def dominant_rows(size: Vector, n_unknowns: int) -> Indices:
    """The losses with the largest terms theta |gradient|^2 in the Hessian, in ascending order."""
    count = min(size.size, CONTROL.rows_per_unknown * n_unknowns)
    largest = np.argpartition(size, size.size - count)[size.size - count :]
    return np.sort(largest[size[largest] > 0.0])


def split_direction(A: Matrix, C: Matrix, theta: Vector, gradient: Vector) -> Direction | None:
    """-(A + C' diag(theta) C)^-1 gradient without forming the sum; None where that fails.

    With u = theta C p,  A p + C'u = -gradient  and  C p - u/theta = 0. Where theta is large, the sum would lose the
    digits of A across the rows of C, which decide about the step (docs/mathematics.md, 15).
    """
    n, m = len(A), len(C)
    diagonal = A.diagonal()
    lengths = np.square(C).sum(axis=0) if m else np.zeros(n)
    scales = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.where(lengths > 0.0, lengths, 1.0)))
    C = C * scales
    rows = 1.0 / np.maximum(np.sqrt(np.square(C).sum(axis=1)), np.finfo(float).tiny)
    K = np.zeros((n + m, n + m))
    K[:n, :n] = scales[:, None] * A * scales
    K[n:, :n] = rows[:, None] * C
    K[:n, n:] = K[n:, :n].T
    K[n:, n:] = -np.diag(rows / theta * rows)
    right = np.concatenate([-scales * gradient, np.zeros(m)])
    if not np.isfinite(K).all():
        return None
    x = np.zeros(n + m)
    for _ in range(1 + CONTROL.refinements):
        _, _, change, info = dsysv(K, right - K.dot(x), lower=1)
        if info != 0 or not np.isfinite(change).all():
            return None
        x = x + change
    left = float(np.linalg.norm(right - K.dot(x)))
    p = scales * x[:n]
    if not left <= CONTROL.residual * float(np.linalg.norm(right)) or not float(gradient.dot(p)) <= 0.0:
        return None
    return Direction(p, 0.0, accurate=True)
