"""Losses on a cluster as objects: copies, threads, clients, and what is left on the workers."""

import copy
import gc
import pickle
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client

import saddleback as sb

from .tables import bits_of, lazy, table

W = np.linspace(-0.1, 0.1, 6)


def make(**options):
    X, y, groups = table()
    return sb.GroupedLinear(lazy(X), lazy(y), lazy(groups), **options)


def kept(client):
    """The number of objects that the workers hold, once Dask has passed on what was released."""
    return sum(client.run(lambda dask_worker: len(dask_worker.data)).values())


def test_nothing_is_left_once_losses_are_gone(client):
    losses = make()
    for _ in range(3):
        losses.evaluate(W)
    assert kept(client) >= 4
    shared = losses.with_l2(1.0)
    del losses
    shared.values(W)
    del shared
    gc.collect()
    end = time.monotonic() + 30.0
    while kept(client) and time.monotonic() < end:
        time.sleep(0.01)
    assert kept(client) == 0


def test_only_residents_are_kept(client):
    """The rows as they were loaded, and in between, are not kept beside the copies of the kernels."""
    losses = make()
    losses.evaluate(W)
    gc.collect()
    end = time.monotonic() + 30.0
    # The partition without rows is None, the two workers have shares, and the sums of the last evaluation may still be
    # there.
    while kept(client) > 7 and time.monotonic() < end:
        time.sleep(0.01)
    assert kept(client) <= 7


def test_dask_knows_the_sizes_of_partitions(client):
    """By which it decides what to keep in memory."""
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((400, 200)), rng.integers(0, 2, 400), np.arange(400) % 3
    losses = sb.GroupedLinear(lazy(X, (200, 200)), y, groups)
    keys = [future.key for future in losses._passes.residents._holdings.futures]
    sizes = client.run_on_scheduler(lambda dask_scheduler: [dask_scheduler.tasks[key].nbytes for key in keys])
    for size in sizes:
        # Besides the features, there are some numbers per row.
        assert 0.5 * X.nbytes <= size <= 0.6 * X.nbytes


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
def test_copies_are_refused_on_a_cluster(client, duplicate):
    losses = make()
    with pytest.raises(sb.IncompatibleError, match="losses whose rows are on a cluster cannot be pickled or copied"):
        duplicate(losses)
    np.testing.assert_array_equal(copy.copy(losses).values(W), losses.values(W))


def test_copies_of_partitions_in_this_process():
    losses = make()
    for same in (copy.deepcopy(losses), pickle.loads(pickle.dumps(losses))):
        assert bits_of(same) == bits_of(losses)


def test_two_losses_in_several_threads(client):
    losses = [make(), make(l2=0.1, fit_intercept=False)]
    known = [[each.evaluate(W[: each.n_params] * i)[1].tobytes() for i in range(8)] for each in losses]
    answers = {}

    def work(k):
        each = losses[k % 2]
        answers[k] = [each.evaluate(W[: each.n_params] * i)[1].tobytes() for i in range(8)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answers[k] for k in range(4)] == known * 2


def test_every_client_has_its_own_partitions(client):
    first = make()
    with Client(client.scheduler.address, set_as_default=False) as second:
        with second.as_current():
            other = make()
        assert bits_of(other) == bits_of(first)
        del other
    assert np.isfinite(first.values(W)).all()


def test_a_closed_client_has_lost_its_partitions(client):
    with Client(client.scheduler.address, set_as_default=False) as second, second.as_current():
        losses = make()
    with pytest.raises(sb.errors.ClusterLost, match=r"the connection to the Dask scheduler .* is lost"):
        losses.values(W)
    # Others go on.
    assert make().n_samples == 201


def test_cancelled_partitions_are_lost(client):
    losses = make()
    client.cancel(losses._passes.residents._holdings.futures[:2])
    with pytest.raises(sb.errors.ClusterLost, match=r"no longer on the cluster .* cancelled"):
        losses.values(W)


def test_a_cluster_without_workers_is_given_up(client):
    losses = make()
    client.cluster.scale(0)
    with (
        dask.config.set({"saddleback.patience": 0.2}),
        pytest.raises(sb.errors.ClusterLost, match=r"no worker is left .* none has come within 0\.2 seconds"),
    ):
        losses.values(W)


def wide(seed):
    return np.random.default_rng(seed).standard_normal((20, 70_000))


def test_large_parameters_are_passed_from_worker_to_worker(cluster):
    """More than a megabyte of copies of w goes to one worker, which passes it on: the same bits."""
    rng = np.random.default_rng(0)
    blocks = [da.from_delayed(dask.delayed(wide)(seed), (20, 70_000), float) for seed in range(3)]
    y, groups, w = rng.integers(0, 2, 60), np.arange(60) % 3, rng.standard_normal(70_000) / 1000

    def answer():
        losses = sb.GroupedLinear(da.concatenate(blocks), y, groups, fit_intercept=False)
        return b"".join(x.tobytes() for x in losses.evaluate(w))

    known = answer()
    cluster(3)
    assert answer() == known


def test_labels_and_weights_are_sent_without_a_warning(client):
    """Of a large graph, which is an error here; of the user's own graphs Dask warns as ever."""
    threshold = "distributed.admin.large-graph-warning-threshold"
    rng, n = np.random.default_rng(0), 20_000
    y, groups, weight = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.random(n)
    with dask.config.set({threshold: "100 kiB"}):
        losses = sb.GroupedLinear(da.ones((n, 2), chunks=(5000, 2)), y, groups, sample_weight=weight)
        assert losses.n_samples == n
        assert dask.config.get(threshold) == "100 kiB"
        with pytest.warns(UserWarning, match="Sending large graph"):
            client.submit(sum, weight).result()


def test_many_partitions(client):
    """Many more than threads."""
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((1000, 3)), rng.integers(0, 2, 1000), np.arange(1000) % 3
    losses = sb.GroupedLinear(lazy(X, (5,) * 200), y, groups)
    known = sb.GroupedLinear(X, y, groups)
    np.testing.assert_allclose(losses.values(W[:4]), known.values(W[:4]), rtol=1e-13)
