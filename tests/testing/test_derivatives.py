"""Differences are as exact as they say."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.testing.derivatives import noise_level, slope, worst_direction


@pytest.mark.parametrize(
    ("phi", "expected"),
    [
        (np.exp, 1.0),
        (lambda t: -np.log(1.0 - t), 1.0),
        (lambda t: 1e6 + np.sin(3.0 * t), 3.0),
        (lambda t: np.array([t, t**3, 5.0, -np.log(1.0 + t)]), [1.0, 0.0, 0.0, -1.0]),
    ],
)
def test_the_error_bounds_the_error(phi, expected):
    found = slope(phi, 0.3)
    assert np.all(np.abs(found.value - expected) <= found.error)
    assert np.all(found.error <= 1e-6)


def test_noise_is_part_of_the_error():
    rng = np.random.default_rng(0)
    found = slope(lambda t: np.sin(t) + 1e-6 * rng.standard_normal(), 0.3, noise=1e-6)
    assert 1e-7 < found.error < 1e-3
    assert abs(found.value - 1.0) <= found.error


def test_the_noise_level_is_measured():
    rng = np.random.default_rng(0)
    levels = [noise_level(lambda t: np.exp(t) + 1e-5 * rng.standard_normal(), 1e-6) for _ in range(50)]
    assert 3e-6 < np.mean(levels) < 3e-5


def test_a_kink_at_zero_is_seen_though_central_differences_converge():
    found = slope(lambda t: max(t, 0.0), 1e-4, levels=3, ratio=4.0)
    assert found.error < 1e-10
    assert found.kink == pytest.approx(1.0)
    assert slope(np.exp, 1e-4, levels=3, ratio=4.0).kink < 1e-8


def test_rough_functions_are_told_from_smooth_ones():
    assert slope(lambda t: np.sin(1e4 * t) / 1e2, 0.3).rough(1.0) > 0
    assert slope(np.sin, 0.3).rough(1.0) < 0
    assert slope(lambda t: 5.0, 0.3).rough(0.0) < 0


def test_the_worst_direction_is_an_eigenvector():
    v = np.array([0.6, 0.8, 0.0])
    u, value = worst_direction(-3.0 * np.outer(v, v) + 0.1 * np.eye(3))
    assert value == pytest.approx(-2.9)
    np.testing.assert_allclose(u, v, atol=1e-12)
