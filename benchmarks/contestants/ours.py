"""Saddleback's methods as contestants."""

from __future__ import annotations

from typing import Any

import saddleback as sb
from saddleback.methods import AnyMethod
from saddleback.paper import contestants

from ..race import Contestant, Solver

# Below all gaps of the tables: a race ends at its target, not on a certificate.
TOL = 1e-13
MAX_ITER = 100_000


def by(method: str | AnyMethod, tol: float = TOL) -> Solver:
    """``solve`` with a method."""

    def solver(problem: sb.Problem) -> sb.Result:
        return sb.solve(problem, method=method, tol=tol, max_iter=MAX_ITER)

    return solver


def ours(losses: Any, *names: str) -> dict[str, Contestant]:
    """Contestants by the names of their methods."""
    return {name: Contestant(losses, by(name)) for name in names}


def algorithm_1(losses: Any, L: float) -> Contestant:
    """The paper's method as in the reproduction of its tables."""
    return Contestant(losses, by(contestants.algorithm_1(L)))
