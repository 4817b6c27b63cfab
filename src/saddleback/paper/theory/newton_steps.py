"""The corollary on Algorithm 2: sqrt(J) log(J G t) Newton steps at iteration t of Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, log, sqrt
from typing import Any, ClassVar

import numpy as np

from ..._types import Vector
from ...capabilities import Needs
from ...dual_sets import Simplex
from ...losses import RescaledLosses
from ...problem import Problem
from ...regularizers import Quadratic
from ...subproblem import DualSolution, DualSubproblem, PathFollowing, QuadraticProgram
from ...subproblem.path_following.short_steps import CONTROL as SHORT_STEPS
from ...subproblem.path_following.short_steps import growth_of_tau, phase_two_steps
from ..recipe import Recipe
from .algorithm_one import follow
from .scaling import order, row, sizes, table

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"d": 20, "N": 60, "J": (2, 4, 8), "t": (10, 20, 40)},
    "small": {"d": 50, "N": 200, "J": (2, 4, 8, 16, 32), "t": (10, 20, 40)},
    "full": {"d": 200, "N": 500, "J": (2, 4, 8, 16, 32, 64, 128), "t": (10, 20, 40, 80, 160)},
}
GAMMAS = (0.0, 0.01)
SCHEDULES = ("paper", "long")
PANELS = ("J", "t")


@dataclass
class Sampled:
    """An inner solver for Algorithm 1 that counts Newton steps of Algorithm 2 at the iterations ``times``.

    At these iterations (D) is solved by Algorithm 2 and by long steps, both from the center and not from the last lam,
    which the default solver starts at. At all other iterations it is solved by ``QuadraticProgram``.
    """

    times: Sequence[int]
    largest: list[float] = field(default_factory=list)
    """max Q_jj of every iteration so far."""
    seen: list[tuple[int, DualSubproblem, float, dict[str, int]]] = field(default_factory=list)

    name = "sampled path-following"
    needs: ClassVar[Needs] = QuadraticProgram.needs

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        self.largest.append(subproblem.magnitude)
        t = len(self.largest)
        if t not in self.times:
            return QuadraticProgram().solve(subproblem, tol, start)
        solutions = {schedule: PathFollowing(schedule).solve(subproblem, tol) for schedule in SCHEDULES}
        counts = {schedule: solution.n_iter for schedule, solution in solutions.items()}
        self.seen.append((t, subproblem, tol, counts))
        return solutions["paper"]


def measure(scale: str, seed: int, tick: Callable[[str], None]) -> dict[str, Any]:
    """Newton steps for every pair (J, t), in parameters whose unit makes L = 1 (the corollary assumes L >= 1)."""
    size = sizes(SIZES, scale)
    points: list[dict[str, Any]] = []
    for J in size["J"]:
        tick(f"newton_steps: J = {J}")
        data = Recipe(size["d"], J, size["N"], seed, "float64").generate()
        losses = RescaledLosses(data.losses, np.full(size["d"], sqrt(data.L)))
        for gamma in GAMMAS:
            sampled = Sampled(size["t"])
            A = follow(Problem(losses, regularizer=Quadratic(gamma)), "paper", 1.0, max(size["t"]), sampled).A
            # Q = eta G G' with eta = alpha^2/A.
            G = float(np.sqrt((np.array(sampled.largest) * A / np.diff(A, prepend=0.0) ** 2).max()))
            for t, subproblem, tol, counts in sampled.seen:
                bounds = {
                    "guarantee": guarantee(subproblem, tol),
                    "guarantee_of_full_steps": guarantee_of_full_steps(subproblem, tol),
                    "corollary": sqrt(J) * log(J * G * t),
                }
                points.append({"gamma": gamma, "J": J, "t": t, "G": G} | bounds | counts)
    found = {
        "check": "newton_steps",
        "scale": scale,
        "seed": seed,
        "sizes": {"d": size["d"], "N": size["N"], "J": size["J"][-2], "t": size["t"][-1]},
        "points": points,
    }
    return found | {"fits": [_fit(found, gamma) for gamma in GAMMAS]}


def guarantee(subproblem: DualSubproblem, eps: float) -> int:
    """Newton steps that suffice for a gap of eps, with every constant (paper, the theorems behind the corollary).

    Phase II: tau grows by 1 + 1/(15 sqrt(J)) until Theorem 4.2 with beta = 1/4, the decrement that
    Algorithm 2 keeps, bounds the gap by eps: (nu + sqrt(nu)/3 + omega_*(1/4))/tau + 2/3 sqrt(max Q_jj/tau) <= eps.
    """
    nu = _parameter(subproblem)
    if nu == 0:
        return 0
    ratio = SHORT_STEPS.near / (1.0 - SHORT_STEPS.near)
    constant = nu + ratio * sqrt(nu) - SHORT_STEPS.near - log(1.0 - SHORT_STEPS.near)
    distance = ratio * 2.0 * sqrt(subproblem.magnitude)
    root = (distance + sqrt(distance**2 + 4.0 * eps * constant)) / (2.0 * eps)
    return _phase_one(subproblem) + ceil(max(0.0, 2.0 * log(root)) / log(growth_of_tau(subproblem.c.size)))


def guarantee_of_full_steps(subproblem: DualSubproblem, eps: float) -> int:
    """The same by the theorem on full Newton steps: Phase II ends at tau = nu/eps, whatever G is.

    For R zero or quadratic (docs/mathematics.md, 8).
    """
    nu = _parameter(subproblem)
    return _phase_one(subproblem) + phase_two_steps(nu, eps, subproblem.c.size) if nu else 0


def _parameter(subproblem: DualSubproblem) -> float:
    """nu of the simplex."""
    return Simplex().barrier_parameter(subproblem.c.size)


def _phase_one(subproblem: DualSubproblem) -> int:
    """Each damped step lowers F_1 by at least omega(1/4), and it can fall by at most max Q_jj/2 + max c - min c."""
    fall = 0.5 * subproblem.magnitude + float(np.ptp(subproblem.c))
    return ceil(fall / (SHORT_STEPS.near - log(1.0 + SHORT_STEPS.near)))


def _fit(data: dict[str, Any], gamma: float) -> dict[str, Any]:
    """The constant of the corollary by least squares of the logarithms, and the ratios of the counts to the fit.

    Subproblems that the center solves without a step are left out.
    """
    points = [p for p in data["points"] if p["gamma"] == gamma]
    shares = np.array([p["paper"] / p["corollary"] for p in points if p["paper"] > 0])
    constant = float(np.exp(np.log(shares).mean()))
    ratios = shares / constant
    growth = {
        x: {s: order(*_positive(scan, x, s)) for s in (*SCHEDULES, "corollary")}
        for x, scan in _scans(data, gamma).items()
    }
    return {
        "gamma": gamma,
        "constant": constant,
        "ratios": [float(ratios.min()), float(ratios.max())],
        "largest_share_of_guarantee": max(p["paper"] / p["guarantee"] for p in points),
        "largest_share_of_full_steps": max(p["paper"] / p["guarantee_of_full_steps"] for p in points),
        "growth": growth,
    }


def _positive(scan: list[dict[str, Any]], x: str, y: str) -> tuple[list[float], list[float]]:
    """The x and y with y > 0, for logarithms."""
    kept = [p for p in scan if p[y] > 0]
    return [p[x] for p in kept], [p[y] for p in kept]


def rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for fit in data["fits"]:
        for x, scan in _scans(data, fit["gamma"]).items():
            for p in scan:
                name = f"gamma = {fit['gamma']:g}, "
                corollary = fit["constant"] * p["corollary"]
                found.append(row("newton_steps", x, p[x], name + "paper, corollary", p["paper"], corollary))
                found.append(row("newton_steps", x, p[x], name + "paper, guarantee", p["paper"], p["guarantee"]))
                sharper = p["guarantee_of_full_steps"]
                found.append(row("newton_steps", x, p[x], name + "paper, guarantee of full steps", p["paper"], sharper))
                found.append(row("newton_steps", x, p[x], name + "long", p["long"], None))
    return found


def _scans(data: dict[str, Any], gamma: float) -> dict[str, list[dict[str, Any]]]:
    """The points along J at the last t, and along t at one J."""
    points = [p for p in data["points"] if p["gamma"] == gamma]
    fixed = data["sizes"]
    return {"J": [p for p in points if p["t"] == fixed["t"]], "t": [p for p in points if p["J"] == fixed["J"]]}


def _listed(name: str, scan: list[dict[str, Any]]) -> str:
    return (f"{name} = " if name == "J" else "") + ", ".join(str(p[name]) for p in scan)


def text(data: dict[str, Any]) -> str:
    fixed, G = data["sizes"], [p["G"] for p in data["points"]]
    lines = []
    for fit in data["fits"]:
        growth, scan = fit["growth"], _scans(data, fit["gamma"])["J"]
        lines += [
            (f"gamma = {fit['gamma']:g}: constant C", fit["constant"], "O(1)"),
            (
                "Newton steps/(C sqrt(J) log(J G t)), least to most",
                "{:.2f} to {:.2f}".format(*fit["ratios"]),
                "about 1",
            ),
            ("largest Newton steps/guarantee of Theorem 4.2", fit["largest_share_of_guarantee"], "at most 1"),
            ("largest Newton steps/guarantee of full steps", fit["largest_share_of_full_steps"], "at most 1"),
            (f"order in J at t = {fixed['t']}", growth["J"]["paper"], growth["J"]["corollary"]),
            (f"order in t at J = {fixed['J']}", growth["t"]["paper"], growth["t"]["corollary"]),
            (f"Newton steps at t = {fixed['t']}, {_listed('J', scan)}", _listed("paper", scan), None),
            ("long steps beside", _listed("long", scan), "at most about 25"),
        ]
    return (
        f"Newton steps of Algorithm 2, started at the center, inside Algorithm 1 (d = {fixed['d']}, N = {fixed['N']}, "
        f"parameters in the unit that makes L = 1; G is the largest |grad f_j| seen, {min(G):.3g} to "
        f"{max(G):.3g}). One constant C "
        "is fitted over all J and t; the guarantees are the counts that the theorems give with all their constants: "
        "Phase I by its decrease, Phase II by the paper's Theorem 4.2 with decrement 1/4, or by the theorem on full "
        "Newton steps, whose bound (J - 1)/tau does not depend on G. Where the regularizer is "
        "strongly convex the gap falls faster than J/tau, and the steps are fewer than for gamma = 0.\n\n"
        + table(("quantity", "measured", "theory"), lines)
        + "\n"
    )


def draw(data: dict[str, Any], panels: Sequence[Any]) -> None:
    """Newton steps against J at the last t, and against t at one J."""
    fixed = data["sizes"]
    for x, axes in zip(PANELS, panels, strict=True):
        for k, fit in enumerate(data["fits"]):
            scan, gamma = _scans(data, fit["gamma"])[x], f"gamma = {fit['gamma']:g}"
            axes.loglog(*_positive(scan, x, "paper"), "o", color=f"C{k}", label=f"Algorithm 2, {gamma}")
            xs, shape = _positive(scan, x, "corollary")
            theory = [fit["constant"] * y for y in shape]
            axes.loglog(xs, theory, "--", color=f"C{k}", label=f"{fit['constant']:.0f} sqrt(J) log(J G t)")
            axes.loglog(*_positive(scan, x, "long"), "s", color=f"C{k}", label=f"long steps, {gamma}")
        axes.set_xlabel(f"losses J (t = {fixed['t']})" if x == "J" else f"iteration t (J = {fixed['J']})")
        axes.set_ylabel("Newton steps")
        axes.legend(fontsize="x-small")
