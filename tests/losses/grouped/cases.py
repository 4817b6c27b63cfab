"""Random problems: the arguments of GroupedLinear, and the same problem for the reference."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import saddleback as sb
from saddleback.losses.grouped.pointwise_losses import LOSSES as LOSSES_BY_NAME

from .reference import POINTWISE, Reference

LOSSES = list(POINTWISE)

# Rounding of sums of a few hundred terms that are added in different orders: some hundred eps of the largest term.
# float32 tables have the same tolerance, as every sum is in float64.
ROUNDING = 1e-13


def assert_same(actual, expected, rounding=ROUNDING):
    """Equal up to rounding errors relative to the largest entry of each row."""
    expected = np.asarray(expected)
    scale = np.abs(expected).max(axis=-1, keepdims=True) if expected.ndim > 1 else np.abs(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == np.float64
    assert (np.abs(actual - expected) <= rounding * np.maximum(scale, 1e-3)).all(), np.abs(actual - expected).max()


@dataclass
class Case:
    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    loss: str
    n_groups: int
    numbers: np.ndarray
    n_classes: int | None
    rng: np.random.Generator = field(repr=False)

    def losses(self, X=None, groups=None, *, fit_intercept=False, **options):
        X = self.X if X is None else X
        groups = self.groups if groups is None else groups
        return sb.GroupedLinear(X, self.y, groups, loss=self.loss, fit_intercept=fit_intercept, **options)

    def reference(
        self, X=None, m=None, *, l2=0.0, fit_intercept=False, sample_weight=None, pointwise=None, offset=None
    ):
        m = np.eye(self.n_groups)[self.groups] if m is None else np.asarray(m, dtype=np.float64)
        if sample_weight is not None:
            m = m * sample_weight[:, None]
        X = self.X if X is None else X
        pointwise = pointwise or POINTWISE[self.loss]
        options = {"l2": l2, "intercept": fit_intercept, "n_classes": self.n_classes, "offset": offset}
        return Reference(X, self.numbers, m, pointwise, **options)

    def offset(self, n=None):
        """A number for each row, or for each row and class."""
        n = len(self.X) if n is None else n
        return self.rng.standard_normal(n if self.n_classes is None else (n, self.n_classes))

    def point(self, losses, scale=1.0):
        return self.rng.standard_normal(losses.n_params) * scale / np.sqrt(self.X.shape[1])


def make(loss="logistic", n=203, d=7, n_groups=4, dtype=np.float64, seed=0):
    """Every group has a row; the numbers are what the labels stand for."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n - n_groups)])
    response = LOSSES_BY_NAME[loss].response
    n_classes = None
    if response == "binary":
        y = rng.permutation(np.resize(["no", "yes"], n))
        numbers = np.where(y == "yes", 1.0, -1.0)
    elif response == "classes":
        n_classes = 3
        y = rng.permutation(np.resize(["a", "b", "c"], n))
        numbers = np.searchsorted(["a", "b", "c"], y).astype(float)
    else:
        y = rng.poisson(2.0, n).astype(float) if response == "count" else rng.standard_normal(n)
        numbers = y
    return Case(X, y, groups, loss, n_groups, numbers, n_classes, rng)
