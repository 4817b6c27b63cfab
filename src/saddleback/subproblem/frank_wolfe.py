"""(D) on a set of which only the support function is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .._types import EPS, Matrix, Vector
from .._validation import whole
from ..adversary import Adversary
from ..capabilities import Needs, offers
from ..dual_sets import Simplex
from ..dual_sets.nearest_point import nearest_point
from ..linalg.hessians import as_hessian
from ..regularizers import QuadraticForm, Regularizer, TwiceDifferentiable, Zero
from .base import InnerSolver
from .dual_subproblem import DualSolution, DualSubproblem
from .incumbent import Incumbent
from .path_following import PathFollowing
from .qp import QuadraticProgram


@dataclass(frozen=True)
class FrankWolfeControl:
    """The numbers of `FrankWolfe`."""

    start_points: int = 10
    """Support points used to write a start as a convex combination; all n + 1 would cost more than the solution."""
    accuracy: float = 0.1
    """The restricted problem is solved to this share of the requested gap."""
    patience: int = 10
    """Stop after this many support points in a row without a smaller gap: rounding errors dominate then."""
    points_per_dimension: int = 3
    """Above this many points per dimension, those without weight are dropped; n + 1 suffice (Caratheodory)."""
    no_weight: float = 4 * EPS
    """Weights up to this are rounding errors."""


CONTROL = FrankWolfeControl()


@dataclass(frozen=True)
class FrankWolfe:
    """Fully corrective Frank-Wolfe steps, or simplicial decomposition (von Hohenbalken 1977; Jaggi 2013, Algorithm 4).

    Keeps support points V of Lambda, one per row, minimizes over their convex hull, and adds the support point in the
    direction of steepest descent, until the measured gap is small. With lam = V' mu the restricted problem is a (D) on
    the simplex with Q' = V Q V', c' = V c and R'(mu) = R(V' mu), which a quadratic program or path following solves.
    Every lam is a convex combination of support points, so that rounding errors do not make it infeasible. Finitely
    many steps on polytopes; linear convergence on sets with a curved boundary. Cost: about as many restricted problems
    as the solution has support points.
    """

    name: ClassVar[str] = "frank-wolfe"
    needs: ClassVar[Needs] = Needs(regularizer=(TwiceDifferentiable,))

    max_iter: int = 500

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of FrankWolfe"))

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        adversary = subproblem.adversary
        incumbent, support = Incumbent(subproblem, tol), adversary.dual_set.support
        if start is None or not np.isfinite(start).all():
            V, mu = support(subproblem.c)[1][None, :], np.ones(1)
        else:
            near = nearest_point(support, start, max_points=CONTROL.start_points)
            V, mu = near.points, near.weights
        target, best, since = CONTROL.accuracy * max(tol, subproblem.rounding_floor), np.inf, 0
        reason = f"max_iter = {self.max_iter} support points"
        n_iter = 0
        for n_iter in range(self.max_iter + 1):
            adversary.clock.check()
            lam = mu @ V
            gap = incumbent.offer(lam, feasible=True)
            since = 0 if gap < best else since + 1
            best = min(best, gap)
            if incumbent.done or n_iter == self.max_iter:
                break
            if since >= CONTROL.patience:
                reason = f"no progress with {CONTROL.patience} support points"
                break
            v = support(-subproblem.gradient(lam))[1]
            kept = _kept(V, mu, lam.size)
            V, mu = np.vstack((V[kept], v)), np.append(mu[kept], 0.0)
            mu = _restricted(subproblem, V, mu, target)
        return incumbent.solution(self.name, n_iter, reason)


def _kept(V: Matrix, mu: Vector, n: int) -> NDArray[np.bool_]:
    """Which of the points to keep: all while they are few, otherwise those with a positive weight."""
    if len(V) <= CONTROL.points_per_dimension * n:
        return np.ones(len(V), dtype=bool)
    return mu > CONTROL.no_weight


def _restricted(subproblem: DualSubproblem, V: Matrix, mu: Vector, tol: float) -> Vector:
    """The weights of the best convex combination of the rows of V, with ``mu`` as start."""
    R = subproblem.adversary.regularizer
    Q, c = V @ np.array([subproblem.product(v) for v in V]).T, V @ subproblem.c_tangent
    regularizer: Regularizer
    solver: InnerSolver
    owner: object = R
    if offers(owner, QuadraticForm):
        # A quadratic form that is diagonal in lam is not diagonal in mu, so that it is added to Q and c.
        H, q = owner.quadratic_form(V.shape[1])
        Q, c = Q + (V * H) @ V.T, c - V @ q
        regularizer, solver = Zero(), QuadraticProgram()
    else:
        regularizer, solver = Restricted(R, V), PathFollowing()
    adversary = Adversary(Simplex(), regularizer, len(V), clock=subproblem.adversary.clock)
    solution = solver.solve(DualSubproblem(0.5 * (Q + Q.T), c, adversary), tol, mu)
    weights = np.maximum(solution.lam, 0.0)
    return weights / weights.sum()


@dataclass(frozen=True, eq=False)
class Restricted(Regularizer):
    """R'(mu) = R(V' mu), on the simplex of the weights of the rows of V.

    Compatible with the barrier of the simplex for entropies, because V' mu >= 0 wherever mu >= 0 (docs/mathematics.md,
    8), and for quadratics; for others the measured gap shows whether path following succeeded.
    """

    R: Regularizer
    V: Matrix

    @property
    def strong_convexity(self) -> float:
        return 0.0

    def value(self, lam: Vector) -> float:
        return self.R.value(lam @ self.V)

    def gradient(self, lam: Vector) -> Vector:
        return self.V @ self.R.gradient(lam @ self.V)

    def hessian(self, lam: Vector) -> Matrix:
        H = as_hessian(self.R.hessian(lam @ self.V)).dense()
        return self.V @ H @ self.V.T
