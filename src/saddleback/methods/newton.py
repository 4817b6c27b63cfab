"""Newton steps through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .._types import Vector
from ..engine.evaluation import Evaluation
from ..engine.hessian_probe import HessianProbe
from ..engine.method import State
from ..engine.oracle import Oracle
from ..errors import IncompatibleError
from ..linalg.hessian_models import DenseMetric, Metric
from ..losses import Losses
from .second_order import SecondOrder, SecondOrderState, hessian_weights
from .trial import POOR, Trial

# Sampled Hessians serve until a step promises less than this share of the largest promise so far.
LOCAL = 1e-2


@dataclass(frozen=True, eq=False, kw_only=True)
class NewtonState(SecondOrderState):
    exact: bool = False
    """Whether the steps are worth exact Hessians."""
    largest: float = 0.0
    """The largest promise so far."""


@dataclass(frozen=True)
class Newton(SecondOrder[NewtonState]):
    """B = sum_j lam_j Hessian f_j(w), for losses that offer ``hessian(w, lam)``.

    Sequential quadratic programming on max_j f_j in its dual form: quadratic convergence where strict
    complementarity and second-order sufficiency hold. One Hessian and d^3/3 flops per iteration. Far from the
    solution, where steps are cut short anyway, a ``sampled_hessian`` takes its place for losses that offer one.
    """

    name: ClassVar[str] = "newton"
    state_type: ClassVar[type[State]] = NewtonState
    estimates: ClassVar[bool] = True
    # The Hessian and its factor.
    n_square_matrices: ClassVar[int] = 2

    def check_losses(self, losses: Losses) -> None:
        if not hasattr(losses, "hessian"):
            raise IncompatibleError(
                f"newton needs losses that offer hessian(w, lam) -> (d, d); {type(losses).__name__} does not. "
                "Use method='quasi-newton', or 'auto'."
            )

    def init(self, oracle: Oracle, w0: Vector) -> NewtonState:
        at = oracle.evaluate(w0)
        return NewtonState(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),))

    def metric(self, oracle: Oracle, state: NewtonState, at: Evaluation) -> Metric:
        lam = hessian_weights(oracle, state)
        sampled = None if state.exact else oracle.sampled_hessian(at.w, lam)
        return DenseMetric(oracle.hessian(at.w, lam) if sampled is None else sampled)

    def strides(self, oracle: Oracle, state: NewtonState) -> bool:
        return state.exact or not oracle.samples_hessian

    def sees_all(self, state: NewtonState) -> bool:
        return True

    def informed(self, state: NewtonState, look: HessianProbe) -> NewtonState:
        return replace(state, exact=True)

    def failed(self) -> dict[str, Any]:
        return {"exact": True}

    def learn(
        self, oracle: Oracle, state: NewtonState, trial: Trial, there: Evaluation, slope: Vector
    ) -> dict[str, Any]:
        largest = max(state.largest, trial.promised)
        local = trial.promised < LOCAL * largest or trial.ratio < POOR or trial.sigma > 0
        return {"largest": largest, "exact": state.exact or local}
