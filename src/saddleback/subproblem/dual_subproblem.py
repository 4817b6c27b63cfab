"""The dual subproblem (D) and its three gaps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._types import Matrix, Vector
from ..adversary import Adversary


@dataclass(frozen=True, eq=False)
class DualSubproblem:
    """min over lam in Lambda of 1/2 lam' Q lam - c' lam + R(lam), with Q symmetric and positive semidefinite.

    In Algorithm 1 Q = (alpha^2/A) G G' and c = f(md): the dual of one proximal step on the losses linearized
    at md. Write S for the quadratic part. For lam in Lambda the paper orders three gaps (eq. "chain"):
    optimality gap <= cross-evaluation gap <= Frank-Wolfe gap.
    """

    Q: Matrix
    c: Vector
    adversary: Adversary

    def objective(self, lam: Vector) -> float:
        """S(lam) + R(lam)."""
        return float(0.5 * lam @ self.Q @ lam - self.c @ lam) + self.adversary.regularizer.value(lam)

    def gradient(self, lam: Vector) -> Vector:
        """Gradient of S + R."""
        return self.Q @ lam - self.c + self.adversary.regularizer.gradient(lam)

    def linearized_losses(self, lam: Vector) -> Vector:
        """ell(lam) = c - Q lam = -grad S(lam): the linearized losses where the step with lam arrives."""
        return self.c - self.Q @ lam

    def optimality_gap(self, lam: Vector, optimum: float) -> float:
        """(S + R)(lam) - optimum."""
        return self.objective(lam) - optimum

    def cross_evaluation_gap(self, lam: Vector) -> float:
        """max over mu of <grad S(lam), lam - mu> + R(lam) - R(mu) = h(ell) - <lam, ell> + R(lam): exact."""
        return self.adversary.gap(lam, self.linearized_losses(lam))

    def frank_wolfe_gap(self, lam: Vector) -> float:
        """max over mu of <grad (S + R)(lam), lam - mu>; inf where R has no gradient."""
        gradient = self.gradient(lam)
        if not np.isfinite(gradient).all():
            return np.inf
        slope = self.adversary.dual_set.strip(-gradient)
        return self.adversary.dual_set.support(slope)[0] - float(slope @ lam)

    @cached_property
    def scale(self) -> float:
        """The size of what the adversary can gain or lose in (D); 0 when nothing depends on lam."""
        spread = float(np.abs(self.adversary.dual_set.strip(self.c)).max())
        return max(spread, float(np.abs(self.Q).max()), self.adversary.regularizer.strong_convexity)

    @property
    def resolution(self) -> float:
        """The gap that rounding leaves: smaller ones cannot be measured in float64."""
        return 8 * np.finfo(np.float64).eps * max(self.scale, np.finfo(np.float64).tiny)


class Multipliers(NamedTuple):
    """The non-negative multipliers z of lam >= lower and of lam <= upper."""

    lower: Vector
    upper: Vector


@dataclass(frozen=True, eq=False)
class DualSolution:
    """What an inner solver returns: a feasible lam, its measured cross-evaluation gap, and what that cost."""

    lam: Vector
    gap: float
    n_iter: int
    converged: bool
    solver: str
    message: str = ""
    multipliers: Multipliers | None = None
    """Those of a quadratic program, where one was solved: `kkt.frank_wolfe_bound` makes a certificate of them."""
