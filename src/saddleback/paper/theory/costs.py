"""The table of complexities: the linear algebra of one iteration takes d J^2 + J^3.5."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from scipy.optimize import nnls

from ..._types import Vector
from ...adversary import Adversary
from ...dual_sets import Simplex
from ...linalg.blas_threads import one_blas_thread
from ...regularizers import Zero
from ...subproblem import DualSubproblem, PathFollowing
from .scaling import end_orders, row, sizes, table

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"d": (100, 10_000), "J": (2, 4, 8), "at": (1000, 4), "repetitions": 1},
    "small": {
        "d": (1000, 10_000, 100_000, 1_000_000),
        "J": (4, 8, 16, 32, 64, 128),
        "at": (1000, 10),
        "repetitions": 3,
    },
    "full": {
        "d": (1000, 10_000, 100_000, 1_000_000, 4_000_000),
        "J": (4, 8, 16, 32, 64, 128, 256, 512),
        "at": (1000, 10),
        "repetitions": 5,
    },
}
SCHEDULES = ("paper", "long")
PANELS = ("d", "J")
T = TypeVar("T")
# The repetitions of a timing end when they have taken this many seconds in total.
LONGEST_TIMING = 3.0
# The gap to which (D) is solved, for losses that differ by about 0.1. It affects the number of steps, not the orders.
EPS = 1e-3


def measure(scale: str, seed: int, tick: Callable[[str], None]) -> dict[str, Any]:
    """Seconds for Q = G G' and for (D) by both schedules, against d at one J and against J at one d."""
    size = sizes(SIZES, scale)
    d_fixed, J_fixed = size["at"]
    rng = np.random.default_rng(seed)
    points = []
    _timings(rng, 10, 2, 1)  # the first calls of a process take longer
    for x, d, J in [("d", d, J_fixed) for d in size["d"]] + [("J", d_fixed, J) for J in size["J"]]:
        tick(f"costs: d = {d}, J = {J}")
        points.append({"x_name": x, "d": d, "J": J} | _timings(rng, d, J, size["repetitions"]))
    series = [_series(points, schedule) for schedule in SCHEDULES]
    at = {"d": d_fixed, "J": J_fixed}
    return {"check": "costs", "scale": scale, "seed": seed, "at": at, "points": points, "series": series}


def _timings(rng: np.random.Generator, d: int, J: int, repetitions: int) -> dict[str, Any]:
    """Seconds for the linear algebra of one iteration: gradients of length one, losses that differ by about 0.1."""
    G = rng.standard_normal((J, d))
    G /= np.sqrt(d)
    # One thread: the formula counts operations, and in small systems threads would spend their time waiting.
    with one_blas_thread():
        Q, gram = _median_seconds(lambda: G @ G.T, repetitions)
        subproblem = DualSubproblem(0.5 * Q, 0.1 * rng.standard_normal(J), Adversary(Simplex(), Zero(), J))
        found: dict[str, Any] = {"gram": gram, "newton": {}, "n_newton": {}}
        for schedule in SCHEDULES:
            solution, seconds = _median_seconds(partial(PathFollowing(schedule).solve, subproblem, EPS), repetitions)
            found["newton"][schedule], found["n_newton"][schedule] = seconds, solution.n_iter
    return found


def _median_seconds(work: Callable[[], T], repetitions: int) -> tuple[T, float]:
    """The result of ``work``, and its median time."""
    seconds: list[float] = []
    while True:
        before = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - before)
        if len(seconds) == repetitions or sum(seconds) > LONGEST_TIMING:
            return result, float(np.median(seconds))


def _series(points: list[dict[str, Any]], schedule: str) -> dict[str, Any]:
    """Total seconds with one schedule, the fitted formulas, and the local exponents at the ends."""
    d, J, N = (
        np.array(column, dtype=float)
        for column in zip(*((p["d"], p["J"], p["n_newton"][schedule]) for p in points), strict=True)
    )
    seconds = np.array([p["gram"] + p["newton"][schedule] for p in points])
    orders = {}
    for x in ("d", "J"):
        scan = [(p[x], s, p["gram"]) for p, s in zip(points, seconds, strict=True) if p["x_name"] == x]
        xs, totals, grams = zip(*scan, strict=True)
        orders[x] = {"total": end_orders(xs, totals), "gram": end_orders(xs, grams)}
        orders[x]["newton"] = end_orders(xs, [t - g for t, g in zip(totals, grams, strict=True)])
    return {
        "schedule": schedule,
        "seconds": seconds.tolist(),
        "fits": [
            fit({"1": np.ones_like(J), "d J^2": d * J**2, "J^3.5": J**3.5}, seconds),
            fit({"N": np.maximum(N, 1.0), "d J^2": d * J**2, "N J^3": N * J**3}, seconds),
        ],
        "orders": orders,
    }


