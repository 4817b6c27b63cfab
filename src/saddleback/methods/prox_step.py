"""One proximal step on the linearized losses, through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.blas import ddot

from .._types import Vector
from ..engine.evaluation import Evaluation, Point
from ..engine.oracle import Oracle
from ..subproblem import DualSolution


@dataclass(frozen=True)
class ProxStepControl:
    """The tuned numbers of proximal steps.

    With a third or three times any of them, the number of evaluations changes by at most 5 %.
    """

    smallest_accuracy: float = 1e-6
    """(D) is never solved to a smaller gap than this share of the tolerance. With a larger share lam stops changing
    before G' lam is accurate enough for the certificate."""
    first_accuracy: float = 1e-9
    """The gap of (D) relative to the losses in the first step, when there is no earlier step to relate it to."""
    rounding_units: float = 16.0
    """The rounding error of a difference of two values of g, in units in the last place of the losses."""
    retry_margin: float = 0.1
    """Where the gap of (D) exceeds kappa times the step, solve again to this share of it: a better lam moves less."""
    max_solves: int = 8
    """The most solutions of (D) for one step; each asks for at most ``retry_margin`` times the gap of the last one."""


CONTROL = ProxStepControl()


@dataclass(frozen=True, eq=False)
class ProxStep:
    """argmin over v of h(f + G (v - u)) + |v - u|^2 / (2 eta), which is v = u - eta G' lam with lam from (D).

    By duality lam solves (D) with Q = eta G G' and c = f(u) (Drusvyatskiy and Paquette 2019; paper, eq. "moreau-env").
    """

    base: Evaluation
    """The losses at u."""
    solution: DualSolution
    slope: Vector
    """G' lam."""
    direction: Vector
    """p = v - u = -P^-1 times the slope; P = I/eta for proximal steps."""
    point: Point
    """The losses at v."""
    model_value: float
    """h(ell): g of the linearized losses at v."""
    precision: float
    """The relative rounding error of the losses."""

    @property
    def complete(self) -> bool:
        """Whether the step minimizes its model: here always, up to the gap of (D)."""
        return True

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
        """g(v) - h(ell), the error of the linearization: at most L/2 |v - u|^2."""
        return self.point.value - self.model_value

    @property
    def rounding(self) -> float:
        """One unit in the last place of the losses."""
        return self.precision * (abs(self.point.value) + abs(self.base.value) + self.base.magnitude)

    @property
    def noise(self) -> float:
        """A bound on the rounding error of ``error``."""
        return CONTROL.rounding_units * self.rounding

    @property
    def rounding_of_point(self) -> float:
        """A bound on the change of ``error`` by rounding errors of w."""
        return CONTROL.rounding_units * self.precision * self.base.slope_magnitude

    def admits(self, L: float) -> bool:
        """Whether g(v) <= h(ell) + L/2 |v - u|^2: all that the proof requires of L (docs/mathematics.md, 3)."""
        return bool(np.isfinite(self.point.value) and self.error <= 0.5 * L * self.length_squared + self.noise)

    @property
    def needed_smoothness(self) -> float:
        """An upper bound on the least L that this step admits; large where rounding errors dominate."""
        length_squared = self.length_squared
        return 2.0 * max(0.0, self.error + self.noise) / length_squared if length_squared > 0 else np.inf

    @property
    def predicted(self) -> float:
        """The decrease from g(u) that the model predicts: g(u) - [h(ell) + |v - u|^2 / (2 eta)]."""
        return self.base.value - self.model_value - self.proximity


def prox_step(
    oracle: Oracle, base: Evaluation, eta: float, tol: float, start: Vector | None = None, kappa: float = 0.0
) -> ProxStep:
    """Solve (D) at an evaluated point and evaluate the losses at the end of the step.

    With ``kappa`` (D) is solved again until its gap is at most kappa/2 lam' Q lam, or as small as can be asked for.
    """
    solution = dual_step(oracle, base, eta, base.f, tol, start)
    if kappa > 0:
        solution = _relative_to_step(oracle, base, eta, tol, solution, kappa)
    return step_to(oracle, base, eta, solution)


def _relative_to_step(
    oracle: Oracle, base: Evaluation, eta: float, tol: float, solution: DualSolution, kappa: float
) -> DualSolution:
    """The solution of (D), computed again where its gap is more than kappa/2 lam' Q lam."""
    least = CONTROL.smallest_accuracy * oracle.tol
    for _ in range(CONTROL.max_solves - 1):
        slope = base.slope(solution.lam)
        allowed = kappa * 0.5 * eta * float(ddot(slope, slope))
        floor = max(least, solution.rounding_floor)
        # A gap above ``tol`` although it is above the floor: the solver cannot do better.
        if solution.gap <= allowed or tol <= floor or solution.gap > max(tol, floor):
            break
        tol = max(least, CONTROL.retry_margin * allowed)
        n_iter = solution.n_iter
        solution = dual_step(oracle, base, eta, base.f, tol, solution.lam)
        solution = replace(solution, n_iter=n_iter + solution.n_iter)
    return solution


def dual_step(
    oracle: Oracle, base: Evaluation, eta: float, c: Vector, tol: float, start: Vector | None
) -> DualSolution:
    """(D) with Q = eta G G', which is not formed where G has more rows than columns."""
    if base.tall:
        return oracle.dual_step(None, c, tol, start, factor=np.sqrt(eta) * base.G)
    return oracle.dual_step(eta * base.gram, c, tol, start)


def step_to(oracle: Oracle, base: Evaluation, eta: float, solution: DualSolution) -> ProxStep:
    """The step v = u - eta G' lam of a dual solution, with the losses at v."""
    slope = base.slope(solution.lam)
    direction = -eta * slope
    model_value = oracle.adversary.value(base.f + base.change(direction))
    return ProxStep(base, solution, slope, direction, oracle.point(base.w + direction), model_value, oracle.precision)
