"""Checks of numbers that several rooms share."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback._validation import all_finite


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 4)])
def test_one_bad_entry_is_found_wherever_it_is(shape, bad):
    for order in "CF":
        for where in range(int(np.prod(shape))):
            x = np.zeros(shape, order=order)
            assert all_finite(x)
            x.flat[where] = bad
            assert not all_finite(x)
            assert not all_finite(np.stack([x, -x], axis=-1)[..., 0])


def test_the_largest_numbers_and_none_at_all_are_finite():
    assert all_finite(np.full(4, np.finfo(np.float64).max))
    assert all_finite(np.zeros(0))
    assert all_finite(np.zeros((0, 3)))