def fit(terms: dict[str, Vector], seconds: Vector) -> dict[str, Any]:
    """seconds = sum of non-negative multiples of the terms, by least squares of the relative residuals."""
    columns = np.column_stack(list(terms.values())) / seconds[:, None]
    largest = columns.max(axis=0)
    coefficients = nnls(columns / largest, np.ones(len(seconds)))[0] / largest
    predicted = columns @ coefficients * seconds
    ratios = predicted / seconds
    return {
        "coefficients": dict(zip(terms, coefficients.tolist(), strict=True)),
        "predicted": predicted.tolist(),
        "ratios": [float(ratios.min()), float(ratios.max())],
    }


def rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for series in data["series"]:
        for k, p in enumerate(data["points"]):
            for fitted in series["fits"]:
                name = f"{series['schedule']} steps; {formula(fitted)}"
                found.append(
                    row("costs", p["x_name"], p[p["x_name"]], name, series["seconds"][k], fitted["predicted"][k])
                )
    return found


def formula(fitted: dict[str, Any]) -> str:
    """The terms of a fit, without their coefficients."""
    return " + ".join(fitted["coefficients"])


def _crossing(fitted: dict[str, Any]) -> float | None:
    calls, cubic = fitted["coefficients"].get("N", 0.0), fitted["coefficients"].get("N J^3", 0.0)
    return float((calls / cubic) ** (1 / 3)) if calls > 0 and cubic > 0 else None


def text(data: dict[str, Any]) -> str:
    at, lines, exponents = data["at"], [], []
    for series in data["series"]:
        name = f"{series['schedule']} steps"
        for fitted in series["fits"]:
            shown = " + ".join(f"{value:.2g} ({term})" for term, value in fitted["coefficients"].items())
            lines.append((name, shown, "{:.2f} to {:.2f}".format(*fitted["ratios"]), _crossing(fitted)))
        for x, theory in (("d", "0 to 1"), ("J", "up to 3.5" if series["schedule"] == "paper" else "up to 3")):
            orders = series["orders"][x]
            exponents.append((name, x, *orders["total"], *orders["gram"], *orders["newton"], theory))
    ends = ("total, first", "total, last", "G G', first", "G G', last", "(D), first", "(D), last")
    return (
        "Seconds (medians, one thread) for the linear algebra of one outer iteration beyond the losses: G G' and "
        f"(D) by path following, against d at J = {at['J']} and against J at d = {at['d']}. Two formulas are "
        "fitted to both scans: that of the table of complexities, and N + d J^2 + N J^3 with the counted Newton steps "
        "N, each of which also takes the time of its calls. Below the J in the last column the calls of a Newton step "
        "take longer than its J^3 operations, and the exponent in J stays below its limit.\n\n"
        + table(("schedule", "fitted seconds", "fitted/measured", "J where calls and J^3 take equal time"), lines)
        + "\n\nLocal exponents d log time / d log x at both ends of the scans:\n\n"
        + table(("schedule", "x", *ends, "theory, total"), exponents)
        + "\n"
    )


def draw(data: dict[str, Any], panels: Sequence[Any]) -> None:
    """Seconds against d at one J and against J at one d, with both formulas."""
    for x, axes in zip(PANELS, panels, strict=True):
        chosen = [k for k, p in enumerate(data["points"]) if p["x_name"] == x]
        xs = [data["points"][k][x] for k in chosen]
        for color, series in enumerate(data["series"]):
            seconds = [series["seconds"][k] for k in chosen]
            axes.loglog(xs, seconds, "o", color=f"C{color}", label=f"{series['schedule']} steps")
            for style, fitted in zip(("--", ":"), series["fits"], strict=True):
                predicted = [fitted["predicted"][k] for k in chosen]
                axes.loglog(xs, predicted, style, color=f"C{color}", label=f"fitted {formula(fitted)}")
        at = data["at"]
        axes.set_xlabel(f"parameters d (J = {at['J']})" if x == "d" else f"losses J (d = {at['d']})")
        axes.set_ylabel("seconds per iteration, losses left out")
        axes.legend(fontsize="x-small")
