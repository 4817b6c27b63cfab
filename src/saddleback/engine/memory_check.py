"""Refusing a run that needs more memory than is free, before anything is evaluated."""

from __future__ import annotations

from typing import NamedTuple

from ..capabilities import offers
from ..errors import ProblemError
from ..losses.base import HasLinearization
from ..machine.resources import UNCHECKED_BYTES, free_memory, gigabytes
from ..problem import Problem
from ..subproblem import InnerSolver, square_matrices
from .method import AnyMethod

# J x d matrices that a run holds at a time: three Jacobians and the temporaries of a step. A little below the measured
# number, so that no run that fits is refused.
N_JACOBIANS = 5
# Vectors of J numbers that every run holds: losses, weights and slopes of the kept points, and those of a step.
N_VECTORS = 20


class MemoryNeed(NamedTuple):
    """A number of bytes, their purpose, and how to need fewer."""

    n_bytes: float
    purpose: str
    remedy: str


def check_memory(problem: Problem, method: AnyMethod, inner: InnerSolver) -> None:
    """Raise a ProblemError where the matrices of a run take more memory than is free."""
    J, d = problem.n_losses, problem.n_params
    if 8.0 * max(J * d, J * J, d * d) < UNCHECKED_BYTES / 16:
        return
    needs = list(_needs(problem, method, inner))
    total, largest = sum(need.n_bytes for need in needs), max(needs)
    if total < UNCHECKED_BYTES or total <= (free := free_memory()):
        return
    raise ProblemError(
        f"J = {J} losses of d = {d} parameters need about {gigabytes(total)} of memory, {gigabytes(largest.n_bytes)} "
        f"of it for {largest.purpose}; {gigabytes(free)} are free. {largest.remedy}"
    )


def _needs(problem: Problem, method: AnyMethod, inner: InnerSolver) -> list[MemoryNeed]:
    J, d = problem.n_losses, problem.n_params
    fewer = "Group the losses into fewer, or take a machine with more memory."
    structured = method.keeps_structure and offers(problem.losses, HasLinearization)
    needs = [MemoryNeed(8.0 * N_VECTORS * J, "numbers per loss", fewer)]
    if not structured:
        needs.append(MemoryNeed(8.0 * N_JACOBIANS * J * d, "J x d Jacobians", fewer))
    squares = square_matrices(inner, problem.adversary, d) if method.solves_subproblems else 0
    remedy = fewer if inner.name == "auto" else "Leave inner at 'auto', which may need less, or group the losses."
    needs.append(MemoryNeed(8.0 * squares * J * J, f"J x J matrices of the inner solver {inner.name!r}", remedy))
    if method.n_square_matrices:
        remedy = "Use method='quasi-newton', which needs none."
        needs.append(MemoryNeed(8.0 * method.n_square_matrices * d * d, "d x d Hessians", remedy))
    return needs
