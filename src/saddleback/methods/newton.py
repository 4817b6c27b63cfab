"""Newton steps through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from .._types import Added, Vector
from ..capabilities import Needs
from ..engine.evaluation import Evaluation
from ..engine.hessian_probe import HessianProbe
from ..engine.oracle import Oracle
from ..linalg.hessian_models import CholeskySystem, DenseHessianModel, HessianModel, ShiftedSystem
from ..losses.base import HasHessian
from .composite_model import CompositeModel
from .composite_step import try_composite_step
from .loss_hessians import LossHessians, keeps_loss_hessians
from .second_order import CONTROL as SECOND_ORDER
from .second_order import SecondOrder, SecondOrderState, hessian_weights
from .trial import CONTROL as TRIAL
from .trial import TINY, Trial


@dataclass(frozen=True)
class NewtonControl:
    """The tuned numbers of Newton's method."""

    local_share: float = 1e-2
    """A step that predicts less than this share of the largest predicted decrease is local: the Hessian changes little
    along it."""
    slow_share: float = 0.1
    """Take exact Hessians once a local step with a sampled one predicts more than this share of what the step before it
    has predicted: the sample is too small, as steps with 25 rows per parameter predict a 25th."""
    stalled_share: float = 0.5
    """The same for any step: a sampled Hessian that is too large gives steps that are too short, each of which is good.
    Where rows without a place in the sample decide, they would go on by thousands."""
    underestimated: float = 1.5
    """Take exact Hessians once a step decreases g by more than this times its prediction: to twice of it tend steps
    with a Hessian that is far too large."""
    exact_share: float = 0.1
    """Take exact Hessians once the decrease after one more step is expected to be below this share of the tolerance. A
    step with an exact Hessian that predicts p lowers the predictions to about p^2 over the largest of them."""
    cheap_hessian: float = 2e8
    """Multiplications of an exact Hessian up to which none is sampled: some milliseconds. A sample misses columns with
    few nonzero entries: on adult as one group (4e7) it took 14 iterations and 24 evaluations instead of 7 and 8."""


CONTROL = NewtonControl()


@dataclass(frozen=True, eq=False)
class HessianChoice:
    """Whether the next Hessian is exact or sampled."""

    exact: bool = False
    """True once a step was local, poor, shifted or failed; it stays true."""
    largest_predicted: float = 0.0
    """The largest predicted decrease so far."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NewtonState(SecondOrderState):
    model: HessianChoice = HessianChoice()
    hessians: Annotated[LossHessians | None, Added] = None
    """Those of the single losses, where the run keeps them; None before the first step."""


@dataclass(frozen=True)
class Newton(SecondOrder[NewtonState, HessianChoice]):
    """B = sum_j lam_j Hessian f_j(w), for losses that offer ``hessian(w, lam)``.

    Sequential quadratic programming on max_j f_j in its dual form: quadratic convergence where the Hessian of <lam, f>
    is positive definite at the solution and the gradients of the losses that tie there are affinely independent
    (docs/mathematics.md, 6, "Local rates"). One Hessian and d^3/3 flops per iteration. Far from the solution,
    ``sampled_hessian`` is used instead where the losses offer it.
    """

    name: ClassVar[str] = "newton"
    needs: ClassVar[Needs] = Needs(losses=(HasHessian,))
    predicts_gap: ClassVar[bool] = True
    # The Hessian and its factor.
    n_square_matrices: ClassVar[int] = 2

    def init(self, oracle: Oracle, w0: Vector) -> NewtonState:
        at = oracle.evaluate(w0)
        return NewtonState(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),))

    def prepared(self, oracle: Oracle, state: NewtonState, at: Evaluation) -> NewtonState:
        if not keeps_loss_hessians(oracle):
            return state
        if oracle.samples_loss_hessians and _may_sample(oracle, state):
            sampled = LossHessians.sampled_at(oracle, at.w)
            if sampled is not None:
                return state.but(hessians=sampled)
        known = state.hessians
        hessians = LossHessians.all_at(oracle, at.w) if known is None else known.at(oracle, at.w, state.lam)
        return state.but(hessians=hessians)

    def hessian_model(self, oracle: Oracle, state: NewtonState, at: Evaluation) -> HessianModel:
        lam = hessian_weights(oracle, state, _center_share(state))
        if state.hessians is not None:
            return CompositeModel(state.hessians, lam)
        sampled = oracle.sampled_hessian(at.w, lam) if _may_sample(oracle, state) else None
        return DenseHessianModel(oracle.hessian(at.w, lam) if sampled is None else sampled)

    def try_step(
        self,
        oracle: Oracle,
        state: NewtonState,
        at: Evaluation,
        model: HessianModel,
        sigma: float,
        system: ShiftedSystem,
    ) -> Trial | None:
        if isinstance(model, CompositeModel) and isinstance(system, CholeskySystem):
            return try_composite_step(oracle, at, model, system, sigma, self.accuracy(oracle, state, at), state.lam)
        return super().try_step(oracle, state, at, model, sigma, system)

    def knows_hessian(self, oracle: Oracle, state: NewtonState) -> bool:
        return state.hessians is not None or not (oracle.samples_hessian and _may_sample(oracle, state))

    def learn(
        self, oracle: Oracle, state: NewtonState, trial: Trial, there: Evaluation, slope: Vector
    ) -> HessianChoice:
        largest = max(state.model.largest_predicted, trial.predicted)
        near = trial.predicted**2 < CONTROL.exact_share * oracle.tol * largest
        local = trial.predicted < CONTROL.local_share * largest
        slow = trial.predicted > (CONTROL.slow_share if local else CONTROL.stalled_share) * state.predicted
        poor = not TRIAL.poor_ratio <= trial.ratio <= CONTROL.underestimated or trial.sigma > 0
        return HessianChoice(state.model.exact or near or slow or poor, largest)

    def failed(self, state: NewtonState) -> HessianChoice:
        return HessianChoice(True, state.model.largest_predicted)

    def with_second_derivatives(self, state: NewtonState, probe: HessianProbe) -> NewtonState:
        return replace(state, model=HessianChoice(True, state.model.largest_predicted))


def _may_sample(oracle: Oracle, state: NewtonState) -> bool:
    """Whether the next Hessian is sampled where the losses offer that. Losses without ``n_entries`` are large ones."""
    losses, d = oracle.problem.losses, oracle.problem.n_params
    if state.model.exact:
        return False
    return float(getattr(losses, "n_entries", np.inf)) * d > CONTROL.cheap_hessian


def _center_share(state: NewtonState) -> float:
    """The share falls with the predicted decrease, so that B tends to the Hessian of <lam, f>."""
    if not state.predicted > 0:
        return SECOND_ORDER.center_share
    return SECOND_ORDER.center_share * min(1.0, state.predicted / max(state.model.largest_predicted, TINY))
