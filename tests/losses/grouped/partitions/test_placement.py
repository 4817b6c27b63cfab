"""Which worker gets which partitions."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saddleback.losses.grouped.partitions.placement import UNEVEN, contiguous, moves, ranges_of, runs_of
from saddleback.losses.grouped.partitions.tree import maximal_nodes

THREADS = st.lists(st.integers(1, 8), min_size=1, max_size=9).map(lambda n: {f"tcp://{k}": m for k, m in enumerate(n)})
HOLDERS = st.lists(st.sampled_from([f"tcp://{k}" for k in range(5)]), min_size=1, max_size=60)


@given(st.integers(1, 300), THREADS)
def test_neighbors_go_together_by_threads(n_partitions, threads):
    ranges = contiguous(n_partitions, threads)
    assert [number for one in ranges for number in one.numbers] == list(range(n_partitions))
    addresses = [one.address for one in ranges]
    assert addresses == sorted(addresses)
    share = n_partitions / sum(threads.values())
    for one in ranges:
        # Both ends may be off by 5 % of an even share, or are rounded.
        slack = 2 * max(1.0, 0.05 * n_partitions / len(threads))
        assert abs(len(one.numbers) - threads[one.address] * share) <= slack + 1e-9


def test_cuts_are_where_large_nodes_end():
    """The sums of 2, 4, 8, ... like workers are one node each, whatever the number of partitions."""
    for n_partitions, n_workers in ((1000, 2), (1000, 4), (37, 4), (100, 8)):
        ranges = contiguous(n_partitions, {str(k): 1 for k in range(n_workers)})
        assert [len(maximal_nodes(one.numbers, n_partitions)) for one in ranges] == [1] * n_workers
    assert [one.numbers[0] for one in contiguous(1000, {"a": 1, "b": 1})] == [0, 500]
    # A share of 484 is 500 as well, as the halves are nodes.
    assert [one.numbers[0] for one in contiguous(1000, {"a": 31, "b": 33})] == [0, 500]
    assert [one.numbers[0] for one in contiguous(64, {"a": 1, "b": 1, "c": 2})] == [0, 16, 32]


@given(HOLDERS)
def test_ranges_and_runs_hold_every_partition_once(holders):
    for found in (ranges_of(holders), runs_of(holders)):
        assert sorted(number for one in found for number in one.numbers) == list(range(len(holders)))
        assert all(holders[number] == one.address for one in found for number in one.numbers)
    assert len(ranges_of(holders)) == len(set(holders))
    runs = runs_of(holders)
    assert [number for one in runs for number in one.numbers] == list(range(len(holders)))
    assert all(a.address != b.address for a, b in pairwise(runs))


@given(HOLDERS, THREADS)
def test_moves_even_out_what_is_uneven_and_nothing_else(holders, threads):
    holders = [address if address in threads else min(threads) for address in holders]
    share = {address: len(holders) * n / sum(threads.values()) for address, n in threads.items()}
    found = moves(holders, threads)
    after = [found.get(number, address) for number, address in enumerate(holders)]
    load = Counter(after)
    for address in threads:
        assert load[address] <= max(np.ceil(share[address]), UNEVEN * share[address])
    assert not moves(after, threads)
    before = Counter(holders)
    if all(before[address] <= max(np.ceil(share[address]), UNEVEN * share[address]) for address in threads):
        assert not found
    assert all(holders[number] != address for number, address in found.items())
    # Nobody gets more than its share, rounded up, by a move.
    assert all(load[address] <= np.ceil(share[address]) for address in set(found.values()))
