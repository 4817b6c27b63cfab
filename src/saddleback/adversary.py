"""The regularized adversary h(z) = max over lam in Lambda of <lam, z> - R(lam), and its best response."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from ._types import Vector
from .dual_sets import DualSet, LinearConstraints
from .errors import IncompatibleError, ProblemError
from .machine.clock import UNLIMITED, Clock
from .regularizers import Regularizer


class BestResponse(NamedTuple):
    """h(z) and the lam that attains it; where lam comes from a solver, an upper bound of h(z), as near as rounding."""

    value: float
    lam: Vector


def check_kinds(dual_set: object, regularizer: object) -> None:
    """Refuse what is no set or no regularizer, a class in the place of its instance above all."""
    for value, kind, example in ((dual_set, DualSet, "Simplex()"), (regularizer, Regularizer, "Quadratic(0.1)")):
        if not isinstance(value, kind):
            remedy = "not its class" if isinstance(value, type) else f"such as {example}"
            raise ProblemError(f"expected a {kind.__name__}; got {value!r}. Pass an instance, {remedy}.")


NumericalResponse: TypeAlias = Callable[["Adversary", Vector], BestResponse]


@dataclass(frozen=True)
class Adversary:
    """The pair (Lambda, R) in R^n, checked and with its defaults resolved.

    Everything the program knows of the dual side derives from one primitive, ``best_response``: the primal
    objective h(f(w)), the exact cross-evaluation gap of the dual subproblem, the baselines' dual updates. Where the
    pair has no formula for it, (D) with Q = 0 is solved, and values and gaps are upper bounds of the exact ones.
    """

    dual_set: DualSet
    regularizer: Regularizer
    n: int
    numerical_response: NumericalResponse | None = field(default=None, repr=False, compare=False)
    """Finds best responses where the pair has no formula; `subproblem.adversary_of` puts a solver of (D) here."""
    clock: Clock = field(default=UNLIMITED, repr=False, compare=False)
    """Of the run that this adversary belongs to: inner solvers look at it."""

    def __post_init__(self) -> None:
        check_kinds(self.dual_set, self.regularizer)
        self.dual_set.validate(self.n)
        if self.dual_set.size not in (None, self.n):
            raise ProblemError(f"{self.dual_set!r} has dimension {self.dual_set.size}; got {self.n} losses.")
        if not self.dual_set.contains(self.dual_set.center(self.n)):
            raise ProblemError(f"{self.dual_set!r} in R^{self.n} is empty: its center is not in it.")
        object.__setattr__(self, "regularizer", self.regularizer.resolve(self.dual_set, self.n))
        if self.exact:
            # A set that lacks what R needs is refused here, before the losses are evaluated.
            self.best_response(np.zeros(self.n))

    def timed(self, clock: Clock) -> Adversary:
        """The same adversary under the clock of a run."""
        adversary = copy(self)
        adversary.__dict__.update(dual_set=self.dual_set.timed(clock), clock=clock)
        return adversary

    @cached_property
    def exact(self) -> bool:
        """Whether best responses come from a formula, and not from the inner solver."""
        return self.regularizer.has_response(self.dual_set)

    @cached_property
    def largest_weight(self) -> float:
        """The largest |lam_j| on Lambda, by which solvers divide lam; 1 where Lambda = {0}."""
        return self.dual_set.largest_weight(self.n) or 1.0

    @cached_property
    def linear_constraints(self) -> LinearConstraints | None:
        """The polyhedron of lam / largest_weight; None where Lambda is not polyhedral."""
        describe = getattr(self.dual_set, "linear_constraints", None)
        if describe is None:
            return None
        constraints = cast("LinearConstraints", describe(self.n))
        return constraints if self.largest_weight == 1.0 else constraints.divided_by(self.largest_weight)

    def best_response(self, z: Vector) -> BestResponse:
        if self.exact:
            return BestResponse(*self.regularizer.respond(self.dual_set, z))
        if self.numerical_response is None:
            raise IncompatibleError(
                f"{self.regularizer!r} has no formula for its best response on {self.dual_set!r}. Build the adversary "
                "with Problem, or with subproblem.adversary_of, which bring a solver for it."
            )
        return self.numerical_response(self, z)

    def value(self, z: Vector) -> float:
        """h(z)."""
        return self.regularizer.conjugate(self.dual_set, z) if self.exact else self.best_response(z).value

    def gap(self, lam: Vector, z: Vector) -> float:
        """The Fenchel-Young gap h(z) - <lam, z> + R(lam) >= 0: how much the adversary loses by playing lam.

        Written with differences to the best response, so that its rounding error scales with the gap's own
        terms and not with the size of the losses. Without a formula for the best response, the Frank-Wolfe gap
        max over mu of <mu - lam, z - grad R(lam)>, which is never smaller.
        """
        if self.exact:
            gap = self.regularizer.gap(self.dual_set, lam, z)
        else:
            slope = z - self.regularizer.gradient(lam)
            gap = self.dual_set.regret(lam, slope) if np.isfinite(slope).all() else np.inf
        # nan, which is no gap, must not pass for a gap of zero.
        return gap if gap > 0 or gap != gap else 0.0
