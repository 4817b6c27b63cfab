"""The inexact KKT conditions of the paper's Lemma 4.1, at the iterates of an interior-point method on the simplex."""

from __future__ import annotations

import numpy as np

from ..._types import Vector
from ..dual_subproblem import DualSolution, DualSubproblem
from .kkt import tolerances


class KKTPoint:
    """Keeps the iterate with the least bound J/tau + 2 |r|_inf of the Frank-Wolfe gap, and says when to stop.

    At lam > 0 with barrier parameter 1/tau, z_j = (1/tau)/lam_j, which is perturbed complementarity without an error,
    and r = grad (S + R)(lam) - nu 1 - z with the nu of the least |r|_inf, the middle between the largest and the
    smallest entry. The conditions are 1/tau <= eps_tau = tol/(2J) and |r|_inf <= eps_g = tol/4. They do not look at a
    measured gap: the lemma bounds it by J eps_tau + 2 eps_g = tol.
    """

    def __init__(self, subproblem: DualSubproblem, tol: float) -> None:
        n = subproblem.c.size
        self._subproblem = subproblem
        self._tol = tol
        self._eps_tau, self._eps_g = tolerances(tol, n)
        self.lam: Vector = subproblem.adversary.dual_set.center(n)
        self.inverse_tau = np.inf
        self.residual = np.inf
        self.bound = np.inf
        """J/tau + 2 |r|_inf at ``lam``."""
        self.done = n == 1
        """Whether the conditions hold at ``lam``, or Lambda is one point."""
        self.age = 0
        """Iterates since the last one with a smaller bound."""

    def offer(self, x: Vector, inverse_tau: float) -> None:
        """Keep an iterate if the conditions hold there, or if its bound is the least so far."""
        self.age += 1
        if self.done or not x.min() > 0.0:
            return
        subproblem = self._subproblem
        lam = subproblem.adversary.dual_set.restore(x)
        # Without the normal component of c, which nu would have to cancel.
        gradient = subproblem.product(lam) - subproblem.c_tangent + subproblem.adversary.regularizer.gradient(lam)
        r = gradient - inverse_tau / lam
        residual = 0.5 * float(r.max() - r.min())
        self.done = inverse_tau <= self._eps_tau and residual <= self._eps_g
        bound = lam.size * inverse_tau + 2.0 * residual
        if self.done or bound < self.bound:
            self.lam, self.inverse_tau, self.residual, self.bound, self.age = lam, inverse_tau, residual, bound, 0

    def solution(self, solver: str, n_iter: int, reason: str) -> DualSolution:
        """The kept iterate, with its measured gap; where the conditions do not hold, why."""
        subproblem = self._subproblem
        gap, floor, message = subproblem.cross_evaluation_gap(self.lam), subproblem.rounding_floor, ""
        if not self.done:
            message = (
                f"{solver} reached 1/tau = {self.inverse_tau:.3g} and |r| = {self.residual:.3g} instead of "
                f"{self._eps_tau:.3g} and {self._eps_g:.3g}: {reason}"
            )
        return DualSolution(self.lam, gap, n_iter, self.done, solver, message, floor)
