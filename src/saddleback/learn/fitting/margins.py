"""The margins of many models at the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import scipy.sparse as sp

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from .trainer import Fit

MARGINS_AT_A_TIME = 1 << 22
"""Margins of one product: 32 MB."""


def margins_of(fits: Sequence[Fit], rows: Rows) -> Iterator[Vector | Matrix]:
    """For each model x'w + b + offset, of shape (n,), or (n, K) for K > 1 classes; X is read once for many models."""
    if not fits:
        return
    K = len(fits[0].coef)
    step = max(1, MARGINS_AT_A_TIME // max(1, K * len(rows)))
    for first in range(0, len(fits), step):
        part = fits[first : first + step]
        eta = _product(np.concatenate([fit.coef for fit in part]), rows)
        eta += np.concatenate([fit.intercept for fit in part])[:, None]
        for own in eta.reshape(len(part), K, len(rows)):
            margins = own.T if K > 1 else own[0]
            yield margins if rows.offset is None else margins + rows.offset


def _product(coef: Matrix, rows: Rows) -> Matrix:
    """coef X', with one line per model and class."""
    if isinstance(rows.X, RemoteMatrix):
        return rows.X.product(coef)
    if sp.issparse(rows.X):
        return np.ascontiguousarray((rows.X @ coef.T).T, dtype=np.float64)
    with one_blas_thread():
        return np.asarray(coef @ rows.X.T, dtype=np.float64)
