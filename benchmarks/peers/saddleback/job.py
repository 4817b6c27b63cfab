"""``solve`` with its defaults."""

from __future__ import annotations

import warnings
from typing import Any

import saddleback as sb

from ...losses_proxy import LossesProxy
from ..assignment import Assignment
from ..problems import problem_of
from ..tape import Tape, carry_out

NAME = "Saddleback"


class Noted(LossesProxy):
    """Losses that write the point of each evaluation with a Jacobian to the tape, as the job of SciPy does."""

    def __init__(self, losses: Any, tape: Tape) -> None:
        super().__init__(losses)
        self._tape = tape

    def _call(self, name: str, *arguments: Any) -> Any:
        answer = super()._call(name, *arguments)
        if name == "evaluate":
            self._tape.note(arguments[0])
        return answer


def solve(task: Assignment, tape: Tape) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        # Two iterations load the compiled kernels. They use other losses, because what losses cache counts as solving.
        sb.solve(problem_of(task), max_iter=2, time_limit=task.budget)
        problem = problem_of(task)
        noted = sb.Problem(Noted(problem.losses, tape), problem.dual_set)
        with tape.run(NAME):
            tape.note(sb.solve(noted, time_limit=task.budget).w)


if __name__ == "__main__":
    carry_out(solve)
