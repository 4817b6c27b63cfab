"""What the program asks of a dual set Lambda."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from .._types import Matrix, Vector
from .._validation import finite_vector
from ..errors import ProblemError
from ..linalg.hessians import AnyHessian
from ..machine.clock import Clock

# Weights beyond this have squares that overflow, and barriers are made of squares.
LARGEST_WEIGHT = 1e150


def check_size(x: ArrayLike, name: str) -> None:
    """Refuse numbers that weights could not be computed with."""
    largest = float(np.abs(x).max())
    if largest > LARGEST_WEIGHT:
        raise ProblemError(
            f"{name} must be at most {LARGEST_WEIGHT:g} in size; got {largest:g}. Multiply the losses by a constant "
            "instead of the set."
        )


@dataclass(frozen=True, eq=False)
class LinearConstraints:
    """The polyhedron {lam : E lam = e, A lam <= b, lower <= lam <= upper}; A and b are None where there are no rows."""

    E: Matrix
    e: Vector
    lower: Vector
    upper: Vector
    A: Matrix | None = None
    b: Vector | None = None

    @cached_property
    def equations(self) -> tuple[Matrix, Vector]:
        """[[0, E'], [E, 0]] and (0, e): what E lam = e adds to optimality conditions."""
        k, n = self.E.shape
        K = np.zeros((n + k, n + k))
        K[n:, :n], K[:n, n:] = self.E, self.E.T
        return K, np.concatenate((np.zeros(n), self.e))

    def divided_by(self, scale: float) -> LinearConstraints:
        """The same polyhedron for lam / scale."""
        b = None if self.b is None else self.b / scale
        return replace(self, e=self.e / scale, lower=self.lower / scale, upper=self.upper / scale, b=b)

    @cached_property
    def capped(self) -> bool:
        """Whether any coordinate has an upper bound."""
        return bool(np.isfinite(self.upper).any())


class DualSet(ABC):
    """A compact convex set with a self-concordant barrier on its relative interior.

    A set need not store its dimension ``n``: methods that cannot read it off an argument take it.
    Capabilities, looked for by name:

    ``project(x)``
        Euclidean projection; gives quadratic regularizers their best response, and extragradient its step.
    ``tilt(prior, z)``
        argmax <lam, z> - sum_j lam_j log(lam_j / prior_j), for any positive prior; gives entropic regularizers their
        best response.
    ``linear_constraints(n)``
        A polyhedral description; lets quadratic-program solvers in.
    """

    @property
    def costly_support(self) -> bool:
        """Whether ``support`` takes longer than a Newton step, so that solvers should ask it seldom."""
        return False

    @property
    def takes_matrices(self) -> bool:
        """Whether losses are coordinates of symmetric matrices, as `Spectrahedron` wants them, or some of them are."""
        return False

    @property
    def self_scaled(self) -> bool:
        """Whether Lambda is a slice of an orthant or of the semidefinite cone, with the barrier of that cone.

        Such cones are self-scaled (Nesterov and Todd 1997): path following may take bolder steps.
        """
        return False

    @property
    def size(self) -> int | None:
        """The dimension, where the set itself fixes it (by a prior, by bounds); None where it does not."""
        return None

    def to_user(self, lam: Vector) -> Vector | Matrix:
        """lam, or losses, as results show them: as a matrix where Lambda is a set of matrices."""
        return lam

    def from_user(self, z: Any, name: str, n: int) -> Vector:
        """What a user passes for lam, or for losses, as a vector of n coordinates."""
        return finite_vector(z, name, n)

    def timed(self, clock: Clock) -> DualSet:
        """This set under the clock of a run, for sets whose methods may take long."""
        return self

    @abstractmethod
    def validate(self, n: int) -> None:
        """Raise a ProblemError unless the set is a non-empty subset of R^n."""

    @abstractmethod
    def barrier_parameter(self, n: int) -> float:
        """nu of the nu-self-concordant barrier."""

    @abstractmethod
    def barrier(self, lam: Vector) -> float:
        """B(lam); inf outside the relative interior."""

    @abstractmethod
    def barrier_gradient(self, lam: Vector) -> Vector:
        """Gradient of B at an interior point."""

    @abstractmethod
    def barrier_hessian(self, lam: Vector) -> AnyHessian:
        """Hessian of B at an interior point: its diagonal when it is diagonal, else the matrix or a structured one."""

    @abstractmethod
    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        """(E, e) with aff(Lambda) = {lam : E lam = e} and E of full row rank; no rows for a set with an interior,
        n rows for a single point.
        """

    @abstractmethod
    def center(self, n: int) -> Vector:
        """The analytic center argmin B."""

    def tangent_part(self, z: Vector) -> Vector:
        """z less a normal of the affine hull: the same up to a constant for every lam in Lambda, but smaller."""
        E, _ = self.affine_hull(z.size)
        return z - E.T @ np.linalg.lstsq(E.T, z, rcond=None)[0] if len(E) else z

    def weight_range(self, n: int) -> tuple[float, float]:
        """The least sum of lam on Lambda and the largest sum of |lam|: what they make of constants of the losses.

        With negative weights <lam, f> is convex only where f is affine, and inherits no strong convexity.
        """
        lower, upper = self.bounds(n)
        if lower.min() >= 0.0:
            ones = np.ones(n)
            return -self.support(-ones)[0], self.support(ones)[0]
        return 0.0, float(np.maximum(np.abs(lower), np.abs(upper)).sum())

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        """A box that contains Lambda: the least one, unless another is much cheaper to know."""
        extremes, unit = np.empty((2, n)), np.zeros(n)
        for row, sign in zip(extremes, (-1.0, 1.0), strict=True):
            for j in range(n):
                unit[j] = sign
                row[j] = sign * self.support(unit)[0]
                unit[j] = 0.0
        return extremes[0], extremes[1]

    def largest_weight(self, n: int) -> float:
        """The largest |lam_j| on Lambda, or a little more: the unit in which lam is measured."""
        lower, upper = self.bounds(n)
        return float(max(-lower.min(), upper.max()))

    @abstractmethod
    def support(self, z: Vector) -> tuple[float, Vector]:
        """max over lam in Lambda of <lam, z>, and a maximizer."""

    def support_value(self, z: Vector) -> float:
        """The support function without its maximizer."""
        return self.support(z)[0]

    def regret(self, lam: Vector, z: Vector) -> float:
        """max over mu in Lambda of <mu - lam, z>, from differences, so that what all mu share does not round."""
        return float((self.support(z)[1] - lam).dot(self.tangent_part(z)))

    @abstractmethod
    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        """Whether lam lies in Lambda up to ``tol``."""

    @abstractmethod
    def restore(self, lam: Vector) -> Vector:
        """A point of Lambda, feasible to rounding, next to an almost feasible lam."""


@runtime_checkable
class Polyhedral(Protocol):
    """a polyhedral description ``linear_constraints(n)``: lets quadratic programs in."""

    def linear_constraints(self, n: int) -> LinearConstraints:
        """The polyhedron in R^n."""


class HasBarrier(Protocol):
    """a self-concordant barrier ``barrier(lam)`` with its derivatives: lets path following in."""

    def barrier_parameter(self, n: int) -> float: ...
    def barrier(self, lam: Vector) -> float: ...
    def barrier_gradient(self, lam: Vector) -> Vector: ...
    def barrier_hessian(self, lam: Vector) -> AnyHessian: ...
    def affine_hull(self, n: int) -> tuple[Matrix, Vector]: ...
    def center(self, n: int) -> Vector: ...


class HasProjection(Protocol):
    """the Euclidean projection ``project(x)``: gives quadratic regularizers their best response."""

    def project(self, x: Vector) -> Vector: ...


class HasTilt(Protocol):
    """``tilt(prior, z)``: argmax over lam of <lam, z> - sum_j lam_j log(lam_j/prior_j), for entropic regularizers."""

    def tilt(self, prior: Vector, z: Vector) -> Vector: ...
