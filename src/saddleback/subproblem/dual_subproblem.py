"""The dual subproblem (D) and its three gaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .._types import EPS, Matrix, Vector
from ..adversary import Adversary

SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)
# A measured gap is a sum of a few terms as large as the scale, each with a rounding error of EPS times that; of more
# terms where the weights do not sum to one.
ROUNDING_ERRORS = 8


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
    c_tangent: Vector = field(init=False, repr=False)
    """c less its component normal to the affine hull of Lambda, which adds the same number for every lam."""
    magnitude: float = field(init=False, repr=False)
    """The largest |Q_ij|, which is on the diagonal."""
    scale: float = field(init=False, repr=False)
    """The largest absolute value of a term of (D) on Lambda, by which solvers divide (D); 0 if no term depends on
    lam."""
    rounding_floor: float = field(init=False, repr=False)
    """The rounding error of a measured gap: smaller gaps cannot be measured in float64."""

    def __post_init__(self) -> None:
        self._measure(self.Q.diagonal())

    def _measure(self, diagonal: Vector) -> None:
        """Compute the derived fields. In one method, because calls dominate the time of small problems."""
        adversary = self.adversary
        c_tangent = adversary.dual_set.tangent_part(self.c)
        spread, magnitude = np.abs(c_tangent), diagonal.item(diagonal.argmax())
        largest, gamma = adversary.largest_weight, adversary.regularizer.strong_convexity
        scale = largest * max(spread.item(spread.argmax()), largest * max(magnitude, gamma))
        rounding_floor = ROUNDING_ERRORS * EPS * adversary.rounding_growth * max(scale, SMALLEST_NORMAL)
        self.__dict__.update(c_tangent=c_tangent, magnitude=magnitude, scale=scale, rounding_floor=rounding_floor)

    def product(self, lam: Vector) -> Vector:
        """Q lam."""
        return self.Q.dot(lam)

    def objective(self, lam: Vector) -> float:
        """S(lam) + R(lam)."""
        return float(lam.dot(0.5 * self.product(lam) - self.c)) + self.adversary.regularizer.value(lam)

    def gradient(self, lam: Vector) -> Vector:
        """Gradient of S + R."""
        return self.product(lam) - self.c + self.adversary.regularizer.gradient(lam)

    def optimality_gap(self, lam: Vector, optimum: float) -> float:
        """(S + R)(lam) - optimum."""
        return self.objective(lam) - optimum

    def cross_evaluation_gap(self, lam: Vector) -> float:
        """max over mu of <grad S(lam), lam - mu> + R(lam) - R(mu) = h(ell) - <lam, ell> + R(lam): exact."""
        # Without the normal component of c, which cancels in the gap but would add rounding errors.
        return self.adversary.gap(lam, self.c_tangent - self.product(lam))

    def frank_wolfe_gap(self, lam: Vector) -> float:
        """max over mu of <grad (S + R)(lam), lam - mu>; inf where R has no gradient."""
        gradient = self.gradient(lam)
        if not np.isfinite(gradient).all():
            return np.inf
        return self.adversary.dual_set.regret(lam, -gradient)


class Multipliers(Protocol):
    """The non-negative multipliers z of lam >= lower and of lam <= upper."""

    @property
    def lower(self) -> Vector: ...
    @property
    def upper(self) -> Vector: ...


@dataclass(frozen=True, eq=False)
class DualSolution:
    """The result of an inner solver: a feasible lam, its measured cross-evaluation gap, and the iterations taken."""

    lam: Vector
    gap: float
    n_iter: int
    converged: bool
    solver: str
    message: str = ""
    rounding_floor: float = 0.0
    """That of the subproblem: smaller gaps cannot be measured, also where a smaller tolerance was requested."""
    multipliers: Multipliers | None = None
    """Those of a quadratic program, where one was solved; `qp.kkt.frank_wolfe_bound` turns them into a certificate."""
