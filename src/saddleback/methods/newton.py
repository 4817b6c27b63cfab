"""Newton steps through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from .._types import Vector
from ..capabilities import Needs
from ..engine.evaluation import Evaluation
from ..engine.hessian_probe import HessianProbe
from ..engine.oracle import Oracle
from ..linalg.hessian_models import DenseHessianModel, HessianModel
from ..losses.base import HasHessian
from .second_order import SecondOrder, SecondOrderState, hessian_weights
from .trial import CONTROL as TRIAL
from .trial import Trial


@dataclass(frozen=True)
class NewtonControl:
    """The tuned numbers of Newton's method."""

    local_share: float = 1e-2
    """Take exact Hessians once a step predicts less than this share of the largest predicted decrease, as sampling
    errors would then limit the rate of convergence. The number of evaluations hardly depends on it."""


CONTROL = NewtonControl()


@dataclass(frozen=True, eq=False)
class HessianChoice:
    """Whether the next Hessian is exact or sampled."""

    exact: bool = False
    """True once a step was local, poor, shifted or failed; it stays true."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NewtonState(SecondOrderState):
    model: HessianChoice = HessianChoice()


@dataclass(frozen=True)
class Newton(SecondOrder[NewtonState, HessianChoice]):
    """B = sum_j lam_j Hessian f_j(w), for losses that offer ``hessian(w, lam)``.

    Sequential quadratic programming on max_j f_j in its dual form: quadratic convergence where strict
    complementarity and second-order sufficiency hold. One Hessian and d^3/3 flops per iteration. Far from the
    solution, ``sampled_hessian`` is used instead where the losses offer it.
    """

    name: ClassVar[str] = "newton"
    needs: ClassVar[Needs] = Needs(losses=(HasHessian,))
    predicts_gap: ClassVar[bool] = True
    # The Hessian and its factor.
    n_square_matrices: ClassVar[int] = 2

    def init(self, oracle: Oracle, w0: Vector) -> NewtonState:
        at = oracle.evaluate(w0)
        return NewtonState(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),))

    def hessian_model(self, oracle: Oracle, state: NewtonState, at: Evaluation) -> HessianModel:
        lam = hessian_weights(oracle, state)
        sampled = None if state.model.exact else oracle.sampled_hessian(at.w, lam)
        return DenseHessianModel(oracle.hessian(at.w, lam) if sampled is None else sampled)

    def knows_hessian(self, oracle: Oracle, state: NewtonState) -> bool:
        return state.model.exact or not oracle.samples_hessian

    def learn(
        self, oracle: Oracle, state: NewtonState, trial: Trial, there: Evaluation, slope: Vector
    ) -> HessianChoice:
        local = trial.predicted < CONTROL.local_share * state.largest_predicted
        poor = trial.ratio < TRIAL.poor_ratio or trial.sigma > 0
        return HessianChoice(state.model.exact or local or poor)

    def failed(self, state: NewtonState) -> HessianChoice:
        return HessianChoice(True)

    def with_second_derivatives(self, state: NewtonState, probe: HessianProbe) -> NewtonState:
        return replace(state, model=HessianChoice(True))
