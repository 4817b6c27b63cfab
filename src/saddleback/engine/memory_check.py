"""What a run needs in memory, and a refusal by name where that is not there."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import ProblemError
from ..machine.resources import SMALL, free_memory, gigabytes
from ..problem import Problem
from ..subproblem import InnerSolver, square_matrices
from .method import AnyMethod

# J x d matrices at a time, as measured, and rather less: three Jacobians, and what a step makes of one.
JACOBIANS = 5


class Need(NamedTuple):
    """So many bytes, for what, and what would take less."""

    size: float
    purpose: str
    remedy: str


def check_memory(problem: Problem, method: AnyMethod, inner: InnerSolver) -> None:
    """Refuse a run that would need more memory than is free, before anything is evaluated."""
    J, d = problem.n_losses, problem.n_params
    if 8.0 * max(J * d, J * J, d * d) < SMALL / 16:
        return
    needs = list(_needs(problem, method, inner))
    total, largest = sum(need.size for need in needs), max(needs)
    if total < SMALL or total <= (free := free_memory()):
        return
    raise ProblemError(
        f"J = {J} losses of d = {d} parameters need about {gigabytes(total)} of memory, {gigabytes(largest.size)} of "
        f"it for {largest.purpose}; {gigabytes(free)} are free. {largest.remedy}"
    )


def _needs(problem: Problem, method: AnyMethod, inner: InnerSolver) -> list[Need]:
    J, d = problem.n_losses, problem.n_params
    fewer = "Group the losses into fewer, or take a machine with more memory."
    needs = [Need(8.0 * JACOBIANS * J * d, "J x d Jacobians", fewer)]
    squares = square_matrices(inner, problem.adversary, d)
    remedy = fewer if inner.name == "auto" else "Leave inner at 'auto', which may need less, or group the losses."
    needs.append(Need(8.0 * squares * J * J, f"J x J matrices of the inner solver {inner.name!r}", remedy))
    if method.n_square_matrices:
        needs.append(
            Need(
                8.0 * method.n_square_matrices * d * d, "d x d Hessians", "Use method='quasi-newton', which needs none."
            )
        )
    return needs
