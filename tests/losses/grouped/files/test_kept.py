"""Plans that are kept between passes: within the memory that is allowed, shared by all losses, with the same bits."""

import numpy as np
import pytest

import saddleback as sb
from saddleback.losses.grouped.partitions.packed import Packed
from saddleback.losses.grouped.partitions.streaming import streamed_features

from .samples import GROUPS, WAYS, D, N, Y


@pytest.mark.parametrize(
    ("x", "dtype"),
    [
        (np.array([-1.0, 1.0]), np.int8),
        (np.array([0.0, 300.0]), np.int16),
        (np.array([0.5, 0.25]), np.float32),
        (np.array([0.1, 1.0]), np.float64),
        (np.array([1e-300, 1e300]), np.float64),
        (np.array([0, 255]), np.uint8),
        (np.array([0, 256]), np.uint16),
        (np.array([0, 2**17]), np.uint32),
        (np.array([0, 2**40]), np.int64),
        (np.empty(0), np.int8),
    ],
)
def test_the_least_exact_type(x, dtype):
    packed = Packed.of(x)
    assert packed.small.dtype == dtype
    assert packed.opened().dtype == x.dtype
    assert packed.opened().tolist() == x.tolist()


def test_all_losses_of_the_same_features_share_the_memory(tmp_path):
    # Order and slot of a row take two bytes each, and its label one: five bytes and some for each of the groups' runs.
    one = 6 * N
    features = streamed_features(sb.FileTable(WAYS["npy"](tmp_path)).blocks(), memory=1.5 * one)
    budget, w = features.parts.budget, np.ones(D + 1)
    first, second = (sb.GroupedLinear(features, Y, GROUPS) for _ in range(2))
    expected = first.evaluate(w)[1]
    kept = budget.used
    assert 5 * N < kept < one
    for _ in range(2):
        np.testing.assert_array_equal(second.evaluate(w)[1], expected)
        assert kept < budget.used <= 1.5 * one
    del first, second
    assert budget.used == 0
