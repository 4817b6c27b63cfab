"""Ill-conditioned tables without a penalty: compares the errors of answers with what the runs report."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

import saddleback as sb

from ..endings import SECONDS, describe, ending, quietly, threshold
from ..problems.ill_tables import KINDS, draw
from ..problems.reference import ACCURACY, least_worst_loss
from ..problems.table import Table
from ..section import Section
from ..tally import Outcome, Ratio, Share

TOL = 1e-6
METHODS = ("auto", "quasi-newton")
EASY = "well-conditioned"
# Evaluations on well-conditioned tables, cases of seed 0, by the release before the final inspection was added.
BASELINE = Path(__file__).resolve().parents[1] / "baseline.json"

WRONG = "error > tol"
FAR = "error > 100 tol"
CLAIMED = "converged with error > tol"
CLAIMED_FAR = "converged with error > 100 tol"
CERTIFIED = "certified with error > tol"
BEATEN = "references above a value of a run"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One table, by each method."""
    table = make(rng, number)
    optimum = least_worst_loss(table)
    return [_judged(table, optimum, method, number) for method in METHODS]


def make(rng: np.random.Generator, number: int) -> Table:
    kinds = list(KINDS)
    return draw(rng, kinds[number % len(kinds)], "logistic" if rng.random() < 0.6 else "squared")


def solve(table: Table, method: str) -> sb.Result:
    problem = sb.Problem(table.losses())
    return quietly(lambda: sb.solve(problem, method=method, tol=TOL, time_limit=SECONDS))


def _judged(table: Table, optimum: float, method: str, number: int) -> Outcome:
    result = solve(table, method)
    allowed, error = threshold(TOL, optimum), result.value - optimum
    wrong, far = error > allowed, error > 100 * allowed
    counts = {WRONG: wrong, FAR: far, BEATEN: error < -ACCURACY * max(1.0, abs(optimum))}
    if result.success:
        counts |= {CLAIMED: wrong, CLAIMED_FAR: far}
    if ending(result) == "certified":
        counts[CERTIFIED] = wrong
    sums = {}
    if table.kind == EASY and (before := baseline().get(_key(number, method))) is not None:
        sums = {"evaluations": float(result.n_evals + result.n_values), "before": before}
    note = f"{table.loss}, {table.X.shape}, intercept {table.fit_intercept}: error {error:.2e}; {describe(result)}"
    return Outcome(counts, f"{table.kind}, {method}", ending(result), note, sums)


@cache
def baseline() -> dict[str, int]:
    """Evaluations of the earlier release, by case and method."""
    return json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}


def evaluations() -> dict[str, int]:
    """Evaluations of the current code, for `baseline`."""
    counts = {}
    for number in range(SECTION.sizes["full"]):
        table = make(SECTION.generator(0, number), number)
        if table.kind == EASY:
            for method in METHODS:
                result = solve(table, method)
                counts[_key(number, method)] = result.n_evals + result.n_values
    return counts


def _key(number: int, method: str) -> str:
    return f"{number} {method}"


ABOUT = """\
Five kinds of ill-conditioned tables and a sixth, well-conditioned one, 100 to 2,000 rows, 3 to 30 columns, 2 to 6
groups, logistic and squared loss, l2 = 0: the largest group loss is minimized to tol = 1e-6 from w = 0, by the default
method and by quasi-newton. The optimum is computed by a barrier method on orthogonal columns. If classes can be
separated, the infimum is at infinity, and a linear program determines which rows have zero loss there. Evaluations on
well-conditioned tables are compared with those of the previous release.
"""

SECTION = Section(
    name="tables",
    title="Tables without a penalty",
    about=ABOUT,
    judge=judge,
    limits=(
        Share(WRONG, 0.01),
        Share(FAR),
        Share(CLAIMED, 0.01),
        Share(CLAIMED_FAR),
        Share(CERTIFIED, 0.001),
        Ratio("evaluations over those of the previous release, well-conditioned", "evaluations", "before", 1.3),
        Share(BEATEN),
    ),
    sizes={"small": 60, "full": 1200},
)
