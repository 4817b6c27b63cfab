"""A small table of people with groups that differ, for tests of the estimators."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd


class People(NamedTuple):
    """Features in very different units, a binary and a real target, and two attributes."""

    X: np.ndarray
    y: np.ndarray
    score: np.ndarray
    town: np.ndarray
    sex: np.ndarray

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.X, columns=["age", "income", "rate"]).assign(town=self.town, sex=self.sex)


def people(n: int = 300, seed: int = 0) -> People:
    """Towns of unequal size; the second feature points the other way in the small one."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) * [10.0, 1e4, 0.1] + [40.0, 3e4, 0.0]
    town = rng.choice(["big", "mid", "small"], size=n, p=[0.6, 0.3, 0.1])
    sex = rng.choice(["f", "m"], size=n)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    eta = Z[:, 0] + np.where(town == "small", -1.0, 1.0) * Z[:, 1] + 0.5 * (sex == "f")
    y = np.where(eta + rng.logistic(size=n) > 0, "yes", "no")
    return People(X, y, 100.0 * (eta + rng.standard_normal(n)), town, sex)
