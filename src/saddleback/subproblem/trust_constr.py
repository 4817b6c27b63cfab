"""(D) by SciPy's trust-constr, the paper's choice."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
import scipy

from .._types import Matrix, Vector
from .._validation import whole
from ..adversary import Adversary
from ..capabilities import Needs
from ..dual_sets import Polyhedral
from ..linalg.hessians import as_hessian
from ..regularizers.base import TwiceDifferentiable
from .dual_subproblem import DualSolution, DualSubproblem
from .incumbent import Incumbent
from .qp.kkt import tolerances


@dataclass(frozen=True)
class TrustConstrControl:
    """The numbers of `TrustConstr`."""

    boundary_distance: float = 1e-300
    """R and its derivatives are evaluated at least this far inside the bounds: entropies have infinite slope there."""
    share_of_center: float = 0.1
    """A start is moved this share of the way to the center, because the method needs an interior point."""
    smallest_trust_radius: float = 1e-15
    """SciPy's ``xtol``: small enough that the measured gap, and not the radius, ends the run."""
    square_matrices: int = 10
    """J x J matrices at the peak, measured and rounded down."""


CONTROL = TrustConstrControl()


@dataclass(frozen=True)
class TrustConstr:
    """Trust-region interior-point method of Byrd, Hribar and Nocedal (1999) in SciPy, with the exact Hessian.

    Runs on the problem divided by its scale, down to the barrier parameter eps_tau = tol/(2J) of the paper's KKT
    lemma, and stops on the measured gap, which is at most the lemma's bound. SciPy's stationarity test (``gtol``, the
    lemma's eps_g) is not used: it holds at the solution of every barrier problem, also for large barrier parameters,
    and would end most runs at a gap of 1e3 ``tol`` or more. One iteration takes about 1 ms at J = 10 and 20 ms at
    J = 100: use it as a reference.
    """

    name: ClassVar[str] = "trust-constr"
    needs: ClassVar[Needs] = Needs(dual_set=(Polyhedral,), regularizer=(TwiceDifferentiable,))
    max_iter: int = 500

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of TrustConstr"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return CONTROL.square_matrices

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        dual_set, R = subproblem.adversary.dual_set, subproblem.adversary.regularizer
        clock = subproblem.adversary.clock
        n, scale = subproblem.c.size, subproblem.scale or 1.0
        constraints = cast("Polyhedral", dual_set).linear_constraints(n)
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.done or len(constraints.E) >= n:
            return incumbent.solution(self.name, 0)
        center = dual_set.center(n)
        lower = dual_set.bounds(n)[0] if constraints.A is not None else constraints.lower
        interior = lower + CONTROL.boundary_distance
        share = CONTROL.share_of_center
        x0 = center if incumbent.lam is None else (1 - share) * incumbent.lam + share * center
        Q, c = subproblem.Q / scale, dual_set.tangent_part(subproblem.c) / scale

        def value(x: Vector) -> float:
            return float(0.5 * x @ Q @ x - c @ x) + R.value(np.maximum(x, interior)) / scale

        def gradient(x: Vector) -> Vector:
            return Q @ x - c + R.gradient(np.maximum(x, interior)) / scale

        def hessian(x: Vector) -> Matrix:
            return Q + as_hessian(R.hessian(np.maximum(x, interior))).dense() / scale

        def stop(x: Vector, state: Any) -> bool:
            clock.check()
            incumbent.offer(x)
            return incumbent.done

        rows = (
            [scipy.optimize.LinearConstraint(constraints.E, constraints.e, constraints.e)] if len(constraints.E) else []
        )
        if constraints.A is not None:
            rows.append(scipy.optimize.LinearConstraint(constraints.A, -np.inf, constraints.b, keep_feasible=True))
        eps_tau, _ = tolerances(tol / scale, n)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, module="scipy.optimize")
            result = scipy.optimize.minimize(
                value,
                x0,
                jac=gradient,
                hess=hessian,
                method="trust-constr",
                bounds=scipy.optimize.Bounds(constraints.lower, constraints.upper, keep_feasible=True),
                constraints=rows,
                callback=stop,
                options={
                    "gtol": 0.0,
                    "barrier_tol": eps_tau,
                    "xtol": CONTROL.smallest_trust_radius,
                    "maxiter": self.max_iter,
                },
            )
        return incumbent.solution(self.name, int(result.nit), str(result.message))
