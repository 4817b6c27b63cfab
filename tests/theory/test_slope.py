"""The order of the rate, read off the worst case: log of gap/|w*|^2 against log T falls with slope -2.

One instance is the worst for one T only: T steps against Nesterov's function of d = 2T + 1 variables, where no
first-order method gets below 3 |w*|^2/(32 (T + 1)^2) and the theorem keeps Algorithm 1 below 2 L |w*|^2/T^2.
"""

from __future__ import annotations

import numpy as np
import pytest
from problems import nesterov_split, oracle_of

import saddleback as sb
from saddleback.methods import Accelerated, FixedPoint, ProxLinear

from .driver import run

J = 3
STEPS = np.array([40, 80, 160, 320])
REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}
# How far a fit over these T may be from its asymptotic slope: A_T is (T^2 + 4T)/(16 L) and not T^2/(16 L), which
# alone makes 1.95 out of 2; the measured L_t are other than L in the beginning.
LOWER_ORDER = 0.1


def slope(method, R, steps: np.ndarray = STEPS) -> float:
    relative_gaps = []
    for T in steps:
        solved = nesterov_split(J, 2 * int(T) + 1)
        values = run(method, oracle_of(solved.losses, R), int(T)).values
        relative_gaps.append((values[-1] - solved.value) / (solved.w @ solved.w))
        assert relative_gaps[-1] >= 3 / (32 * (T + 1) ** 2)
    return float(np.polyfit(np.log(steps), np.log(relative_gaps), 1)[0])


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("smoothness", [J / 2, None], ids=["given", "measured"])
@pytest.mark.parametrize("steps", ["sharp", "paper"])
def test_accelerated_method_falls_as_one_over_t_squared(steps: str, smoothness: float | None, R: str) -> None:
    method = Accelerated(steps=steps, smoothness=smoothness, restart=False)
    assert slope(method, REGULARIZERS[R]) <= -2 + LOWER_ORDER


@pytest.mark.parametrize("R", REGULARIZERS)
def test_fixed_point_method_falls_as_one_over_t_squared(R: str) -> None:
    assert slope(FixedPoint(smoothness=J / 2, restart=False), REGULARIZERS[R], STEPS[:3]) <= -2 + LOWER_ORDER


def test_prox_linear_is_slower() -> None:
    """Without momentum the exponent is visibly smaller: the measurement can tell the orders apart."""
    assert slope(ProxLinear(smoothness=J / 2), sb.Zero()) >= -1.75
