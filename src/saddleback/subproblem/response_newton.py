"""Proximal point method in lam, with Newton's method on the primal of (D) in R^r: for many losses of few parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._types import Matrix, Vector
from .._validation import whole
from ..adversary import Adversary
from ..capabilities import Needs, offers
from ..dual_sets import HasProximalResponse, HasSmoothSupport, Polyhedral
from ..regularizers import QuadraticForm
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import FactoredSubproblem, is_tall, low_rank_factor
from .incumbent import Incumbent
from .polish import Polish
from .proximal_round import ProximalProblem, minimize


@dataclass(frozen=True)
class ResponseNewtonControl:
    """The numbers of `ResponseNewton`."""

    first_gamma: float = 0.3
    """The first gamma, relative to what the best response to the start gains for each unit of the distance D: it then
    goes about half of the way."""
    gamma_factor: float = 0.1
    """gamma is multiplied by this after each round."""
    error_share: float = 0.1
    """A round ends where its error is at most this share of its distance term (Rockafellar 1976, criterion B)."""
    target_factor: float = 1e-2
    """... or this share of the requested gap, and in each later round this share of that: where lam has come to rest,
    the gap falls with the square root of the error."""
    slow_rounds: int = 4
    """End after this many rounds that do not halve the least gap: rounding errors prevent more."""
    slow_factor: float = 1e-2
    """Each of them is solved more accurately by this factor than the last one."""
    stalled_factor: float = 10.0
    """gamma is multiplied by this after a round that rounding errors ended, those of z/gamma most often. A larger gamma
    converges as well, at a rate of about gamma."""
    largest_ratio: float = 1e8
    """gamma becomes zero below the strong convexity of R, unless max Q_ij is more than this many times that: rounding
    errors of u would change the best response too much."""
    many_losses: int = 33
    rows_per_column: int = 4
    """From this many losses and rows of F per column on, it is faster than path following."""
    many_losses_of_program: int = 256
    rows_per_column_of_program: int = 8
    """From these on, it is faster than the quadratic program in lam."""
    square_matrices: int = 3
    """J x J matrices at the peak where F is not tall, measured and rounded down."""


CONTROL = ResponseNewtonControl()


@dataclass(frozen=True)
class ResponseNewton:
    """min over u of h(c + F u) + 1/2 |u|^2 for Q = F F', by proximal points in lam and semismooth Newton steps in u.

    (D) is the dual of this problem: its solution is the best response to c + F u at the minimizer u = -F' lam. h may
    have kinks, so that each round adds gamma times a distance of lam from the lam of the last round (Rockafellar 1976),
    and gamma decreases. With d lam/dz = diag - rows' rows the Newton matrix is I + F'(diag - rows' rows)F: J r^2 flops
    at most, and only losses between their bounds count. Where R is strongly convex, the last rounds have gamma = 0.
    Typically 3 rounds of 5 systems with r unknowns; r is the rank of Q where no factor is given.
    """

    name: ClassVar[str] = "response-newton"
    needs: ClassVar[Needs] = Needs(adversary=(HasProximalResponse,))
    max_iter: int = 30

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of ResponseNewton"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return 0 if is_tall(adversary.n, d) else CONTROL.square_matrices

    def is_fastest(self, subproblem: DualSubproblem) -> bool:
        """Whether this is the fastest solver, as measured. Assumes that its needs are met.

        On curved balls, whose best response is smooth, it always is; else where there are many losses and few
        parameters.
        """
        adversary = subproblem.adversary
        if offers(adversary.dual_set, HasSmoothSupport):
            return True
        if not isinstance(subproblem, FactoredSubproblem) or not subproblem.tall:
            return False
        J, r = subproblem.factor.shape
        is_program = offers(adversary.dual_set, Polyhedral) and offers(adversary.regularizer, QuadraticForm)
        if is_program:
            return max(CONTROL.many_losses_of_program, CONTROL.rows_per_column_of_program * r) <= J
        return max(CONTROL.many_losses, CONTROL.rows_per_column * r) <= J

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.done:
            return incumbent.solution(self.name, 0)
        adversary, scale = subproblem.adversary, subproblem.scale or 1.0
        F, c = low_rank_factor(subproblem), subproblem.c_tangent / scale
        target = CONTROL.target_factor * max(tol, subproblem.rounding_floor) / scale
        center = adversary.dual_set.center(c.size) if incumbent.lam is None else incumbent.lam
        u, gamma = self._start(adversary, F, c, scale, center)
        curvature = adversary.regularizer.strong_convexity / scale
        if subproblem.magnitude / scale > CONTROL.largest_ratio * curvature:
            curvature = 0.0
        polish = Polish.of(subproblem, incumbent)
        n_iter, slow, reason = 0, 0, f"max_iter = {self.max_iter} rounds"
        for _ in range(self.max_iter):
            gamma = 0.0 if gamma <= curvature else gamma
            problem = ProximalProblem(adversary, F, c, scale, gamma, center)
            best = incumbent.gap
            here, steps, stalled = minimize(problem, u, CONTROL.error_share * CONTROL.slow_factor**slow, target)
            n_iter += steps
            incumbent.offer(here.lam)
            if not incumbent.done and polish is not None:
                n_iter += polish(here.response)
            if incumbent.done:
                break
            slow = 0 if incumbent.gap <= 0.5 * best else slow + 1
            if slow == CONTROL.slow_rounds:
                reason = "no decrease beyond rounding errors"
                break
            u, center = here.u, here.lam
            gamma *= CONTROL.stalled_factor if stalled else CONTROL.gamma_factor
            target *= CONTROL.target_factor
        return incumbent.solution(self.name, n_iter, reason)

    def _start(self, adversary: Adversary, F: Matrix, c: Vector, scale: float, center: Vector) -> tuple[Vector, float]:
        """The better of u = 0 and u = -F' lam, and the first gamma, at which the distance term matters."""
        candidates = (np.zeros(F.shape[1]), -center.dot(F))
        values = [adversary.value(scale * (c + F.dot(u))) / scale + 0.5 * float(u.dot(u)) for u in candidates]
        u = candidates[int(values[1] < values[0])]
        z = c + F.dot(u)
        far, near = adversary.dual_set.support(scale * z)[1], adversary.best_response(scale * z).lam
        gains = (float((far - center).dot(z)), adversary.gap(center, scale * z) / scale)
        distances = [adversary.proximal_distance(best, center) for best in (far, near)]
        ratios = [gain / distance for gain, distance in zip(gains, distances, strict=True) if distance > 0.0]
        gamma = CONTROL.first_gamma * min(ratios, default=0.0)
        # Where the center is the best response to z, any gamma will do.
        return u, gamma if gamma > 0.0 else float(np.abs(z).max()) / adversary.largest_weight or 1.0
