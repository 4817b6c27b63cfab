"""Sums by calls to the workers: the bits of tasks, and tasks wherever a call fails."""

import asyncio
import gc
import threading
import time

import numpy as np
import pytest
from distributed import worker_client
from distributed.comm import CommClosedError

import saddleback as sb
from benchmarks.cluster.calls import asked_by
from saddleback.losses.grouped.partitions import calling, joining, tasks
from saddleback.losses.grouped.partitions.answering import OPERATION, Share
from saddleback.losses.grouped.partitions.recovery import Cluster

from .tables import bits_of, lazy, table

LENGTHS = (21,) * 9 + (12,)
W = np.linspace(-0.1, 0.1, 6)


def make(**options):
    X, y, groups = table()
    return sb.GroupedLinear(lazy(X, LENGTHS), lazy(y, LENGTHS), lazy(groups, LENGTHS), **options)


def n_tasks(client):
    """How many tasks have computed sums since the cluster was started."""
    return client.run_on_scheduler(
        lambda dask_scheduler: dask_scheduler.task_prefixes["sum_range"].state_counts["memory"]
    )


def move(client, future, address):
    """As Dask moves what it holds: no other worker has it then."""
    client.replicate([future], n=1, workers=[address])
    others = [other for other in client.who_has([future])[future.key] if other != address]

    def forget(dask_scheduler):
        for other in others:
            dask_scheduler.request_remove_replicas(other, [future.key], stimulus_id="test")

    client.run_on_scheduler(forget)
    end = time.monotonic() + 30.0
    while list(client.who_has([future])[future.key]) != [address] and time.monotonic() < end:
        time.sleep(0.01)
    assert list(client.who_has([future])[future.key]) == [address]


def shares(client):
    """Of all workers."""
    found = client.run(lambda dask_worker: [type(value).__name__ for value in dict(dask_worker.data).values()])
    return sum(of_one.count(Share.__name__) for of_one in found.values())


@pytest.mark.parametrize("way", ["calls", "calls by the scheduler"])
@pytest.mark.parametrize("n_workers", [1, 3, 6])
def test_bits_are_those_of_tasks(cluster, monkeypatch, n_workers, way):
    """Also where workers join sums of their neighbors, and these those of others."""
    client = cluster(n_workers)
    client.direct_to_workers = None if way == "calls" else False
    losses = make()
    assert losses._passes.residents.way == "tasks"
    with monkeypatch.context() as no_calls:
        no_calls.setattr(calling, "MOST_FAILURES", 0)
        known = bits_of(losses)
        assert losses._passes.residents.way == "tasks"
    assert bits_of(asked_by(losses, way)) == known
    monkeypatch.setattr(joining, "FEW_BYTES", 0)
    monkeypatch.setattr(joining, "FAN_IN", 2)
    assert bits_of(losses) == known
    assert losses._passes.residents.way == way


def test_scheduler_has_no_tasks_of_calls(client):
    losses = asked_by(make())
    before = n_tasks(client)
    for _ in range(3):
        losses.evaluate(W)
    assert n_tasks(client) == before


def test_a_call_uses_the_threads_of_the_worker(client, monkeypatch):
    losses, right, seen = asked_by(make()), tasks.sums_here, []

    def sums_here(*arguments):
        seen.append(arguments[-1])
        return right(*arguments)

    monkeypatch.setattr(tasks, "sums_here", sums_here)
    losses.values(W)
    assert seen == [2, 2]


def test_now_and_then_tasks_are_asked(client):
    """So that schedulers that end where nothing is to be done go on."""
    losses = asked_by(make())
    known = losses.values(W)
    losses._passes.residents._lines.by_tasks -= calling.TASKS_EVERY
    before = n_tasks(client)
    np.testing.assert_array_equal(losses.values(W), known)
    losses.values(W)
    assert n_tasks(client) == before + 2


def test_partitions_that_have_moved_are_found(cluster):
    """Dask may move what it holds, without a word."""
    client = cluster(3)
    losses = make()
    known, values = bits_of(asked_by(losses)), losses.values(W)
    residents = losses._passes.residents
    lines = residents._lines
    addresses = sorted(client.nthreads())
    for number, future in enumerate(residents._holdings.futures):
        move(client, future, addresses[number % 3])
    np.testing.assert_array_equal(losses.values(W), values)
    assert lines.failures == 1
    assert bits_of(losses) == known
    assert bits_of(asked_by(losses)) == known


def test_shares_that_have_moved_are_made_anew(cluster):
    client = cluster(2)
    losses = asked_by(make())
    known, lines = losses.values(W), losses._passes.residents._lines
    first, second = lines.shares
    addresses = [one.address for one in lines.holdings.ranges]
    move(client, first, addresses[1])
    move(client, second, addresses[0])
    np.testing.assert_array_equal(losses.values(W), known)
    assert lines.failures == 1
    np.testing.assert_array_equal(asked_by(losses).values(W), known)
    assert lines.failures == 0


