"""Random tables of kinds that are common in practice and ill-conditioned, and one that is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from .table import Array, Codes, Loss, Table

Random = np.random.Generator

# The shares of the groups are drawn from a Dirichlet distribution of this concentration.
SHARES = 5.0


def near_collinear(rng: Random, n: int, d: int) -> Array:
    """The last column is the first with noise of 1e-4, or of 1e-2 to 1e-5."""
    X = rng.standard_normal((n, d))
    noise = 1e-4 if rng.random() < 0.5 else 10 ** rng.uniform(-5, -2)
    X[:, -1] = X[:, 0] + noise * rng.standard_normal(n)
    return X


def low_rank(rng: Random, n: int, d: int) -> Array:
    """A matrix of rank about d/2, exactly."""
    r = max(1, d // 2)
    # Products of small integers, and their division by 16, are exact, and so is the rank.
    return rng.integers(-4, 5, (n, r)).astype(float) @ rng.integers(-2, 3, (r, d)) / 16.0


def polynomial(rng: Random, n: int, d: int) -> Array:
    """Monomials of degree 1 to 5-8 of one variable, or to 4-6 of two; the constant among them is the intercept."""
    low, high = ((0.0, 1.0), (-1.0, 1.0), (-2.0, 2.0), (0.0, 3.0))[int(rng.integers(4))]
    if rng.random() < 0.6:
        x = rng.uniform(low, high, n)
        return np.column_stack([x**k for k in range(1, int(rng.integers(5, 9)) + 1)])
    x, z = rng.uniform(low, high, (2, n))
    degree = int(rng.integers(4, 7))
    return np.column_stack([x**i * z ** (k - i) for k in range(1, degree + 1) for i in range(k + 1)])


def mixed_units(rng: Random, n: int, d: int) -> Array:
    """Columns in units from 1e-3 to 1e3."""
    return rng.standard_normal((n, d)) * 10 ** rng.uniform(-3, 3, d)


def rare_categories(rng: Random, n: int, d: int) -> Array:
    """Indicators of a category whose levels mostly have few rows, and a few numeric columns."""
    levels = max(2, d - max(1, d // 4))
    frequency = 1.0 / (1.0 + np.arange(levels)) ** rng.uniform(1.5, 3.0)
    level = rng.choice(levels, n, p=frequency / frequency.sum())
    # Every level occurs.
    level[:levels] = np.arange(levels)
    dummies = (level[:, None] == np.arange(levels)).astype(float)
    return np.column_stack([dummies, rng.standard_normal((n, d - levels))])


def well_conditioned(rng: Random, n: int, d: int) -> Array:
    """Independent columns of equal scale."""
    return rng.standard_normal((n, d))


KINDS: dict[str, Callable[[Random, int, int], Array]] = {
    "near-collinear": near_collinear,
    "low rank": low_rank,
    "polynomial": polynomial,
    "mixed units": mixed_units,
    "rare categories": rare_categories,
    "well-conditioned": well_conditioned,
}


def draw(rng: Random, kind: str, loss: Loss) -> Table:
    """A table of a kind: 100 to 2000 rows, 3 to 30 columns, 2 to 6 groups, each with a model of its own."""
    n, d = int(10 ** rng.uniform(2, np.log10(2000))), int(rng.integers(3, 31))
    X = KINDS[kind](rng, n, d)
    groups = draw_groups(rng, n, int(rng.integers(2, 7)))
    return Table(kind, X, respond(rng, X, groups, loss), groups, loss, fit_intercept=bool(rng.random() < 0.5))


def draw_groups(rng: Random, n: int, J: int) -> Codes:
    """Groups of unequal shares; none is empty."""
    groups = rng.choice(J, n, p=rng.dirichlet(np.full(J, SHARES)))
    groups[:J] = np.arange(J)
    return groups


def respond(rng: Random, X: Array, groups: Codes, loss: Loss) -> Array:
    """y from a linear model of the standardized columns; each group has its own model and noise."""
    size = np.sqrt((X * X).mean(axis=0))
    Z = X / np.where(size > 0, size, 1.0)
    J, d = int(groups.max()) + 1, X.shape[1]
    common = rng.standard_normal(d) / np.sqrt(d)
    own = common + rng.uniform(0.2, 1.0) * rng.standard_normal((J, d)) / np.sqrt(d)
    eta = (Z * own[groups]).sum(axis=1) + 0.3 * rng.standard_normal(J)[groups]
    if loss == "squared":
        return eta + rng.uniform(0.3, 1.0, J)[groups] * rng.standard_normal(len(X))
    y = np.where(rng.random(len(X)) < expit(eta), 1.0, -1.0)
    # Both labels occur.
    y[0], y[-1] = 1.0, -1.0
    return y
