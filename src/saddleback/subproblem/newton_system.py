"""The Newton system of the barrier problem on the affine hull of Lambda."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf, dpotrs

from .._types import Matrix, Vector

# The scaled matrix has a unit diagonal, so that these are relative perturbations; the first is none.
REGULARIZATIONS = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3)


class NewtonSystem:
    """The block system  [[H, E'], [E, 0]] [d, y] = [r, 0]  with H symmetric and positive definite.

    Solved by block elimination (paper, eq. "solution-kkt") after the scaling D H D with D = diag(H)^-1/2, which
    keeps the rows of coordinates near the boundary, where a barrier's curvature is huge, as accurate as the
    others. One Cholesky factorization, n^3/3 flops; each right-hand side costs n^2. H is overwritten.
    """

    def __init__(self, H: Matrix, E: Matrix) -> None:
        self._D = 1.0 / np.sqrt(H.diagonal())
        H *= self._D
        H *= self._D[:, None]
        self._factor = _cholesky(H)
        self._E = E * self._D
        if len(E):
            self._W = dpotrs(self._factor, self._E.T, lower=1)[0]
            self._S = self._E @ self._W

    def solve(self, r: Vector) -> Vector:
        """The d with H d + E' y = r for some y, and E d = 0."""
        d: Vector = dpotrs(self._factor, self._D * r, lower=1)[0]
        if len(self._E):
            d -= self._W @ dposv(self._S, self._E @ d)[1]
        d *= self._D
        return d


def _cholesky(H: Matrix) -> Matrix:
    """The lower Cholesky factor of H, or of H + eps I with the least eps that makes it one."""
    for regularization in REGULARIZATIONS:
        factor, info = dpotrf(H + regularization * np.eye(len(H)) if regularization else H, lower=1, clean=0)
        if info == 0:
            return np.asarray(factor)
    raise np.linalg.LinAlgError("the Hessian of the barrier problem is not positive definite")
