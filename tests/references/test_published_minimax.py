"""``minimax`` with default settings on the convex minimax problems of the literature, each certified."""

from __future__ import annotations

import numpy as np
import pytest
from theory.tolerances import EPS, OPTIMUM, relative

import saddleback as sb
from saddleback.losses import check_jacobian

from .published import PUBLISHED, Published

# The certificate of a differenced Jacobian is as good as central differences: eps^(2/3) of slope per unit length.
DIFFERENCES = 1e3 * EPS ** (2 / 3)


def assert_solved(result: sb.Result, problem: Published, slack: float = 0.0) -> None:
    assert abs(result.value - problem.optimum) <= OPTIMUM * relative(problem.optimum)
    assert result.success
    # Without strong convexity the certificate may be far from the truth, which the message then says.
    assert result.gap <= 1e-6 * relative(result.value) or result.message.startswith("estimated")
    assert result.value == problem.fun(result.w).max()
    # Values and bounds carry the rounding of the losses, optima that of their last printed digit.
    rounding = 1e3 * EPS * (1 + np.abs(result.losses).max())
    assert result.lower_bound <= problem.optimum + problem.printed + rounding + slack
    assert problem.optimum <= result.value + problem.printed + rounding


@pytest.mark.parametrize("name", PUBLISHED)
def test_default_settings_certify_published_optima(name: str) -> None:
    problem = PUBLISHED[name]
    assert_solved(sb.minimax(problem.fun, problem.start, jac=problem.jac), problem)


@pytest.mark.parametrize("name", PUBLISHED)
def test_jac_true_gives_the_same_run(name: str) -> None:
    """Losses and Jacobian in one call: other evaluations are counted, the iterates are the same."""
    problem = PUBLISHED[name]
    separate = sb.minimax(problem.fun, problem.start, jac=problem.jac)
    together = sb.minimax(problem.pair, problem.start, jac=True)
    assert_solved(together, problem)
    np.testing.assert_array_equal(together.history.value, separate.history.value)
    np.testing.assert_array_equal(together.w, separate.w)


@pytest.mark.parametrize("name", PUBLISHED)
def test_differences_reach_published_optima(name: str) -> None:
    problem = PUBLISHED[name]
    with pytest.warns(UserWarning, match="central differences"):
        result = sb.minimax(problem.fun, problem.start)
    assert_solved(result, problem, slack=DIFFERENCES * result.radius * relative(np.abs(result.losses).max()))


@pytest.mark.parametrize("name", PUBLISHED)
def test_jacobians_of_the_published_problems(name: str) -> None:
    problem = PUBLISHED[name]
    losses = sb.from_functions(problem.fun, problem.start, problem.jac)
    for noise in np.random.default_rng(0).uniform(-0.1, 0.1, (3, problem.start.size)):
        check_jacobian(losses, problem.start + noise)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", PUBLISHED)
def test_nearby_starts_are_certified_as_well(name: str, seed: int) -> None:
    """Published starts are round numbers; others show the rounding errors that those hide."""
    problem = PUBLISHED[name]
    noise = np.random.default_rng(seed).uniform(-0.1, 0.1, problem.start.size)
    assert_solved(sb.minimax(problem.fun, problem.start + noise, jac=problem.jac), problem)


@pytest.mark.parametrize("name", ["CB2", "MAXQUAD"])
@pytest.mark.parametrize("tol", [1e-4, 1e-8])
def test_tolerance_is_met(name: str, tol: float) -> None:
    problem = PUBLISHED[name]
    result = sb.minimax(problem.pair, problem.start, jac=True, tol=tol)
    assert result.success
    assert result.gap <= tol or 0 <= result.gap_estimate <= tol / 10
    assert result.value - problem.optimum <= tol + problem.printed
