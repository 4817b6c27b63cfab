"""Best responses by the inner solver, for pairs (Lambda, R) without a formula."""

from __future__ import annotations

import numpy as np

from .._types import Vector
from ..adversary import Adversary, BestResponse
from ..dual_sets import DualSet
from ..regularizers import Regularizer
from .auto import Auto
from .factored_subproblem import FactoredSubproblem

SOLVER = Auto()


def numerical_response(adversary: Adversary, z: Vector) -> BestResponse:
    """argmax <lam, z> - R(lam): (D) with Q = 0 and c = z, solved to the rounding floor.

    The measured gap is the Frank-Wolfe gap, which needs only the support function and no best response. It bounds
    the error, so that the returned value is an upper bound of h(z).
    """
    subproblem = FactoredSubproblem(np.zeros((z.size, 1)), z, adversary)
    solution = SOLVER.solve(subproblem, subproblem.rounding_floor)
    attained = float(solution.lam.dot(z)) - adversary.regularizer.value(solution.lam)
    return BestResponse(attained + solution.gap, solution.lam)


def adversary_of(dual_set: DualSet, regularizer: Regularizer, n: int) -> Adversary:
    """The adversary of any pair (Lambda, R): best responses by formula where there is one, else by the inner solver."""
    return Adversary(dual_set, regularizer, n, numerical_response)
