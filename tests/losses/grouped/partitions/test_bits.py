"""The same partitions give the same bits, whoever computes them."""

import pytest

import saddleback as sb

from .tables import EDGES, UNEQUAL, bits_of, lazy, table


def make(lengths=UNEQUAL, loss="logistic", **options):
    X, y, groups = table(loss)
    return sb.GroupedLinear(lazy(X, lengths), lazy(y, lengths), lazy(groups, lengths), loss=loss, l2=0.1, **options)


def test_threads_do_not_matter():
    known = bits_of(make())
    for n_threads in (1, 2, 5):
        assert bits_of(make(n_threads=n_threads)) == known


@pytest.mark.parametrize("lengths", [UNEQUAL, EDGES, (8,) * 25 + (1,)], ids=["unequal", "edges", "many"])
@pytest.mark.parametrize("n_workers", [1, 2, 3, 6])
def test_workers_do_not_matter(cluster, n_workers, lengths):
    known = bits_of(make(lengths))
    cluster(n_workers)
    assert bits_of(make(lengths)) == known
    assert bits_of(make(lengths, n_threads=1)) == known


def test_softmax_on_workers(client):
    with client.as_current():
        own = bits_of(make(loss="softmax"))
    client.close()
    assert own == bits_of(make(loss="softmax"))


def test_bits_are_those_of_the_partitions():
    """Other partitions may give other bits; otherwise these tests would show nothing."""
    assert bits_of(make(UNEQUAL)) != bits_of(make((8,) * 25 + (1,)))


def test_partitions_may_move(cluster):
    """Wherever partitions are, the same are added to each other."""
    client = cluster(3)
    losses = make((10, 20, 1, 40, 30, 50, 50))
    known, residents = bits_of(losses), losses._passes.residents
    futures = residents._holdings.futures
    addresses = sorted(client.nthreads())
    for shift in range(3):
        for number, future in enumerate(futures):
            client.replicate([future], n=1, workers=[addresses[(number + shift) % 3]])
        residents._stale = True
        assert bits_of(losses) == known
        assert len(set(residents._holdings.holders)) == 3


def test_a_worker_that_joins_gets_partitions(cluster):
    client = cluster(1)
    losses = make((20,) * 10 + (1,))
    known = bits_of(losses)
    client.cluster.scale(3)
    client.wait_for_workers(3)
    losses._passes.residents._looked = -1e9
    assert bits_of(losses) == known
    assert len(set(losses._passes.residents._holdings.holders)) == 3


def test_a_worker_that_leaves_hands_on_its_partitions(cluster):
    client = cluster(3)
    losses = make((20,) * 10 + (1,))
    known = bits_of(losses)
    client.retire_workers([losses._passes.residents._holdings.holders[0]])
    assert bits_of(losses) == known
    assert len(client.nthreads()) == 2
