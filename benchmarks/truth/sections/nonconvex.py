"""Losses that are not convex: checks that no point within the radius disproves the bound."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, softmax

import saddleback as sb

from ..endings import ROUNDING, SECONDS, covers, describe, ending, quietly
from ..problems.nonconvex import FAMILIES, Array, Family
from ..problems.search import lowest_inside
from ..section import Section
from ..tally import Outcome, Share

TOL = 1e-6
GAMMA = 0.1
METHODS = ("auto", "auto", "auto", "auto", "accelerated", "prox-linear")
# The shares of starts at a stationary point that is not a minimum, and near one.
EXACTLY_STATIONARY = 0.15
NEARLY_STATIONARY = 0.1

FALSE = "false bounds: a point within the radius has a lower value"
CERTIFIED = "certified with a false bound"
UNTRUE = "values that the losses do not have at w"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One run of one family."""
    names = list(FAMILIES)
    name = names[number % len(names)]
    family = FAMILIES[name](rng)
    method = METHODS[int(rng.integers(len(METHODS)))]
    smooth = rng.random() < 0.25
    w0 = _start(rng, family)
    result = quietly(
        lambda: sb.minimax(
            family.pair,
            w0,
            jac=True,
            regularizer=sb.Entropy(GAMMA) if smooth else sb.Zero(),
            method=method,
            tol=TOL,
            time_limit=SECONDS,
        )
    )

    def g(w: Array) -> tuple[float, Array]:
        return worst(*family.pair(w), smooth)

    slack = ROUNDING * (1.0 + abs(result.value) + float(np.abs(family.pair(w0)[0]).max()))
    false, note = False, ""
    if np.isfinite(result.lower_bound):
        least, where = lowest_inside(rng, g, result.w, min(result.radius, 1e6), [*family.lows, *family.stationary])
        false = covers(result, where) and result.lower_bound > least + slack
        away = float(np.linalg.norm(where - result.w))
        note = f"; {result.lower_bound - least:.2g} above the value at a distance of {away:.3g}" if false else ""
    counts = {FALSE: false, UNTRUE: not abs(g(result.w)[0] - result.value) <= slack}
    if ending(result) == "certified":
        counts[CERTIFIED] = false
    start = f"from {np.array2string(w0, precision=3)} (d = {family.d}), {method}"
    return [Outcome(counts, name, ending(result), f"{start}: {describe(result)}{note}")]


def worst(f: Array, G: Array, smooth: bool) -> tuple[float, Array]:
    """max_j f_j, or gamma log mean exp(f/gamma), and a subgradient."""
    if smooth:
        lam = softmax(f / GAMMA)
        return GAMMA * float(logsumexp(f / GAMMA) - np.log(f.size)), lam @ G
    j = int(f.argmax())
    return float(f[j]), G[j]


def _start(rng: np.random.Generator, family: Family) -> Array:
    chance = rng.random()
    if family.stationary and chance < EXACTLY_STATIONARY + NEARLY_STATIONARY:
        point = family.stationary[int(rng.integers(len(family.stationary)))]
        near = 0.0 if chance < EXACTLY_STATIONARY else 10 ** rng.uniform(-6, -1)
        return point + near * rng.standard_normal(family.d)
    start = family.spread * rng.standard_normal(family.d)
    return np.round(start) if family.round_starts else start


ABOUT = """\
Seven families of one to four losses of one to ten parameters, from random starts; some starts are stationary points
that are not minima. A certificate assumes convex losses, and a run should detect that these are not convex. A bound is
false if a point within its radius has a lower value; such points are searched for at random, at known minima and by
descent.
"""

SECTION = Section(
    name="nonconvex",
    title="Losses that are not convex",
    about=ABOUT,
    judge=judge,
    limits=(Share(FALSE, 0.01), Share(CERTIFIED, None), Share(UNTRUE)),
    sizes={"small": 210, "full": 3000},
)
