"""Equal losses at equal points, to the last bit, for any addresses of the arrays."""

from itertools import permutations

import numba
import numpy as np
import pytest

from saddleback.losses.grouped.kernels.blocks import _weigh


@numba.njit
def weigh(coefficient, slot, first, visits, x, c):
    return _weigh(coefficient, slot, first, visits, x, c)


@pytest.mark.parametrize("n", [3, 8, 13, 18, 26, 40])
@pytest.mark.parametrize("gap", [0, 1, 4, 64])
def test_sums_do_not_depend_on_places_in_memory(n, gap):
    """Compiled code tests at run time whether arrays overlap, and sums in another order where they are close."""
    rng = np.random.default_rng(n)
    x, coefficient = rng.standard_normal(n), rng.random(n)
    sums = set()
    for order in permutations(range(3)):
        memory, arrays, start = np.zeros(3 * (n + 8 + gap)), {}, 0
        for which in order:
            arrays[which] = memory[start : start + n + 8]
            start += n + 8 + gap
        arrays[0][:n], arrays[1][:n] = x, coefficient
        sums.add(weigh(arrays[1], np.arange(n), 0, n, arrays[0], arrays[2]))
    for distance in (n, n + 1, n + 2):
        memory = np.zeros(3 * distance + 8)
        memory[:n], memory[distance : distance + n] = x, coefficient
        sums.add(weigh(memory[distance:], np.arange(n), 0, n, memory[:distance], memory[2 * distance :]))
    assert len(sums) == 1
