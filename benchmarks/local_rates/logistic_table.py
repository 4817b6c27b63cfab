"""A table of four groups, solved in extended precision."""

from __future__ import annotations

from typing import Any

import numpy as np

import saddleback as sb

from .known_solutions import Array, Solution

N_ROWS, N_COLUMNS, N_GROUPS, L2 = 400, 8, 4, 0.01
STEPS = 6


def logistic_table(seed: int = 0) -> Solution:
    """The largest mean logistic loss of four groups of drawn rows, with the penalty L2/2 |w|^2."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N_ROWS, N_COLUMNS))
    groups = np.arange(N_ROWS) % N_GROUPS
    scores = X @ rng.standard_normal(N_COLUMNS) + 0.7 * rng.standard_normal((N_GROUPS, N_COLUMNS))[groups, 0] * X[:, 0]
    y = np.where(scores + rng.logistic(size=N_ROWS) > 0, 1, -1)
    losses = sb.GroupedLinear(X, y, groups, loss="logistic", l2=L2, fit_intercept=False)
    result = sb.solve(sb.Problem(losses), method="newton", tol=1e-12)
    w, lam = _polished(X, y, groups, result.w, result.dual)
    return Solution(losses, w, lam)


def _polished(X: Array, y: Any, groups: Any, w: Array, lam: Array) -> tuple[Array, Array]:
    """Newton's method on G'lam = 0, f_j = t for the active j and sum lam = 1, residuals in extended precision."""
    active = np.flatnonzero(lam > 1e-6)
    a, d = active.size, w.size
    rows = [(X[groups == j] * y[groups == j, None]).astype(np.longdouble) for j in active]
    z = np.concatenate((w, lam[active], [0.0])).astype(np.longdouble)
    for _ in range(STEPS):
        v, mu, t = z[:d], z[d : d + a], z[-1]
        # Of rows with y_i x_i: the loss log(1 + exp(-u)), its slope -1/(1 + exp(u)).
        p = [1 / (1 + np.exp(R @ v)) for R in rows]
        f = np.array([np.log1p(np.exp(-(R @ v))).mean() for R in rows]) + L2 / 2 * (v @ v)
        G = np.array([-(q @ R) / len(R) for q, R in zip(p, rows, strict=True)]) + L2 * v
        H = sum(m * (R.T * (q * (1 - q))) @ R / len(R) for m, q, R in zip(mu, p, rows, strict=True)) + L2 * np.eye(d)
        residual = np.concatenate((mu @ G, f - t, [1 - mu.sum()]))
        K = np.zeros((d + a + 1, d + a + 1))
        K[:d, :d], K[:d, d:-1], K[d:-1, :d] = H, G.T, G
        K[d:-1, -1] = K[-1, d:-1] = -1.0
        z = z - np.linalg.solve(K, residual.astype(np.float64))
    weights = np.zeros_like(lam)
    weights[active] = z[d:-1]
    return z[:d].astype(np.float64), weights