def test_a_worker_that_does_not_answer_any_more(client):
    losses = asked_by(make())
    known = losses.values(W)
    client.run(lambda dask_worker: dask_worker.handlers.pop(OPERATION))
    np.testing.assert_array_equal(losses.values(W), known)
    np.testing.assert_array_equal(asked_by(losses).values(W), known)


def test_calls_that_always_fail_are_given_up(client, monkeypatch):
    """Until partitions move."""
    client.direct_to_workers = False
    losses = asked_by(make(), "calls by the scheduler")
    known, residents, attempts = losses.values(W), losses._passes.residents, []

    async def fail(*_):
        attempts.append(residents.way)
        raise CommClosedError("no line")

    with monkeypatch.context() as broken:
        broken.setattr(residents._calls, "_by_scheduler", fail)
        for _ in range(20):
            np.testing.assert_array_equal(losses.values(W), known)
            client.gather(residents._lines.shares)
        assert len(attempts) == calling.MOST_FAILURES
        assert residents.way == "tasks"
    residents._stale = True
    np.testing.assert_array_equal(asked_by(losses, "calls by the scheduler").values(W), known)


def test_the_scheduler_passes_calls_on_where_the_client_reaches_no_worker(client, monkeypatch):
    losses = make()
    known, connect, scheduler = losses.values(W), client.rpc.connect, client.scheduler.address

    async def only_the_scheduler(address, *arguments, **more):
        if address != scheduler:
            raise OSError("no route to host")
        return await connect(address, *arguments, **more)

    monkeypatch.setattr(client.rpc, "connect", only_the_scheduler)
    asked_by(losses, "calls by the scheduler")
    time.sleep(0.1)
    for _ in range(3):
        np.testing.assert_array_equal(losses.values(W), known)
    assert losses._passes.residents.way == "calls by the scheduler"


def test_a_worker_that_is_gone_is_not_waited_for(client):
    """Its machine may have lost its power, so that its connections stay."""
    begun = time.monotonic()
    with pytest.raises(CommClosedError, match=r"workers .*nobody.* are gone"):
        Cluster(client).called(asyncio.Event().wait, [*client.nthreads(), "inproc://nobody"])
    assert time.monotonic() - begun < 20.0


def test_workers_may_be_retired(cluster):
    """Which Dask refuses to where they hold actors."""
    client = cluster(3)
    losses = asked_by(make())
    known = losses.values(W)
    client.retire_workers([losses._passes.residents._holdings.holders[0]])
    assert len(client.nthreads()) == 2
    np.testing.assert_array_equal(losses.values(W), known)
    np.testing.assert_array_equal(asked_by(losses).values(W), known)


def test_nothing_is_left_once_losses_are_gone(client):
    losses = asked_by(make())
    assert shares(client) == 2
    del losses
    gc.collect()
    end = time.monotonic() + 30.0
    while any(client.run(lambda dask_worker: len(dask_worker.data)).values()) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(client.run(lambda dask_worker: len(dask_worker.data)).values())


def test_partitions_may_be_put_on_disk(client):
    """Between two calls, which read them again, as tasks do."""
    losses = asked_by(make())
    known = [x.tobytes() for x in losses.evaluate(W)]

    def evict(dask_worker):
        while dask_worker.data.fast:
            assert dask_worker.data.evict() > 0
        return len(dask_worker.data.slow)

    assert sum(client.run(evict).values()) >= len(LENGTHS)
    before = n_tasks(client)
    assert [x.tobytes() for x in losses.evaluate(W)] == known
    assert n_tasks(client) == before


def test_an_error_of_the_users_loss_comes_through(client):
    class Failing(sb.losses.PointwiseLoss):
        convex = True

        def value_and_slope(self, eta, y):
            if np.abs(eta).max() > 1e6:
                raise ArithmeticError("too large for this loss")
            return eta**2, 2 * eta

    X, _, groups = table()
    losses = asked_by(sb.GroupedLinear(lazy(X, LENGTHS), X[:, 0], groups, loss=Failing()))
    for _ in range(5):
        with pytest.raises(ArithmeticError, match="too large for this loss"):
            losses.values(np.full(losses.n_params, 1e9))
        losses.values(np.ones(losses.n_params))


def test_threads_of_one_client(client):
    losses = [asked_by(make()), asked_by(make(l2=0.1, fit_intercept=False))]
    known = [[each.evaluate(W[: each.n_params] * i)[1].tobytes() for i in range(8)] for each in losses]
    answers = {}

    def work(k):
        each = losses[k % 2]
        answers[k] = [each.evaluate(W[: each.n_params] * i)[1].tobytes() for i in range(8)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answers[k] for k in range(6)] == known * 3


def test_a_client_within_a_worker(client):
    known = bits_of(make())

    def on_worker():
        with worker_client():
            return bits_of(asked_by(make()))

    assert client.submit(on_worker).result() == known
