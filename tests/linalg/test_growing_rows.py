"""Arrays that grow by rows: every array keeps its contents."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saddleback.linalg.growing_rows import appended


@given(st.data(), st.integers(1, 4), st.integers(1, 5))
def test_all_arrays_keep_their_rows(data, d, memory):
    """Any earlier array may be appended to, also several times."""
    arrays = [(np.empty((0, d)), np.empty((0, d)))]
    for k in range(30):
        rows, wanted = arrays[data.draw(st.integers(max(0, len(arrays) - 3), len(arrays) - 1))]
        first, new = max(0, len(rows) + 1 - memory), np.full(d, float(k))
        arrays.append((appended(rows, new, first), np.concatenate((wanted[first:], new[None]))))
        for rows, wanted in arrays:
            np.testing.assert_array_equal(rows, wanted)


def test_rows_grow_in_place():
    rows = appended(np.empty((0, 3)), np.zeros(3))
    longer = appended(rows, np.ones(3))
    assert np.shares_memory(rows, longer)
    other = appended(rows, np.full(3, 2.0))
    assert not np.shares_memory(other, longer)
    again = appended(pickle.loads(pickle.dumps(longer)), np.full(3, 5.0))
    np.testing.assert_array_equal(again[:, 0], [0.0, 1.0, 5.0])


def test_rows_that_start_with_nan_are_kept():
    rows = appended(np.empty((0, 2)), np.array([1.0, 1.0]))
    odd = appended(rows, np.array([np.nan, 2.0]))
    appended(rows, np.array([3.0, 3.0]))
    assert odd[1, 1] == 2.0
    more = appended(odd, np.array([4.0, 4.0]))
    appended(odd, np.array([5.0, 5.0]))
    np.testing.assert_array_equal(more[:, 1], [1.0, 2.0, 4.0])
