"""Interior-point steps in the parameters and a few multipliers, for many more losses than parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from .._types import EPS, Indices, Matrix, Vector
from ..capabilities import Needs
from ..dual_sets.interior import HasInteriorForm, Interior, InteriorForm
from ..engine.evaluation import Breakdown, Evaluation, StructuredEvaluation
from ..engine.method import Method, State
from ..engine.oracle import Oracle
from ..losses.base import HasHessian
from ..regularizers import Zero
from .interior_system import Direction, dominant_rows, shifted_direction, split_direction


@dataclass(frozen=True)
class InteriorPointControl:
    """The numbers of `InteriorPoint`."""

    first_share: float = 0.03
    """tau n_pairs starts at this share of the adversary's gap. With 1 there are a tenth more steps."""
    reduction: float = 0.1
    """tau falls by this factor where the steps have reached the central path."""
    central_share: float = 0.3
    """A point is near the central path where a Newton step predicts a decrease of at most this share of tau n_pairs.
    With 0.1 there are a tenth more steps on tables of 1,000 to 40,000 rows and twelve sets; with 1 some runs on KL
    balls near their largest radius do not end."""
    most_lag: float = 3.0
    """tau stays where the adversary's gap is more than this many times tau n_pairs: the weights have not followed yet,
    and the smaller tau, the shorter their steps."""
    smallest_share: float = 0.3
    """tau stays where the adversary's gap is below this share of the tolerance: the rest is for the slope."""
    needed_share: float = 0.03
    """tau n_pairs is at least this share of the tolerance. Below, rounding errors of losses, times theta, change the
    weights, and a gap that stays for that reason is no reason for a smaller tau."""
    sufficient_decrease: float = 1e-4
    """Armijo's constant (Nocedal and Wright, section 3.1)."""
    backtracking: float = 0.5
    """The factor of the step in backtracking."""
    most_trials: int = 30
    """Trial points of one step."""
    rounding: float = 64 * EPS
    """The rounding error of phi that the Armijo test allows, relative to the losses."""
    corrections: int = 5
    """Corrections of lam where the steps of w are rounding errors; each divides the slope by ten."""
    least_scale: float = 1e-15
    """tau n_pairs is at least this share of the losses: below it rounding errors decide about the weights."""


CONTROL = InteriorPointControl()


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorPointState(State):
    tau: float = np.nan
    """The barrier parameter; nan before there are multipliers."""
    interior: Interior | None = None
    """Multipliers, interior weights and slack; None before the first step."""


@dataclass(frozen=True)
class InteriorPoint(Method[InteriorPointState]):
    """Newton's method in (w, y) on the barrier smoothing phi_tau(f(w), y) of h, whose minimum over y tends to h(f(w)).

    y are the one or two multipliers of the set (``dual_sets.interior``). The Hessian is sum_j lam_j Hessian f_j +
    G' diag(theta) G, bordered by y: one weighted Gram matrix of the gradients, J d^2 multiplications, and nothing of
    size J x J. With the curvature theta of primal-dual methods about ten to forty steps reach a gap of 1e-6 on
    standardized tables, also where losses tie (docs/mathematics.md, 15). Every lam on the way proves a lower bound.
    For R = 0.
    """

    name: ClassVar[str] = "interior-point"
    needs: ClassVar[Needs] = Needs(losses=(HasHessian,), dual_set=(HasInteriorForm,), regularizer=(Zero,))
    predicts_gap: ClassVar[bool] = True
    n_square_matrices: ClassVar[int] = 3
    solves_subproblems: ClassVar[bool] = False
    keeps_structure: ClassVar[bool] = True

    @property
    def rescales(self) -> bool:
        return True

    def init(self, oracle: Oracle, w0: Vector) -> InteriorPointState:
        at = oracle.evaluate(w0)
        return InteriorPointState(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),))

    def step(self, oracle: Oracle, state: InteriorPointState) -> InteriorPointState:
        at = oracle.evaluate(state.point.w)
        if not at.finite:
            raise Breakdown("the Jacobian is not finite where the last step arrived")
        form = oracle.adversary.interior_form
        assert form is not None, "refused by the needs of this method"
        if state.interior is None:
            return _first_step(oracle, form, at, state)
        return _step(oracle, form, at, state, state.interior)


def _first_step(oracle: Oracle, form: InteriorForm, at: Evaluation, state: InteriorPointState) -> InteriorPointState:
    """A Newton step on <center, f>: from a point where all losses tie, nothing is known about their spread."""
    center = oracle.adversary.dual_set.center(at.f.size)
    slope, zero = at.slope(center), np.zeros(at.f.size)
    direction = shifted_direction(_hessian(oracle, at, center, zero), slope)
    p = direction.p
    decrease = -float(slope.dot(p))
    there, t = at, 1.0
    value, noise = float(center.dot(at.f)), CONTROL.rounding * at.magnitude
    for _ in range(CONTROL.most_trials):
        trial = oracle.evaluate(at.w + t * p)
        if trial.finite and center.dot(trial.f) <= value - CONTROL.sufficient_decrease * t * decrease + noise:
            there = trial
            break
        t *= CONTROL.backtracking
    scale = max(there.value - float(center.dot(there.f)), _target(oracle, there), CONTROL.least_scale * there.magnitude)
    return replace(
        state,
        point=there.point,
        lam=center,
        minorants=(oracle.cut(there, center),),
        predicted=scale + 0.5 * max(decrease, 0.0),
        unshifted_step=p if direction.shift == 0.0 else None,
        tau=CONTROL.first_share * scale / form.n_pairs,
        interior=form.start(there.f, scale),
    )


