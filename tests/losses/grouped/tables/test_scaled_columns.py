"""Tables of shifted and scaled columns, which are made without a copy of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.losses.grouped.tables.scaled_source import ScaledColumns

RNG = np.random.default_rng(0)


def columns(n, d, dtype=np.float64, order="C"):
    X = np.asarray(RNG.standard_normal((n, d)) * 10.0 + 5.0, dtype=dtype, order=order)
    return ScaledColumns(X, X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64))


@pytest.mark.parametrize("d", [1, 3, 50, 140])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_same_bits_as_of_a_copy(d, dtype, order):
    scaled, groups, y = columns(3000, d, dtype, order), RNG.integers(0, 3, 3000), RNG.integers(0, 2, 3000)
    copy = ((scaled.X - scaled.center) / scaled.scale).astype(dtype)
    np.testing.assert_array_equal(np.asarray(scaled), copy)
    ours, theirs = (sb.GroupedLinear(X, y, groups, l2=0.1) for X in (scaled, copy))
    w = RNG.standard_normal(d + 1)
    for found, expected in zip(ours.evaluate(w), theirs.evaluate(w), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(ours.hessian(w, np.ones(3)), theirs.hessian(w, np.ones(3)))
    np.testing.assert_array_equal(theirs.on(scaled, y, groups).margins(w), theirs.on(copy, y, groups).margins(w))


def test_overlapping_groups():
    scaled, y = columns(500, 4), RNG.standard_normal(500)
    groups = RNG.random((500, 3)) < 0.5
    ours, theirs = (sb.GroupedLinear(X, y, groups, loss="squared") for X in (scaled, np.asarray(scaled)))
    np.testing.assert_array_equal(ours.values(np.ones(5)), theirs.values(np.ones(5)))


@pytest.mark.parametrize("d", [2, 140])
def test_numbers_that_overflow_are_named(d):
    X = np.ones((400, d))
    X[37, 1] = 1e300
    with pytest.raises(sb.ProblemError, match="X must be finite; got inf in row 37, column 1"):
        sb.GroupedLinear(ScaledColumns(X, np.zeros(d), np.full(d, 1e-300)), np.arange(400) % 2, np.arange(400) % 3)


def test_large_numbers_whose_sum_overflows_are_taken():
    X = np.full((400, 2), 1e308)
    scaled = ScaledColumns(X, np.zeros(2), np.ones(2))
    values = sb.GroupedLinear(scaled, np.arange(400) % 2, np.arange(400) % 3).values(np.zeros(3))
    np.testing.assert_allclose(values, np.log(2.0))
