"""An ill-conditioned table: Newton steps computed from the dual subproblem."""

from __future__ import annotations

from typing import Any

import numpy as np

import saddleback as sb

from ..contestants.epigraph import slsqp, trust_constr
from ..contestants.ours import ours
from ..contestants.smooth import lbfgsb
from ..race import Certified, Contestant, Standing, certified_run, optimum, race, standings_data, standings_rows
from ..report import Demand, Figure, Options, Report, Table, gap_curves
from ..setting import blas_threads, cores
from ..synthetic import Grouped, conditioned_data
from ..writing import count, ratio, small

SIZES = {"tiny": (300, 8, 3), "small": (24_000, 100, 6), "full": (24_000, 100, 6)}
CONDITION, L2, GAMMA = 1e4, 1e-4, 0.01
# Condition numbers of the covariance; that of X is the square root.
CONDITIONS = {"covariance": CONDITION, "X": CONDITION**2}
GAPS = (1e-4, 1e-8)
TOL = 1e-10
OURS = "newton"
KERNEL, NUMPY = "L-BFGS-B, our kernel", "L-BFGS-B, NumPy"
BUDGET = {"tiny": 5.0, "small": 60.0, "full": 300.0}


def measure(options: Options) -> Report:
    parts = [_at_condition(what, condition, options) for what, condition in CONDITIONS.items()]
    n, d, J = SIZES[options.scale]
    return Report(
        "Newton steps on an ill-conditioned table",
        f"Group logistic regression, n = {n}, d = {d}, {J} groups, l2 = {L2:g}. A condition number of {CONDITION:g} "
        f"is that of the covariance or that of X. Times are multiples of those of {OURS} to the same "
        "gap. SLSQP and trust-constr solve the epigraph form with NumPy's oracle, trust-constr with exact Hessians. "
        f"'-': not within {BUDGET[options.scale]:g} s. Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        tables=[table for part in parts for table in part.tables],
        demands=[demand for part in parts for demand in part.demands],
        figures=parts[0].figures,
        data={part.title: part.data for part in parts},
    )


def _at_condition(what: str, condition: float, options: Options) -> Report:
    grouped = conditioned_data(*SIZES[options.scale], condition, L2)
    losses = grouped.fused()
    tables, data, standings, optima = [], {}, {}, {}
    for gamma in (GAMMA, 0.0):
        regularizer = sb.Quadratic(gamma)
        reference = optimum(sb.Problem(losses, regularizer=regularizer), tol=1e-13, method=OURS)
        contestants = _contestants(grouped, losses, gamma)
        target = reference.value + GAPS[-1]
        raced = race(contestants, regularizer, target, options.repeats, BUDGET[options.scale])
        header, rows = standings_rows(raced, reference.value, GAPS, OURS)
        tables.append(Table(f"{what} of condition number {CONDITION:g}, gamma = {gamma:g}", header, rows))
        data[f"gamma{gamma:g}"] = {
            "optimum": reference.value,
            "optimum_gap": reference.gap,
            "standings": standings_data(raced, reference.value, GAPS),
        }
        standings[gamma], optima[gamma] = raced, reference
    exact = certified_run(sb.Problem(losses), TOL, options.repeats, method=OURS)
    tables.append(_certified(what, exact, standings[0.0][OURS].seconds_to(optima[0.0].value + GAPS[-1])))
    target = optima[GAMMA].value + GAPS[-1]
    best = min(_seconds(standings[GAMMA][name], target) for name in (KERNEL, NUMPY))
    demands = [
        Demand(f"{what}: Newton steps to a certified gap of {TOL:g}, gamma = 0", _steps(exact), at_most=12),
        Demand(
            f"{what}: times faster than the better L-BFGS-B to {GAPS[-1]:g}, gamma = {GAMMA:g}",
            best / standings[GAMMA][OURS].seconds_to(target),
            at_least=20,
        ),
    ]
    return Report(what, "", tables, demands, [_figure(standings[GAMMA], optima[GAMMA].value)], data)


def _contestants(grouped: Grouped, losses: Any, gamma: float) -> dict[str, Contestant]:
    contestants = ours(losses, OURS, "auto", "quasi-newton")
    natural = grouped.natural()
    if gamma > 0:
        return contestants | {KERNEL: Contestant(losses, lbfgsb), NUMPY: Contestant(natural, lbfgsb)}
    return contestants | {
        "SLSQP, epigraph": Contestant(natural, slsqp()),
        "trust-constr, epigraph": Contestant(natural, trust_constr()),
    }


def _seconds(standing: Standing, target: float) -> float:
    """The time to the target; if it was not reached, the time of the run, a lower bound."""
    seconds = standing.seconds_to(target)
    return float(standing.runs[0].time[-1]) if np.isnan(seconds) else seconds


def _steps(run: Certified) -> float:
    return float(run.result.n_iter) if run.result.gap <= TOL else np.nan


def _certified(what: str, run: Certified, unit: float) -> Table:
    result = run.result
    row = (OURS, count(result.n_iter), count(result.n_evals), ratio(run.seconds, unit), run.proof, small(result.gap))
    header = [f"solve(tol={TOL:g}), gamma = 0", "steps", "evaluations", "time", "stopped", "certified gap"]
    return Table(f"{what}, as a user runs it (time in multiples of the race to {GAPS[-1]:.0e})", header, [row])


def _figure(standings: dict[str, Standing], value: float) -> Figure:
    unit = standings[OURS].seconds_to(value + GAPS[-1])
    curves = gap_curves({k: s.typical for k, s in standings.items()}, value, unit, floor=GAPS[-1] / 10)
    xlabel = f"time / time of {OURS} to {GAPS[-1]:.0e}"
    return Figure("newton_problem", f"Ill-conditioned table, gamma = {GAMMA:g}", xlabel, "gap to the optimum", curves)
