"""``solve`` with its defaults."""

from __future__ import annotations

import warnings
from typing import Any

import saddleback as sb

from ..assignment import Array, Assignment
from ..problems import problem_of
from ..tape import Tape, carry_out

NAME = "Saddleback"


class Noted:
    """The losses; each point that they are asked about goes on the tape, as it does for SciPy."""

    def __init__(self, losses: Any, tape: Tape) -> None:
        self._losses, self._tape = losses, tape
        self.n_losses, self.n_params = losses.n_losses, losses.n_params

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        f, G = self._losses.evaluate(w)
        self._tape.note(w)
        return f, G

    def __getattr__(self, name: str) -> Any:
        """A capability, where the losses have it."""
        return getattr(self._losses, name)


def solve(task: Assignment, tape: Tape) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        # Two iterations load the compiled kernels, on losses of their own: what losses learn of the data is solving.
        sb.solve(problem_of(task), max_iter=2, time_limit=task.budget)
        problem = problem_of(task)
        noted = sb.Problem(Noted(problem.losses, tape), problem.dual_set)
        with tape.run(NAME):
            tape.note(sb.solve(noted, time_limit=task.budget).w)


if __name__ == "__main__":
    carry_out(solve)
