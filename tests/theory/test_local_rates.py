"""Orders of convergence near a solution (docs/mathematics.md, 6, "Local rates").

Values of g and of (D) are known to some units of rounding and grow quadratically with the errors of w and lam, so that
errors below about the root of a rounding unit say nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import saddleback as sb
from benchmarks.local_rates.errors import Errors, local_errors
from benchmarks.local_rates.known_solutions import Solution, dependent, flat, quartic, solved, summed
from saddleback.methods import Newton, ProxLinear, QuasiNewton

from .tolerances import EPS, ROUNDING

pytestmark = pytest.mark.blas

# Errors below this are rounding: values are known to ten ROUNDING, and grow at least as 0.1 times the squared error, as
# 0.1 is the penalty of the instances.
FLOOR = (10 * ROUNDING / 0.1) ** 0.5
SEEDS = range(3)
# Multipliers with weight, then how far the losses without weight are below: 0 is a tie, without strict complementarity.
MINIMAX: dict[str, Callable[[int], Solution]] = {
    "two losses": lambda seed: solved(seed, 4, [0.7, 0.3]),
    "five losses": lambda seed: solved(seed, 6, [0.5, 0.3, 0.2], [0.5, 1.0]),
    "twelve losses": lambda seed: solved(seed, 9, [0.3, 0.3, 0.2, 0.2], np.linspace(0.3, 2.0, 8)),
    "ties without weight": lambda seed: solved(seed, 6, [0.6, 0.4], [0.0, 0.0, 1.0]),
}
SMOOTH: dict[str, Callable[[int], Solution]] = {
    "two losses, entropy": lambda seed: solved(seed, 4, [0.7, 0.3], regularizer=sb.Entropy(0.5)),
    "five losses, entropy": lambda seed: solved(seed, 6, [0.4, 0.3, 0.2, 0.05, 0.05], regularizer=sb.Entropy(0.5)),
    "two losses, quadratic": lambda seed: solved(seed, 4, [0.7, 0.3], regularizer=sb.Quadratic(0.5)),
    "five losses, quadratic": lambda seed: solved(seed, 6, [0.4, 0.3, 0.2, 0.1, 0.0], regularizer=sb.Quadratic(0.5)),
    "twelve losses, quadratic": lambda seed: solved(seed, 16, np.full(12, 1 / 12), regularizer=sb.Quadratic(0.5)),
}
REGULAR = MINIMAX | SMOOTH


def assert_quadratic(e: np.ndarray, C: float = 5.0) -> None:
    """e_{k+1} <= C e_k^2 for all e_k <= 0.1, down to rounding, which must be reached."""
    assert e.min() <= FLOOR
    near = np.flatnonzero((e[:-1] <= 0.1) & (e[:-1] > FLOOR))
    assert near.size, "too few steps to tell the order"
    for k in near:
        assert e[k + 1] <= C * e[k] ** 2 + FLOOR, f"step {k}: {e}"


@pytest.mark.parametrize("hessians", ["of every loss", "of their sum"])
@pytest.mark.parametrize("name", REGULAR)
def test_newton_is_quadratic(name: str, hessians: str) -> None:
    """In (w, lam), with one constant for every step and instance: strict complementarity is not needed."""
    for seed in SEEDS:
        solution = REGULAR[name](seed)
        solution = solution if hessians == "of every loss" else summed(solution)
        assert_quadratic(local_errors(Newton(), solution, 12, distance=0.5, seed=seed).both)


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_of_the_hessians_leave_newton_quadratic(seed: int) -> None:
    """A fixed share s of the center would leave s c/(l2 + s c) = 0.3 of the error along w_1. Here 1/l2 = 100."""
    for solution in (flat(seed), summed(flat(seed))):
        assert_quadratic(local_errors(Newton(), solution, 15, distance=0.3, seed=seed).both, C=50.0)


@pytest.mark.parametrize("method", [ProxLinear(), QuasiNewton(), Newton()], ids=lambda method: method.name)
def test_every_metric_is_quadratic_at_a_vertex(method: ProxLinear | QuasiNewton | Newton) -> None:
    """As many losses with a weight as parameters and one more: w is determined by their values alone."""
    for seed in SEEDS:
        solution = solved(seed, 3, [0.4, 0.3, 0.2, 0.1], [1.0])
        assert_quadratic(local_errors(method, solution, 60, seed=seed).w, C=20.0)


def mean_ratios(errors: Errors, last: float = 1e-5) -> tuple[float, float]:
    """Geometric means of e_{k+1}/e_k over the last three steps to ``last``, and over the three before."""
    k = int(np.argmax(errors.w <= last))
    assert k >= 6, "too few steps to tell the rate"
    e = errors.w
    return (e[k] / e[k - 3]) ** (1 / 3), (e[k - 3] / e[k - 6]) ** (1 / 3)


@pytest.mark.parametrize("name", REGULAR)
def test_quasi_newton_is_superlinear(name: str) -> None:
    """Ratios fall, where those of the prox-linear method, whose metric stays a multiple of I, do not."""
    runs = [local_errors(QuasiNewton(), REGULAR[name](seed), 40, seed=seed) for seed in range(8)]
    last, before = np.median([mean_ratios(run) for run in runs], axis=0)
    assert last <= 0.25
    assert last <= before / 1.25
    linear = [local_errors(ProxLinear(), REGULAR[name](seed), 150, seed=seed) for seed in SEEDS]
    assert np.median([mean_ratios(run)[0] for run in linear]) >= 1.5 * last


def test_without_second_order_growth_convergence_is_linear() -> None:
    """w_1^4 is flat at its minimum: Newton's method leaves two thirds of the error of a root of w^3, and the secant
    method r with r^3 + r^2 = 1."""
    solution = quartic()
    secant = float(np.max(np.roots([1.0, 1.0, 0.0, -1.0]).real))
    for method, ratio in ((Newton(), 2 / 3), (QuasiNewton(), secant)):
        e = local_errors(method, solution, 20).w
        # w_2 has converged, and w_1^4 is far above rounding.
        e = e[(e <= 0.05) & (e >= 20 * EPS**0.25)]
        assert e.size >= 5
        np.testing.assert_allclose(e[1:] / e[:-1], ratio, rtol=1e-2)


def test_dependent_gradients_need_the_composite_model() -> None:
    """Where multipliers are not unique, the Hessian of <lam, f> for the last lam may be zero: half of the error stays.
    The composite model leaves a far smaller share of g - g* than the quarter that this is: about two percent, the
    accuracy of its minimization, once terms of higher order are small."""
    for seed in SEEDS:
        gap = local_errors(Newton(), dependent(), 5, seed=seed).value
        assert (gap[5] / gap[0]) ** (1 / 5) <= 0.12
        e = local_errors(Newton(), summed(dependent()), 9, seed=seed).w
        np.testing.assert_allclose(e[4:] / e[3:-1], 0.5, rtol=0.05)
