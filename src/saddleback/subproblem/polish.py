"""The last digits of (D) with many losses: active sets, once few weights are between their bounds."""

from __future__ import annotations

from dataclasses import dataclass

from ..capabilities import offers
from ..dual_sets import LinearConstraints, ProximalResponse
from ..regularizers import QuadraticForm
from .dual_subproblem import DualSubproblem
from .factored_subproblem import FactoredSubproblem
from .incumbent import Incumbent
from .qp import active_set
from .qp.kkt_operator import BoundedKKT


@dataclass(frozen=True)
class PolishControl:
    """The numbers of `Polish`."""

    free_per_column: int = 2
    """Tried where at most this many weights for each column of F and one more are between their bounds: a vertex has
    one each."""
    rounds: int = 3
    """Active-set rounds: one if the guess is right, and two corrections of it."""


CONTROL = PolishControl()


class Polish:
    """Offers the solution with the bounds that a proximal response has to the incumbent.

    Proximal responses have rounding errors of z/gamma; the equations of the face have only those of (D) itself.
    """

    def __init__(self, subproblem: FactoredSubproblem, constraints: LinearConstraints, incumbent: Incumbent) -> None:
        self._kkt = BoundedKKT(subproblem)
        self._constraints, self._incumbent = constraints, incumbent
        self._largest_weight = subproblem.adversary.largest_weight
        self._most = CONTROL.free_per_column * (subproblem.factor.shape[1] + 1)

    @staticmethod
    def of(subproblem: DualSubproblem, incumbent: Incumbent) -> Polish | None:
        """None where Lambda has other constraints than bounds and few equations, or R is not quadratic."""
        adversary = subproblem.adversary
        constraints = adversary.linear_constraints
        if constraints is None or constraints.A is not None or not isinstance(subproblem, FactoredSubproblem):
            return None
        if not subproblem.tall or len(constraints.E) > 1 or not offers(adversary.regularizer, QuadraticForm):
            return None
        return Polish(subproblem, constraints, incumbent)

    def __call__(self, response: ProximalResponse) -> int:
        """The rounds taken."""
        free = response.diagonal > 0.0
        if not 0 < free.sum() <= self._most:
            return 0
        x = response.lam / self._largest_weight
        return active_set.refine(self._kkt, self._constraints, x, free, self._incumbent, CONTROL.rounds)
