"""Labels as numbers: integers are numbered by counting, with the numbers of a sort."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.losses.grouped.input.labels import read_labels

RNG = np.random.default_rng(0)
INTEGERS = {
    "codes": RNG.integers(0, 7, 500),
    "with gaps": RNG.choice([3, 5, 40, 41], 500),
    "negative": RNG.integers(-20, 3, 500),
    "far from zero": 10**15 + RNG.integers(0, 9, 500),
    "far apart": RNG.choice([-(10**15), 0, 10**15], 500),
    "one label": np.full(9, 4),
    "one row": np.array([-7]),
    "all different": RNG.permutation(500),
    "booleans": RNG.integers(0, 2, 500).astype(bool),
    "only true": np.ones(5, dtype=bool),
    "bytes": RNG.integers(-128, 128, 500).astype(np.int8),
    "unsigned bytes": RNG.integers(0, 256, 500).astype(np.uint8),
    "big-endian": RNG.integers(0, 7, 500).astype(">i4"),
    "every other": np.repeat(RNG.integers(0, 7, 500), 2)[::2],
    "smallest": np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).min + 1] * 9),
    "smallest and largest": np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max] * 9),
    "unsigned": np.array([2**64 - 1, 2**64 - 3] * 9, dtype=np.uint64),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    labels = INTEGERS[name]
    names, codes = read_labels(labels, "y", len(labels))
    distinct, expected = np.unique(labels, return_inverse=True)
    assert names == distinct.tolist()
    assert list(map(type, names)) == list(map(type, distinct.tolist()))
    assert codes.dtype == np.intp
    np.testing.assert_array_equal(codes, expected)
