"""Lemma "step-size" of the paper, and the sharp rule of docs/mathematics.md, 2."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.methods.steps import STEP_SIZE_RULES, paper_step, sharp_step

from .tolerances import ROUNDING

T = 10_000
SMOOTHNESS = [1e-12, 1e-6, 1e-3, 0.25, 1.0, np.pi, 1e3, 1e6, 1e12]


def sequence(rule: str, L: float, n: int = T) -> tuple[np.ndarray, np.ndarray]:
    """alpha_1..alpha_n and A_1..A_n."""
    alpha, A = np.empty(n), 0.0
    for t in range(n):
        alpha[t] = STEP_SIZE_RULES[rule](L, A)
        A += alpha[t]
    return alpha, np.cumsum(alpha)


@pytest.mark.parametrize("L", SMOOTHNESS)
def test_paper_rule_satisfies_both_inequalities_of_the_lemma(L: float) -> None:
    alpha, A = sequence("paper", L)
    t = np.arange(1, T + 1)
    log = np.log(t + 1)
    assert np.all(2 * L * alpha**2 <= A * (1 + ROUNDING))
    assert np.all((t**2 + 4 * t) / (16 * L) < A)
    assert np.all((t + 2) ** 2 / (16 * L) + (t + 2) * log / (4 * L) + log**2 / (4 * L) >= A)
    # The identity behind the first inequality.
    np.testing.assert_allclose(4 * L * alpha**2, A + alpha, rtol=T * ROUNDING)


@pytest.mark.parametrize("L", SMOOTHNESS)
def test_sharp_rule_spends_smoothness_exactly_once(L: float) -> None:
    alpha, A = sequence("sharp", L)
    t = np.arange(1, T + 1)
    np.testing.assert_allclose(L * alpha**2, A, rtol=T * ROUNDING)
    assert np.all(t**2 / (4 * L) <= A)


def test_sharp_rule_gains_a_factor_of_four() -> None:
    gain = sequence("sharp", 1.0)[1] / sequence("paper", 1.0)[1]
    assert gain[0] == 2.0
    assert gain[-1] == pytest.approx(4.0, rel=1e-2)


@pytest.mark.parametrize("step", [paper_step, sharp_step])
def test_step_sizes_scale_as_one_over_smoothness(step) -> None:
    for A in (0.0, 0.3, 17.0):
        assert step(8.0, A / 8.0) == step(1.0, A) / 8.0
