"""Base classes of divergence balls around a prior."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .._types import Matrix, Vector
from .._validation import number
from ..linalg.hessians import AnyHessian, LowRank
from .analytic_center import analytic_center
from .distributions import Distributions
from .priors import check_prior_length, checked_prior, prior_of
from .proximal_response import SmoothResponse, balanced_response, constant_response, response_on_sphere
from .simplex import Simplex

SIMPLEX = Simplex()


@dataclass(frozen=True, eq=False)
class DivergenceBall(Distributions):
    """{lam in the simplex : D(lam) <= rho}, D(lam) = sum_j p_j phi(lam_j / p_j - 1), around the prior p.

    A subclass defines phi, the ball's term of the barrier, and the maximizers on the ball where its constraint is
    active; where it is not, those of the simplex are returned. With rho = 0 the set is {p}, with the barrier of the
    simplex.
    """

    rho: float
    prior: Vector | None = None

    shrinks_as: ClassVar[float] = 1.0
    """A power r such that D(p + s (lam - p)) <= s^r D(lam) for s in [0, 1]; by convexity, r = 1 always is one."""

    def __post_init__(self) -> None:
        owner = type(self).__name__
        object.__setattr__(self, "rho", number(self.rho, f"rho of {owner}", minimum=0.0))
        object.__setattr__(self, "prior", checked_prior(self.prior, owner))

    @property
    def size(self) -> int | None:
        return None if self.prior is None else self.prior.size

    def validate(self, n: int) -> None:
        check_prior_length(self.prior, n, type(self).__name__)

    @staticmethod
    @abstractmethod
    def phi(v: Vector) -> Vector:
        """The convex function of the divergence, with phi(0) = 0, for v >= -1; without cancellation near 0."""

    @abstractmethod
    def barrier_parameter(self, n: int) -> float:
        """nu of the nu-self-concordant barrier."""

    @abstractmethod
    def _ball_barrier(self, lam: Vector) -> float:
        """The ball's term of the barrier, which is added to -sum log lam."""

    @abstractmethod
    def _ball_gradient(self, lam: Vector) -> Vector:
        """Its gradient."""

    @abstractmethod
    def _ball_hessian(self, lam: Vector) -> tuple[Vector, Vector]:
        """(d, v) of its Hessian diag d + v v'."""

    @abstractmethod
    def _ascend(self, p: Vector, x: Vector) -> Vector:
        """argmax <lam, x>, where that of the simplex is outside of the ball; min x = -1 and max x = 0."""

    @abstractmethod
    def _smooth_project(self, p: Vector, x: Vector) -> SmoothResponse:
        """The projection of x with its derivative, where that on the simplex is outside of the ball; max x = 0."""

    @abstractmethod
    def _smooth_tilt(self, p: Vector, x: Vector) -> SmoothResponse:
        """argmax <lam, x> - sum lam log(lam / p) with its derivative, where that of the simplex is outside of the ball;
        max x = 0."""

    def divergence(self, lam: Vector) -> float:
        """D(lam), for lam >= 0."""
        p = prior_of(self.prior, lam.size)
        # Where an entry of the prior is nearly zero, the divergence may overflow to inf, which is the right limit.
        with np.errstate(over="ignore"):
            return float(p.dot(self.phi((lam - p) / p)))

    def barrier(self, lam: Vector) -> float:
        if not lam.min() > 0.0:
            return np.inf
        B = SIMPLEX.barrier(lam)
        if self.rho == 0.0:
            return B
        return B + self._ball_barrier(lam) if self.divergence(lam) < self.rho else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        gradient = SIMPLEX.barrier_gradient(lam)
        return gradient if self.rho == 0.0 else gradient + self._ball_gradient(lam)

    def barrier_hessian(self, lam: Vector) -> AnyHessian:
        diagonal = SIMPLEX.barrier_hessian(lam)
        if self.rho == 0.0:
            return diagonal
        d, v = self._ball_hessian(lam)
        return LowRank(diagonal + d, v[None])

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        if self._is_point(n):
            return np.eye(n), prior_of(self.prior, n).copy()
        return SIMPLEX.affine_hull(n)

    def center(self, n: int) -> Vector:
        """The uniform distribution where that is the prior, by symmetry; else by Newton steps, cached."""
        return prior_of(None, n) if self.prior is None else self._center.copy()

    @cached_property
    def _center(self) -> Vector:
        assert self.prior is not None
        return self.prior if self._is_point(self.prior.size) else analytic_center(self, self.prior)

    def support(self, z: Vector) -> tuple[float, Vector]:
        """The prior restricted to the largest entries where that is in the ball; else a point of its boundary."""
        p = prior_of(self.prior, z.size)
        if self.rho == 0.0:
            return float(p.dot(z)), p.copy()
        top = float(z.max())
        below = z - top
        spread = -float(below.min())
        if spread == 0.0:
            return top, p.copy()
        lam = p * (below == 0.0)
        mass = float(lam.sum())
        if self._divergence_at_top(mass) > self.rho:
            lam = self.restore(self._ascend(p, below / spread))
        else:
            lam /= mass
        return top + float(lam.dot(below)), lam

    def _divergence_at_top(self, mass: float) -> float:
        """The divergence of the prior restricted to entries of this mass."""
        with np.errstate(over="ignore"):
            inside, outside = self.phi(np.array([(1.0 - mass) / mass, -1.0])).tolist()
        return mass * inside + (1.0 - mass) * outside

    def project(self, x: Vector) -> Vector:
        """The projection on the simplex where that is in the ball; else by the multipliers of the ball."""
        p = prior_of(self.prior, x.size)
        if self.rho == 0.0:
            return p.copy()
        lam = SIMPLEX.project(x)
        if self.divergence(lam) <= self.rho:
            return lam
        return self.restore(self._smooth_project(p, self.tangent_part(x)).lam)

    def tilt(self, prior: Vector, z: Vector) -> Vector:
        """The tilt on the simplex where that is in the ball; else by the multipliers of the ball."""
        p = prior_of(self.prior, z.size)
        if self.rho == 0.0:
            return p.copy()
        # Subtract a common term of all entries, which would only add rounding errors.
        z = self.tangent_part(z)
        lam = SIMPLEX.tilt(prior, z)
        if self.divergence(lam) <= self.rho:
            return lam
        # A tilt with another prior is a tilt of this one with shifted z.
        return self.restore(self._smooth_tilt(p, self.tangent_part(z + (np.log(prior) - np.log(p)))).lam)

    def smooth_project(self, x: Vector) -> SmoothResponse:
        """As `project`, with its derivative."""
        p = prior_of(self.prior, x.size)
        if self._is_point(x.size):
            return constant_response(p.copy())
        inside = SIMPLEX.smooth_project(x)
        if self.divergence(inside.lam) <= self.rho:
            return inside
        return self._restored(self._smooth_project(p, self.tangent_part(x)))

    def smooth_tilt(self, prior: Vector, z: Vector) -> SmoothResponse:
        """As `tilt`, with its derivative."""
        p = prior_of(self.prior, z.size)
        if self._is_point(z.size):
            return constant_response(p.copy())
        z = self.tangent_part(z)
        lam = SIMPLEX.tilt(prior, z)
        if self.divergence(lam) <= self.rho:
            return balanced_response(lam, lam)
        return self._restored(self._smooth_tilt(p, self.tangent_part(z + (np.log(prior) - np.log(p)))))

    def _restored(self, response: SmoothResponse) -> SmoothResponse:
        return response._replace(lam=self.restore(response.lam))

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        """Whether lam is in the simplex, and in the ball after a change of each entry by at most ``tol``."""
        if not SIMPLEX.contains(lam, tol):
            return False
        lam = np.maximum(lam, 0.0)
        move = 1.0 - self._shrinkage(lam)
        return bool(move * np.abs(lam - prior_of(self.prior, lam.size)).max() <= tol)

    def restore(self, lam: Vector) -> Vector:
        """lam scaled to the simplex, then moved towards the prior until it is in the ball."""
        lam = SIMPLEX.restore(lam)
        s = self._shrinkage(lam)
        if s == 1.0:
            return lam
        p = prior_of(self.prior, lam.size)
        return p + s * (lam - p)

    def _is_point(self, n: int) -> bool:
        return n == 1 or self.rho == 0.0

    def _shrinkage(self, lam: Vector) -> float:
        """An s in (0, 1] for which p + s (lam - p) is in the ball."""
        divergence = self.divergence(lam)
        return 1.0 if divergence <= self.rho else float((self.rho / divergence) ** (1.0 / self.shrinks_as))


