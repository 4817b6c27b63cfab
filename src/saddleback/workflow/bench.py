"""The time of a solve beside that of SciPy's L-BFGS-B, in one run and to the same accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from .._types import Vector
from ..learn.fitting.candidate import Candidate
from ..learn.fitting.trainer import Trainer
from ..losses import GroupedLinear
from ..problem import Problem
from ..solve import solve
from .watcher import Watcher

ACCURACIES = (1e-2, 1e-4, 1e-6)
L2 = 1e-3
LEAST_ROWS = 20
"""Smaller groups of a table are merged."""
MOST_EVALUATIONS = 5000
"""Of L-BFGS-B, after which a run counts as not arrived."""


@dataclass(frozen=True)
class BenchLine:
    """Both solvers at one accuracy; times are medians in seconds."""

    accuracy: float
    """How far above the certified optimum the largest loss of a group may be."""
    seconds: float
    lbfgsb_seconds: float
    """Until the largest loss was as low; infinite where it was not in ``MOST_EVALUATIONS`` evaluations."""
    ratio: float
    """How many times as long L-BFGS-B took: the median over rounds, in each of which both have run."""


@dataclass(frozen=True)
class Bench:
    """The times, and the table that they were measured on."""

    rows: int
    features: int
    groups: int
    lines: tuple[BenchLine, ...]


def bench_losses(losses: GroupedLinear, *, rounds: int = 3, watcher: Watcher | None = None) -> Bench:
    """Time the worst-group model of these losses.

    L-BFGS-B minimizes the smooth gamma log sum_j exp(f_j / gamma), which exceeds the largest loss by at most
    gamma log J, half of the accuracy; the other half is left for its own error. Both read the table by the same
    kernels. It counts as arrived when the largest loss itself is within the accuracy of the certified optimum.
    """
    watcher = watcher or Watcher()
    watcher.tell("the certified optimum")
    optimum = solve(Problem(losses), tol=min(ACCURACIES) / 10).lower_bound
    lines = []
    for accuracy in ACCURACIES:
        watcher.begin_splits(f"accuracy {accuracy:g}: rounds of both solvers", rounds)
        times = []
        for _ in range(rounds):
            begin = perf_counter()
            solve(Problem(losses), tol=accuracy)
            times.append((perf_counter() - begin, _lbfgsb_seconds(losses, accuracy, optimum + accuracy)))
            watcher.end_split()
        ours, theirs = zip(*times, strict=True)
        ratio = median(b / a for a, b in times)
        lines.append(BenchLine(accuracy, median(ours), median(theirs), ratio))
    return Bench(losses.n_samples, losses.n_features, losses.n_losses, tuple(lines))


class _ArrivedError(Exception):
    """The largest loss is low enough."""


def _lbfgsb_seconds(losses: GroupedLinear, accuracy: float, target: float) -> float:
    gamma = accuracy / (2.0 * log(max(losses.n_losses, 2)))

    def smoothed(w: Vector) -> tuple[float, Vector]:
        f, G = losses.evaluate(w)
        if f.max() <= target:
            raise _ArrivedError
        return gamma * float(logsumexp(f / gamma)), softmax(f / gamma) @ G

    begin = perf_counter()
    options = {"maxfun": MOST_EVALUATIONS, "maxiter": MOST_EVALUATIONS, "ftol": 0.0, "gtol": 0.0}
    try:
        minimize(smoothed, np.zeros(losses.n_params), jac=True, method="L-BFGS-B", options=options)
    except _ArrivedError:
        return perf_counter() - begin
    return inf


def generated_losses(rows: int = 20_000, features: int = 30, groups: int = 5, seed: int = 0) -> GroupedLinear:
    """A table in which groups differ in what predicts their outcome, so that several of them bind."""
    rng = np.random.default_rng(seed)
    X, group = rng.standard_normal((rows, features)), np.arange(rows) % groups
    coefficients = rng.standard_normal(features) + rng.standard_normal((groups, features))
    margins = np.einsum("ij,ij->i", X, coefficients[group]) / np.sqrt(features)
    return GroupedLinear(X, margins + rng.logistic(size=rows) > 0, group, l2=L2)


def losses_of_table(data: Any, target: str, groups: Sequence[str]) -> GroupedLinear:
    """The losses that a worst-group model of a table is made of, with columns in standard deviations."""
    from .reading import read_for_fit
    from .settings import FitSettings, make_estimator

    encoding, rows = read_for_fit(data, target=target, groups=groups, weight=None, watcher=Watcher())
    settings = FitSettings(worst_weights=(1.0,), l2s=(L2,), min_group_size=LEAST_ROWS)
    estimator = make_estimator(settings, encoding.target.task)
    read = estimator._read_rows(*rows.arguments)
    losses = Trainer(read, estimator._setting(read)).problem(Candidate(1.0, 0.0, L2)).losses
    assert isinstance(losses, GroupedLinear)
    return losses
