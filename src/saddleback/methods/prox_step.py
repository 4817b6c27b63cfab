"""One proximal step on the linearized losses, through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import ddot

from .._types import Vector
from ..engine.evaluation import Evaluation, Point
from ..engine.oracle import Oracle
from ..subproblem import DualSolution

# Dual subproblems are solved to this share of the tolerance at least. A lam that is content with less stops moving
# while G' lam still matters to the certificate.
INNER_FLOOR = 1e-6
# Relative to the losses, as long as there is no step to compare with.
FIRST_ACCURACY = 1e-9


@dataclass(frozen=True, eq=False)
class ProxStep:
    """argmin over v of h(f + G (v - u)) + |v - u|^2 / (2 eta), reached as v = u - eta G' lam with lam from (D).

    By duality lam solves (D) with Q = eta G G' and c = f(u) (Drusvyatskiy and Paquette 2019; paper, eq. "moreau-env").
    """

    base: Evaluation
    solution: DualSolution
    slope: Vector
    """G' lam."""
    direction: Vector
    """p = v - u = -P^-1 times the slope; P = I/eta here."""
    point: Point
    model: float
    """h(ell): g of the linearized losses at the new point."""
    precision: float
    """The relative rounding error of the losses."""

    @property
    def lam(self) -> Vector:
        return self.solution.lam

    @property
    def length_squared(self) -> float:
        """|v - u|^2."""
        return float(ddot(self.direction, self.direction))

    @property
    def proximity(self) -> float:
        """1/2 p'Pp = 1/2 lam' Q lam."""
        return -0.5 * float(ddot(self.slope, self.direction))

    @property
    def error(self) -> float:
        """g(v) - h(ell): what the linearization leaves out, at most L/2 |v - u|^2."""
        return self.point.value - self.model

    @property
    def rounding(self) -> float:
        """One unit in the last place of the losses."""
        return self.precision * (abs(self.point.value) + abs(self.base.value) + self.base.magnitude)

    @property
    def noise(self) -> float:
        """What rounding may add to ``error``."""
        return 16 * self.rounding

    def admits(self, L: float) -> bool:
        """Whether g(v) <= h(ell) + L/2 |v - u|^2, the only use the proof makes of L (docs/mathematics.md, 3)."""
        return bool(np.isfinite(self.point.value) and self.error <= 0.5 * L * self.length_squared + self.noise)

    @property
    def curvature(self) -> float:
        """An upper bound on the least L that this step admits; large where rounding hides the truth."""
        length_squared = self.length_squared
        return 2.0 * max(0.0, self.error + self.noise) / length_squared if length_squared > 0 else np.inf

    @property
    def predicted(self) -> float:
        """The decrease from g(u) that the model promises: g(u) - [h(ell) + |v - u|^2 / (2 eta)]."""
        return self.base.value - self.model - self.proximity


def prox_step(oracle: Oracle, base: Evaluation, eta: float, tol: float, start: Vector | None = None) -> ProxStep:
    """Solve (D) at an evaluated point and look at the losses where the step arrives."""
    return arrive(oracle, base, eta, dual_step(oracle, base, eta, base.f, tol, start))


def dual_step(
    oracle: Oracle, base: Evaluation, eta: float, c: Vector, tol: float, start: Vector | None
) -> DualSolution:
    """(D) with Q = eta G G', which is not formed where G has more rows than columns."""
    if base.tall:
        return oracle.dual_step(None, c, tol, start, factor=np.sqrt(eta) * base.G)
    return oracle.dual_step(eta * base.gram, c, tol, start)


def arrive(oracle: Oracle, base: Evaluation, eta: float, solution: DualSolution) -> ProxStep:
    """The step that a dual solution stands for."""
    slope = solution.lam @ base.G
    direction = -eta * slope
    model = oracle.adversary.value(base.f + base.G @ direction)
    return ProxStep(base, solution, slope, direction, oracle.point(base.w + direction), model, oracle.precision)
