"""Sums in the fixed tree: the same bits in any order and for any division among workers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddleback.errors import ClusterError
from saddleback.losses.grouped.partitions.ranges import Partial, joined
from saddleback.losses.grouped.partitions.tree import PartialSums, first_leaf, leaf, maximal_nodes

LEAVES = st.integers(1, 70)


def of_leaf(number):
    """Sums of very different magnitudes, so that every order of additions rounds otherwise; None without rows."""
    if number % 5 == 3:
        return None
    rng = np.random.default_rng(number)
    return rng.standard_normal(3) * 10.0 ** rng.integers(-8, 8), rng.standard_normal((2, 2))


def total(numbers, n_leaves):
    sums = PartialSums(n_leaves)
    for number in numbers:
        sums.add(leaf(number, n_leaves), of_leaf(number))
    return sums.total


def bits(sums):
    return None if sums is None else b"".join(x.tobytes() for x in sums)


@given(LEAVES, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_bits(n_leaves, random):
    order = list(range(n_leaves))
    known = bits(total(order, n_leaves))
    random.shuffle(order)
    assert bits(total(order, n_leaves)) == known


@given(LEAVES, st.integers(1, 6), st.randoms(use_true_random=False))
def test_any_workers_give_the_same_bits(n_leaves, n_workers, random):
    shares = [[] for _ in range(n_workers)]
    for number in range(n_leaves):
        random.choice(shares).append(number)
    partials = []
    for worker, numbers in enumerate(shares):
        sums = PartialSums(n_leaves)
        for number in random.sample(numbers, len(numbers)):
            sums.add(leaf(number, n_leaves), of_leaf(number))
        if numbers:
            partials.append(Partial(str(worker), tuple(numbers), sums.nodes))
    shapes = ((3,), (2, 2))
    random.shuffle(partials)
    half = len(partials) // 2
    in_two_steps = [joined(part, shapes, n_leaves, "joined") for part in (partials[:half], partials[half:]) if part]
    for parts in (partials, in_two_steps):
        answer = joined(parts, shapes, n_leaves, "client")
        assert sorted(answer.numbers) == list(range(n_leaves))
        (root,) = answer.nodes.values()
        assert bits(root) == bits(total(range(n_leaves), n_leaves))


@given(LEAVES, st.data())
def test_the_sum_is_right_and_few_nodes_leave_a_worker(n_leaves, data):
    rows = [of_leaf(number) for number in range(n_leaves)]
    known = [sum(of) for of in zip(*(row for row in rows if row is not None), strict=True)]
    answer = total(range(n_leaves), n_leaves)
    assert (answer is None) == (not known)
    for got, expected in zip(answer or (), known, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    first = data.draw(st.integers(0, n_leaves - 1))
    last = data.draw(st.integers(first, n_leaves - 1))
    nodes = maximal_nodes(range(first, last + 1), n_leaves)
    ends = [(first_leaf((level, k), n_leaves), first_leaf((level, k + 1), n_leaves)) for level, k in nodes]
    covered = sorted(number for begin, end in ends for number in range(begin, end))
    assert covered == list(range(first, last + 1))
    # Neighbors have at most two nodes of each level.
    assert len(nodes) <= 2 * max(1, int(np.ceil(np.log2(n_leaves))))


def test_partitions_without_rows_change_no_bit():
    sums, known = PartialSums(4), PartialSums(2)
    for number in range(4):
        # Of a tree whose other leaves are empty.
        sums.add(leaf(number, 4), of_leaf(number) if number < 2 else None)
    for number in range(2):
        known.add(leaf(number, 2), of_leaf(number))
    assert bits(sums.total) == bits(known.total)
    nothing = PartialSums(2)
    nothing.add(leaf(0, 2), None)
    nothing.add(leaf(1, 2), None)
    assert nothing.total is None


def test_joined_leaves_its_arguments_as_they_are():
    """An answer may be asked for again, and what comes from another process is read-only."""
    ones = np.ones(2)
    ones.flags.writeable = False
    partials = [Partial("a", (0,), {(0, 0): (ones,)}), Partial("b", (1,), {(0, 1): (ones,)})]
    for _ in range(2):
        (sums,) = joined(partials, ((2,),), 2, "client").nodes.values()
        assert sums[0].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ({(0, 1): (np.ones(2),)}, "worker tcp://a has answered with sums of other partitions"),
        (None, "sums of other partitions"),
        (
            {(0, 0): (np.ones(3),)},
            r"worker tcp://a has answered with arrays of shape \(\(3,\),\); expected \(\(2,\),\)",
        ),
        ({(0, 0): (np.ones(2, dtype=np.float32),)}, r"arrays of shape \(None,\)"),
        ({(0, 0): ([1.0, 2.0],)}, r"arrays of shape \(None,\)"),
        ({(0, 0): (np.ones(2), np.ones(2))}, r"arrays of shape \(\(2,\), \(2,\)\)"),
    ],
)
def test_a_wrong_answer_is_named(nodes, said):
    with pytest.raises(ClusterError, match=said):
        joined([Partial("tcp://a", (0,), nodes)], ((2,),), 2, "client")
