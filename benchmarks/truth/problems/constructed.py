"""Random problems built around a chosen optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

import saddleback as sb

from .adversaries import FACES, Random, Saddle, draw_saddle
from .convex_losses import PIECES, TAME, Array, Pieces, WithHessian, WithStrength

EASY = 0.3
# The shares of problems with each difficulty.
OWN_UNITS = 0.35
LOSS_UNITS = 0.3
FAR_START = 0.25
AT_OPTIMUM = 0.03
LOW_RANK = 0.15
AFFINE = 0.08
TIES = 0.15
# The shares of strongly convex losses, of those that declare it, and of a metric that cancels the units.
STRONG = 0.4
SAID = 0.7
METRIC = 0.05
# The frequency of each set: the simplex most often, as in practice, and slow sets less often.
OFTEN = ("CappedSimplex", "Contamination", "Box", "Ball")
FREQUENCY = {kind: 3.0 if kind in OFTEN else 2.0 for kind in FACES} | {"Simplex": 9.0}
# The largest exponent at a start.
LARGEST_EXPONENT = 20.0


@dataclass(frozen=True, eq=False)
class Known:
    """A problem, its start and its optimum."""

    label: str
    problem: sb.Problem
    w0: Array
    optimum: float
    losses: Any
    """Losses with a method ``nearest_minimizer(w)``."""
    unit: float
    """The unit of the losses; tolerances are multiples of it."""
    size: float
    """The magnitude of the numbers that values and bounds are computed from."""
    easy: bool = False
    """Whether second derivatives are positive in all directions, all units are one, and the start is near."""
    metric: Array | None = None


def draw(rng: Random, *, mild: bool, strong: bool = False, hessian: bool = False) -> Known:
    """A problem over one of the sets, in all sizes and units; ``mild`` omits what first-order methods cannot solve,
    ``strong`` asks for a strongly convex R, ``hessian`` for losses that offer theirs.
    """
    kind = str(rng.choice(list(FREQUENCY), p=np.array(list(FREQUENCY.values())) / sum(FREQUENCY.values())))
    # Small sizes are more frequent: they are as difficult, and cost less.
    J, d = 1 + int(20 * rng.random() ** 2), 1 + int(30 * rng.random() ** 1.5)
    easy = bool(rng.random() < EASY)
    tame = easy or mild
    unit = 10 ** rng.uniform(-6, 6) if not tame and rng.random() < LOSS_UNITS else 1.0
    saddle = draw_saddle(rng, kind, J, unit, strong=strong)
    pieces = _losses(rng, saddle, d, unit, easy=easy, tame=tame)
    losses: Any = pieces
    if hessian:
        losses = WithHessian(pieces)
    elif pieces.m > 0 and rng.random() < SAID:
        losses = WithStrength(pieces)
    metric = pieces.units**-2.0 if rng.random() < METRIC else None
    size = float(np.abs(saddle.lam) @ np.abs(saddle.c)) + abs(saddle.value)
    size += unit * (1.0 + float(np.abs(pieces.optimum / pieces.units).max()))
    return Known(
        label=f"{kind}, {type(saddle.regularizer).__name__}, {pieces.psi}, J = {saddle.lam.size}, d = {d}",
        problem=sb.Problem(losses, saddle.dual_set, saddle.regularizer, metric),
        w0=_start(rng, pieces, near=tame),
        optimum=saddle.value,
        losses=pieces,
        unit=unit,
        size=size,
        # Affine losses have a zero Hessian, and so has <lam, f> if lam is almost zero.
        easy=easy and bool(saddle.nonnegative.all()) and float(saddle.lam.sum()) > 0.1,
        metric=metric,
    )


def _losses(rng: Random, saddle: Saddle, d: int, unit: float, *, easy: bool, tame: bool) -> Pieces:
    """Losses with the values c and gradients b with lam'b = 0 at the optimum."""
    J = saddle.lam.size
    low = not tame and rng.random() < LOW_RANK
    P = _directions(rng, d, spread=1.0 if tame else float(rng.uniform(0, 4)), rank=max(1, d // 2) if low else d)
    a = unit * rng.uniform(0.2, 2.0, (J, len(P)))
    if not easy:
        a *= (rng.random(a.shape) < 0.7) & (rng.random() >= AFFINE)
    a[~saddle.nonnegative] = 0.0
    b = _balanced(saddle.lam, unit * rng.standard_normal((J, len(P))) @ P / np.sqrt(len(P)))
    if not easy and rng.random() < TIES:
        a, b = _tied(rng, a, b, saddle)
    units: Array = 10.0 ** rng.uniform(-7, 7, d) if not tame and rng.random() < OWN_UNITS else np.ones(d)
    return Pieces(
        psi=str(rng.choice(TAME if tame else tuple(PIECES))),
        c=saddle.c,
        b=b,
        a=a,
        P=P,
        optimum=units * rng.standard_normal(d) * (1.0 if easy or rng.random() < 0.7 else 30.0),
        units=units,
        m=unit * 10 ** rng.uniform(-4, 0) if saddle.nonnegative.all() and rng.random() < STRONG else 0.0,
    )


def _directions(rng: Random, d: int, *, spread: float, rank: int) -> Array:
    """p_k, rows of a matrix with a condition number of 10^spread at most."""
    U, V = qr(rng.standard_normal((rank, rank)))[0], qr(rng.standard_normal((d, d)))[0][:rank]
    P: Array = (U * 10 ** (-spread * rng.random(rank))) @ V
    return P


def _balanced(lam: Array, b: Array) -> Array:
    """b with b'lam = 0."""
    squared = float(lam @ lam)
    if squared > 0.0:
        # Twice: the second time removes the rounding error of the first.
        for _ in range(2):
            b = b - np.outer(lam, lam @ b) / squared
    return b


def _tied(rng: Random, a: Array, b: Array, saddle: Saddle) -> tuple[Array, Array]:
    """Duplicate a loss with equal values at the optimum, so that only the sum of two weights is determined."""
    lam, c = saddle.lam, saddle.c
    same = [(i, j) for i in range(c.size) for j in range(i) if c[i] == c[j] and lam[i] > 0 and lam[j] > 0]
    if not same:
        return a, b
    i, j = same[int(rng.integers(len(same)))]
    a, b = a.copy(), b.copy()
    a[j] = a[i]
    b[i] = b[j] = (lam[i] * b[i] + lam[j] * b[j]) / (lam[i] + lam[j])
    return a, b


def _start(rng: Random, pieces: Pieces, *, near: bool) -> Array:
    """A start near the optimum, far from it or at it, at which no loss overflows."""
    x: Array = rng.standard_normal(pieces.n_params)
    chance = 1.0 if near else rng.random()
    if chance < AT_OPTIMUM:
        return pieces.optimum.copy()
    if chance < AT_OPTIMUM + FAR_START:
        x *= 10 ** rng.uniform(0.5, 3)
    t = float(np.abs(pieces.P @ x).max())
    if pieces.psi not in TAME and t > LARGEST_EXPONENT:
        x *= LARGEST_EXPONENT / t
    return pieces.optimum + pieces.units * x
