"""(D) by SciPy's trust-constr, the paper's choice."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
import scipy

from .._types import Matrix, Vector
from .._validation import lookup, whole
from ..adversary import Adversary
from ..capabilities import Needs
from ..dual_sets import Polyhedral, Simplex
from ..linalg.hessians import as_hessian
from ..regularizers.base import QuadraticForm, TwiceDifferentiable
from .dual_subproblem import DualSolution, DualSubproblem
from .incumbent import Incumbent
from .qp.kkt import tolerances
from .qp.kkt_point import KKTPoint


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
    kkt_barrier_tolerance: float = 1e-5
    """With ``stop="kkt"`` SciPy solves its barrier problem of parameter 0.1 to this stationarity, and those of smaller
    parameters to proportionally less. With SciPy's own 0.1 the products lam_j z_j are wrong by their own magnitude: of
    40 random subproblems with J from 2 to 30 the conditions for a tol of 1e-4 of the scale were then met in 20, with
    this number in 40; for 1e-6 of the scale in 17 and in 33."""
    kkt_patience: int = 40
    """With ``stop="kkt"`` a run ends after this many iterations without a smaller bound; with twice as many none of the
    40 met its conditions more often."""


CONTROL = TrustConstrControl()

STOPS = {
    "gap": Needs(dual_set=(Polyhedral,), regularizer=(TwiceDifferentiable,)),
    "kkt": Needs(dual_set=(Simplex,), regularizer=(QuadraticForm,)),
}
"""What ends a run, and what it needs."""
STOPPED = 3
"""SciPy's status where the callback ended the run."""


@dataclass(frozen=True)
class TrustConstr:
    """Trust-region interior-point method of Byrd, Hribar and Nocedal (1999) in SciPy, with the exact Hessian.

    ``stop="gap"``: runs on the problem divided by its scale, down to the barrier parameter eps_tau = tol/(2J) of the
    paper's KKT lemma, and stops on the measured gap, which is at most the lemma's bound. SciPy's stationarity test
    (``gtol``, the lemma's eps_g) is not used: it holds at the solution of every barrier problem, also for large
    barrier parameters, and would end most runs at a gap of 1e3 ``tol`` or more.

    ``stop="kkt"``: the paper's own stop, on the simplex with R quadratic: the first iterate where the inexact KKT
    conditions of its Lemma 4.1 hold with (eps_tau, eps_g) = (tol/(2J), tol/4), whatever its gap (`KKTPoint`). SciPy
    accepts a step by a difference of two objectives, which rounding hides once it is below about 1e-16 of the scale of
    (D). The conditions can therefore be met down to a ``tol`` of about 1e-6 of that scale; below, the solution is the
    iterate with the least bound, and has not converged.

    One iteration takes about 1 ms at J = 10 and 20 ms at J = 100: use it as a reference.
    """

    name: ClassVar[str] = "trust-constr"
    needs: ClassVar[Needs] = STOPS["gap"]
    max_iter: int = 500
    stop: str = "gap"

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of TrustConstr"))
        # The needs of the object are those of its stop; the class has those of the default.
        object.__setattr__(self, "needs", lookup(STOPS, self.stop, "stop of TrustConstr"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return CONTROL.square_matrices

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        return self._to_kkt(subproblem, tol, start) if self.stop == "kkt" else self._to_gap(subproblem, tol, start)

    def _to_gap(self, subproblem: DualSubproblem, tol: float, start: Vector | None) -> DualSolution:
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.done or _is_point(subproblem):
            return incumbent.solution(self.name, 0)

        def stop(x: Vector, state: Any) -> bool:
            incumbent.offer(x)
            return incumbent.done

        result = self._minimize(subproblem, tol, incumbent.lam, stop, {})
        return incumbent.solution(self.name, int(result.nit), str(result.message))

    def _to_kkt(self, subproblem: DualSubproblem, tol: float, start: Vector | None) -> DualSolution:
        point = KKTPoint(subproblem, tol)
        if point.done:
            return point.solution(self.name, 0, "")
        scale = subproblem.scale or 1.0

        def stop(x: Vector, state: Any) -> bool:
            # SciPy's barrier parameter is that of the problem divided by its scale.
            point.offer(x, scale * state.barrier_parameter)
            return point.done or point.age >= CONTROL.kkt_patience

        options = {"initial_barrier_tolerance": CONTROL.kkt_barrier_tolerance}
        result = self._minimize(subproblem, tol, start, stop, options)
        reason = f"no smaller residual in {CONTROL.kkt_patience} iterations, because of rounding errors"
        return point.solution(self.name, int(result.nit), reason if result.status == STOPPED else str(result.message))

    def _minimize(
        self,
        subproblem: DualSubproblem,
        tol: float,
        start: Vector | None,
        stop: Callable[[Vector, Any], bool],
        options: dict[str, float],
    ) -> Any:
        """SciPy's result on (D) divided by its scale; ``stop(x, state)`` ends it."""
        dual_set, R = subproblem.adversary.dual_set, subproblem.adversary.regularizer
        clock = subproblem.adversary.clock
        n, scale = subproblem.c.size, subproblem.scale or 1.0
        constraints = cast("Polyhedral", dual_set).linear_constraints(n)
        center = dual_set.center(n)
        lower = dual_set.bounds(n)[0] if constraints.A is not None else constraints.lower
        interior = lower + CONTROL.boundary_distance
        share = CONTROL.share_of_center
        x0 = center if start is None else (1 - share) * start + share * center
        Q, c = subproblem.Q / scale, dual_set.tangent_part(subproblem.c) / scale

        def value(x: Vector) -> float:
            return float(0.5 * x @ Q @ x - c @ x) + R.value(np.maximum(x, interior)) / scale

        def gradient(x: Vector) -> Vector:
            return Q @ x - c + R.gradient(np.maximum(x, interior)) / scale

        def hessian(x: Vector) -> Matrix:
            return Q + as_hessian(R.hessian(np.maximum(x, interior))).dense() / scale

        def callback(x: Vector, state: Any) -> bool:
            clock.check()
            return stop(x, state)

        rows = (
            [scipy.optimize.LinearConstraint(constraints.E, constraints.e, constraints.e)] if len(constraints.E) else []
        )
        if constraints.A is not None:
            rows.append(scipy.optimize.LinearConstraint(constraints.A, -np.inf, constraints.b, keep_feasible=True))
        eps_tau, _ = tolerances(tol / scale, n)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, module="scipy.optimize")
            return scipy.optimize.minimize(
                value,
                x0,
                jac=gradient,
                hess=hessian,
                method="trust-constr",
                bounds=scipy.optimize.Bounds(constraints.lower, constraints.upper, keep_feasible=True),
                constraints=rows,
                callback=callback,
                options={
                    "gtol": 0.0,
                    "barrier_tol": eps_tau,
                    "xtol": CONTROL.smallest_trust_radius,
                    "maxiter": self.max_iter,
                    **options,
                },
            )


def _is_point(subproblem: DualSubproblem) -> bool:
    """Whether Lambda is a single point."""
    n = subproblem.c.size
    return len(cast("Polyhedral", subproblem.adversary.dual_set).linear_constraints(n).E) >= n
