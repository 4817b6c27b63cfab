"""Several parameter vectors in one pass over the partitions, and the bytes that come back."""

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.comm.tcp import TCP

import saddleback as sb

from .tables import assert_close, lazy, lazy_sparse, table


def make(at=lazy, loss="logistic", **options):
    X, y, groups = table(loss)
    return sb.GroupedLinear(at(X), y, groups, loss=loss, **options)


@pytest.mark.parametrize(("loss", "at"), [("logistic", lazy), ("squared", lazy_sparse)])
def test_many_are_as_many_evaluations(loss, at):
    known = make(np.asarray, loss, l2=0.3)
    losses = make(at, loss, l2=0.3)
    W = np.random.default_rng(0).standard_normal((5, known.n_params)) / 10
    f, G = losses.evaluate_many(W)
    for i, w in enumerate(W):
        expected = known.evaluate(w)
        assert_close(f[i], expected[0])
        assert_close(G[i], expected[1])


@pytest.mark.parametrize("n_combinations", [1, 3])
def test_maps_combine_where_the_rows_are(n_combinations):
    passes = make()._passes
    rng = np.random.default_rng(1)
    W, maps = rng.standard_normal((5, 6)) / 10, list(rng.standard_normal((5, n_combinations, 4)))
    f, G = passes.evaluate_many(W)
    combined, slopes = passes.evaluate_many(W, maps)
    assert combined.shape == (5, n_combinations)
    assert slopes.shape == (5, n_combinations, 6)
    for i, A in enumerate(maps):
        assert_close(combined[i], A @ f[i])
        assert_close(slopes[i], A @ G[i])


@pytest.mark.parametrize(
    ("maps", "said"),
    [
        ([np.ones((1, 4))] * 2, "one matrix per parameter vector, 3; got 2"),
        ([np.ones((1, 5))] * 3, r"matrices of one shape \(J', 4\); got \[\(1, 5\)\]"),
        ([np.ones((1, 4)), np.ones((2, 4)), np.ones((1, 4))], r"got \[\(1, 4\), \(2, 4\)\]"),
    ],
)
def test_maps_of_other_shapes_are_refused(maps, said):
    with pytest.raises(sb.ProblemError, match=said):
        make().evaluate_many(np.zeros((3, 6)), maps)


def test_many_on_workers_have_the_bits_of_this_process(cluster):
    W = np.random.default_rng(0).standard_normal((3, 6))
    maps = [np.ones((2, 4))] * 3
    known = make()._passes.evaluate_many(W, maps)
    cluster(3)
    for actual, expected in zip(make()._passes.evaluate_many(W, maps), known, strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.fixture
def sent(monkeypatch):
    """Bytes that were sent, by the address of the process that sent them."""
    counted = {}
    write = TCP.write

    async def counting(self, *arguments, **options):
        n_bytes = await write(self, *arguments, **options)
        counted[self.local_address] = counted.get(self.local_address, 0) + n_bytes
        return n_bytes

    monkeypatch.setattr(TCP, "write", counting)
    return counted


@pytest.mark.parametrize(("n_workers", "n_partitions"), [(1, 13), (2, 16), (4, 50), (2, 101)])
def test_one_jacobian_comes_back_from_each_worker(sent, n_workers, n_partitions):
    """J + J d numbers per worker and evaluation, within 10 %: 1, 2, 4, 8, ... workers have a node of the tree each."""
    J, d, n = 8, 1000, 5 * n_partitions
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((n, d)), rng.integers(0, 2, n), np.arange(n) % J
    # By sockets, though the workers are threads. Dask's own messages come at intervals, so that an evaluation is
    # between two of them at some time.
    with (
        dask.config.set({"distributed.admin.system-monitor.interval": "60s"}),
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0"
        ) as own,
        Client(own) as client,
    ):
        losses = sb.GroupedLinear(lazy(X, (5,) * n_partitions), y, groups, fit_intercept=False)
        w = np.zeros(d)
        losses.evaluate(w)
        addresses = list(client.nthreads())
        sent.clear()
        for _ in range(5):
            losses.evaluate(w)
        per_evaluation = [sent[address] / 5 for address in addresses]
    expected = 8 * (J + J * d)
    assert max(per_evaluation) <= 1.1 * expected
    assert min(per_evaluation) >= expected
