"""The outer methods on the paper's synthetic problem, side by side."""

from __future__ import annotations

import saddleback as sb
from saddleback.methods import AnyMethod

from ..contestants.ours import by
from ..race import Contestant, optimum, race, standings_data, standings_rows
from ..report import Options, Report, Table
from ..synthetic import paper_data

SIZES = {"tiny": (10, 3, 40), "small": (200, 10, 200), "full": (500, 10, 500)}
GAPS = (1e-2, 1e-4, 1e-6)
GAMMAS = (0.01, 0.0)
BUDGET = {"tiny": 0.5, "small": 3.0, "full": 10.0}
BASE = "quasi-newton"


def contestants(gamma: float, L: float) -> dict[str, str | AnyMethod]:
    """The methods, with L given unless their name says that they measure it."""
    methods: dict[str, str | AnyMethod] = {
        BASE: BASE,
        "newton": "newton",
        "accelerated, sharp steps": sb.Accelerated(restart=False, smoothness=L),
        "accelerated, paper's steps (Algorithm 1)": sb.Accelerated(steps="paper", restart=False, smoothness=L),
        "accelerated, sharp steps, restart": sb.Accelerated(smoothness=L),
        "accelerated, sharp steps, restart, L measured": sb.Accelerated(),
        "fixed-point": sb.FixedPoint(restart=False, smoothness=L),
        "prox-linear": sb.ProxLinear(smoothness=L),
        "prox-linear, L measured": sb.ProxLinear(),
        "extragradient": sb.Extragradient(smoothness=L),
        "optimistic": sb.Optimistic(smoothness=L),
    }
    if gamma > 0:
        methods |= {"apgd": sb.APGD(smoothness=L), "lbfgsb": sb.LBFGSB()}
    return methods


def measure(options: Options) -> Report:
    d, J, N = SIZES[options.scale]
    grouped = paper_data(d, J, N, 0)
    losses, L = grouped.fused(), grouped.smoothness()
    tables, data = [], {}
    for gamma in GAMMAS:
        regularizer = sb.Quadratic(gamma)
        value = optimum(sb.Problem(losses, regularizer=regularizer), tol=1e-9).value
        methods = {name: Contestant(losses, by(method)) for name, method in contestants(gamma, L).items()}
        standings = race(methods, regularizer, value + GAPS[-1], options.repeats, BUDGET[options.scale])
        header, rows = standings_rows(standings, value, GAPS, BASE)
        tables.append(Table(f"d = {d}, J = {J}, N = {N}, gamma = {gamma:g}", header, rows))
        data[f"gamma{gamma:g}"] = standings_data(standings, value, GAPS)
    return Report(
        "Outer methods",
        f"Every method of the library on the paper's recipe, in float64. Times are multiples of those of {BASE} to the "
        "same gap; '-': "
        f"not within {BUDGET[options.scale]:g} s.",
        tables,
        data=data,
    )
