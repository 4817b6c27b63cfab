"""Quasi-Newton steps through the dual subproblem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, TypeAlias

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Added, Matrix, Vector
from ..engine.evaluation import Evaluation, StructuredEvaluation, frobenius_norm
from ..engine.hessian_probe import HessianProbe, affords_hessian
from ..engine.oracle import Oracle
from ..errors import ProblemError
from ..linalg.hessian_models import HessianModel, ShiftedSystem
from ..linalg.sparse_jacobian import SparseJacobian
from .affine_model import AffineModel
from .bfgs import DenseBFGS
from .limited_bfgs import LimitedBFGS
from .prox_step import ProxStep
from .sampled_gradients import CONTROL as SAMPLING
from .sampled_gradients import SampledGradients, at_point, heaviest, with_sampled_hessian
from .second_order import SecondOrder, SecondOrderState, hessian_weights, initial_hessian_diagonal
from .smoothness import CONTROL as SMOOTHNESS
from .smoothness import initial_smoothness
from .trial import Trial


@dataclass(frozen=True)
class QuasiNewtonControl:
    """The tuned numbers of the quasi-Newton method.

    Each was measured with a third and three times its value, on the published minimax problems and on tables of 12 and
    200 columns. Unless noted, the number of evaluations changes by at most 2 %.
    """

    largest_dense: int = 150
    """Up to this many parameters B is a matrix with every pair: d^3/3 flops cost less than most evaluations. At 200
    parameters a matrix saves 6 % of the evaluations."""
    flat_cosine: float = 1e-10
    """A pair with s'y below this share of |s||y| consists of rounding errors: the losses are flat along s."""
    exhausted_share: float = 0.1
    """A predicted decrease below this share of the tolerance is negligible; the same share as ESTIMATE_SHARE of
    engine/stopping.py (docs/mathematics.md, 6, "The estimate"). Three times it costs 9 % more evaluations."""
    hessian_after: int = 40
    """Take an exact Hessian after hessian_after + d/``flops`` steps: easy problems end before, and the Hessian costs as
    much as d/``flops`` evaluations. On badly conditioned tables a third of this number saves 40 % of the evaluations,
    and three times it costs 60 % more."""
    flops: float = 8.0
    """Multiplications of a matrix product in the time in which an evaluation reads one entry of the data, as
    measured."""
    zero_weight: float = 1e-8
    """A loss with a smaller weight is inactive: its weight is zero up to the accuracy of (D)."""


CONTROL = QuasiNewtonControl()

BFGS: TypeAlias = DenseBFGS | LimitedBFGS


@dataclass(frozen=True, eq=False)
class QuasiNewtonModel:
    """The Hessian model of <lam, f> after the steps so far."""

    removed_fields: ClassVar[tuple[str, ...]] = ("gradients",)

    B: BFGS | AffineModel
    sampled: Annotated[SampledGradients, Added] = field(default_factory=SampledGradients.none)
    """The gradients of a limited-memory B on the losses' sample; none for a dense B."""
    age: int = 0
    """Steps since B was the losses' own Hessian, or since the start."""


@dataclass(frozen=True, eq=False, kw_only=True)
class QuasiNewtonState(SecondOrderState):
    model: QuasiNewtonModel


