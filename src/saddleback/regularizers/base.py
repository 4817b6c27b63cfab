"""Regularizers R: the members of every regularizer, and the optional capabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol, cast

from .._types import Vector
from ..dual_sets import DualSet, HasProjection, ProximalResponse
from ..linalg.hessians import AnyHessian


class Regularizer(ABC):
    """A convex function R on Lambda.

    A subclass defines ``strong_convexity``, ``value``, ``gradient`` and ``hessian``. An inner solver then finds best
    responses, with a bound of its error. For path following R must be compatible with the barrier B of the set: c R + B
    is self-concordant for all c >= 0. Optional capabilities are `HasBestResponse` (a formula for the best response, on
    sets with the capabilities in ``response_needs``), `QuadraticForm` (quadratic programs) and `HasProximalForm`
    (Newton's method on the primal side of (D), on sets with the capabilities in ``proximal_needs``).
    """

    response_needs: ClassVar[tuple[type, ...]] = ()
    """The capabilities of the set that ``best_response`` uses; a class means that the set must be of that class."""
    ascent_needs: ClassVar[tuple[type, ...]] = (HasProjection,)
    """The capabilities of the set that ``ascent_step`` uses."""
    proximal_needs: ClassVar[tuple[type, ...] | None] = None
    """The capabilities of the set that ``proximal_response`` uses; None where R has none."""

    @property
    @abstractmethod
    def strong_convexity(self) -> float:
        """gamma such that R is gamma-strongly convex in the Euclidean norm on Lambda; 0 when it is not."""

    def lacks(self, capability: type) -> str | None:
        """Why this regularizer does not offer a capability whose members it has; None where it does."""
        if capability is StronglyConvex and self.strong_convexity == 0.0:
            return f"{type(self).__name__} is not strongly convex"
        return None

    def resolve(self, dual_set: DualSet, n: int) -> Regularizer:
        """This regularizer with every default that depends on the set filled in, and checked against it."""
        return self

    @abstractmethod
    def value(self, lam: Vector) -> float:
        """R(lam)."""

    @abstractmethod
    def gradient(self, lam: Vector) -> Vector:
        """Gradient of R at a point of the relative interior."""

    @abstractmethod
    def hessian(self, lam: Vector) -> AnyHessian:
        """Hessian of R: its diagonal when it is diagonal, else the matrix or a structured one."""

    def difference(self, lam: Vector, mu: Vector) -> float:
        """R(lam) - R(mu); overridden where a formula avoids the cancellation of digits."""
        return self.value(lam) - self.value(mu)

    # The next three are called only where the regularizer offers a best response on the set.
    def respond(self: HasBestResponse, dual_set: DualSet, z: Vector) -> tuple[float, Vector]:
        """h(z) and the best response."""
        lam = self.best_response(dual_set, z)
        return float(lam.dot(z)) - self.value(lam), lam

    def conjugate(self: HasBestResponse, dual_set: DualSet, z: Vector) -> float:
        """h(z) alone."""
        return self.respond(dual_set, z)[0]

    def gap(self: HasBestResponse, dual_set: DualSet, lam: Vector, z: Vector) -> float:
        """h(z) - <lam, z> + R(lam), as the difference between the best response and lam."""
        best = self.best_response(dual_set, z)
        return float((best - lam).dot(dual_set.tangent_part(z))) - self.difference(best, lam)

    def ascent_step(self, dual_set: DualSet, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """A projected gradient step of <lam, z> - R from lam, with size eta and R's gradient at ``at`` (lam)."""
        project = cast("HasProjection", dual_set).project
        return project(lam + eta * (z - self.gradient(lam if at is None else at)))


class HasProximalForm(Protocol):
    """proximal responses, ``proximal_response(dual_set, z, gamma, center)``, by a distance that suits R."""

    def proximal_distance(self, dual_set: DualSet, lam: Vector, center: Vector) -> float:
        """D(lam, center) >= 0, strongly convex in lam."""

    def proximal_response(self, dual_set: DualSet, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """max over lam of <lam, z> - R(lam) - gamma D(lam, center), its maximizer, and the derivative of that."""


class HasBestResponse(Protocol):
    """a formula for the best response, ``best_response(dual_set, z)``."""

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        """argmax over lam in Lambda of <lam, z> - R(lam)."""

    # `Regularizer` derives the others.
    def value(self, lam: Vector) -> float: ...
    def difference(self, lam: Vector, mu: Vector) -> float: ...
    def respond(self, dual_set: DualSet, z: Vector) -> tuple[float, Vector]: ...
    def conjugate(self, dual_set: DualSet, z: Vector) -> float: ...
    def gap(self, dual_set: DualSet, lam: Vector, z: Vector) -> float: ...


class TwiceDifferentiable(Protocol):
    """a gradient and a Hessian, ``gradient(lam)`` and ``hessian(lam)``, inside Lambda."""

    def gradient(self, lam: Vector) -> Vector: ...
    def hessian(self, lam: Vector) -> AnyHessian: ...


class HasGradient(Protocol):
    """a gradient ``gradient(lam)`` on all of Lambda, its boundary included."""

    def gradient(self, lam: Vector) -> Vector: ...


class StronglyConvex(Protocol):
    """strong convexity: ``strong_convexity > 0``."""

    @property
    def strong_convexity(self) -> float: ...


class QuadraticForm(Protocol):
    """a quadratic form ``quadratic_form(n)``: lets quadratic programs in."""

    def quadratic_form(self, n: int) -> tuple[Vector, Vector]:
        """(H, q) with R(lam) = 1/2 lam' H lam + q' lam + constant, H its diagonal."""
