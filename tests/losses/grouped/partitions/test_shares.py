"""The tree of sums and the shares of workers: the same sum whoever adds it, and one node each where that can be."""

import numpy as np
import pytest

from saddleback.losses.grouped.partitions.placement import SLACK, contiguous
from saddleback.losses.grouped.partitions.tree import PartialSums, depth, first_leaf, leaf, maximal_nodes

MANY = [1, 2, 3, 5, 7, 8, 13, 100, 127, 128, 129]


def workers(count):
    return {f"tcp://{k:03}": 1 for k in range(count)}


@pytest.mark.parametrize("n", MANY)
def test_every_leaf_has_its_place(n):
    places = [leaf(number, n) for number in range(n)]
    assert len(set(places)) == n
    assert max(k for _, k in places) < 1 << depth(n)
    assert [first_leaf(node, n) for node in places] == list(range(n))
    assert (first_leaf((depth(n), 0), n), first_leaf((depth(n), 1), n)) == (0, n)


@pytest.mark.parametrize("n", MANY)
def test_sums_have_the_same_bits_in_any_order(n):
    rng = np.random.default_rng(n)
    terms = rng.standard_normal((n, 3)) * 10.0 ** rng.integers(-8, 8, (n, 1))

    def total(order):
        sums = PartialSums(n)
        for number in order:
            sums.add(leaf(number, n), (terms[number].copy(),))
        assert list(sums.nodes) == [(depth(n), 0)]
        return sums.total[0]

    expected = total(range(n))
    np.testing.assert_allclose(expected, terms.sum(axis=0), rtol=0, atol=1e-15 * n * np.abs(terms).sum())
    for _ in range(5):
        np.testing.assert_array_equal(total(rng.permutation(n).tolist()), expected)


@pytest.mark.parametrize("n", MANY)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 16, 100])
def test_shares(n, count):
    ranges = contiguous(n, workers(count))
    assert [number for one in ranges for number in one.numbers] == list(range(n))
    assert max(len(one.numbers) for one in ranges) <= np.ceil((1 + 2 * SLACK) * n / count) + 1
    if count & (count - 1) == 0 and n >= count:
        assert [len(maximal_nodes(one.numbers, n)) for one in ranges] == [1] * count
        assert max(len(one.numbers) for one in ranges) == -(-n // count)


def test_shares_by_threads():
    ranges = contiguous(100, {"a": 3, "b": 1})
    assert [len(one.numbers) for one in ranges] == [75, 25]
    # A half and a quarter.
    assert len(maximal_nodes(ranges[0].numbers, 100)) == 2
