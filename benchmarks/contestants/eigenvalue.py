"""The least largest eigenvalue, min over w of lambda_max(F0 + sum_i w_i F_i): as a minimax problem and as an SDP."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import saddleback as sb

from ..recorder import Array
from ..threads import limited, settings, worth_repeating
from ..timing import MOST_CALLS, QUICK

# Three runs are enough if they took this many seconds together.
ENOUGH_RUNS, ENOUGH_SECONDS = 3, 20.0
TIME_LIMIT = 120.0


class Failed(Exception):
    """A contestant that is not installed, or has no answer."""


@dataclass(frozen=True)
class Pencil:
    """F0 and the F_i. The trace of F(w) is that of F0 for every w, so that lambda_max is at least 1/k of it."""

    F0: Array
    Fs: Array

    def largest_eigenvalue(self, w: Array) -> float:
        return float(np.linalg.eigvalsh(self.F0 + np.tensordot(w, self.Fs, 1))[-1])


@dataclass(frozen=True)
class Answer:
    """The objective at the answer, and the seconds of the whole call and of the solver alone."""

    value: float
    whole: float
    alone: float
    result: sb.Result | None = None


@dataclass(frozen=True)
class Times:
    """Median seconds with the best setting of BLAS threads, and the last answer."""

    whole: float
    alone: float
    answer: Answer


def random_pencil(k: int, d: int, seed: int = 0) -> Pencil:
    """Symmetric matrices of standard normal entries; all but F0 without their trace."""
    F = np.random.default_rng(seed).standard_normal((d + 1, k, k))
    F = (F + F.transpose(0, 2, 1)) / 2
    F[1:] -= np.trace(F[1:], axis1=1, axis2=2)[:, None, None] * np.eye(k) / k
    return Pencil(F[0], F[1:])


def by_saddleback(pencil: Pencil, tol: float) -> Answer:
    """The whole call includes the construction of the losses and the problem."""
    started = time.perf_counter()
    problem = sb.Problem(sb.AffineMatrix(pencil.F0, pencil.Fs), sb.Spectrahedron())
    built = time.perf_counter()
    with warnings.catch_warnings():
        # The table shows how the run ended, so that the warning is not needed.
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(problem, tol=tol, time_limit=TIME_LIMIT)
    ended = time.perf_counter()
    return Answer(pencil.largest_eigenvalue(result.w), ended - started, ended - built, result)


def by_clarabel(pencil: Pencil, tol: float) -> Answer:
    """The whole call is CVXPY's ``solve`` of a new problem, as it keeps the cones of an old one."""
    try:
        # Type checkers do not see the atoms of CVXPY.
        cp: Any = import_module("cvxpy")
    except ImportError as error:
        raise Failed("CVXPY is not installed") from error
    d, k, _ = pencil.Fs.shape
    w = cp.Variable(d)
    F = pencil.F0 + cp.reshape(pencil.Fs.reshape(d, -1).T @ w, (k, k), order="C")
    problem = cp.Problem(cp.Minimize(cp.lambda_max((F + F.T) / 2)))
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # The accuracy is measured here, so that the warning "may be inaccurate" is not needed.
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            problem.solve(solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
    except cp.SolverError as error:
        raise Failed(str(error)) from error
    whole = time.perf_counter() - started
    if w.value is None:
        raise Failed(str(problem.status))
    return Answer(pencil.largest_eigenvalue(np.array(w.value)), whole, float(problem.solver_stats.solve_time))


def alternate(calls: Mapping[str, Callable[[], Answer]], repeats: int) -> dict[str, Times | Failed]:
    """All contestants in turn, in several rounds, with each setting of BLAS threads."""
    runs: dict[str, dict[str, list[Answer]]] = {name: {s: [] for s in settings()} for name in calls}
    failures: dict[str, Failed] = {}
    for number in range(repeats):
        for name, call in calls.items():
            if name in failures:
                continue
            try:
                for setting, some in runs[name].items():
                    _add_round(call, setting, some)
            except Failed as failure:
                failures[name] = failure
                continue
            if number == 0:
                kept = worth_repeating({s: some[0].whole for s, some in runs[name].items()})
                runs[name] = {s: runs[name][s] for s in kept}
    return {name: failures[name] if name in failures else _medians(runs[name]) for name in calls}


def _add_round(call: Callable[[], Answer], setting: str, some: list[Answer]) -> None:
    """One more run, or several if one is quick; none if there are enough."""
    if len(some) >= ENOUGH_RUNS and sum(answer.whole for answer in some) > ENOUGH_SECONDS:
        return
    with limited(setting):
        loops = int(np.clip(QUICK / max(some[-1].whole, 1e-9), 1, MOST_CALLS)) if some else 1
        some.extend(call() for _ in range(loops))


def _medians(by_setting: Mapping[str, list[Answer]]) -> Times:
    whole = min(float(np.median([answer.whole for answer in some])) for some in by_setting.values())
    alone = min(float(np.median([answer.alone for answer in some])) for some in by_setting.values())
    return Times(whole, alone, next(iter(by_setting.values()))[-1])
