"""Comparison with other libraries and a training loop, each in its own environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ..peers.assignment import CHI2, CVAR, LARGE, WORST_LOGISTIC, WORST_SQUARED, Assignment
from ..peers.contest import Score, contest, reference
from ..peers.environments import Environments, Separate, Shared
from ..peers.problems import problem_of
from ..peers.roster import CVXPY, DRO, FAIRLEARN, OURS, SCIPY, TORCH, TORCHJD, versions
from ..peers.table import FINEST, GAPS, data, gap_text, rows
from ..real_tables import loan_table
from ..report import Options, Report, Scale, Table
from ..synthetic import Grouped, paper_data
from ..writing import NOT_REACHED, ratio, small

Source: TypeAlias = tuple[Callable[[], Grouped], float]
"""A function that makes a table, and the time limit of a run on it in seconds."""

LOAN = "mortgage applications"
WORST: dict[Scale, dict[str, Source]] = {
    "tiny": {"toy": (lambda: paper_data(8, 3, 40, 0), 1.0)},
    "small": {
        LOAN: (loan_table, 1.0),
        "synthetic, small": (lambda: paper_data(100, 5, 1000, 0), 1.0),
        "synthetic, medium": (lambda: paper_data(1000, 10, 300, 0), 1.5),
    },
    "full": {
        LOAN: (loan_table, 5.0),
        "synthetic, small": (lambda: paper_data(100, 5, 1000, 0), 5.0),
        "synthetic, medium": (lambda: paper_data(1000, 10, 1000, 0), 15.0),
        "synthetic, large": (lambda: paper_data(5000, 10, 5000, 0, np.float32), 30.0),
    },
}
SQUARED: dict[Scale, dict[str, Source]] = {
    "tiny": WORST["tiny"],
    "small": {LOAN: (loan_table, 1.0)},
    "full": {
        LOAN: (loan_table, 10.0),
        "synthetic, small": (lambda: paper_data(100, 5, 1000, 0), 15.0),
    },
}
ROWS: dict[Scale, tuple[int, ...]] = {"tiny": (40,), "small": (200,), "full": (100, 200, 400, 1000)}
BUDGET_OF_ROWS = 60.0
# A job that has taken this many seconds is not repeated: the noise of slow jobs is small.
ENOUGH: dict[Scale, float] = {"tiny": 1.0, "small": 3.0, "full": 30.0}
# A radius and a share for which the answer is neither that of the mean nor w = 0.
ADVERSARIES = {CHI2: 0.5, CVAR: 0.5}

TEXT = f"""\
Every library runs in its own process and environment, alone on the machine, with a time limit for each run; so does
Saddleback, with its defaults. The libraries return points and the times at which they had them; the objective at these
points is computed here, by the same losses for all. Times exclude the set-up (imports, reading and converting the data,
building a model, loading compiled code), which is the last column. Points closer than 3 % in time are dropped. Tables
with fewer than {LARGE:,} entries get one thread, others all. Peers with step sizes get a small grid of them, and each
cell shows the best of the grid; the cost of the search is not counted. PyTorch is the loop of group DRO (Sagawa et al.
2020) with full batches: three learning rates of Adam for w, two step sizes of exponentiated gradient for the group
weights, both decreasing with the square root of time. TorchJD's MGDA and UPGrad, with three learning rates of Adam,
converge to a point where no group can gain unless another loses, not to the best worst group: their gap shows where
they end, not a failure. CVXPY, dro and fairlearn return their last point only; fairlearn is started again for each
number of iterations. SciPy's L-BFGS-B minimizes the log-sum-exp of the losses, with a temperature that decreases to
1e-6, with the best of one BLAS thread, all, and all for NumPy alone; SLSQP and trust-constr run up to d = 500.
fairlearn bounds group losses: its bound is the optimum plus {FINEST:g}, which a user would have to search for, and its
randomized predictor is replaced by the mean of its models, which is no worse. dro's adversary weighs rows instead of
groups, as Saddleback's does with groups='rows'. Both minimize exactly the same function, without a penalty: the chi2
ball is {{p: n sum_i (p_i - 1/n)^2 <= radius}}, CVaR is the mean of the largest losses. The peers are {versions()}. Slow
ones are repeated less often than others.
"""


def measure(options: Options) -> Report:
    environments: Environments = Shared() if options.scale == "tiny" else Separate()
    tables, numbers = [], {}
    for name, (source, budget) in WORST[options.scale].items():
        task = _task(WORST_LOGISTIC, source(), budget)
        outcome = contest(
            [OURS, CVXPY, SCIPY, TORCH, TORCHJD], task, environments, options.repeats, ENOUGH[options.scale]
        )
        tables.append(Table(_caption("worst group's logistic loss", name, task), *rows(*outcome)))
        numbers[f"{WORST_LOGISTIC}, {name}"] = data(*outcome)
    for name, (source, budget) in SQUARED[options.scale].items():
        task = replace(_task(WORST_SQUARED, source(), budget), l2=0.0)
        task = replace(task, bound=reference(problem_of(task)) + FINEST)
        outcome = contest([OURS, CVXPY, FAIRLEARN], task, environments, options.repeats, ENOUGH[options.scale])
        tables.append(Table(_caption("worst group's squared loss", name, task), *rows(*outcome)))
        numbers[f"{WORST_SQUARED}, {name}"] = data(*outcome)
    by_rows = _adversaries_on_rows(options, environments)
    tables.append(_table_of_rows(by_rows))
    numbers |= {name: data(*outcome) for name, outcome in by_rows.items()}
    return Report("Against other libraries", " ".join(TEXT.split()), tables, data=numbers)


def _adversaries_on_rows(options: Options, environments: Environments) -> dict[str, tuple[float, dict[str, Score]]]:
    table = loan_table()
    order = np.random.default_rng(0).permutation(len(table.y))
    outcomes = {}
    for kind, level in ADVERSARIES.items():
        for n in ROWS[options.scale]:
            kept = np.sort(order[:n])
            some = Grouped(table.X[kept], table.y[kept], np.arange(n), fit_intercept=True)
            task = replace(_task(kind, some, BUDGET_OF_ROWS), level=level)
            name = f"chi2 ball of radius {level:g}" if kind == CHI2 else f"CVaR of the worst {level:.0%}"
            outcomes[f"{name}, {n} rows"] = contest(
                [OURS, DRO], task, environments, options.repeats, ENOUGH[options.scale]
            )
    return outcomes


def _table_of_rows(outcomes: Mapping[str, tuple[float, dict[str, Score]]]) -> Table:
    """One line for each problem: gaps and times of all solvers."""
    header = ["", "our gap", "gap of dro", "dro's own value less ours there", "time to 1e-03", "time to 1e-05"]
    body: list[list[Any]] = []
    for name, (optimum, scores) in outcomes.items():
        ours, theirs = scores[OURS.rows[0]], scores[DRO.rows[0]]
        line = [name, ours.reason or gap_text(ours.value_at(np.inf) - optimum)]
        if theirs.reason:
            body.append([*line, theirs.reason, *[NOT_REACHED] * 3])
            continue
        times = [ratio(theirs.seconds_to(optimum + gap), ours.seconds_to(optimum + gap)) for gap in GAPS[1:]]
        body.append([*line, gap_text(theirs.value_at(np.inf) - optimum), small(theirs.error), *times])
    return Table(f"adversaries on rows, {LOAN}: gaps at the end, and dro's times in multiples of ours", header, body)


def _task(kind: str, grouped: Grouped, budget: float) -> Assignment:
    return Assignment(kind, grouped.X, grouped.y, grouped.groups, grouped.l2, grouped.fit_intercept, budget)


def _caption(what: str, name: str, task: Assignment) -> str:
    n, d = task.X.shape
    return (
        f"{what}, {name}: n = {n}, d = {d}, J = {len(task.sizes)}, {task.X.dtype}, {task.budget:g} s for each run; "
        "gaps to the optimum, times in multiples of ours"
    )