def _step(
    oracle: Oracle, form: InteriorForm, at: Evaluation, state: InteriorPointState, interior: Interior
) -> InteriorPointState:
    tau, d = state.tau, at.w.size
    gradient, direction = _newton_step(oracle, form, at, interior, state.lam, tau)
    p = direction.p
    decrease = -float(gradient.dot(p))
    value, t = form.value(at.f, interior.y, tau), form.longest_step(interior.y, p[d:])
    noise = CONTROL.rounding * (at.magnitude + abs(value))
    for _ in range(CONTROL.most_trials):
        there, y = oracle.evaluate(at.w + t * p[:d]), interior.y + t * p[d:]
        allowed = value - CONTROL.sufficient_decrease * t * decrease + noise
        if there.finite and form.value(there.f, y, tau) <= allowed:
            break
        t *= CONTROL.backtracking
    else:
        there, y = at, interior.y
    moved = form.moved(at.f, there.f, interior, y, at.change(p[:d]), p[d:], tau)
    lam = oracle.adversary.dual_set.restore(form.lam(moved))
    if decrease <= noise:
        lam = with_smaller_slope(oracle, form, there, moved, lam, tau)
    gap = max(0.0, there.value - float(lam.dot(there.f)))
    total = tau * form.n_pairs
    central = 0.5 * decrease <= CONTROL.central_share * total and gap <= CONTROL.most_lag * total
    needed = max(CONTROL.least_scale * there.magnitude, CONTROL.needed_share * _target(oracle, there))
    least = needed / form.n_pairs
    if central and gap > CONTROL.smallest_share * _target(oracle, there):
        tau = max(CONTROL.reduction * tau, min(tau, least))
    return replace(
        state,
        point=there.point,
        lam=lam,
        minorants=(oracle.cut(there, lam),),
        inner_gap=gap,
        predicted=gap + 0.5 * max(decrease, 0.0),
        unshifted_step=p[:d] if direction.shift == 0.0 else None,
        tau=tau,
        interior=moved,
    )


def with_smaller_slope(
    oracle: Oracle, form: InteriorForm, at: Evaluation, interior: Interior, lam: Vector, tau: float
) -> Vector:
    """lam changed for G'lam = 0 where steps of w are rounding errors, whose effect on lam is theta times as large.

    The change is that of the model at w for a step (p, dy) with G'diag(theta) G in place of the Hessian, which does not
    move w. Where the slope does not fall, lam is returned.
    """
    model = form.model(at.f, interior, tau)
    d, slope, none = at.w.size, at.slope(lam), np.zeros(len(model.cross))
    H = _bordered(_squares(at, model.theta), at, model.cross, model.border)
    for _ in range(CONTROL.corrections):
        p = shifted_direction(H, np.concatenate([slope, none])).p
        change = model.theta * at.change(p[:d]) + p[d:].dot(model.cross)
        changed = oracle.adversary.dual_set.restore(lam + change)
        there = at.slope(changed)
        if not np.linalg.norm(there) < np.linalg.norm(slope):
            break
        lam, slope = changed, there
    return lam


def _newton_step(
    oracle: Oracle, form: InteriorForm, at: Evaluation, interior: Interior, lam: Vector, tau: float
) -> tuple[Vector, Direction]:
    """The gradient of phi_tau in (w, y), and the step."""
    model = form.model(at.f, interior, tau)
    gradient = np.concatenate([at.slope(model.weights), model.gradient])
    direction = shifted_direction(
        _bordered(_hessian(oracle, at, lam, model.theta), at, model.cross, model.border), gradient
    )
    if direction.accurate:
        return gradient, direction
    which = dominant_rows(model.theta * np.square(at.row_norms()), gradient.size)
    some = np.zeros(model.theta.size, dtype=np.bool_)
    some[which] = True
    theta, cross = np.where(some, 0.0, model.theta), np.where(some, 0.0, model.cross)
    border = (cross / np.where(theta > 0.0, theta, 1.0)).dot(cross.T) + model.rest
    C = np.hstack([_some_rows(at, which), (model.cross[:, which] / model.theta[which]).T])
    rest = _bordered(_hessian(oracle, at, lam, theta), at, cross, border)
    split = split_direction(rest, C, model.theta[which], gradient)
    return gradient, split or direction


def _bordered(of_w: Matrix, at: Evaluation, cross: Matrix, border: Matrix) -> Matrix:
    """The Hessian in (w, y), from that in w."""
    d, k = at.w.size, len(border)
    H = np.empty((d + k, d + k))
    H[:d, :d] = of_w
    for i, row in enumerate(cross):
        H[d + i, :d] = H[:d, d + i] = at.slope(row)
    H[d:, d:] = border
    return H


def _some_rows(at: Evaluation, which: Indices) -> Matrix:
    return at.jacobian.some_rows(which) if isinstance(at, StructuredEvaluation) else at.G[which]


def _target(oracle: Oracle, at: Evaluation) -> float:
    """The gap at which a run ends, as in `Stopping.threshold`."""
    return max(oracle.tol, min(oracle.tol, 1e-10) * abs(at.value))


def _hessian(oracle: Oracle, at: Evaluation, lam: Vector, theta: Vector) -> Matrix:
    """sum_j lam_j Hessian f_j + G' diag(theta) G."""
    if isinstance(at, StructuredEvaluation):
        H = at.jacobian.hessian(lam, theta)
    else:
        H = oracle.hessian(at.w, lam) + _squares(at, theta)
    if not np.isfinite(H).all():
        raise Breakdown("the Hessian is not finite at the point of the last step")
    return H


def _squares(at: Evaluation, theta: Vector) -> Matrix:
    """G' diag(theta) G."""
    if isinstance(at, StructuredEvaluation):
        return at.jacobian.hessian(np.zeros(theta.size), theta)
    return (at.G.T * theta).dot(at.G)
