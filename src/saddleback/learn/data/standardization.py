"""Columns in units of their standard deviations, and coefficients back in the user's units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..._types import EPS, Matrix, Vector
from ...losses.grouped.tables.scaled_source import ScaledColumns
from .remote import RemoteMatrix

PIECE_ENTRIES = 1 << 16
"""Entries of a dense X whose deviations are computed at a time: they stay in cache."""


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
        if isinstance(X, RemoteMatrix):
            return cls.of_moments(*X.moments(weight), X.shape[0], intercept=intercept, centered=intercept)
        n = X.shape[0]
        p = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
        mean = np.asarray(p @ X, dtype=np.float64).ravel()
        # In units of the largest deviation, whose square may overflow or underflow.
        if sp.issparse(X):
            deviations, of_entries = X.data - mean[X.indices], p[X.tocoo().coords[0]]
            largest = np.abs(mean)
            np.maximum.at(largest, X.indices, np.abs(deviations))
            unit = np.where(largest > 0.0, largest, 1.0)
            full = np.bincount(X.indices, minlength=mean.size) == n
            absent = np.where(full, 0.0, np.maximum(1.0 - np.bincount(X.indices, of_entries, mean.size), 0.0))
            squares = np.bincount(X.indices, of_entries * (deviations / unit[X.indices]) ** 2, mean.size)
            # The entries that are not stored deviate by the mean.
            variance = squares + absent * (mean / unit) ** 2
        else:
            highest, lowest = (np.asarray(extreme, dtype=np.float64) for extreme in (X.max(axis=0), X.min(axis=0)))
            largest = np.maximum(highest - mean, mean - lowest)
            unit = np.where(largest > 0.0, largest, 1.0)
            variance = np.sum([_squares(X[piece], p[piece], mean, unit) for piece in pieces(*X.shape)], axis=0)
        centered = intercept and not sp.issparse(X)
        return cls.of_moments(mean, unit, variance, n, intercept=intercept, centered=centered)

    @classmethod
    def of_moments(
        cls, mean: Vector, unit: Vector, variance: Vector, n: int, *, intercept: bool, centered: bool
    ) -> Standardization:
        """From means and from variances in units of ``unit`` squared."""
        deviation = unit * np.sqrt(variance)
        constant = deviation <= n * EPS * np.abs(mean)
        scale = np.where(constant, 1.0 if intercept else np.abs(mean), deviation)
        scale[scale == 0.0] = 1.0
        return cls(mean if centered else np.zeros(mean.size), scale)

    def apply(self, X: Any) -> Any:
        """X standardized, as ``GroupedLinear`` takes it; X itself where nothing changes. A dense X is not copied."""
        if sp.issparse(X):
            return X if (self.scale == 1.0).all() else X @ sp.diags_array(1.0 / self.scale)
        if (self.scale == 1.0).all() and not self.center.any():
            return X
        return ScaledColumns(X, self.center, self.scale)

    def to_user(self, W: Matrix, intercepts: Vector) -> tuple[Matrix, Vector]:
        """Coefficients (K, d) and intercepts (K,) of x from those of z."""
        # The caller refuses coefficients that overflow.
        with np.errstate(over="ignore"):
            coef = W / self.scale
        return coef, intercepts - coef @ self.center

    def from_user(self, coef: Matrix, intercepts: Vector) -> tuple[Matrix, Vector]:
        """Coefficients and intercepts of z from those of x."""
        return coef * self.scale, intercepts + coef @ self.center


def _squares(X: Matrix, p: Vector, mean: Vector, unit: Vector) -> Vector:
    """sum_i p_i ((x_i - mean) / unit)^2."""
    deviations = X - mean
    deviations /= unit
    deviations *= deviations
    return p @ deviations


def pieces(n: int, d: int) -> list[slice]:
    """The rows of a dense X of shape (n, d), a piece at a time."""
    step = max(1, PIECE_ENTRIES // d)
    return [slice(first, first + step) for first in range(0, n, step)]
