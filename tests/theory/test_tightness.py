"""Bound (3) is tight: one Huber loss meets it up to the factor 1 + O(1/T) (docs/mathematics.md, 2)."""

from __future__ import annotations

import numpy as np
import pytest
from problems import Convex, oracle_of

from saddleback.methods import Accelerated
from saddleback.methods.steps import STEP_SIZE_RULES

from .driver import run
from .tolerances import accumulated

T, D = 1000, 3.0


def huber(sigma: float) -> Convex:
    """x^2/2 for |x| <= sigma, sigma |x| - sigma^2/2 beyond: L = 1, least at 0."""

    def pair(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = float(w[0])
        inside = abs(x) <= sigma
        value = x * x / 2 if inside else sigma * abs(x) - sigma**2 / 2
        return np.array([value]), np.array([[x if inside else sigma * np.sign(x)]])

    return Convex(pair, 1, 1, 1.0)


@pytest.mark.parametrize("steps", ["sharp", "paper"])
def test_a_huber_loss_meets_the_bound(steps: str) -> None:
    """g = D^2/(2 (2c + 1)) against D^2/(2 A_T), where 2c = A_T + sum alpha_t^2/A_T."""
    alpha, A = np.empty(T), 0.0
    for t in range(T):
        alpha[t] = STEP_SIZE_RULES[steps](1.0, A)
        A += alpha[t]
    c = float(alpha @ np.cumsum(alpha)) / A
    assert 2 * c == pytest.approx(A + float(alpha @ alpha) / A, rel=1e-12)
    sigma = D / (2 * c + 1)
    oracle = oracle_of(huber(sigma), w0=np.array([D]))
    # A given accuracy: kappa = 0, the steps of the rule itself. With one loss (D) is exact.
    result = run(Accelerated(steps=steps, smoothness=1.0, restart=False, inner_accuracy=0.0), oracle, T)
    # No gradient was ever different from sigma: every md is on the linear part.
    assert min(state.minorants[0].origin[0] for state in result.states) >= sigma
    assert all(state.minorants[0].slope[0] == sigma for state in result.states)
    gap, bound = result.values[-1], result.bound(np.zeros(1))[-1]
    assert gap == pytest.approx(D**2 / (2 * (2 * c + 1)), abs=accumulated(T, D * sigma))
    assert gap <= bound
    # sum alpha_t^2/A_T^2 is (4/3)/T to first order with either rule, and 1/A_T of second order.
    assert gap >= (1 - 1.5 / T) * bound
