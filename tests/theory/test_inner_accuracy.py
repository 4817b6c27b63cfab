"""How accurately (D) is solved: kappa/2 lam' Q lam costs nothing with the sharp steps; the paper's have L/t^4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from problems import Convex, nesterov_split, oracle_of, paper_logistic, random_quadratics

import saddleback as sb
from saddleback.methods import Accelerated
from saddleback.subproblem import Auto, DualSolution, DualSubproblem

from .driver import assert_bound, run
from .tolerances import ROUNDING

REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}
LOSSES = {
    "logistic": paper_logistic(seed=1, d=40, J=5, N=60),
    "nesterov": nesterov_split(J=4, d=100).losses,
    "strongly convex": random_quadratics(seed=3, J=4, d=10, condition=300.0),
}
KAPPA = 1e-2
"""What the documentation says of the default."""


@dataclass(frozen=True)
class AsLooseAsAllowed:
    """The solution, moved toward the worst vertex until its gap is just within the tolerance."""

    name: str = "as loose as allowed"

    def solve(self, subproblem: DualSubproblem, tol: float, start: np.ndarray | None = None) -> DualSolution:
        exact = Auto().solve(subproblem, 0.0, None)
        vertices = np.eye(subproblem.c.size)
        worst = max(vertices, key=subproblem.cross_evaluation_gap)
        near, far = 0.0, 1.0
        for _ in range(30):
            t = 0.5 * (near + far)
            allowed = subproblem.cross_evaluation_gap((1 - t) * exact.lam + t * worst) <= tol
            near, far = (t, far) if allowed else (near, t)
        lam = (1 - near) * exact.lam + near * worst
        return DualSolution(lam, subproblem.cross_evaluation_gap(lam), 1, True, self.name)


def drive(losses: Convex, R: str, method: Accelerated, n_steps: int):
    oracle = oracle_of(losses, REGULARIZERS[R], inner=AsLooseAsAllowed())
    result = run(method, oracle, n_steps)
    assert_bound(result, oracle, oracle.w0)
    assert_bound(result, oracle, result.states[-1].point.w)
    return result


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_gaps_are_what_the_shorter_steps_pay_for(name: str, R: str) -> None:
    """gap_t <= kappa/2 lam' Q lam with the kappa of L alpha^2 = (1 - kappa) A (1 + m A): (3) has no noise."""
    losses = LOSSES[name]
    # Strongly convex losses reach rounding errors soon.
    n_steps = 12 if losses.strong_convexity > 0 else 60
    result = drive(losses, R, Accelerated(smoothness=losses.L, restart=False), n_steps)
    A, m = result.A, losses.strong_convexity
    kappa = 1 - losses.L * result.alpha**2 / (A * (1 + m * A))
    np.testing.assert_allclose(kappa, KAPPA, rtol=1e-6)
    largest = np.array([np.abs(state.point.f).max() for state in result.states[1:]])
    assert np.all(result.gaps <= kappa * result.proximities * (1 + 1e-6) + ROUNDING * largest)
    # The inner solves were inexact: they used a good part of what is allowed.
    assert np.median(result.gaps / result.proximities) >= 0.05 * KAPPA


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", ["logistic", "nesterov"])
def test_gaps_of_the_papers_steps_are_at_most_its_schedule(name: str, R: str) -> None:
    """gap_t <= L/t^4, so that sum A_t gap_t is at most sum (t + 2)^2 (1 + log(t + 1))^2/(16 t^4), a constant."""
    losses = LOSSES[name]
    result = drive(losses, R, Accelerated(steps="paper", smoothness=losses.L, restart=False), 60)
    t = np.arange(1, 61)
    largest = np.array([np.abs(state.point.f).max() for state in result.states[1:]])
    assert np.all(result.gaps <= losses.L / t**4 + ROUNDING * largest)
    assert np.median(result.gaps * t**4) >= 0.5 * losses.L
    log = 1 + np.log(t + 1)
    assert np.all(np.cumsum(result.A * result.gaps) <= np.cumsum((t + 2) ** 2 * log**2 / (16 * t**4)) * (1 + 1e-9))


def test_inner_solves_are_repeated_until_their_gap_is_small_enough() -> None:
    """A first accuracy that is far too low: the answer has the gap that its own step pays for."""
    losses = LOSSES["logistic"]
    oracle = oracle_of(losses, inner=AsLooseAsAllowed())
    method = Accelerated(smoothness=losses.L, restart=False)
    state = method.step(oracle, method.init(oracle, oracle.w0))
    state = method.step(oracle, state.but(smallest_proximity=1e6))
    assert state.inner_iter > 1
    assert state.inner_gap <= KAPPA * state.smallest_proximity * (1 + 1e-9)


@pytest.mark.parametrize("accuracy", [0.0, 1e-3])
def test_a_given_accuracy_is_that_of_every_solve_and_shortens_no_step(accuracy: float) -> None:
    losses = LOSSES["nesterov"]
    method = Accelerated(smoothness=losses.L, restart=False, inner_accuracy=accuracy)
    result = drive(losses, "zero", method, 30)
    np.testing.assert_allclose(losses.L * result.alpha**2, result.A, rtol=1e-9)
    assert result.gaps.max() <= accuracy + ROUNDING * 10
