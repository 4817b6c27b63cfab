"""Trial steps of the second-order methods, number by number against their formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from problems import WithHessian, oracle_of, quadratics, random_quadratics

from saddleback.engine.oracle import Oracle
from saddleback.linalg.hessian_models import DenseHessianModel
from saddleback.methods import Newton, QuasiNewton
from saddleback.methods.composite_model import CompositeModel
from saddleback.methods.composite_step import CompositeStep, try_composite_step
from saddleback.methods.loss_hessians import LossHessians
from saddleback.methods.second_order import initial_hessian_diagonal
from saddleback.methods.trial import CONTROL, Trial, try_step

B = np.diag([1.0, 2.0, 4.0])
W = np.array([1.0, -0.5, 2.0])


def trial_with(sigma: float) -> tuple[Trial, Oracle]:
    """A step of three quadratics with the fixed model B, whatever their own Hessians are."""
    oracle = oracle_of(random_quadratics(4, J=3, d=3), w0=W)
    at = oracle.evaluate(W)
    system = DenseHessianModel(B).system(at.G, sigma)
    assert system is not None
    trial = try_step(oracle, at, system, sigma, 0.0, at.lam)
    assert trial is not None
    return trial, oracle


@pytest.mark.parametrize("sigma", [0.0, 0.7])
def test_the_prediction_is_the_fall_of_the_model(sigma: float) -> None:
    trial, oracle = trial_with(sigma)
    at, p = oracle.evaluate(W), trial.step.direction
    model = float((at.f + at.G @ p).max()) + 0.5 * float(p @ (B + sigma * np.eye(3)) @ p)
    assert trial.predicted == pytest.approx(at.value - model, rel=1e-9)
    assert trial.rayleigh_quotient == pytest.approx(p @ B @ p / (p @ p), rel=1e-9)


def test_the_prediction_without_the_shift_is_that_of_a_longer_step() -> None:
    """One loss and B = b I: the fall |G|^2/(2 (b + sigma)) becomes |G|^2/(2 b)."""
    b, sigma = 2.0, 3.0
    oracle = oracle_of(quadratics(np.eye(2)[None], np.array([[1.0, -2.0]]), np.zeros(1)), w0=np.ones(2))
    at = oracle.evaluate(np.ones(2))
    system = DenseHessianModel(b * np.eye(2)).system(at.G, sigma)
    assert system is not None
    trial = try_step(oracle, at, system, sigma, 0.0, at.lam)
    assert trial is not None
    square = float(at.G[0] @ at.G[0])
    assert trial.predicted == pytest.approx(square / (2 * (b + sigma)))
    assert trial.predicted_without_shift == pytest.approx(square / (2 * b))


def test_after_a_rejection_the_model_bounds_the_losses_there() -> None:
    """The raised sigma has h(f + G p) + 1/2 p'(B + sigma I) p >= g(w + p), and no smaller one has."""
    trial, _ = trial_with(0.0)
    # A value for which the needed shift is neither the least nor the most that a rejection allows.
    needed = 4.0 * trial.rayleigh_quotient
    step, p = trial.step, trial.step.direction
    value = step.model_value + 0.5 * (p @ B @ p) + 0.5 * needed * (p @ p)
    rejected = replace(trial, step=replace(step, point=replace(step.point, value=value)))
    assert not rejected.accepted
    assert rejected.sigma_after_rejection() == pytest.approx(needed)


def test_the_first_diagonal_is_a_slope_over_a_length() -> None:
    oracle = oracle_of(random_quadratics(4, J=3, d=3), w0=100.0 * W)
    at = oracle.evaluate(100.0 * W)
    steepest = np.linalg.norm(at.G, axis=1).max()
    assert initial_hessian_diagonal(at) == pytest.approx(steepest / np.linalg.norm(100.0 * W))


def test_the_bound_of_a_step_is_made_where_the_step_arrived() -> None:
    losses = random_quadratics(4, J=3, d=3)
    for method in (QuasiNewton(), Newton()):
        oracle = oracle_of(WithHessian.of(losses) if isinstance(method, Newton) else losses, w0=W)
        state = method.init(oracle, W)
        after = method.step(oracle, state)
        assert not np.array_equal(after.point.w, W)
        (minorant,) = after.minorants
        np.testing.assert_array_equal(minorant.origin, after.point.w)
        f, G = losses.evaluate(after.point.w)
        assert minorant.constant == pytest.approx(after.lam @ f)
        np.testing.assert_allclose(minorant.slope, after.lam @ G, rtol=1e-9)


@pytest.mark.parametrize("sigma", [0.0, 0.7])
def test_a_composite_step_knows_its_own_curvature(sigma: float) -> None:
    """1/2 p'Pp with P = sum_j lam_j H_j + sigma I, and the error that is left of the second-order model."""

    class Quadratics(WithHessian):
        def loss_hessians(self, w: np.ndarray, which: np.ndarray) -> np.ndarray:
            return np.array([self.hessian(w, row) for row in np.eye(self.n_losses)[which]])

    plain = random_quadratics(4, J=3, d=3)
    losses = Quadratics(plain.pair, plain.n_losses, plain.n_params, plain.L, plain.strong_convexity)
    oracle = oracle_of(losses, w0=W)
    at = oracle.evaluate(W)
    hessians = LossHessians.all_at(oracle, W)
    model = CompositeModel(hessians, np.full(3, 1 / 3))
    system = model.system(at.G, sigma)
    assert system is not None
    trial = try_composite_step(oracle, at, model, system, sigma, 0.0, at.lam)
    assert trial is not None
    assert isinstance(trial.step, CompositeStep)
    p, H = trial.step.direction, losses.hessian(W, trial.step.lam)
    half_square = 0.5 * float(p @ (H + sigma * np.eye(3)) @ p)
    assert trial.step.proximity == pytest.approx(half_square, rel=1e-6)
    # The losses are quadratics: the model is exact, so that it falls by what g falls and the shift.
    fall = at.value - trial.step.point.value
    assert trial.predicted == pytest.approx(fall - 0.5 * sigma * (p @ p), rel=1e-6)
    assert trial.rayleigh_quotient == pytest.approx(p @ H @ p / (p @ p), rel=1e-6)
    assert trial.ratio > CONTROL.good_ratio
