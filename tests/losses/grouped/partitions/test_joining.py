"""Who adds the sums of the workers."""

import pytest

from saddleback.losses.grouped.partitions.joining import FAN_IN, FEW_BYTES, joined_by_fours, levels


def test_few_workers_or_few_bytes_need_no_levels():
    assert levels(FAN_IN, 10 * FEW_BYTES) == 0
    assert levels(1000, FEW_BYTES // 1000) == 0
    assert levels(1000, FEW_BYTES // 999) == 1
    assert [levels(n, FEW_BYTES) for n in (1, 4, 5, 16, 17, 64, 65)] == [0, 0, 1, 1, 2, 2, 3]


def test_many_workers_are_not_all_called():
    assert [levels(n, 0, 64) for n in (64, 65, 256, 257)] == [0, 1, 1, 2]


@pytest.mark.parametrize("n", [1, 5, 16, 30])
def test_neighbors_are_joined_in_their_order(n):
    left = joined_by_fours([(k,) for k in range(n)], levels(n, FEW_BYTES), lambda some: sum(some, ()))
    assert len(left) <= FAN_IN
    assert sum(left, ()) == tuple(range(n))
