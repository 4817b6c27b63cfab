"""Rows of two towns whose slopes differ, which a model without the interaction gets wrong for the small town."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd


class Towns(NamedTuple):
    """Three features, a binary and a real target and counts, and the town."""

    X: np.ndarray
    y: np.ndarray
    score: np.ndarray
    counts: np.ndarray
    town: np.ndarray

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.X, columns=["a", "b", "c"]).assign(town=self.town)


def towns(n: int = 800, seed: int = 0, *, slope: float = -1.0) -> Towns:
    """A quarter of the rows is from the small town, where b has another slope; with slope 1 the towns are alike."""
    rng = np.random.default_rng(seed)
    X, town = rng.standard_normal((n, 3)), rng.choice(["big", "small"], size=n, p=[0.75, 0.25])
    eta = X[:, 0] + np.where(town == "small", slope, 1.0) * X[:, 1]
    y = np.where(eta + rng.logistic(size=n) > 0, "yes", "no")
    return Towns(X, y, eta + rng.standard_normal(n), rng.poisson(np.exp(0.5 * eta)).astype(float), town)
