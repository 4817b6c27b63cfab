"""The published minimax problems as plain functions, compared with SLSQP in epigraph form."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.epigraph import slsqp
from ..published import published
from ..race import Contestant, Solver, optimum, run_once
from ..recorder import Array
from ..report import Demand, Options, Report, Table
from ..threads import ONE, limited
from ..timing import side_by_side
from ..writing import count, ratio, small

SMALL_PROBLEM = 10
"""The largest d and J of problems that must take under 5 ms."""
ACCURACY = 1e-8
EVALUATIONS = {"Goffin": (1e-6, 200), "MAXQ": (1e-6, 40), "Rosen-Suzuki": (1e-6, 15)}
TINY = ("CB2", "Rosen-Suzuki", "MAXQ", "Goffin")


@dataclass(frozen=True)
class Plain:
    """Losses from a pair of values and Jacobian."""

    pair: Callable[[Array], tuple[Array, Array]]
    n_losses: int
    n_params: int

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.pair(w)


@dataclass(frozen=True)
class Outcome:
    name: str
    d: int
    J: int
    ours: sb.Result
    seconds: dict[str, float]
    ours_evaluations: int | None
    slsqp_evaluations: int | None
    value: float
    scale: float
    at_demand: int | None

    @property
    def is_small(self) -> bool:
        return max(self.d, self.J) <= SMALL_PROBLEM


def measure(options: Options) -> Report:
    problems = {k: v for k, v in published().items() if options.scale != "tiny" or k in TINY}
    # One thread: every solver is slower with more on systems of this size.
    with limited(ONE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [_outcome(name, problem, options.repeats) for name, problem in problems.items()]
    rows = [
        (
            f"{o.name} (d = {o.d}, J = {o.J})",
            count(o.ours_evaluations),
            count(o.slsqp_evaluations),
            "-" if "SLSQP" not in o.seconds else ratio(o.seconds["SLSQP"], o.seconds["ours"]),
            small((o.ours.value - o.value) / o.scale),
            small(o.ours.gap / o.scale),
            f"{1e3 * o.seconds['ours']:.1f} ms",
        )
        for o in outcomes
    ]
    header = ["problem", "evaluations", "SLSQP", "SLSQP's time", "our gap", "our certified gap", "our time"]
    return Report(
        "Small problems",
        f"`minimax` with tol = {ACCURACY:g} max(1, |optimum|), against SLSQP on the epigraph form with the loosest of "
        "its tolerances 1e-4, 1e-5, ... that reaches the same accuracy of the objective. Evaluations are points until "
        "that accuracy; times are those of whole calls, SLSQP's in multiples of ours. One BLAS thread.",
        [Table(f"to {ACCURACY:g} max(1, |optimum|)", header, rows)],
        _demands(outcomes),
        data={o.name: {"seconds": o.seconds, "n_evals": o.ours.n_evals} for o in outcomes},
    )


def _outcome(name: str, problem: Any, repeats: int) -> Outcome:
    jacobian = problem.jac(problem.start)
    losses = Plain(problem.pair, *jacobian.shape)
    tight = optimum(sb.Problem(losses), tol=1e-12, w0=problem.start)
    value = min(tight.value, problem.optimum) if problem.printed <= 1e-12 else tight.value
    scale = max(1.0, abs(value))
    tol = ACCURACY * scale

    def call() -> sb.Result:
        return sb.minimax(problem.pair, problem.start, jac=True, tol=tol)

    calls: dict[str, Callable[[], Any]] = {"ours": call}
    ftol = _loosest(losses, problem.start, value + tol)
    if ftol is not None:
        calls["SLSQP"] = lambda: slsqp(problem.start, ftol)(sb.Problem(losses))
    gap, _ = EVALUATIONS.get(name, (ACCURACY * scale, 0))
    ours = run_once(Contestant(losses, _from(problem.start)), sb.Zero(), value + min(gap, tol), budget=5.0)
    theirs = run_once(Contestant(losses, slsqp(problem.start)), sb.Zero(), value + tol, budget=5.0)
    return Outcome(
        name,
        losses.n_params,
        losses.n_losses,
        call(),
        side_by_side(calls, repeats),
        ours.evaluations_to(value + tol),
        theirs.evaluations_to(value + tol),
        value,
        scale,
        ours.evaluations_to(value + gap),
    )


def _from(w0: Array) -> Solver:
    return lambda problem: sb.solve(problem, w0, tol=1e-13, max_iter=5000)


def _loosest(losses: Plain, w0: Array, target: float) -> float | None:
    """The first ftol = 10^-k with which SLSQP's answer is at most ``target``; None if there is none."""
    for k in range(4, 16):
        answer: Any = slsqp(w0, 10.0**-k)(sb.Problem(losses))
        if losses.evaluate(answer.x[:-1])[0].max() <= target:
            return float(10.0**-k)
    return None


def _demands(outcomes: list[Outcome]) -> list[Demand]:
    few = [o for o in outcomes if o.is_small]
    slowest = max(few, key=lambda o: o.seconds["ours"])
    closest = min(
        (o for o in few if "SLSQP" in o.seconds), key=lambda o: o.seconds["SLSQP"] / o.seconds["ours"], default=None
    )
    demands = [
        Demand(
            f"milliseconds of the slowest with d, J <= 10 ({slowest.name})", 1e3 * slowest.seconds["ours"], at_most=5
        )
    ]
    if closest is not None:
        faster = closest.seconds["SLSQP"] / closest.seconds["ours"]
        demands.append(Demand(f"times faster than SLSQP, the least ({closest.name})", faster, at_least=1))
    for o in outcomes:
        if o.name in EVALUATIONS:
            gap, most = EVALUATIONS[o.name]
            k = np.nan if o.at_demand is None else float(o.at_demand)
            demands.append(Demand(f"{o.name}: evaluations to {gap:g}", k, at_most=most))
    return demands