@dataclass(frozen=True)
class QuasiNewton(SecondOrder[QuasiNewtonState, QuasiNewtonModel]):
    """BFGS on the Lagrangian: pairs s = w+ - w, y = (G+ - G)' lam with the same lam (docs/mathematics.md, 6).

    For few parameters a dense B, else the compact form of limited memory: O(d J memory) per iteration beside the
    evaluation. Where the losses offer ``sampled_hessian``, the initial Hessian of the limited form is sampled on the
    span of the gradients at the last points. Where y = 0, as on piecewise-linear losses, B is divided by ten
    and steps become long: a proximal-point method, which ends after finitely many steps there.

    Parameters
    ----------
    memory : int
        How many pairs the limited form keeps.
    """

    name: ClassVar[str] = "quasi-newton"
    predicts_gap: ClassVar[bool] = True

    memory: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.memory, int | np.integer) or self.memory < 1:
            raise ProblemError(f"memory must be a whole number >= 1; got {self.memory!r}.")

    def init(self, oracle: Oracle, w0: Vector) -> QuasiNewtonState:
        at = oracle.evaluate(w0)
        delta, d = initial_hessian_diagonal(at), w0.size
        B: BFGS | AffineModel
        if oracle.affine:
            B = AffineModel.start(oracle, at)
        elif d <= CONTROL.largest_dense:
            B = DenseBFGS.start(d, delta)
        else:
            B = LimitedBFGS.start(d, delta)
        sampled = SampledGradients.none()
        if type(B) is LimitedBFGS and oracle.samples_hessian and at.f.size <= SAMPLING.first:
            B, sampled = at_point(oracle, B, sampled, at, at.lam)
        return QuasiNewtonState(
            point=at.point,
            lam=at.lam,
            minorants=(oracle.cut(at, at.lam),),
            model=QuasiNewtonModel(B, sampled),
        )

    def hessian_model(self, oracle: Oracle, state: QuasiNewtonState, at: Evaluation) -> HessianModel:
        B = state.model.B
        if type(B) is not LimitedBFGS or not oracle.samples_hessian:
            return B
        lam = hessian_weights(oracle, state)
        latest = at_point(oracle, B, state.model.sampled, at, lam)
        return with_sampled_hessian(oracle, *latest, at.w, lam) or B

    def system(self, oracle: Oracle, hessian_model: HessianModel, at: Evaluation, sigma: float) -> ShiftedSystem | None:
        if (
            isinstance(hessian_model, AffineModel)
            and oracle.steps_from_primal
            and isinstance(at, StructuredEvaluation)
            and isinstance(at.jacobian, SparseJacobian)
        ):
            return hessian_model.sparse_system(at.jacobian, sigma)
        return super().system(oracle, hessian_model, at, sigma)

    def knows_hessian(self, oracle: Oracle, state: QuasiNewtonState) -> bool:
        B = state.model.B
        return type(B) is DenseBFGS and B.from_hessian

    def learn(
        self, oracle: Oracle, state: QuasiNewtonState, trial: Trial, there: Evaluation, slope: Vector
    ) -> QuasiNewtonModel:
        model, step = state.model, trial.step
        B, sampled = model.B, model.sampled
        if type(B) is AffineModel:
            return QuasiNewtonModel(AffineModel.start(oracle, there))
        s, y = step.direction, slope - step.slope
        if model.age >= CONTROL.hessian_after + s.size / CONTROL.flops and affords_hessian(oracle):
            return _from_hessian(oracle.hessian(there.w, step.lam))
        gradients = None
        if type(B) is LimitedBFGS and oracle.samples_hessian:
            B, sampled = at_point(oracle, B, sampled, step.base, step.lam)
            gradients = heaviest(there.G, step.lam)
        if _is_curved(oracle, step, there, y):
            B = self._updated(B, s, y, gradients)
        # With a smaller B, Q in (D) would exceed c by so much that rounding errors determine lam.
        elif not B.smallest_eigenvalue_bound < initial_smoothness(there) / SMOOTHNESS.longest_step:
            B = B.scaled_down()
        # A model without predicted decrease is accurate only along its pairs: other directions are tried before the run
        # may end.
        exhausted = trial.predicted_without_shift < CONTROL.exhausted_share * oracle.tol
        if exhausted and not B.delta < initial_smoothness(there) / SMOOTHNESS.longest_step**2:
            B = B.with_smaller_initial()
        if type(B) is LimitedBFGS and gradients is not None:
            if B.gradients[-1] is not gradients:
                B = B.with_gradients(gradients, SAMPLING.points)
            sampled = sampled.following(oracle, B)
        return QuasiNewtonModel(B, sampled, model.age + 1)

    def failed(self, state: QuasiNewtonState) -> QuasiNewtonModel:
        return state.model

    def with_second_derivatives(self, state: QuasiNewtonState, probe: HessianProbe) -> QuasiNewtonState:
        model = state.model
        B = model.B
        if probe.hessian is not None and type(B) is not AffineModel:
            return replace(state, model=_from_hessian(probe.hessian), sigma=0.0)
        if probe.S is None or probe.Y is None:
            return state
        if type(B) is not AffineModel:
            for s, y in zip(probe.S, probe.Y, strict=True):
                if float(s.dot(y)) > CONTROL.flat_cosine * float(dnrm2(s)) * float(dnrm2(y)):
                    B = self._updated(B, s, y)
        return replace(state, model=replace(model, B=B), sigma=0.0)

    def _updated(self, B: BFGS, s: Vector, y: Vector, gradients: Matrix | None = None) -> BFGS:
        if type(B) is DenseBFGS:
            return B.updated(s, y)
        return B.updated(s, y, self.memory, gradients, SAMPLING.points)


def _from_hessian(H: Matrix) -> QuasiNewtonModel:
    """The losses' own Hessian, at age 0."""
    return QuasiNewtonModel(DenseBFGS.start_from(H))


def _is_curved(oracle: Oracle, step: ProxStep, there: Evaluation, y: Vector) -> bool:
    """Whether y exceeds its rounding errors and is not orthogonal to s."""
    s, length = step.direction, float(dnrm2(y))
    if not float(s.dot(y)) > CONTROL.flat_cosine * float(dnrm2(s)) * length:
        return False
    # The error of (G+ - G)' lam: rounding, and the inexact weights of inactive losses.
    weight, lengths = float(dnrm2(step.lam)), step.base.length + there.length
    if not length > weight * oracle.jacobian_precision * lengths:
        return False
    # |G+ - G| is at most the sum of their norms.
    return length > weight * CONTROL.zero_weight * lengths or length > weight * CONTROL.zero_weight * frobenius_norm(
        there.G - step.base.G
    )