@dataclass(frozen=True, eq=False)
class SmoothDivergenceBall(DivergenceBall):
    """A ball whose divergence is smooth: the barrier is -sum log lam_j - log(rho - D(lam)), nu = J."""

    @staticmethod
    @abstractmethod
    def derivatives(lam: Vector, p: Vector) -> tuple[Vector, Vector]:
        """Gradient of D, and the diagonal of its Hessian."""

    @abstractmethod
    def _smooth_ascent(self, p: Vector, x: Vector) -> tuple[Vector, Vector]:
        """The maximizer of <lam, x> where the ball is active, and the diagonal of its derivative before projection."""

    def smooth_support(self, z: Vector) -> SmoothResponse:
        p, below = prior_of(self.prior, z.size), self.tangent_part(z)
        spread = -float(below.min())
        if spread == 0.0 or self._is_point(z.size):
            return constant_response(p.copy())
        lam = p * (below == 0.0)
        mass = float(lam.sum())
        if self._divergence_at_top(mass) <= self.rho:
            return constant_response(lam / mass)
        x = below / spread
        lam, diagonal = self._smooth_ascent(p, x)
        return response_on_sphere(self.restore(lam), diagonal / spread, x)

    def barrier_parameter(self, n: int) -> float:
        """J - 1 of the simplex plus one of the ball (docs/mathematics.md, 8)."""
        return 0.0 if self._is_point(n) else float(n)

    def _ball_barrier(self, lam: Vector) -> float:
        return -float(np.log(self.rho - self.divergence(lam)))

    def _ball_gradient(self, lam: Vector) -> Vector:
        return self._ball_hessian(lam)[1]

    def _ball_hessian(self, lam: Vector) -> tuple[Vector, Vector]:
        gradient, diagonal = self.derivatives(lam, prior_of(self.prior, lam.size))
        room = self.rho - self.divergence(lam)
        return diagonal / room, gradient / room
