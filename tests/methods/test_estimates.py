"""Runs that end by the estimated gap are at the optimum, also where directions without a pair are flat."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb

TOL = 1e-6


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [2, 4, 6])
def test_parameters_of_other_units(seed: int, spread: int) -> None:
    """f_j = |D w - a_j|^2 with D over many orders of magnitude: the same optimum as with D = I."""
    a, D = np.random.default_rng(seed).normal(size=(4, 6)), np.logspace(0, -spread, 6)
    plain = sb.minimax(lambda w: (((w - a) ** 2).sum(1), 2 * (w - a)), np.zeros(6), jac=True, tol=1e-9)
    result = sb.minimax(lambda w: (((D * w - a) ** 2).sum(1), 2 * D * (D * w - a)), np.zeros(6), jac=True, tol=TOL)
    assert result.success
    assert result.value - plain.value <= TOL


@pytest.mark.parametrize("loss", ["logistic", "squared", "huber", "squared_hinge", "poisson"])
def test_columns_of_other_units(loss: str) -> None:
    rng = np.random.default_rng(1)
    X, scale = rng.normal(size=(150, 6)), 10 ** rng.uniform(-2, 2, 6)
    margin = X @ rng.normal(size=6)
    y = {"poisson": rng.poisson(np.exp(np.clip(margin / 2, -3, 2))), "logistic": margin > rng.logistic(size=150)}.get(
        loss, np.sign(margin + rng.normal(size=150)) if loss == "squared_hinge" else margin + rng.normal(size=150)
    )
    groups = np.arange(150) % 2
    of_units, of_others = (sb.GroupedLinear(A, y, groups, loss=loss, fit_intercept=False) for A in (X, X * scale))
    plain = sb.solve(sb.Problem(of_units), method="newton", tol=1e-9)
    result = sb.solve(sb.Problem(of_others), method="quasi-newton", tol=TOL)
    assert result.success
    assert result.value - plain.value <= TOL


@pytest.mark.parametrize("power", [4, 8, 12])
def test_flat_optima(power: int) -> None:
    result = sb.minimax(
        lambda w: ([1 + (w**power).sum()], [power * w ** (power - 1)]), np.arange(1.0, 6.0), jac=True, tol=TOL
    )
    assert result.success
    assert result.value - 1 <= TOL


def test_a_stiff_pair_of_columns() -> None:
    """Three rows whose first step goes along the second column; the optimum 0.790488 lies along the first."""
    X = np.array([[1.0, 1e3], [2.0, -1e3], [-1.0, 500.0]])
    losses = sb.GroupedLinear(X, [1, 2, 0], [0, 1, 0], loss="poisson", fit_intercept=False)
    result = sb.solve(sb.Problem(losses), method="quasi-newton", tol=TOL)
    assert result.success
    assert result.value == pytest.approx(0.790488, abs=2e-6)


@pytest.mark.parametrize("seed", [5, 7, 18])
def test_second_derivatives_lost_to_rounding_are_no_error(seed: int) -> None:
    """Quantile losses with a narrow kink: very large second derivatives at the kink, none elsewhere."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    y = X @ [1, 2, -1, 0] + rng.normal(size=60)
    losses = sb.GroupedLinear(X, y, np.arange(60) % 3, loss=sb.losses.Quantile(0.7, 1e-4), fit_intercept=True)
    result = sb.solve(sb.Problem(losses), method="quasi-newton", tol=1e-3)
    assert result.value <= losses.values(np.zeros(5)).max()
