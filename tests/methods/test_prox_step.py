"""Proximal steps and backtracking, number by number against their formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from problems import Convex, oracle_of, quadratics, random_quadratics
from theory.tolerances import ROUNDING

from saddleback.methods import ProxLinear
from saddleback.methods.prox_step import CONTROL, ProxStep, prox_step
from saddleback.methods.smoothness import CONTROL as SMOOTHNESS
from saddleback.methods.smoothness import Smoothness, initial_smoothness

CLOSE = {"rtol": 100 * ROUNDING, "atol": 100 * ROUNDING}
ETA = 0.05


def step_of(losses: Convex, eta: float = ETA) -> tuple[ProxStep, np.ndarray]:
    """A step from a point away from the kinks, and that point."""
    w = np.linspace(-1.0, 2.0, losses.n_params)
    oracle = oracle_of(losses, w0=w)
    return prox_step(oracle, oracle.evaluate(w), eta, 0.0), w


def tall_quadratics() -> Convex:
    """More losses than `is_tall` asks for, of fewer parameters: (D) gets a factor instead of Q."""
    return random_quadratics(5, J=40, d=3)


@pytest.mark.parametrize("losses", [random_quadratics(2, J=4, d=5), tall_quadratics()], ids=["square", "tall"])
def test_a_step_is_the_minimum_of_its_model(losses: Convex) -> None:
    eta = 0.5
    step, w = step_of(losses, eta)
    f, G = losses.evaluate(w)
    p = step.point.w - w
    np.testing.assert_allclose(p, -eta * (step.lam @ G), **CLOSE)
    # At a vertex (D) would have the same solution for every Q.
    assert np.count_nonzero(step.lam > 1e-6) > 1

    def model(p: np.ndarray) -> float:
        return float((f + G @ p).max() + p @ p / (2 * eta))

    # The model is 1/eta-strongly convex, so that a move of v raises it by |move|^2/(2 eta), up to the gap of (D).
    moves = 1e-3 * np.random.default_rng(0).standard_normal((50, w.size))
    assert all(model(p + m) >= model(p) + m @ m / (4 * eta) - 1e-12 for m in moves)


def test_the_figures_of_a_step() -> None:
    losses = random_quadratics(2, J=4, d=5)
    step, w = step_of(losses)
    f, G = losses.evaluate(w)
    p = step.point.w - w
    model, reached = float((f + G @ p).max()), float(losses.evaluate(w + p)[0].max())
    assert step.length_squared == pytest.approx(p @ p)
    assert step.proximity == pytest.approx(p @ p / (2 * ETA))
    assert step.predicted == pytest.approx(f.max() - model - p @ p / (2 * ETA))
    assert step.error == pytest.approx(reached - model)
    assert step.needed_smoothness == pytest.approx(2 * (reached - model) / (p @ p))
    # L as needed is the least one that the step admits.
    assert step.admits(1.001 * step.needed_smoothness)
    assert not step.admits(0.999 * step.needed_smoothness)


def test_the_error_of_a_quadratic_loss_is_its_curvature() -> None:
    """One loss with Hessian c I: the error is exactly c/2 |p|^2, and the needed smoothness c."""
    for c in (0.5, 3.0):
        step, _ = step_of(quadratics(c * np.eye(2)[None], np.ones((1, 2)), np.zeros(1)))
        assert step.needed_smoothness == pytest.approx(c, rel=1e-9)


def test_steps_of_prox_linear_have_the_length_that_the_smoothness_allows() -> None:
    """One loss: w+ = w - G/L for the L of the state, found by backtracking from far too small a value."""
    losses = quadratics(np.diag([1.0, 8.0])[None], np.array([[1.0, -2.0]]), np.zeros(1))
    oracle = oracle_of(losses, w0=np.array([3.0, 1.0]))
    method = ProxLinear()
    state = method.init(oracle, oracle.w0)
    L = state.smoothness.L
    # The point of the start is no kink, and the step that calibrated L is admitted: the first trial is taken.
    after = method.step(oracle, state)
    G = losses.evaluate(state.point.w)[1][0]
    np.testing.assert_allclose(after.point.w, state.point.w - G / L, **CLOSE)


def test_a_rejection_raises_the_smoothness_to_what_was_needed() -> None:
    step, _ = step_of(random_quadratics(2, J=4, d=5))
    needed = step.needed_smoothness
    for share in (0.1, 0.02):
        L = share * needed
        assert not Smoothness(L).admits(step)
        raised = Smoothness(L).after_rejection(step).L
        assert raised == pytest.approx(SMOOTHNESS.increase_margin * needed)
        assert Smoothness(raised).admits(step)


def test_the_first_smoothness_has_the_unit_of_a_second_derivative() -> None:
    """|grad|^2/|f| of c/2 |w|^2 is 2 c at every w: scaling f scales it, scaling w does not."""
    for c in (1e-3, 1.0, 1e3):
        for size in (1e-2, 1.0, 1e2):
            losses = quadratics(c * np.eye(2)[None], np.zeros((1, 2)), np.zeros(1))
            at = oracle_of(losses, w0=size * np.ones(2)).evaluate(size * np.ones(2))
            assert initial_smoothness(at) == pytest.approx(2 * c)


def test_noise_is_counted_in_units_of_the_losses() -> None:
    step, _ = step_of(random_quadratics(2, J=4, d=5))
    assert step.noise == CONTROL.rounding_units * step.rounding
    lost = replace(step, point=replace(step.point, value=np.inf))
    assert not lost.admits(np.inf)
