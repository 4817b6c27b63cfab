"""Theorem "fixed-point" of the paper: lam* is a best response to the losses where its own step arrives."""

from __future__ import annotations

import numpy as np
import pytest
from problems import Convex, enclosing_ball, oracle_of, paper_logistic, random_quadratics

import saddleback as sb
from saddleback.methods import Accelerated, FixedPoint

from .driver import Sequence
from .tolerances import FIXED_POINT, ROUNDING

REGULARIZERS = {
    "zero": sb.Zero(),
    "quadratic": sb.Quadratic(0.3),
    "small quadratic": sb.Quadratic(1e-3),
    "entropy": sb.Entropy(0.3),
    "small entropy": sb.Entropy(1e-2),
}
LOSSES = {
    "quadratics": random_quadratics(seed=5, J=4, d=6, condition=30.0),
    "enclosing ball": enclosing_ball().losses,
    "logistic": paper_logistic(seed=2, d=20, J=4, N=40),
    "one loss": random_quadratics(seed=6, J=1, d=3),
}


def residual(problem: sb.Problem, lam: np.ndarray, w: np.ndarray) -> float:
    """max over mu of Phi(mu, w) - Phi(lam, w)."""
    f = problem.losses.evaluate(w)[0]
    return problem.best_response(f).value - (lam @ f - problem.regularizer.value(lam))


def drive(losses: Convex, R, method: FixedPoint, n_steps: int, **options):
    oracle = oracle_of(losses, R, **options)
    state = method.init(oracle, oracle.w0)
    for _ in range(n_steps):
        before, state = state, method.step(oracle, state)
        yield before, state


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("steps", ["paper", "sharp"])
def test_steps_satisfy_the_fixed_point_equation(steps: str, name: str, R: str) -> None:
    """w+, ag+ and the residual recomputed by hand from (w, ag, lam*), at every step."""
    losses, regularizer = LOSSES[name], REGULARIZERS[R]
    problem = sb.Problem(losses, regularizer=regularizer)
    method = FixedPoint(steps=steps, smoothness=losses.L, restart=False)
    for before, after in drive(losses, regularizer, method, 12):
        alpha, m = after.A - before.A, losses.strong_convexity if steps == "sharp" else 0.0
        u, md = Sequence.of(before).middle(alpha, m)
        growth = 1 + m * after.A
        f, G = losses.evaluate(md)
        slope = after.lam @ G
        ag = md - alpha**2 / (after.A * growth) * slope
        size = np.abs(f).max() + np.abs(losses.evaluate(ag)[0]).max()
        np.testing.assert_allclose(after.point.w, ag, atol=ROUNDING * (1 + np.abs(ag).max()))
        w_after = u - alpha / growth * slope
        np.testing.assert_allclose(after.w, w_after, atol=ROUNDING * (1 + np.abs(w_after).max()))
        assert after.lam.min() >= 0
        assert after.lam.sum() == pytest.approx(1.0)
        assert residual(problem, after.lam, ag) <= FIXED_POINT * np.abs(f).max() + ROUNDING * size
        assert after.inner_gap == pytest.approx(residual(problem, after.lam, ag), abs=10 * ROUNDING * size)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_history_holds_the_fixed_point_residuals(name: str, R: str) -> None:
    problem = sb.Problem(LOSSES[name], regularizer=REGULARIZERS[R])
    with pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(problem, method="fixed-point", tol=0.0, max_iter=15)
    f0 = np.abs(LOSSES[name].evaluate(np.zeros(problem.n_params))[0]).max()
    assert result.history.inner_gap.max() <= FIXED_POINT * max(1.0, 10 * f0)
    assert "dual subproblems ended above" not in result.message


def test_fixed_point_differs_from_the_linearized_subproblem() -> None:
    """(D) linearizes, so that its lam is no fixed point: the theorem asks for more than Algorithm 1 computes."""
    losses = LOSSES["logistic"]
    problem = sb.Problem(losses)
    method = Accelerated(steps="paper", smoothness=losses.L, restart=False, inner_accuracy=1e-13)
    worst = max(residual(problem, after.lam, after.point.w) for _, after in drive(losses, sb.Zero(), method, 12))
    assert worst > 1e5 * FIXED_POINT
