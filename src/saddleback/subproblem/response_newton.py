"""Newton's method on the primal side of (D), where the best response is smooth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from scipy.linalg.lapack import dposv

from .._types import EPS, Matrix, Vector
from .._validation import whole
from ..adversary import Adversary
from ..dual_sets import Simplex
from .dual_subproblem import DualSolution, DualSubproblem
from .factored_subproblem import FactoredSubproblem, low_rank_factor
from .incumbent import Incumbent

# Armijo's share of the decrease that the slope promises.
SUFFICIENT = 1e-4
SHORTEST = 2.0**-20
# What rounding adds to values of size one.
ROUNDING = 8 * EPS
# Beyond this ratio of Q to R rounding in u moves the best response too far.
STIFFEST = 1e8
# From this size on, and for this many rows per column, the quadratic program in lam is slower.
MANY_ROWS, ROWS_PER_COLUMN = 64, 4


class SmoothResponse(Protocol):
    """The capability of regularizers with a (semi)smooth best response on the simplex."""

    @property
    def gamma(self) -> float: ...

    def response_weights(self, lam: Vector) -> Vector:
        """s with d lam = (diag s - s s'/<1, s>) dz / gamma, for the best response lam to z."""


@dataclass(frozen=True)
class ResponseNewton:
    """min over u of phi(u) = h(c + F u) + 1/2 |u|^2 for Q = F F', by damped semismooth Newton (Qi and Sun 1993).

    (D) is the dual of this problem, and the best response to c + F u its solution at the minimum, where
    u = -F' lam. grad phi = u + F' lam, and its derivative is I + F'(diag s - s s'/<1, s>)F / gamma. About 5 systems
    with r unknowns, J r^2 flops each; r is the rank of Q where no factor is given. All in units of the scale of (D).
    """

    max_iter: int = 30

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of ResponseNewton"))

    @property
    def name(self) -> str:
        return "response-newton"

    def refusal(self, adversary: Adversary) -> str | None:
        if not isinstance(adversary.dual_set, Simplex):
            return f"{type(adversary.dual_set).__name__} is not the simplex"
        if not hasattr(adversary.regularizer, "response_weights"):
            return f"{type(adversary.regularizer).__name__} has no response_weights: its best response is not smooth"
        return None

    def prefers(self, subproblem: DualSubproblem) -> bool:
        """Whether no other solver is as fast: many losses, few parameters."""
        if not isinstance(subproblem, FactoredSubproblem) or not subproblem.tall:
            return False
        J, r = subproblem.factor.shape
        return self.refusal(subproblem.adversary) is None and max(MANY_ROWS, ROWS_PER_COLUMN * r) <= J

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        incumbent = Incumbent(subproblem, tol, start)
        R, clock = cast("SmoothResponse", subproblem.adversary.regularizer), subproblem.adversary.clock
        if incumbent.done or subproblem.size > STIFFEST * R.gamma:
            return incumbent.solution(self.name, 0, "Q is too large beside R")
        F, gamma = low_rank_factor(subproblem), R.gamma / (subproblem.scale or 1.0)
        u = np.zeros(F.shape[1]) if incumbent.lam is None else -incumbent.lam.dot(F)
        phi, lam = _value(subproblem, F, u)
        reason = f"max_iter = {self.max_iter} Newton steps"
        for n_iter in range(self.max_iter + 1):
            incumbent.offer(lam)
            if incumbent.done or n_iter == self.max_iter:
                break
            clock.check(2.0 * F.size * F.shape[1])
            gradient = u + lam.dot(F)
            s = R.response_weights(lam)
            direction = -dposv(_curvature(F, s, gamma), gradient)[1]
            slope, t = float(gradient.dot(direction)), 1.0
            after = _value(subproblem, F, u + direction)
            while not after[0] <= phi + SUFFICIENT * t * slope + ROUNDING and t > SHORTEST:
                clock.check()
                t *= 0.5
                after = _value(subproblem, F, u + t * direction)
            if t <= SHORTEST or not np.isfinite(slope):
                reason = "rounding ended the descent"
                break
            u, (phi, lam) = u + t * direction, after
        return incumbent.solution(self.name, n_iter, reason)


def _value(subproblem: DualSubproblem, F: Matrix, u: Vector) -> tuple[float, Vector]:
    """phi(u), less what all losses share, in units of the scale, and the best response."""
    scale = subproblem.scale or 1.0
    h, lam = subproblem.adversary.best_response(subproblem.c_tangent + scale * F.dot(u))
    return h / scale + 0.5 * float(u.dot(u)), lam


def _curvature(F: Matrix, s: Vector, gamma: float) -> Matrix:
    """I + F'(diag s - s s'/<1, s>)F / gamma."""
    mean = s.dot(F) / s.sum()
    centered = F - mean
    M: Matrix = (centered.T * (s / gamma)).dot(centered)
    M.ravel()[:: len(M) + 1] += 1.0
    return M
