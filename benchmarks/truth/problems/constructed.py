"""Random problems whose optimum is known because it was chosen first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

import saddleback as sb

from .adversaries import FACES, Random, Saddle, draw_saddle
from .convex_losses import PIECES, TAME, Array, Pieces, WithHessian, WithStrength

# Shares of what makes a problem hard.
OWN_UNITS = 0.35
LOSS_UNITS = 0.3
FAR_START = 0.25
LOW_RANK = 0.15
AFFINE = 0.08
TIES = 0.15
STRONG = 0.35
METRIC = 0.05


# How often a set occurs: the simplex as users have it, the others often enough, those that take long less so.
FREQUENCY = {kind: 3.0 if kind in ("CappedSimplex", "Box", "Ball") else 2.0 for kind in FACES} | {"Simplex": 9.0}


@dataclass(frozen=True, eq=False)
class Known:
    """A problem, where to start it, and its optimum."""

    label: str
    problem: sb.Problem
    w0: Array
    optimum: float
    losses: Any
    """With ``nearest_minimizer(w)``."""
    unit: float
    """The unit of the losses, in which tolerances are meant."""
    size: float
    """The size of the numbers that values and bounds are made of."""
    easy: bool = False
    metric: Array | None = None


def draw(rng: Random, *, mild: bool, strong: bool = False, hessian: bool = False) -> Known:
    """A problem over one of the sets, in all sizes and units; ``mild`` leaves out what first-order steps cannot do,
    ``strong`` asks for a strongly convex R, ``hessian`` for losses that offer theirs.
    """
    kind = str(rng.choice(list(FREQUENCY), p=np.array(list(FREQUENCY.values())) / sum(FREQUENCY.values())))
    # Small sizes are the more frequent ones: they are as treacherous, and cost less.
    J, d = 1 + int(20 * rng.random() ** 2), 1 + int(30 * rng.random() ** 1.5)
    easy = rng.random() < 0.3
    tame = easy or mild
    unit = 10 ** rng.uniform(-6, 6) if not tame and rng.random() < LOSS_UNITS else 1.0
    saddle = draw_saddle(rng, kind, J, unit, strong=strong)
    J = saddle.lam.size
    psi = str(rng.choice(TAME if tame else tuple(PIECES)))
    P = _directions(rng, d, spread=1.0 if tame else float(rng.uniform(0, 4)), low=not tame and rng.random() < LOW_RANK)
    a = unit * rng.uniform(0.2, 2.0, (J, len(P)))
    if not easy:
        a *= rng.random(a.shape) < 0.7
        if rng.random() < AFFINE:
            a[:] = 0.0
    a[~saddle.nonnegative] = 0.0
    b = _balanced(rng, saddle, unit * rng.standard_normal((J, len(P))) @ P / np.sqrt(len(P)))
    c = saddle.c
    if J > 1 and not easy and rng.random() < TIES:
        a, b, c, saddle = _tied(rng, a, b, c, saddle)
    m = unit * 10 ** rng.uniform(-4, 0) if saddle.nonnegative.all() and (easy or rng.random() < STRONG) else 0.0
    units: Array = np.ones(d)
    if not tame and rng.random() < OWN_UNITS:
        units = 10.0 ** rng.uniform(-7, 7, d)
    optimum = (
        units * rng.standard_normal(d) * float(rng.choice([1.0, 1.0, 30.0])) if not easy else rng.standard_normal(d)
    )
    pieces = Pieces(psi, c, b, a, P, optimum, units, m)
    w0 = _start(rng, pieces, easy or mild)
    losses: Any = pieces
    if m > 0 and rng.random() < 0.7:
        losses = WithStrength(pieces)
    if hessian:
        losses = WithHessian(pieces)
    metric = units**-2.0 if rng.random() < METRIC else None
    size = (
        float(np.abs(saddle.lam) @ np.abs(c)) + abs(saddle.value) + unit * (1.0 + float(np.abs(optimum / units).max()))
    )
    label = f"{kind}, {type(saddle.regularizer).__name__}"
    note = f"{label}, {psi}, J = {J}, d = {d}"
    problem = sb.Problem(losses, saddle.dual_set, saddle.regularizer, metric)
    # With fewer curved directions than parameters, or weak curvature, a problem is not an easy one.
    easy = easy and bool(saddle.nonnegative.all()) and float(np.abs(saddle.lam).sum()) > 0.1
    return Known(note, problem, w0, saddle.value, pieces, unit, size, easy, metric)


def _directions(rng: Random, d: int, *, spread: float, low: bool) -> Array:
    """p_k, rows of a matrix with condition number 10^spread; of half the rank where ``low``."""
    r = max(1, d // 2) if low else d
    U, V = qr(rng.standard_normal((r, r)))[0], qr(rng.standard_normal((d, d)))[0][:r]
    singular = 10 ** (-spread * rng.random(r))
    P: Array = (U * singular) @ V
    return P


def _balanced(rng: Random, saddle: Saddle, b: Array) -> Array:
    """b with b'lam = 0."""
    lam = saddle.lam
    squared = float(lam @ lam)
    if squared == 0.0:
        return b
    b = b - np.outer(lam, lam @ b) / squared
    # Once more: what rounding left.
    return b - np.outer(lam, lam @ b) / squared


def _tied(rng: Random, a: Array, b: Array, c: Array, saddle: Saddle) -> tuple[Array, Array, Array, Saddle]:
    """The same loss twice, where both have equal values at the optimum: only the sum of their weights is determined."""
    same = [(i, j) for i in range(c.size) for j in range(i) if c[i] == c[j] and saddle.lam[i] > 0 and saddle.lam[j] > 0]
    if not same:
        return a, b, c, saddle
    i, j = same[int(rng.integers(len(same)))]
    lam = saddle.lam
    a, b = a.copy(), b.copy()
    a[j] = a[i]
    b[i] = b[j] = (lam[i] * b[i] + lam[j] * b[j]) / (lam[i] + lam[j])
    return a, b, c, saddle


def _start(rng: Random, pieces: Pieces, near: bool) -> Array:
    """Near the optimum, far from it, or there; where all losses are finite and not too large."""
    x: Array = rng.standard_normal(pieces.n_params)
    if not near:
        chance = rng.random()
        if chance < 0.03:
            return pieces.optimum.copy()
        if chance < FAR_START:
            x *= 10 ** rng.uniform(0.5, 3)
    # Exponentials of more than 20 are no place to start.
    t = float(np.abs(pieces.P @ x).max())
    if pieces.psi in ("exponentials", "cosh", "fourth powers") and t > 20.0:
        x *= 20.0 / t
    return pieces.optimum + pieces.units * x
