"""Dual sets other than the simplex: largest eigenvalues, the capped simplex, and path following on every set."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.subproblem import Auto, InnerSolver, PathFollowing, QuadraticProgram

from ..contestants.dual_sets import (
    Geometry,
    Solves,
    geometries,
    random_quadratics,
    random_subproblem,
    solve_timed,
    summary,
)
from ..contestants.eigenvalue import Failed, Times, alternate, by_clarabel, by_saddleback, random_pencil
from ..race import proof
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import conditioned_data
from ..threads import ONE, limited
from ..timing import side_by_side
from ..writing import NOT_REACHED, ratio, small

# (k, d) of the largest eigenvalue, and how many times faster than Clarabel it must be.
PENCILS = {"tiny": ((4, 6),), "small": ((20, 50), (20, 2000)), "full": ((20, 50), (20, 2000), (40, 500))}
FASTER = {(20, 50): 1.0, (20, 2000): 3.0, (40, 500): 3.0}
# The default tolerances of Saddleback and of Clarabel; both run with each.
TOLS = (1e-6, 1e-8)
OURS, CLARABEL = "saddleback", "Clarabel"

# J, and (n, d) of the logistic losses, d of the quadratic ones.
CAPPED = {
    "tiny": (5, ((200, 4),), 3),
    "small": (100, ((20_000, 50),), 20),
    "full": (100, ((20_000, 50), (20_000, 500)), 20),
}
ALPHA, L2, CONDITION, TOL = 0.3, 1e-3, 10.0, 1e-6
SLOWER = 3.0
TIME_LIMIT = 120.0
SIMPLEX, CAP = "simplex", "capped"
SOLVERS: dict[str, InnerSolver] = {"qp": QuadraticProgram(), "auto": Auto()}

# J of the sets, k of the spectrahedron, and how many (D) are solved on each set.
PATHS = {"tiny": (6, 3, 2), "small": (50, 20, 10), "full": (50, 20, 30)}
INNER_TOL = 1e-9
STEPS = ("milliseconds", "Newton systems", "at most", "largest gap", "reached")


@dataclass
class Part:
    """The tables, demands and data of one part of the section."""

    tables: list[Table] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)


def measure(options: Options) -> Report:
    count = PATHS[options.scale][2]
    parts = {"eigenvalue": _eigenvalue(options), "capped": _capped(options), "paths": _paths(options)}
    return Report(
        "Other dual sets",
        "The largest eigenvalue of F0 + sum w_i F_i, symmetric k x k matrices of normal entries, all but F0 without "
        "trace, against CVXPY with Clarabel: 'alone' is without construction for saddleback and Clarabel's own time "
        "for Clarabel, 'whole' is with construction and CVXPY's solve; times are Clarabel's over ours, tol is that of "
        "both or of each, and values are eigenvalues of F(w) at the answers. The capped simplex, "
        f"alpha = {ALPHA:g}, against the simplex: whole calls of solve to a gap of {TOL:g}. Random (D): medians over "
        f"{count} of them, solved to a cross-evaluation gap of {INNER_TOL:g} that is measured outside the solver, with "
        f"one BLAS thread. Threads elsewhere: kernels {cores()}, BLAS up to {blas_threads()}.",
        [table for part in parts.values() for table in part.tables],
        [demand for part in parts.values() for demand in part.demands],
        data={name: part.data for name, part in parts.items()},
    )


# --- the largest eigenvalue -------------------------------------------------------------------------------------------


def _eigenvalue(options: Options) -> Part:
    part, rows = Part(), []
    # Not measured: imports.
    _race_eigenvalue(4, 6, 1)
    for k, d in PENCILS[options.scale]:
        runs = _race_eigenvalue(k, d, options.repeats)
        asked = {f"{tol:.0e}": (tol, tol) for tol in TOLS} | {f"{TOLS[0]:.0e} and {TOLS[1]:.0e}": TOLS}
        for tols, (our_tol, their_tol) in asked.items():
            ours, theirs = runs[OURS, our_tol], runs[CLARABEL, their_tol]
            rows.append((f"k = {k}, d = {d}, tol = {tols}", *_cells(ours, theirs)))
        what = f"largest eigenvalue, k = {k}, d = {d}: times faster than Clarabel alone, both to {TOLS[0]:.0e}"
        faster = _certified_ratio(runs[OURS, TOLS[0]], runs[CLARABEL, TOLS[0]])
        part.demands.append(Demand(what, faster, at_least=FASTER.get((k, d), 1.0)))
        part.data[f"k{k}_d{d}"] = {f"{name}_{tol:g}": _kept(run) for (name, tol), run in runs.items()}
    header = ["problem", "alone", "alone over our whole", "whole", "stopped", "our value", "Clarabel's value"]
    header += ["difference", "our certified gap"]
    part.tables.append(Table("the largest eigenvalue: Clarabel's time in multiples of ours", header, rows))
    return part


def _race_eigenvalue(k: int, d: int, repeats: int) -> dict[tuple[str, float], Times | Failed]:
    pencil = random_pencil(k, d)
    keys = {f"{name} {tol:g}": (name, tol) for tol in TOLS for name in (OURS, CLARABEL)}
    solvers = {OURS: by_saddleback, CLARABEL: by_clarabel}
    calls = {label: partial(solvers[name], pencil, tol) for label, (name, tol) in keys.items()}
    return {keys[label]: run for label, run in alternate(calls, repeats).items()}


def _certified_ratio(ours: Times | Failed, theirs: Times | Failed) -> float:
    """Clarabel's own time over that of solve; nan if there is no answer, or no certificate."""
    if isinstance(ours, Failed) or isinstance(theirs, Failed) or _proof(ours.answer.result) != "certified":
        return np.nan
    return theirs.alone / ours.alone


