"""The theorem on Algorithm 1: the primal gap falls as 1/T^2, and stays below its bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ...problem import Problem
from ...solve import solve
from ..recipe import Recipe
from .algorithm_one import follow
from .scaling import order, row, sizes, table
from .worst_case import SplitChain, least_gap

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"recipe": (20, 3, 100), "T": 60, "worst": (10, 20, 40)},
    "small": {"recipe": (100, 10, 500), "T": 200, "worst": (20, 40, 80, 160)},
    "full": {"recipe": (500, 10, 2000), "T": 300, "worst": (20, 40, 80, 160, 320, 640)},
}
GAMMAS = (0.01, 0.0)
# The window of the slope starts here: at smaller T the gap of the paper's problem has hardly changed.
FIRST_T = 10
# Gaps below this multiple of the gap of the reference are excluded, because the optimum is only known to that gap.
REFERENCE_GAPS = 10.0
GROUPS = 3
PANELS = ("T",)
NUMBERS = ("slope", "bound_slope", "last_slope", "largest_share_of_bound")


def measure(scale: str, seed: int, tick: Callable[[str], None]) -> dict[str, Any]:
    """Gaps and bounds at every T, in units of L |w* - w_1|^2, with the slope over the stated window of T."""
    size = sizes(SIZES, scale)
    d, J, N = size["recipe"]
    data = Recipe(d, J, N, seed, "float64").generate()
    series = []
    for gamma in GAMMAS:
        tick(f"rate: reference, gamma = {gamma:g}")
        problem = data.problem(gamma)
        reference = solve(problem, tol=1e-10)
        for steps in ("paper", "sharp"):
            tick(f"rate: {steps} steps, gamma = {gamma:g}")
            run = follow(problem, steps, data.L, size["T"])
            unit = data.L * float(reference.w @ reference.w)
            T, gaps = np.arange(1, size["T"] + 1), run.values - reference.lower_bound
            known = gaps > REFERENCE_GAPS * max(reference.gap, 1e-14)
            window = (T >= FIRST_T) & np.minimum.accumulate(known)
            name = f"paper's problem, gamma = {gamma:g}, {steps} steps"
            series.append(_series(name, steps, T, gaps / unit, run.bound(reference.w) / unit, window))
    for steps in ("paper", "sharp"):
        tick(f"rate: worst case, {steps} steps")
        T = np.array(size["worst"])
        pairs = np.array([_worst_gap(int(t), steps) for t in T])
        series.append(
            _series(f"worst case, {steps} steps", steps, T, pairs[:, 0], pairs[:, 1], T > 0)
            | {"least": [least_gap(int(t)) / (GROUPS / 2) for t in T]}
        )
    return {"check": "rate", "scale": scale, "seed": seed, "sizes": {"d": d, "J": J, "N": N}, "series": series}


def _worst_gap(T: int, steps: str) -> tuple[float, float]:
    """The gap and the bound after T steps on the instance that is worst for T, in the same units."""
    chain = SplitChain(GROUPS, 2 * T + 1)
    run, w = follow(Problem(chain), steps, chain.L, T), chain.minimizer
    unit = chain.L * float(w @ w)
    return (run.values[-1] - chain.optimum) / unit, run.bound(w)[-1] / unit


def _series(
    name: str, steps: str, T: NDArray[np.int_], gaps: Vector, bound: Vector, window: NDArray[np.bool_]
) -> dict[str, Any]:
    """One curve, its slopes, and whether it stays below the bound."""
    inside = T[window]
    end = window & (inside[-1] <= 2 * T) if len(inside) else window
    return {
        "name": name,
        "steps": steps,
        "T": T.tolist(),
        "gap": gaps.tolist(),
        "bound": bound.tolist(),
        "least": None,
        "window": [int(inside[0]), int(inside[-1])] if len(inside) else None,
        "slope": order(inside, gaps[window]),
        "bound_slope": order(inside, bound[window]),
        "largest_share_of_bound": float((gaps / bound).max()),
        "last_slope": order(T[end], gaps[end]),
        "below_bound": bool((gaps <= bound).all()),
    }


def rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        row("rate", "T", T, series["name"], gap, bound)
        for series in data["series"]
        for T, gap, bound in zip(series["T"], series["gap"], series["bound"], strict=True)
    ]


def text(data: dict[str, Any]) -> str:
    size, series = data["sizes"], data["series"]
    held = sum(s["below_bound"] for s in series)
    lines = [
        (
            s["name"],
            s["window"] and "{} to {}".format(*s["window"]),
            *(s[key] for key in NUMBERS),
            _yes(s["below_bound"]),
        )
        for s in series
    ]
    header = (
        "series",
        "window of T",
        "slope",
        "slope of the bound",
        "over the last doubling",
        "largest gap/bound",
        "below it",
    )
    return (
        f"Primal gap of Algorithm 1 after T iterations (d = {size['d']}, J = {size['J']}, N = {size['N']}), from the "
        f"certified lower value of a reference solution, in units of L |w* - w_1|^2. The theorem demands a slope of -2 "
        f"or better, and at every T a gap below (|w* - w_1|^2/2 + sum A_t gap_t)/A_T: {held} of {len(series)} series "
        "stay below it. The paper's problem is easier than the theorem assumes: its losses are strongly convex around "
        "the optimum, and the slope is far below -2. On the worst case (Nesterov's function dealt to three groups, one "
        "instance for each T) the bound has the right order: the slope tends to -2 from above, as that of the bound "
        "itself does, because A_T is (T^2 + O(T))/(16 L) with the paper's steps and 0.99 (T^2 + O(T))/(4 L) with the "
        "sharp ones.\n\n" + table(header, lines) + "\n"
    )


def draw(data: dict[str, Any], panels: Sequence[Any]) -> None:
    """Gaps of every series, one color for each step rule, and the theorem's bound."""
    (axes,) = panels
    for k, s in enumerate(data["series"]):
        # Both rules in turn on each of three problems.
        color, marker, worst = f"C{k % 2}", "ox^"[k // 2], s["least"] is not None
        shown = [i for i in _spaced(len(s["T"])) if worst or (s["window"] and s["T"][i] <= s["window"][1])]
        T, gaps = [s["T"][i] for i in shown], [s["gap"][i] for i in shown]
        axes.loglog(T, gaps, marker, color=color, markersize=5, fillstyle="none", label=s["name"])
        if worst:
            axes.loglog(s["T"], s["bound"], "--", color=color, label=f"theorem's bound, {s['steps']} steps")
        else:
            axes.loglog(s["T"], s["bound"], "--", color=color, linewidth=0.8)
    least = next(s for s in data["series"] if s["least"] is not None)
    axes.loglog(least["T"], least["least"], ":", color="black", label="lower bound of all methods, worst case")
    axes.set_xlabel("iterations T")
    axes.set_ylabel("primal gap / (L |w* - w_1|^2)")
    axes.legend(fontsize="xx-small", loc="lower left")


def _yes(verdict: bool) -> str:
    return "yes" if verdict else "NO"


def _spaced(n: int) -> list[int]:
    """About 25 of n indices, evenly spaced in the logarithm."""
    return sorted({int(i) - 1 for i in np.geomspace(1, n, 25).round()}) if n else []
