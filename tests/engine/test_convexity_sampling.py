"""Sampled convexity before a run ends, and wrong answers of losses."""

from __future__ import annotations

import numpy as np
import pytest
from calls import quietly
from problems import oracle_of

import saddleback as sb
from saddleback.engine.certificates import Region
from saddleback.engine.convexity_sampling import RAY_DISTANCES, sample_convexity


def sampled(fun, w0, radius=1.0):
    losses = sb.from_functions(fun, np.asarray(w0, dtype=float), jac=True)
    oracle = oracle_of(losses, w0=np.asarray(w0, dtype=float))
    at = oracle.evaluate(oracle.w0)
    before = oracle.n_evals
    seen = sample_convexity(oracle, at.point, oracle.cut(at, at.lam), Region(at.w, radius))
    return seen, oracle.n_evals - before


def test_a_convex_loss_passes_and_costs_a_handful_of_evaluations():
    seen, cost = sampled(lambda w: ([w @ w + np.exp(w[0])], [2 * w + [np.exp(w[0]), 0]]), [0.3, 0.1])
    assert seen.violation is None
    assert cost == 1 + len(RAY_DISTANCES)


def test_a_well_beside_the_answer_is_seen_and_shown():
    seen, _ = sampled(lambda w: ([(w[0] ** 2 - 1) ** 2], [[4 * w[0] * (w[0] ** 2 - 1)]]), [0.0], radius=2.0)
    assert seen.violation is not None
    assert seen.lowest is not None
    assert seen.lowest.value < 1.0


def test_losses_that_refuse_points_of_the_region_are_no_witness():
    def fun(w):
        if w[0] > 1.0:
            raise ValueError("beyond the domain")
        return [w @ w], [2 * w]

    assert sampled(fun, [0.9], radius=5.0)[0].violation is None


def test_an_answer_that_the_losses_do_not_repeat_is_none():
    calls = 0

    def fun(w):
        nonlocal calls
        calls += 1
        return [w @ w - (1e30 if calls == 1 else 0.0)], [2 * w]

    seen, _ = sampled(fun, [1.0])
    assert seen.violation is not None
    assert "evaluated again" in seen.violation


@pytest.mark.parametrize("method", ["quasi-newton", "auto", "accelerated", "prox-linear"])
def test_the_local_maximum_between_two_wells_is_not_certified(method):
    """(w^2 - 1)^2 from -2, whose second step lands on 0."""
    result = quietly(
        lambda w: ([(w[0] ** 2 - 1) ** 2], [[4 * w[0] * (w[0] ** 2 - 1)]]), [-2.0], jac=True, method=method
    )
    assert not result.success
    assert result.lower_bound == -np.inf
    assert result.value < 0.5


@pytest.mark.parametrize("bogus", [-1e30, -10.0])
def test_one_wrong_answer_does_not_become_a_success(bogus):
    for wrong in range(1, 12):
        calls = 0

        def fun(w, wrong=wrong):
            nonlocal calls
            calls += 1
            f = np.array([w @ w + 1, (w - 1) @ (w - 1)])
            return f + (bogus if calls == wrong else 0.0), np.array([2 * w, 2 * w - 2])

        result = quietly(fun, np.array([2.0, -1.0]), jac=True)
        true_value = max(result.w @ result.w + 1, (result.w - 1) @ (result.w - 1))
        assert not result.success or result.value == pytest.approx(true_value)
