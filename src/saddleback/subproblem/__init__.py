"""(D): min over lam in Lambda of 1/2 lam' Q lam - c' lam + R(lam), its three gaps and its solvers."""

from __future__ import annotations

from .._validation import lookup
from ..adversary import Adversary
from ..errors import IncompatibleError, ProblemError
from .auto import Auto
from .base import InnerSolver
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import FactoredSubproblem
from .frank_wolfe import FrankWolfe
from .numerical_response import adversary_of
from .path_following import PathFollowing
from .projected_gradient import ProjectedGradient
from .quadratic_program import QuadraticProgram
from .response_newton import ResponseNewton
from .trust_constr import TrustConstr

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
    if isinstance(inner, type) or not all(hasattr(inner, name) for name in ("name", "refusal", "solve")):
        raise ProblemError(f"inner must be a name or an object such as PathFollowing(); got {inner!r}.")
    return inner


def resolve_inner(inner: str | InnerSolver, adversary: Adversary) -> InnerSolver:
    """The solver that ``inner`` names or is, refused with the reason when it cannot treat this (Lambda, R)."""
    solver = inner_solver(inner)
    refusal = solver.refusal(adversary)
    if refusal is not None:
        usable = ", ".join(repr(name) for name, kind in INNER_SOLVERS.items() if kind().refusal(adversary) is None)
        raise IncompatibleError(
            f"inner solver {solver.name!r} does not apply: {refusal}. Use one of: {usable or 'none'}."
        )
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
    "adversary_of",
    "inner_solver",
    "resolve_inner",
]
