"""Best responses by the inner solver, for pairs (Lambda, R) without a formula."""

from __future__ import annotations

import numpy as np

from .._types import Vector
from ..adversary import Adversary, BestResponse
from ..dual_sets import DualSet
from ..errors import ProblemError
from ..regularizers import Regularizer
from .auto import Auto
from .factored_subproblem import FactoredSubproblem

SOLVER = Auto()
# Relative error of values of R.
ROUNDING = 1e-9


def numerical_response(adversary: Adversary, z: Vector) -> BestResponse:
    """argmax <lam, z> - R(lam): (D) with Q = 0 and c = z, solved to the rounding floor.

    The measured gap is the Frank-Wolfe gap, which needs only the support function and no best response. It bounds
    the error, so that the returned value is an upper bound of h(z).
    """
    subproblem = FactoredSubproblem(np.zeros((z.size, 1)), z, adversary)
    solution = SOLVER.solve(subproblem, subproblem.rounding_floor)
    attained = float(solution.lam.dot(z)) - adversary.regularizer.value(solution.lam)
    upper = attained + solution.gap
    _check_bound(adversary, z, upper, subproblem.scale)
    return BestResponse(upper, solution.lam)


def _check_bound(adversary: Adversary, z: Vector, upper: float, scale: float) -> None:
    """Refuse a regularizer with a point of Lambda above the upper bound of h(z): its derivatives are wrong."""
    R, dual_set = adversary.regularizer, adversary.dual_set
    for lam in (dual_set.center(z.size), dual_set.support(z)[1]):
        value = float(lam.dot(z)) - R.value(lam)
        if value > upper + ROUNDING * (scale + abs(upper) + abs(R.value(lam))):
            raise ProblemError(
                f"the gradient of {R!r} does not belong to its value: <lam, z> - R(lam) is {value:.6g} at a point of "
                f"Lambda, above its computed maximum {upper:.6g}. Run saddleback.testing.check_regularizer."
            )


def adversary_of(dual_set: DualSet, regularizer: Regularizer, n: int) -> Adversary:
    """The adversary of any pair (Lambda, R): best responses by formula where there is one, else by the inner solver."""
    return Adversary(dual_set, regularizer, n, numerical_response)
