"""What the program asks of a regularizer R."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol, cast, runtime_checkable

from .._types import Vector
from ..dual_sets import DualSet
from ..errors import IncompatibleError
from ..linalg.hessians import AnyHessian


class Regularizer(ABC):
    """A convex R: Lambda -> R that is compatible with the barrier: c R + B is self-concordant for all c >= 0.

    One's own regularizer needs ``strong_convexity``, ``value``, ``gradient`` and ``hessian``: best responses are then
    found by the inner solver, with a certificate. ``has_response`` and ``best_response`` are for those that have a
    formula. Capabilities, looked for by name:

    ``quadratic_form(n)``
        (H, q) with R(lam) = 1/2 lam' H lam + q' lam + constant (H its diagonal); lets quadratic programs in.
    ``response_weights(lam)``
        How the best response on the simplex moves (see `subproblem.ResponseNewton`, which it lets in); goes with
        a ``gamma``.
    """

    ascent_needs: ClassVar[str] = "project"
    """The capability of the set that ``ascent_step`` calls."""

    def lacks(self, capability: type) -> str | None:
        """Why this regularizer does not offer a capability whose members it has."""
        if capability is StronglyConvex and not self.strong_convexity > 0:
            return (
                f"{self!r} is not strongly convex, so that g has no gradient where losses tie; Quadratic(gamma) and "
                "Entropy(gamma) with gamma > 0 are"
            )
        return None

    @property
    @abstractmethod
    def strong_convexity(self) -> float:
        """gamma such that R is gamma-strongly convex in the Euclidean norm on Lambda; 0 when it is not."""

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

    def has_response(self, dual_set: DualSet) -> bool:
        """Whether ``best_response`` has a formula, or a root in one dimension, on this set."""
        return False

    def best_response(self, dual_set: DualSet, z: Vector) -> Vector:
        """argmax over lam in Lambda of <lam, z> - R(lam), where ``has_response``."""
        raise IncompatibleError(f"{type(self).__name__} has no formula for its best response on {dual_set!r}.")

    def respond(self, dual_set: DualSet, z: Vector) -> tuple[float, Vector]:
        """h(z) and the best response."""
        lam = self.best_response(dual_set, z)
        return float(lam.dot(z)) - self.value(lam), lam

    def conjugate(self, dual_set: DualSet, z: Vector) -> float:
        """h(z) alone."""
        return self.respond(dual_set, z)[0]

    def gap(self, dual_set: DualSet, lam: Vector, z: Vector) -> float:
        """h(z) - <lam, z> + R(lam), as the difference between the best response and lam."""
        best = self.best_response(dual_set, z)
        return float((best - lam).dot(dual_set.strip(z))) - self.difference(best, lam)

    def difference(self, lam: Vector, mu: Vector) -> float:
        """R(lam) - R(mu), without cancellation where a formula allows it."""
        return self.value(lam) - self.value(mu)

    def ascent_step(self, dual_set: DualSet, lam: Vector, z: Vector, eta: float, *, at: Vector | None = None) -> Vector:
        """A projected gradient step of <lam, z> - R from lam, with size eta and R's gradient at ``at`` (lam)."""
        project = capability(dual_set, self.ascent_needs, f"a gradient step on {type(self).__name__}")
        return project(lam + eta * (z - self.gradient(lam if at is None else at)))


class TwiceDifferentiable(Protocol):
    """a gradient and a Hessian, ``gradient(lam)`` and ``hessian(lam)``, inside Lambda."""

    def gradient(self, lam: Vector) -> Vector: ...
    def hessian(self, lam: Vector) -> AnyHessian: ...


class HasResponseWeights(Protocol):
    """``response_weights(lam)``: how the best response on the simplex moves, with a ``gamma``."""

    gamma: float

    def response_weights(self, lam: Vector) -> Vector: ...


class StronglyConvex(Protocol):
    """strong convexity: ``strong_convexity > 0``."""

    @property
    def strong_convexity(self) -> float: ...


@runtime_checkable
class QuadraticForm(Protocol):
    """a quadratic form ``quadratic_form(n)``: lets quadratic programs in."""

    def quadratic_form(self, n: int) -> tuple[Vector, Vector]:
        """(H, q) with R(lam) = 1/2 lam' H lam + q' lam + constant, H its diagonal."""


def capability(owner: object, name: str, purpose: str) -> Callable[..., Vector]:
    """``owner.name``, or an error that says who needs what."""
    method = getattr(owner, name, None)
    if method is None:
        raise IncompatibleError(f"{purpose} needs {type(owner).__name__}.{name}, which it does not offer.")
    return cast("Callable[..., Vector]", method)
