"""Newton's method on the primal of (D), where the best response is a (semi)smooth function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from scipy.linalg.lapack import dposv

from .._types import EPS, Matrix, Vector
from .._validation import whole
from ..adversary import Adversary
from ..capabilities import Needs
from ..dual_sets import Simplex
from ..regularizers.base import HasResponseWeights
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import FactoredSubproblem, is_tall, low_rank_factor
from .incumbent import Incumbent


@dataclass(frozen=True)
class ResponseNewtonControl:
    """The numbers of `ResponseNewton`."""

    sufficient_decrease: float = 1e-4
    """Armijo's constant (Nocedal and Wright, section 3.1)."""
    backtracking: float = 0.5
    """The factor of the step in backtracking."""
    shortest_step: float = 2.0**-20
    """Stop where backtracking would take a shorter step."""
    rounding: float = 8 * EPS
    """The rounding error of phi that the Armijo test allows, relative to the scale of (D)."""
    largest_ratio: float = 1e8
    """Do not start where max Q_ij is more than this many times gamma: rounding errors of u would change the best
    response too much."""
    many_losses: int = 64
    rows_per_column: int = 4
    """From this many losses and rows of F per column on, it is faster than the quadratic program in lam."""
    square_matrices: int = 3
    """J x J matrices at the peak where F is not tall, measured and rounded down."""


CONTROL = ResponseNewtonControl()


@dataclass(frozen=True)
class ResponseNewton:
    """min over u of phi(u) = h(c + F u) + 1/2 |u|^2 for Q = F F', by damped semismooth Newton (Qi and Sun 1993).

    (D) is the dual of this problem: its solution is the best response to c + F u at the minimizer u = -F' lam.
    grad phi = u + F' lam, and its derivative is I + F'(diag s - s s'/<1, s>)F / gamma with the response weights s.
    About 5 systems with r unknowns, J r^2 flops each; r is the rank of Q where no factor is given. phi and u are
    measured in the scale of (D) and its square root.
    """

    name: ClassVar[str] = "response-newton"
    needs: ClassVar[Needs] = Needs(dual_set=(Simplex,), regularizer=(HasResponseWeights,))
    max_iter: int = 30

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of ResponseNewton"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return 0 if is_tall(adversary.n, d) else CONTROL.square_matrices

    def is_fastest(self, subproblem: DualSubproblem) -> bool:
        """Whether this is the fastest solver: many losses, few parameters. Assumes that its needs are met."""
        if not isinstance(subproblem, FactoredSubproblem) or not subproblem.tall:
            return False
        J, r = subproblem.factor.shape
        return max(CONTROL.many_losses, CONTROL.rows_per_column * r) <= J

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        incumbent = Incumbent(subproblem, tol, start)
        R, clock = cast("HasResponseWeights", subproblem.adversary.regularizer), subproblem.adversary.clock
        if incumbent.done or subproblem.magnitude > CONTROL.largest_ratio * R.gamma:
            return incumbent.solution(self.name, 0, "Q is too large relative to R")
        F, gamma = low_rank_factor(subproblem), R.gamma / (subproblem.scale or 1.0)
        u = np.zeros(F.shape[1]) if incumbent.lam is None else -incumbent.lam.dot(F)
        phi, lam = _value(subproblem, F, u)
        armijo = CONTROL.sufficient_decrease
        reason = f"max_iter = {self.max_iter} Newton steps"
        for n_iter in range(self.max_iter + 1):
            incumbent.offer(lam)
            if incumbent.done or n_iter == self.max_iter:
                break
            clock.check(2.0 * F.size * F.shape[1])
            gradient = u + lam.dot(F)
            direction = -dposv(_hessian(F, R.response_weights(lam), gamma), gradient)[1]
            slope, t = float(gradient.dot(direction)), 1.0
            after = _value(subproblem, F, u + direction)
            while not after[0] <= phi + armijo * t * slope + CONTROL.rounding and t > CONTROL.shortest_step:
                clock.check()
                t *= CONTROL.backtracking
                after = _value(subproblem, F, u + t * direction)
            if t <= CONTROL.shortest_step or not np.isfinite(slope):
                reason = "no decrease beyond rounding errors"
                break
            u, (phi, lam) = u + t * direction, after
        return incumbent.solution(self.name, n_iter, reason)


def _value(subproblem: DualSubproblem, F: Matrix, u: Vector) -> tuple[float, Vector]:
    """phi(u) over the scale, up to a constant that all u share, and the best response."""
    scale = subproblem.scale or 1.0
    h, lam = subproblem.adversary.best_response(subproblem.c_tangent + scale * F.dot(u))
    return h / scale + 0.5 * float(u.dot(u)), lam


def _hessian(F: Matrix, s: Vector, gamma: float) -> Matrix:
    """I + F'(diag s - s s'/<1, s>)F / gamma."""
    mean = s.dot(F) / s.sum()
    centered = F - mean
    M: Matrix = (centered.T * (s / gamma)).dot(centered)
    M.ravel()[:: len(M) + 1] += 1.0
    return M
