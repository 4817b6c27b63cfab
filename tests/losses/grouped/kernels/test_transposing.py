"""Columns into rows, of any shape."""

import numpy as np
import pytest

from saddleback.losses.grouped.kernels import load


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 8), (5, 17), (40, 100)])
def test_same_as_numpy(shape, dtype):
    columns = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    rows = np.full(shape[::-1], np.nan, dtype)
    load("transposing", "transpose")(columns, rows)
    np.testing.assert_array_equal(rows, columns.T)
