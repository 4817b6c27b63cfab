"""The pattern of the paper's table (b), on a small problem of the same recipe: iterations against gamma."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from problems import paper_logistic

import saddleback as sb
from saddleback.methods import APGD, Accelerated, Extragradient

LOSSES = paper_logistic(seed=0, d=100, J=5, N=100)
GAMMAS = (0.0, 1e-3, 1e-2, 1e-1, 1.0)
LIMIT = 600


@cache
def optimum(gamma: float) -> float:
    return sb.solve(sb.Problem(LOSSES, regularizer=sb.Quadratic(gamma)), tol=1e-6).lower_bound


@cache
def iterations(kind: type, gamma: float, precision: float, **options) -> int:
    """Iterations until the value is within the precision of the optimum; the limit where that is more."""
    goal = optimum(gamma) + precision
    problem = sb.Problem(LOSSES, regularizer=sb.Quadratic(gamma))
    method = kind(smoothness=LOSSES.L, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(problem, method=method, tol=0.0, max_iter=LIMIT, callback=lambda now: now.value <= goal)
    return result.n_iter


@pytest.mark.parametrize("precision", [1e-2, 1e-3])
@pytest.mark.parametrize("steps", ["paper", "sharp"])
def test_algorithm_1_does_not_depend_on_gamma(steps: str, precision: float) -> None:
    counts = [iterations(Accelerated, gamma, precision, steps=steps, restart=False) for gamma in GAMMAS]
    assert max(counts) - min(counts) <= 2
    # Its bound: A_T >= T^2/(16 L), or T^2/(4 L), so that 2 sqrt(2 L) |w*|/sqrt(eps) iterations are enough (twice as
    # many for the paper's steps).
    w = sb.solve(sb.Problem(LOSSES), tol=1e-6).w
    enough = (2 if steps == "paper" else 1) * np.sqrt(2 * LOSSES.L / precision) * np.linalg.norm(w)
    assert 2 < max(counts) <= enough


def test_sharp_steps_need_about_half_the_iterations() -> None:
    """A four times larger A_T at the same T: the same A_T at half of T."""
    paper, sharp = (iterations(Accelerated, 0.0, 1e-3, steps=steps, restart=False) for steps in ("paper", "sharp"))
    assert 0.4 <= sharp / paper <= 0.65


def test_apgd_degrades_for_small_gamma() -> None:
    """L_local = L + |G|^2/gamma: a hundredth of gamma costs up to ten times the iterations; 0 is refused."""
    counts = [iterations(APGD, gamma, 1e-2) for gamma in GAMMAS[1:]]
    assert counts == sorted(counts, reverse=True)
    assert 5 <= counts[0] / counts[2] <= 12
    assert counts[0] >= 5 * iterations(Accelerated, 1e-3, 1e-2, steps="paper", restart=False)
    with pytest.raises(sb.IncompatibleError, match="quasi-newton"):
        sb.solve(sb.Problem(LOSSES, regularizer=sb.Quadratic(0.0)), method="apgd")


def test_extragradient_is_slow_and_slower_for_large_gamma() -> None:
    """eta <= 1/gamma: the paper prints no count for gamma >= 0.1."""
    counts = [iterations(Extragradient, gamma, 1e-2) for gamma in GAMMAS]
    ours = iterations(Accelerated, 0.0, 1e-2, steps="paper", restart=False)
    assert counts[0] >= 3 * ours
    assert abs(counts[0] - counts[1]) <= 0.1 * counts[0]
    assert counts[3] > 1.5 * counts[0]
    assert counts[4] == LIMIT
