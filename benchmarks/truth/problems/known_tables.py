"""Tables whose optimum is known: by their residuals for the squared loss, by a barrier method for the logistic one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import saddleback as sb

from .adversaries import FACES, Random, draw_saddle
from .constructed import Known
from .ill_tables import draw
from .reference import least_worst_loss
from .table import Array, Table

DISTRIBUTIONS = ("Simplex", "CappedSimplex", "Contamination", "Chi2Ball", "TVBall", "KLBall")
LOGISTIC = 0.3


@dataclass(frozen=True, eq=False)
class OnePoint:
    """A problem with one known minimizer, or with an unknown one."""

    minimizer: Array | None

    def nearest_minimizer(self, w: Array) -> Array:
        # If none is known, only global bounds are checked: nan is inside no region.
        return np.full_like(w, np.nan) if self.minimizer is None else self.minimizer


def draw_table(rng: Random) -> Known:
    return _logistic(rng) if rng.random() < LOGISTIC else _squared(rng)


def _logistic(rng: Random) -> Known:
    """The largest group loss of a well-conditioned table or one with rare categories, with or without a penalty."""
    kind = str(rng.choice(["well-conditioned", "mixed units", "rare categories"]))
    table = draw(rng, kind, "logistic")
    if rng.random() < 0.6:
        table = Table(kind, table.X, table.y, table.groups, "logistic", table.fit_intercept, 10 ** rng.uniform(-5, 0))
    optimum = least_worst_loss(table)
    problem = sb.Problem(table.losses())
    easy = kind == "well-conditioned"
    label = f"logistic table ({kind}), {table.X.shape}, l2 = {table.l2:.1g}"
    # The reference is accurate to about 1e-9, a thousand times the allowance for rounding.
    return Known(label, problem, np.zeros(problem.n_params), optimum, OnePoint(None), 1.0, 1e3, easy)


def _squared(rng: Random) -> Known:
    """f_j = mean over group j of (x'w - y)^2 + l2/2 |w|^2, with residuals that give chosen losses and gradients."""
    J, d = int(rng.integers(1, 7)), int(rng.integers(1, 13))
    kind = DISTRIBUTIONS[int(rng.integers(len(DISTRIBUTIONS)))]
    saddle = draw_saddle(rng, kind, J)
    J, lam, intercept = saddle.lam.size, saddle.lam, bool(rng.random() < 0.5)
    l2 = 0.0 if rng.random() < 0.5 else 10 ** rng.uniform(-5, 0)
    p = d + intercept
    units: Array = 10.0 ** rng.uniform(-7, 7, d) if l2 == 0 and rng.random() < 0.3 else np.ones(d)
    w = rng.standard_normal(p)
    penalty = np.append(np.full(d, l2), np.zeros(p - d))
    b = 0.5 * rng.standard_normal((J, p))
    b -= np.outer(lam, lam @ b) / float(lam @ lam)
    tables, responses, fitted = [], [], np.zeros(J)
    for j in range(J):
        n = p + int(rng.integers(5, 60))
        X = np.column_stack([rng.standard_normal((n, d)), np.ones((n, p - d))])
        # The r of least norm with 2/n X'r + penalty w = b_j, plus a part that is orthogonal to the columns.
        r = X @ np.linalg.solve(X.T @ X, 0.5 * n * (b[j] - penalty * w))
        across = rng.standard_normal(n)
        for _ in range(2):
            across -= X @ np.linalg.lstsq(X, across, rcond=None)[0]
        tables.append(X)
        responses.append((r, across))
        fitted[j] = float(r @ r) / n + 0.5 * float(penalty @ w**2)
    # On sets of distributions a common constant changes nothing: add one that makes every loss attainable.
    shift = max(0.0, float((fitted + 0.1 - saddle.c).max()))
    y = []
    for j, (X, (r, across)) in enumerate(zip(tables, responses, strict=True)):
        left = (saddle.c[j] + shift - fitted[j]) * len(X)
        y.append(X @ w - r - across * np.sqrt(left / float(across @ across)))
    X = np.vstack(tables)[:, :d] * units
    groups = np.repeat(np.arange(J), [len(X) for X in tables])
    losses = sb.GroupedLinear(X, np.concatenate(y), groups, loss="squared", l2=l2, fit_intercept=intercept, n_threads=1)
    minimizer = w / np.append(units, np.ones(p - d))
    problem = sb.Problem(losses, saddle.dual_set, saddle.regularizer)
    optimum = saddle.value + shift
    label = f"squared table, {kind}, {type(saddle.regularizer).__name__}, {X.shape}, J = {J}, l2 = {l2:.1g}"
    easy = bool((units == 1.0).all())
    return Known(label, problem, np.zeros(p), optimum, OnePoint(minimizer), 1.0, 10 * (1.0 + optimum), easy)


assert set(DISTRIBUTIONS) <= set(FACES)
