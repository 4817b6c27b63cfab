"""The regularized adversary h(z) = max over lam in Lambda of <lam, z> - R(lam), and its best response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from ._types import Vector
from .capabilities import is_from_outside, lack, offers
from .dual_sets import DualSet, HasBarrier, HasProximalResponse, LinearConstraints, Polyhedral, ProximalResponse
from .dual_sets.interior import HasInteriorForm, InteriorForm, PointForm
from .errors import IncompatibleError, ProblemError
from .machine.clock import UNLIMITED, Clock
from .regularizers import HasBestResponse, HasProximalForm, QuadraticForm, Regularizer


class BestResponse(NamedTuple):
    """h(z) and the lam that attains it; where lam comes from a solver, an upper bound of h(z)."""

    value: float
    lam: Vector


def check_kinds(dual_set: object, regularizer: object) -> None:
    """Refuse objects that are not a set or not a regularizer, most often a class instead of an instance."""
    for value, kind, example in ((dual_set, DualSet, "Simplex()"), (regularizer, Regularizer, "Quadratic(0.1)")):
        if not isinstance(value, kind):
            remedy = "not its class" if isinstance(value, type) else f"such as {example}"
            place = " A regularizer is passed by name: regularizer=..." if isinstance(value, Regularizer) else ""
            raise ProblemError(f"expected a {kind.__name__}; got {value!r}. Pass an instance, {remedy}.{place}")


def check_support(dual_set: DualSet, n: int) -> None:
    """Refuse a set whose ``support`` does not return a number and a vector of n finite weights."""
    answer: Any = dual_set.support(np.ones(n))
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise ProblemError(f"support of {dual_set!r} must return (value, lam); got {type(answer).__name__}.")
    value, lam = answer
    if np.ndim(value) != 0 or np.iscomplexobj(value) or not np.isfinite(value):
        raise ProblemError(f"support of {dual_set!r} must return a finite number first; got {value!r}.")
    if not isinstance(lam, np.ndarray) or lam.dtype.kind != "f" or lam.shape != (n,) or not np.isfinite(lam).all():
        got = f"{lam.dtype} of shape {lam.shape}" if isinstance(lam, np.ndarray) else type(lam).__name__
        raise ProblemError(f"support of {dual_set!r} must return {n} finite weights as an array of floats; got {got}.")


NumericalResponse: TypeAlias = Callable[["Adversary", Vector], BestResponse]


class HasAscentStep(Protocol):
    """a gradient or mirror step in lam, ``ascent_step(lam, z, eta)``."""

    def ascent_step(self, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """From lam, a step of size eta that increases <lam, z> - R(lam), with R's gradient taken at ``at`` (lam)."""


def lack_of_ascent_step(dual_set: DualSet, regularizer: Regularizer) -> str | None:
    """Why a pair (Lambda, R) has no gradient or mirror step in lam; None where it has one."""
    return _first_lack(dual_set, regularizer.ascent_needs)


def lack_of_proximal_response(dual_set: DualSet, regularizer: Regularizer) -> str | None:
    """Why a pair (Lambda, R) has no proximal response; None where it has one."""
    needs = regularizer.proximal_needs
    if needs is None or not offers(regularizer, HasProximalForm):
        return f"{type(regularizer).__name__} has no proximal response"
    return _first_lack(dual_set, needs)


def response_formula(dual_set: DualSet, regularizer: Regularizer) -> HasBestResponse | None:
    """The regularizer, if it has a formula for its best response on this set; else None."""
    if _first_lack(dual_set, regularizer.response_needs) is not None:
        return None
    return regularizer if offers(regularizer, HasBestResponse) else None


def _first_lack(dual_set: DualSet, needs: tuple[type, ...]) -> str | None:
    for need in needs:
        reason = lack(dual_set, need)
        if reason is not None:
            return reason
    return None