def _cells(ours: Times | Failed, theirs: Times | Failed) -> tuple[str, ...]:
    assert isinstance(ours, Times), "saddleback is never missing"
    result = ours.answer.result
    assert result is not None
    end = _proof(result), f"{ours.answer.value:.9f}"
    if isinstance(theirs, Failed):
        return "failed", "failed", "failed", *end, NOT_REACHED, NOT_REACHED, small(result.gap)
    return (
        ratio(theirs.alone, ours.alone),
        ratio(theirs.alone, ours.whole),
        ratio(theirs.whole, ours.whole),
        *end,
        f"{theirs.answer.value:.9f}",
        small(theirs.answer.value - ours.answer.value),
        small(result.gap),
    )


def _kept(run: Times | Failed) -> dict[str, Any]:
    if isinstance(run, Failed):
        return {"error": str(run)}
    kept: dict[str, Any] = {"whole_seconds": run.whole, "alone_seconds": run.alone, "value": run.answer.value}
    result = run.answer.result
    if result is not None:
        counts = {"n_iter": result.n_iter, "n_evals": result.n_evals, "n_inner": result.n_inner}
        kept |= {"gap": result.gap, "stopped": _proof(result), "method": result.method, **counts}
    return kept


def _proof(result: sb.Result | None) -> str:
    """Whether a run ended on its certificate or on its estimate, or its status."""
    if result is None:
        return NOT_REACHED
    return proof(result)


# --- the capped simplex -----------------------------------------------------------------------------------------------


def _capped(options: Options) -> Part:
    J, tables, d = CAPPED[options.scale]
    part, rows = Part(), []
    problems: dict[str, Any] = {
        f"logistic, n = {n}, d = {width}": partial(_logistic, n, width, J) for n, width in tables
    }
    problems[f"quadratic, d = {d}"] = partial(random_quadratics, J, d)
    for name, build in problems.items():
        seconds, results = _compare(build(), options.repeats)
        certified = all(_proof(result) == "certified" for result in results.values())
        share = seconds[CAP] / seconds[SIMPLEX]
        rows.append(
            (
                name,
                ratio(share, 1.0),
                *(result.n_evals for result in results.values()),
                *(_proof(result) for result in results.values()),
                *(small(result.gap) for result in results.values()),
            )
        )
        what = f"capped simplex, J = {J}, {name}: time over the simplex"
        part.demands.append(Demand(what, share if certified else np.nan, at_most=SLOWER))
        part.data[name] = {
            key: {"seconds": seconds[key], "n_evals": result.n_evals, "method": result.method, "gap": result.gap}
            for key, result in results.items()
        }
    header = ["losses", "time"]
    header += [f"{what}, {key}" for what in ("evaluations", "stopped", "certified gap") for key in (SIMPLEX, CAP)]
    part.tables.append(Table(f"the capped simplex over the simplex, J = {J}", header, rows))
    part.tables.append(_subproblems(J, PATHS[options.scale][2], part))
    return part


