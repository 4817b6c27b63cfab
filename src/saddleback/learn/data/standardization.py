"""Columns in units of their standard deviations, and coefficients back in the user's units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import EPS, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Standardization:
    """z_k = (x_k - center_k) / scale_k, as glmnet does it: a penalty on the coefficients of z has no units of x.

    With an intercept, which is not penalized, the center does not change the model, and a sparse X is not centered.
    """

    center: Vector
    scale: Vector

    @classmethod
    def none(cls, d: int) -> Standardization:
        """Columns as they are."""
        return cls(np.zeros(d), np.ones(d))

    @classmethod
    def of(cls, X: Any, weight: Vector | None, *, intercept: bool) -> Standardization:
        """The standard deviation of each column under the sample weights, and its mean where X may be centered.

        A sparse X is in CSR format without duplicate entries.

        A constant column has scale 1, and without an intercept its absolute value, so that units do not matter.
        """
        n = X.shape[0]
        p = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
        mean = np.asarray(p @ X, dtype=np.float64).ravel()
        if sp.issparse(X):
            # The entries that are not stored deviate by the mean.
            of_entries = p[X.tocoo().coords[0]]
            stored = np.bincount(X.indices, of_entries, mean.size)
            squares = np.bincount(X.indices, of_entries * (X.data - mean[X.indices]) ** 2, mean.size)
            variance = squares + np.maximum(1.0 - stored, 0.0) * mean**2
        else:
            variance = p @ (X - mean) ** 2
        constant = variance <= n * EPS * variance + (n * EPS * mean) ** 2
        scale = np.sqrt(np.where(constant, 1.0 if intercept else mean**2, variance))
        scale[scale == 0.0] = 1.0
        centered = intercept and not sp.issparse(X)
        return cls(mean if centered else np.zeros(mean.size), scale)

    def apply(self, X: Any) -> Any:
        """A standardized copy of X; X itself where nothing changes."""
        if sp.issparse(X):
            return X if (self.scale == 1.0).all() else X @ sp.diags_array(1.0 / self.scale)
        if (self.scale == 1.0).all() and not self.center.any():
            return X
        Z = (X - self.center) / self.scale
        return Z.astype(X.dtype, copy=False)

    def to_user(self, W: Matrix, intercepts: Vector) -> tuple[Matrix, Vector]:
        """Coefficients (K, d) and intercepts (K,) of x from those of z."""
        coef = W / self.scale
        return coef, intercepts - coef @ self.center

    def from_user(self, coef: Matrix, intercepts: Vector) -> tuple[Matrix, Vector]:
        """Coefficients and intercepts of z from those of x."""
        return coef * self.scale, intercepts + coef @ self.center
