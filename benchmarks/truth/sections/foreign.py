"""Checkpoints of other problems: none is accepted, and every checkpoint of the same problem is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import saddleback as sb

from ..problems.foreign import CHANGES, Bent, BentWithHessian
from ..problems.kept_runs import KeptRun, TableData, draw_run, rebuilt
from ..section import Section
from ..tally import Outcome, Share

ITERATIONS = (0, 0, 1, 2, 5, 30)
BENT = "losses bent away from the answer"
KINDS = (*CHANGES, BENT)

TAKEN = "checkpoints of other problems that were accepted"
REFUSED = "own checkpoints that were refused"


def judge(rng: np.random.Generator, number: int) -> list[Outcome]:
    """One checkpoint, resumed by a problem with one change, and by a copy of the same problem."""
    kind = KINDS[number % len(KINDS)]
    run = draw_run(rng)
    n_iter = int(rng.choice(ITERATIONS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ckpt"
        first = run.solve(path, max_iter=n_iter)
        note = f"{run.method.name} after {first.n_iter} iterations"
        if kind == BENT:
            other, problem = _bent(run, first.w)
        else:
            other = CHANGES[kind](rng, run)
            problem = other.problem()
        try:
            taken = other.solved(problem, path, max_iter=n_iter + 5, resume=True)
            ending, note = "accepted", f"{note}: bound {taken.lower_bound:.9g}, value {taken.value:.9g}"
        except (sb.ProblemError, sb.IncompatibleError) as error:
            ending, note = "refused", f"{note}: {error}"
        own = rebuilt(run)
        try:
            own.solve(path, max_iter=n_iter + 5, resume=True)
            refused = False
        except sb.ProblemError as error:
            refused, note = True, f"{note}; own refused: {error}"
    return [Outcome({TAKEN: ending != "refused", REFUSED: refused}, kind, ending, note)]


def _bent(run: KeptRun, point: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[KeptRun, sb.Problem]:
    kind = BentWithHessian if isinstance(run.data, TableData) else Bent
    bent = kind(run.data.losses(), point)
    return run, sb.Problem(bent, run.dual_set, run.regularizer, run.metric)


ABOUT = """\
A run of any method is stopped after 0 to 30 iterations and resumed with one thing changed: other data of the same
shape, one response, one entry, one row's group, two groups renamed, the penalty, the dual set or the regularizer or a
parameter of theirs, the method or an option of it, the metric, the start, or losses that agree with the old ones to
first order at the answer. Logistic tables that start at zero have the same losses there whatever their data. Each
changed problem must be refused; a copy of the problem itself must be accepted.
"""

SECTION = Section(
    name="foreign",
    title="Checkpoints of other problems",
    about=ABOUT,
    judge=judge,
    limits=(Share(TAKEN), Share(REFUSED)),
    sizes={"small": 60, "full": 1000},
)
