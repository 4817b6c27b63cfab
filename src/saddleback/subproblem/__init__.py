"""(D): min over lam in Lambda of 1/2 lam' Q lam - c' lam + R(lam), its three gaps and its solvers."""

from __future__ import annotations

from .._validation import lookup
from ..adversary import Adversary
from ..capabilities import Needs, lack, offers, refuse_unmet
from ..errors import ProblemError
from .auto import Auto
from .base import InnerSolver, applies, needs_of, square_matrices
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import FactoredSubproblem
from .frank_wolfe import FrankWolfe
from .numerical_response import adversary_of
from .path_following import PathFollowing
from .projected_gradient import ProjectedGradient
from .qp import QuadraticProgram
from .response_newton import ResponseNewton
from .trust_constr import TrustConstr
from .working_set import WorkingSet

INNER_SOLVERS: dict[str, type[InnerSolver]] = {
    "auto": Auto,
    "path-following": PathFollowing,
    "qp": QuadraticProgram,
    "trust-constr": TrustConstr,
    "projected-gradient": ProjectedGradient,
    "frank-wolfe": FrankWolfe,
}


def inner_solver(inner: str | InnerSolver) -> InnerSolver:
    """The solver that ``inner`` names or is."""
    if isinstance(inner, str):
        return lookup(INNER_SOLVERS, inner, "inner solver")()
    if isinstance(inner, type) or not offers(inner, InnerSolver):
        lacking = "Pass an instance, not its class." if isinstance(inner, type) else f"{lack(inner, InnerSolver)}."
        raise ProblemError(f"inner must be a name or an object such as PathFollowing(); got {inner!r}. {lacking}")
    if not isinstance(needs_of(inner), Needs):
        raise ProblemError(f"needs of inner solver {inner.name!r} must be a Needs(...); got {needs_of(inner)!r}.")
    return inner


def resolve_inner(inner: str | InnerSolver, adversary: Adversary) -> InnerSolver:
    """The solver that ``inner`` names or is, refused with the reason where it does not apply to (Lambda, R)."""
    solver = inner_solver(inner)

    def remedy() -> str:
        usable = ", ".join(repr(name) for name, kind in INNER_SOLVERS.items() if applies(kind(), adversary))
        return f"Use one of: {usable or 'none'}."

    refuse_unmet(f"inner solver {solver.name!r}", needs_of(solver), adversary, remedy=remedy)
    return solver


__all__ = [
    "INNER_SOLVERS",
    "Auto",
    "DualSolution",
    "DualSubproblem",
    "FactoredSubproblem",
    "FrankWolfe",
    "InnerSolver",
    "PathFollowing",
    "ProjectedGradient",
    "QuadraticProgram",
    "ResponseNewton",
    "TrustConstr",
    "WorkingSet",
    "adversary_of",
    "applies",
    "inner_solver",
    "resolve_inner",
    "square_matrices",
]