def _logistic(n: int, d: int, J: int) -> sb.GroupedLinear:
    return conditioned_data(n, d, J, CONDITION, L2).fused()


def _compare(losses: sb.Losses, repeats: int) -> tuple[dict[str, float], dict[str, sb.Result]]:
    sets: dict[str, sb.DualSet] = {SIMPLEX: sb.Simplex(), CAP: sb.CappedSimplex(ALPHA)}
    calls = {
        key: partial(sb.solve, sb.Problem(losses, dual_set), tol=TOL, time_limit=TIME_LIMIT)
        for key, dual_set in sets.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return side_by_side(calls, repeats), {key: call() for key, call in calls.items()}


def _subproblems(J: int, count: int, part: Part) -> Table:
    """(D) alone: the same Q and c on both sets."""
    sets = {SIMPLEX: Geometry(SIMPLEX, sb.Simplex, J), CAP: Geometry(CAP, lambda: sb.CappedSimplex(ALPHA), J)}
    rows = []
    for name, solver in SOLVERS.items():
        solves = _solve_random(list(sets.values()), solver, count)
        on_simplex, on_capped = solves[SIMPLEX], solves[CAP]
        part.data[f"(D) by {name}"] = {key: _plain(one) for key, one in solves.items()}
        if isinstance(on_simplex, Solves) and isinstance(on_capped, Solves):
            share = ratio(on_capped.seconds, on_simplex.seconds)
        else:
            share = NOT_REACHED
        rows += [(f"{name}, {key}", share if key == CAP else "1.00", *_steps(one)) for key, one in solves.items()]
    return Table(f"random (D), J = {J}", ["solver, set", "time", *STEPS], rows)


# --- path following ---------------------------------------------------------------------------------------------------


def _paths(options: Options) -> Part:
    J, k, count = PATHS[options.scale]
    solves = _solve_random(geometries(J, k), PathFollowing(), count)
    rows = [(name, *_steps(one)) for name, one in solves.items()]
    table = Table(f"random (D) by path following, J = {J}", ["set", *STEPS], rows)
    return Part([table], data={name: _plain(one) for name, one in solves.items()})


def _solve_random(sets: Sequence[Geometry], solver: InnerSolver, count: int) -> dict[str, Solves | Failed]:
    """``count`` random (D) on each of the sets, in turn; the error for a set that fails."""
    runs: dict[str, list[Any]] = {one.name: [] for one in sets}
    adversaries: dict[str, Adversary] = {}
    failures: dict[str, Failed] = {}
    # One thread: for small systems thread pools would dominate the times.
    with limited(ONE):
        for seed in range(count + 1):
            for one in sets:
                if one.name in failures:
                    continue
                try:
                    if one.name not in adversaries:
                        adversaries[one.name] = one.adversary()
                    run = solve_timed(solver, random_subproblem(adversaries[one.name], seed), INNER_TOL)
                except (sb.SaddlebackError, ArithmeticError, np.linalg.LinAlgError) as error:
                    failures[one.name] = Failed(f"{type(error).__name__}: {error}")
                    continue
                # The first solve on each set fills caches and is not measured.
                if seed > 0:
                    runs[one.name].append(run)
    return {name: failures[name] if name in failures else summary(some, INNER_TOL) for name, some in runs.items()}


def _steps(one: Solves | Failed) -> tuple[str, ...]:
    if isinstance(one, Failed):
        return "failed", *(len(STEPS) - 1) * (NOT_REACHED,)
    gap = small(one.largest_gap)
    return f"{1e3 * one.seconds:.2f}", f"{one.steps:g}", str(one.most_steps), gap, f"{one.reached} of {one.count}"


def _plain(one: Solves | Failed) -> dict[str, Any]:
    return {"error": str(one)} if isinstance(one, Failed) else asdict(one)
