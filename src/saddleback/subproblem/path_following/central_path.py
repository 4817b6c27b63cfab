"""The central path of (D): minimizers of the objective plus the barrier times 1/tau, as tau grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, cast

import numpy as np
from scipy.linalg.lapack import dposv

from ..._types import Matrix, Vector
from ...capabilities import offers
from ...dual_sets import HasBarrier
from ...linalg.hessians import Hessian, as_hessian
from ...regularizers import QuadraticForm, Zero
from ..dual_subproblem import DualSubproblem
from .newton_system import NewtonSystem, newton_system

# Half of the digits of a difference of squares have canceled where it is below this share of the squares.
CANCELED_SHARE = 1e-8


class Iterate(NamedTuple):
    """A point near the path at tau; ``decrement`` is that of the Newton step which led to it (inf at a start)."""

    lam: Vector
    tau: float
    decrement: float = np.inf
    phase: str = ""
    bound: float = np.inf
    """A proven bound of the gap at lam: nu/tau after a full Newton step, where `CentralPath.proves_gaps`."""


class StepRule(Protocol):
    """How tau grows. Yields the start, then one iterate per Newton system, until rounding errors dominate.

    A rule that is to ignore the last lam has a `HasOwnStart.first` as well.
    """

    @property
    def max_iter(self) -> int:
        """The most Newton systems to solve."""

    def iterates(self, path: CentralPath, start: Vector | None) -> Iterator[Iterate]: ...


class HasOwnStart(Protocol):
    """a start of its own, ``first(path)``: the last lam is neither used nor returned."""

    def first(self, path: CentralPath) -> Vector:
        """The first point."""


class CentralPath:
    """lam(tau) = argmin of F_tau = tau (S + R) + B on the affine hull of Lambda (paper, section on general barriers).

    F_tau is 1-self-concordant, because R is compatible with the barrier B. Distances from the path are Newton
    decrements of F_tau, which do not depend on the scale of the losses: 1/4 is near and 1 is far.
    """

    def __init__(self, subproblem: DualSubproblem) -> None:
        self.subproblem = subproblem
        self.dual_set = cast("HasBarrier", subproblem.adversary.dual_set)
        self.regularizer = subproblem.adversary.regularizer
        self.clock = subproblem.adversary.clock
        self._unregularized = isinstance(self.regularizer, Zero)
        self.E, _ = self.dual_set.affine_hull(subproblem.c.size)
        self.nu = self.dual_set.barrier_parameter(subproblem.c.size)
        self.center = self.dual_set.center(subproblem.c.size)
        self.proves_gaps = self.dual_set.proves_gaps and offers(self.regularizer, QuadraticForm)
        """Whether a full Newton step proves a gap of nu/tau (docs/mathematics.md, 8)."""

    @property
    def is_point(self) -> bool:
        """Whether Lambda is a single point, its center, which then is the solution."""
        return len(self.E) >= self.center.size

    def value(self, lam: Vector, tau: float) -> float:
        """F_tau(lam); inf outside the relative interior."""
        barrier = self.dual_set.barrier(lam)
        return tau * self.subproblem.objective(lam) + barrier if np.isfinite(barrier) else np.inf

    def slope(self, lam: Vector) -> Vector:
        """Gradient of S + R, up to a normal of the affine hull, which does not change Newton steps within the hull."""
        losses = self.subproblem.c_tangent - self.subproblem.product(lam)
        return -self.dual_set.tangent_part(losses - self.regularizer.gradient(lam))

    def gradient(self, lam: Vector, tau: float) -> Vector:
        """Gradient of F_tau, up to a normal of the affine hull."""
        return tau * self.slope(lam) + self.dual_set.barrier_gradient(lam)

    def newton_system(self, lam: Vector, tau: float) -> NewtonSystem:
        """The KKT block of F_tau at lam (paper, def. "Newton system and decrement")."""
        self.clock.check()
        return newton_system(self.hessian_without_Q(lam, tau), tau, self.subproblem, self.E)

    def hessian_without_Q(self, lam: Vector, tau: float) -> Hessian:
        """C = tau R'' + B''; the Hessian of F_tau is C + tau Q."""
        barrier = as_hessian(self.dual_set.barrier_hessian(lam))
        if tau == 0 or self._unregularized:
            return barrier
        return barrier.plus(as_hessian(self.regularizer.hessian(lam)).times(tau))

    def newton_step(self, lam: Vector, tau: float) -> tuple[Vector, float]:
        """The Newton direction of F_tau at lam, and its decrement delta."""
        gradient = self.gradient(lam, tau)
        direction = self.newton_system(lam, tau).solve(-gradient)
        return direction, decrement(gradient, direction)

    def full_step_bound(self, tau: float, delta: float) -> float:
        """A bound of the gap after a full Newton step of decrement delta at tau: nu/tau where that is proven."""
        return self.nu / tau if self.proves_gaps and delta < 1.0 else np.inf

    def local_products(self, lam: Vector, tau: float, *vectors: Vector) -> Matrix:
        """Inner products, in the dual norm of C = tau R'' + B'' at lam, of gradients without their normal parts."""
        k = len(vectors)
        V = np.concatenate((vectors, self.E)) if len(self.E) else np.array(vectors)
        C = self.hessian_without_Q(lam, tau)
        products = C.inner(V)
        if not len(self.E):
            return products
        within, coefficients = _without_normals(products, k)
        if (within.diagonal() < CANCELED_SHARE * products.diagonal()[:k]).any():
            # The normal parts dominate the squares: subtract them from the vectors first and compute again.
            V[:k] -= coefficients @ self.E
            within, _ = _without_normals(C.inner(V), k)
        return within

    def distance(self, lam: Vector, tau: float) -> float:
        """An upper bound of the decrement: its norm leaves Q out, so that a diagonal C needs no factorization."""
        self.clock.check()
        if not np.isfinite(self.dual_set.barrier(lam)):
            return np.inf
        square = float(self.local_products(lam, tau, self.gradient(lam, tau))[0, 0])
        return float(np.sqrt(max(0.0, square))) if np.isfinite(square) else np.inf


def _without_normals(products: Matrix, k: int) -> tuple[Matrix, Matrix]:
    """Inner products of the first k vectors minus their projections on the others, and the coefficients of those."""
    coefficients = dposv(products[k:, k:], products[k:, :k])[1]
    return products[:k, :k] - products[:k, k:] @ coefficients, coefficients.T


def decrement(gradient: Vector, direction: Vector) -> float:
    """delta = |d|_H = sqrt(-<gradient, d>) of a Newton direction d."""
    square = -float(gradient @ direction)
    return float(np.sqrt(max(0.0, square))) if np.isfinite(square) else np.inf
