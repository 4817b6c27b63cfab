"""The least eigenvalue of a symmetric matrix, to the accuracy that step lengths need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dnrm2, dsymv
from scipy.linalg.lapack import dstev, dsyevd

from ..._types import Matrix


@dataclass(frozen=True)
class LeastEigenvalueControl:
    """The numbers of `least_eigenvalue`."""

    lanczos_from: int = 120
    """From this order on Lanczos is faster than all eigenvalues, as measured."""
    accuracy: float = 0.01
    """The relative error at which Lanczos ends: steps are shorter by at most as much."""
    most_steps: int = 60
    """After as many Lanczos steps all eigenvalues are computed."""
    steps_between: int = 4
    """The eigenvalues of the tridiagonal matrix are computed after every so many steps."""


CONTROL = LeastEigenvalueControl()


def least_eigenvalue(A: Matrix) -> float:
    """The least eigenvalue of A, given by its lower triangle, or a little less; nan where A is not finite.

    Lanczos' method with full orthogonalization: the Ritz value minus the norm of its residual, by which an eigenvalue
    differs from it at most.
    """
    if len(A) >= CONTROL.lanczos_from:
        found = _by_lanczos(A)
        if found is not None:
            return found
    values, _, info = dsyevd(A, compute_v=0, lower=1)
    return float(values[0]) if info == 0 else np.nan


def _by_lanczos(A: Matrix) -> float | None:
    k = len(A)
    # Fixed, so that results are the same to the bit, and without the symmetries of a graph.
    v = np.cos(np.arange(1.0, k + 1.0) ** 2)
    V = np.empty((CONTROL.most_steps, k))
    diagonal, off = np.empty(CONTROL.most_steps), np.empty(CONTROL.most_steps)
    V[0] = v / dnrm2(v)
    for n in range(CONTROL.most_steps):
        v = dsymv(1.0, A, V[n], lower=1)
        diagonal[n] = v.dot(V[n])
        basis = V[: n + 1]
        v -= basis.T.dot(basis.dot(v))
        off[n] = dnrm2(v)
        if not np.isfinite(off[n]) or off[n] == 0.0:
            return None
        if (n + 1) % CONTROL.steps_between == 0:
            values, vectors, info = dstev(diagonal[: n + 1], off[:n])
            residual = off[n] * abs(float(vectors[-1, 0]))
            if info == 0 and residual <= CONTROL.accuracy * max(abs(float(values[0])), CONTROL.accuracy):
                return float(values[0]) - residual
        if n + 1 < CONTROL.most_steps:
            V[n + 1] = v / off[n]
    return None
