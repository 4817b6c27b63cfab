"""The standardizations of all splits of a dense table in one read of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import EPS, Indices, Matrix, Vector
from ..data.standardization import Standardization, pieces

LEAST_SHARE = 1e-3
"""The share of its mean square that a variance must have: with less, more than three digits cancel."""


def standardizations(
    X: Matrix, of_all: Standardization, parts: Indices, weights: NDArray[Any], weight: Vector | None, *, intercept: bool
) -> list[Standardization | None]:
    """Of every split, with weights[p, s] for the rows of part p; None where it must be computed by itself.

    With z = (x - center)/scale by all rows, the mean of a split is that of z, and its variance the mean of z^2 less the
    square of the mean, where that is hardly less.
    """
    n_splits, d = weights.shape[1], X.shape[1]
    totals, means, squares = np.zeros(n_splits), np.zeros((n_splits, d)), np.zeros((n_splits, d))
    for piece in pieces(*X.shape):
        p = weights[parts[piece]].astype(np.float64, copy=False)
        if weight is not None:
            p = p * weight[piece, None]
        Z = (X[piece] - of_all.center) / of_all.scale
        totals += p.sum(axis=0)
        means += p.T @ Z
        Z *= Z
        squares += p.T @ Z
    means /= totals[:, None]
    squares /= totals[:, None]
    variances = squares - means**2
    # A constant column is not zero after its mean is subtracted, by rounding.
    rounding = (len(X) * EPS * of_all.center / of_all.scale) ** 2
    lost = ((variances < LEAST_SHARE * squares) & (squares > rounding)).sum(axis=1)
    return [
        Standardization.of_moments(
            of_all.center + of_all.scale * means[s],
            of_all.scale,
            np.maximum(variances[s], 0.0),
            len(X),
            intercept=intercept,
            centered=intercept,
        )
        if lost[s] == 0
        else None
        for s in range(n_splits)
    ]
