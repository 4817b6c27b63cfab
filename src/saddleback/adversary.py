"""The regularized adversary h(z) = max over lam in Lambda of <lam, z> - R(lam), and its best response."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from ._types import Vector
from .dual_sets import DualSet, LinearConstraints
from .errors import ProblemError
from .regularizers import Regularizer


class BestResponse(NamedTuple):
    """h(z) and the lam that attains it."""

    value: float
    lam: Vector


def check_kinds(dual_set: object, regularizer: object) -> None:
    """Refuse what is no set or no regularizer, a class in the place of its instance above all."""
    for value, kind in ((dual_set, DualSet), (regularizer, Regularizer)):
        if not isinstance(value, kind):
            raise ProblemError(f"expected a {kind.__name__}; got {value!r}. Pass an instance, not its class.")


@dataclass(frozen=True)
class Adversary:
    """The pair (Lambda, R) in R^n, checked and with its defaults resolved.

    Everything the program knows of the dual side derives from one primitive, ``best_response``: the primal
    objective h(f(w)), the exact cross-evaluation gap of the dual subproblem, the baselines' dual updates.
    """

    dual_set: DualSet
    regularizer: Regularizer
    n: int

    def __post_init__(self) -> None:
        check_kinds(self.dual_set, self.regularizer)
        self.dual_set.validate(self.n)
        if not self.dual_set.contains(self.dual_set.center(self.n)):
            raise ProblemError(f"{self.dual_set!r} in R^{self.n} is empty: its center is not in it.")
        object.__setattr__(self, "regularizer", self.regularizer.resolve(self.dual_set, self.n))
        # A set that lacks what R needs is refused here, before the losses are evaluated.
        self.best_response(np.zeros(self.n))

    @cached_property
    def linear_constraints(self) -> LinearConstraints | None:
        """Lambda as a polyhedron; None where it is none."""
        describe = getattr(self.dual_set, "linear_constraints", None)
        return None if describe is None else cast("LinearConstraints", describe(self.n))

    def best_response(self, z: Vector) -> BestResponse:
        return BestResponse(*self.regularizer.respond(self.dual_set, z))

    def value(self, z: Vector) -> float:
        """h(z)."""
        return self.regularizer.conjugate(self.dual_set, z)

    def gap(self, lam: Vector, z: Vector) -> float:
        """The Fenchel-Young gap h(z) - <lam, z> + R(lam) >= 0: how much the adversary loses by playing lam.

        Written with differences to the best response, so that its rounding error scales with the gap's own
        terms and not with the size of the losses.
        """
        gap = self.regularizer.gap(self.dual_set, lam, z)
        # nan, which is no gap, must not pass for a gap of zero.
        return gap if gap > 0 or gap != gap else 0.0