@dataclass(frozen=True)
class Adversary:
    """The pair (Lambda, R) in R^n, checked and with its defaults resolved.

    One primitive, ``best_response``, gives the primal objective h(f(w)), the exact cross-evaluation gap of the dual
    subproblem (D), and the dual updates of the baselines. Where the pair has no formula for it, (D) with Q = 0 is
    solved, and values and gaps are upper bounds of the exact ones.
    """

    dual_set: DualSet
    regularizer: Regularizer
    n: int
    numerical_response: NumericalResponse | None = field(default=None, repr=False, compare=False)
    """Finds best responses where the pair has no formula; `subproblem.adversary_of` passes a solver of (D)."""
    clock: Clock = field(default=UNLIMITED, repr=False, compare=False)
    """The clock of the run; inner solvers check it."""
    notes: dict[int | str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What solvers keep about this pair; copies under other clocks share it."""

    def __post_init__(self) -> None:
        check_kinds(self.dual_set, self.regularizer)
        self.dual_set.validate(self.n)
        if is_from_outside(self.dual_set):
            check_support(self.dual_set, self.n)
        if self.dual_set.size not in (None, self.n):
            raise ProblemError(f"{self.dual_set!r} has dimension {self.dual_set.size}; got {self.n} losses.")
        # Without a barrier the center is an average of support points, and `contains` may be as costly as a solve.
        has_barrier = offers(self.dual_set, HasBarrier)
        if has_barrier and not self.dual_set.contains(self.dual_set.center(self.n)):
            raise ProblemError(f"{self.dual_set!r} in R^{self.n} is empty: its center is not in it.")
        object.__setattr__(self, "regularizer", self.regularizer.resolve(self.dual_set, self.n))
        if self.exact:
            # A formula that refuses this set does so here, before the losses are evaluated.
            self.best_response(np.zeros(self.n))

    def timed(self, clock: Clock) -> Adversary:
        """The same adversary under the clock of a run."""
        adversary = object.__new__(Adversary)
        adversary.__dict__.update(self.__dict__, dual_set=self.dual_set.timed(clock), clock=clock)
        return adversary

    @cached_property
    def exact(self) -> bool:
        """Whether best responses come from a formula, and not from the inner solver."""
        return self._formula is not None

    @cached_property
    def _formula(self) -> HasBestResponse | None:
        return response_formula(self.dual_set, self.regularizer)

    def lacks(self, capability: type) -> str | None:
        """Why this pair does not offer a capability whose members the class has; None where it does."""
        if capability is HasAscentStep:
            return lack_of_ascent_step(self.dual_set, self.regularizer)
        if capability is HasProximalResponse:
            return lack_of_proximal_response(self.dual_set, self.regularizer)
        return None

    def proximal_distance(self, lam: Vector, center: Vector) -> float:
        """The distance D of `proximal_response`."""
        return cast("HasProximalForm", self.regularizer).proximal_distance(self.dual_set, lam, center)

    def proximal_response(self, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """max over lam of <lam, z> - R(lam) - gamma D(lam, center), its maximizer, and the derivative of that.

        gamma may be zero where R is strongly convex.
        """
        return cast("HasProximalForm", self.regularizer).proximal_response(self.dual_set, z, gamma, center)

    def ascent_step(self, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """From lam, a step of size eta that increases <lam, z> - R(lam), with R's gradient taken at ``at`` (lam)."""
        return self.regularizer.ascent_step(self.dual_set, lam, z, eta, at=at)

    @cached_property
    def largest_weight(self) -> float:
        """The largest |lam_j| on Lambda, by which solvers divide lam; 1 where Lambda = {0}."""
        return self.dual_set.largest_weight(self.n) or 1.0

    @cached_property
    def interior_form(self) -> InteriorForm | None:
        """Lambda as interior-point methods see it; None where it has no such form."""
        return self.dual_set.interior_form(self.n) if offers(self.dual_set, HasInteriorForm) else None

    @property
    def is_point(self) -> bool:
        """Whether Lambda is known to be a point, its center: a capped simplex with alpha = 1, a ball of radius 0."""
        return isinstance(self.interior_form, PointForm)

    @cached_property
    def rounding_growth(self) -> float:
        """How much larger rounding errors of <lam, z> are than those of its largest term: 1 for distributions.

        The root of the number of terms of that magnitude, as errors of either sign add up.
        """
        return float(np.sqrt(max(1.0, self.dual_set.weight_range(self.n)[1] / self.largest_weight)))

    @cached_property
    def linear_constraints(self) -> LinearConstraints | None:
        """The polyhedron of lam / largest_weight; None where Lambda is not polyhedral."""
        if not offers(self.dual_set, Polyhedral):
            return None
        constraints = self.dual_set.linear_constraints(self.n)
        return constraints if self.largest_weight == 1.0 else constraints.divided_by(self.largest_weight)

    @cached_property
    def quadratic_form(self) -> tuple[Vector | None, Vector | None]:
        """(H, q) with R(lam) = 1/2 lam' diag(H) lam + q'lam + constant on Lambda, of a quadratic R; None stands for 0.

        A q that is normal to the affine hull of Lambda only adds a constant.
        """
        H, q = cast("QuadraticForm", self.regularizer).quadratic_form(self.n)
        return H if H.any() else None, q if self.dual_set.tangent_part(q).any() else None

    def best_response(self, z: Vector) -> BestResponse:
        """h(z) and its maximizer."""
        if self._formula is not None:
            return BestResponse(*self._formula.respond(self.dual_set, z))
        if self.numerical_response is None:
            raise IncompatibleError(
                f"{self.regularizer!r} has no formula for its best response on {self.dual_set!r}. Build the adversary "
                "with Problem, or with subproblem.adversary_of, which bring a solver for it."
            )
        return self.numerical_response(self, z)

    def value(self, z: Vector) -> float:
        """h(z)."""
        formula = self._formula
        return self.best_response(z).value if formula is None else formula.conjugate(self.dual_set, z)

    def gap(self, lam: Vector, z: Vector) -> float:
        """The Fenchel-Young gap h(z) - <lam, z> + R(lam) >= 0: the loss of lam against the best response.

        It is computed from differences to the best response, so that its rounding error is relative to these and not to
        the losses. Without a formula for the best response it is the Frank-Wolfe gap
        max over mu of <mu - lam, z - grad R(lam)>, which is never smaller.
        """
        if self._formula is not None:
            gap = self._formula.gap(self.dual_set, lam, z)
        else:
            slope = z - self.regularizer.gradient(lam)
            gap = self.dual_set.regret(lam, slope) if np.isfinite(slope).all() else np.inf
        # nan is returned: it must not become a gap of zero.
        return gap if gap > 0 or gap != gap else 0.0
