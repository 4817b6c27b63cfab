"""Cholesky factors of matrices that rounding errors may have made indefinite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg.lapack import dpotrf

from .._types import Matrix


def regularized_cholesky(H: Matrix, regularizations: Sequence[float]) -> Matrix:
    """The lower Cholesky factor of H + eps I with the first eps of ``regularizations`` for which there is one.

    Only the lower triangle of H is read, and the upper one of the factor is not zero.
    """
    for regularization in regularizations:
        factor, info = dpotrf(H + regularization * np.eye(len(H)) if regularization else H, lower=1, clean=0)
        if info == 0:
            return np.asarray(factor)
    raise np.linalg.LinAlgError("the Hessian of the barrier problem is not positive definite")
