"""The regularized adversary: h, the best response and the Fenchel-Young gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.adversary import Adversary

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
seeds = st.integers(0, 10**6)
sizes = st.integers(1, 12)
regularizers = st.sampled_from(
    [sb.Zero(), sb.Quadratic(1e-3), sb.Quadratic(1.0), sb.Quadratic(1e3), sb.Entropy(0.03), sb.Entropy(1.3)]
)


def draw(seed, n, spread=1.0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n, 0.7)), spread * rng.normal(size=n)


@PROPERTY
@given(seed=seeds, n=sizes, R=regularizers, spread=st.sampled_from([1e-6, 1.0, 1e6]))
def test_gap_is_the_plain_formula(seed, n, R, spread):
    adversary = Adversary(sb.Simplex(), R, n)
    lam, z = draw(seed, n, spread)
    plain = adversary.value(z) - lam @ z + adversary.regularizer.value(lam)
    size = np.abs(z).max() + adversary.regularizer.strong_convexity * (1 + np.log(n))
    assert adversary.gap(lam, z) == pytest.approx(plain, rel=1e-9, abs=64 * EPS * n * size)


@PROPERTY
@given(seed=seeds, n=sizes, R=regularizers)
def test_gap_is_not_negative_and_zero_at_the_best_response(seed, n, R):
    adversary = Adversary(sb.Simplex(), R, n)
    lam, z = draw(seed, n)
    assert adversary.gap(lam, z) >= 0
    assert adversary.gap(adversary.best_response(z).lam, z) == 0


@PROPERTY
@given(seed=seeds, n=st.integers(2, 12), R=regularizers)
def test_gap_is_positive_away_from_the_best_response(seed, n, R):
    """gap(lam) >= gamma/2 |lam - best|^2: strong convexity of R."""
    adversary = Adversary(sb.Simplex(), R, n)
    lam, z = draw(seed, n)
    best = adversary.best_response(z).lam
    gamma = adversary.regularizer.strong_convexity
    assert adversary.gap(lam, z) >= 0.5 * gamma * ((lam - best) @ (lam - best)) * (1 - 1e-9) - 1e-12


@PROPERTY
@given(seed=seeds, n=st.integers(2, 12), R=regularizers, power=st.integers(0, 34))
def test_gap_keeps_its_digits_under_a_large_offset(seed, n, R, power):
    """Losses on a grid of 2^-16 stay exact when 2^power is added: so must the gap, to rounding of their spread."""
    adversary = Adversary(sb.Simplex(), R, n)
    lam, z = draw(seed, n)
    z = np.round(z * 2**16) / 2**16
    size = np.ptp(z) + adversary.regularizer.strong_convexity * (1 + np.log(n))
    assert adversary.gap(lam, z + 2.0**power) == pytest.approx(adversary.gap(lam, z), abs=256 * EPS * n * size)


@PROPERTY
@given(seed=seeds, n=sizes, R=regularizers, t=st.floats(0, 1))
def test_h_is_convex_and_its_gradient_is_the_best_response(seed, n, R, t):
    adversary = Adversary(sb.Simplex(), R, n)
    rng = np.random.default_rng(seed)
    y, z = rng.normal(size=(2, n))
    mixed = adversary.value((1 - t) * y + t * z)
    assert mixed <= (1 - t) * adversary.value(y) + t * adversary.value(z) + 1e-12 * (1 + abs(mixed))
    value, lam = adversary.best_response(y)
    assert adversary.value(z) >= value + lam @ (z - y) - 1e-12 * (1 + abs(value))


@PROPERTY
@given(seed=seeds, n=sizes, R=regularizers, shift=st.floats(-100, 100))
def test_h_moves_with_what_all_losses_share(seed, n, R, shift):
    adversary = Adversary(sb.Simplex(), R, n)
    _, z = draw(seed, n)
    assert adversary.value(z + shift) == pytest.approx(adversary.value(z) + shift, abs=1e-12 * (200 + 1e3))


@PROPERTY
@given(seed=seeds, n=sizes, gamma=st.sampled_from([1e-3, 0.1, 10.0]))
def test_regularized_values_lie_between_the_mean_and_the_maximum(seed, n, gamma):
    _, z = draw(seed, n)
    for R in (sb.Quadratic(gamma), sb.Entropy(gamma)):
        value = Adversary(sb.Simplex(), R, n).value(z)
        assert z.mean() - 1e-12 <= value <= z.max() + 1e-12


@pytest.mark.parametrize("R", [sb.Quadratic(1e-12), sb.Entropy(1e-12)])
def test_tiny_gamma_is_nearly_no_regularizer(R):
    z = np.array([3.0, 1.0, 2.0])
    value, lam = Adversary(sb.Simplex(), R, 3).best_response(z)
    np.testing.assert_allclose(lam, [1, 0, 0], atol=1e-9)
    assert value == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize("R", [sb.Quadratic(1e12), sb.Entropy(1e12)])
def test_huge_gamma_is_the_average(R):
    z = np.array([3.0, 1.0, 2.0])
    value, lam = Adversary(sb.Simplex(), R, 3).best_response(z)
    np.testing.assert_allclose(lam, np.full(3, 1 / 3), atol=1e-9)
    assert value == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("R", [sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)])
def test_a_gap_that_cannot_be_measured_is_not_reported_as_zero(R):
    """NaN losses have no gap; max(0, nan) would call them solved."""
    with np.errstate(invalid="ignore"):
        gap = Adversary(sb.Simplex(), R, 2).gap(np.array([0.5, 0.5]), np.array([np.nan, 1.0]))
    assert not gap <= 0


def test_regularizer_is_resolved():
    assert isinstance(Adversary(sb.Simplex(), sb.Quadratic(0.0), 3).regularizer, sb.Zero)
    np.testing.assert_array_equal(Adversary(sb.Simplex(), sb.Entropy(1.0), 2).regularizer.prior, [0.5, 0.5])
