"""Workers that answer garbage are named; numbers that are not finite for good reasons are answers."""

import numpy as np
import pytest

import saddleback as sb
from benchmarks.cluster.calls import asked_by
from saddleback.losses.grouped.partitions import answering, joining, tasks

from .tables import lazy, table

X, Y, GROUPS = table()
LENGTHS = (21,) * 9 + (12,)
GARBAGE = {
    "shape": (lambda f, G: (f, G[:, :-1]), r"has answered with arrays of shape \(\(4,\), \(4, 5\)\); expected"),
    "type": (lambda f, G: (f, G.astype(np.float32)), r"has answered with arrays of shape \(\(4,\), None\); expected"),
    "too few": (lambda f, G: (f,), "has answered with arrays of shape"),
    "nan": (lambda f, G: (f, np.where(G.max() == G, np.nan, G)), "answered with numbers that are not finite, and"),
    "infinite": (lambda f, G: (f + np.inf, G), "answered with numbers that are not finite, and"),
}


def make(**options):
    return sb.GroupedLinear(lazy(X, LENGTHS), lazy(Y, LENGTHS), lazy(GROUPS, LENGTHS), **options)


def break_worker(monkeypatch, address, damage):
    """From now on, one worker answers wrongly."""
    right = tasks.sums_of

    def sums_of(worker, *arguments):
        sums = right(worker, *arguments)
        if worker.address == address:
            damage(sums.nodes)
        return sums

    for module in (tasks, answering):
        monkeypatch.setattr(module, "sums_of", sums_of)


@pytest.mark.parametrize("way", ["tasks", "calls"])
@pytest.mark.parametrize(("n_workers", "few_bytes"), [(2, joining.FEW_BYTES), (6, 0)])
@pytest.mark.parametrize("case", GARBAGE)
def test_the_worker_is_named(cluster, monkeypatch, case, n_workers, way, few_bytes):
    """Also where its sums would be joined with those of others."""
    client = cluster(n_workers)
    losses = asked_by(make(), way)
    monkeypatch.setattr(joining, "FEW_BYTES", few_bytes)
    change, said = GARBAGE[case]
    bad = sorted(client.nthreads())[1]

    def damage(nodes):
        for node, sums in nodes.items():
            nodes[node] = change(*sums)

    break_worker(monkeypatch, bad, damage)
    with pytest.raises(sb.errors.ClusterError, match=f"worker {bad} {said}" if case in "shape type" else said) as info:
        losses.evaluate(np.zeros(losses.n_params))
    assert bad in str(info.value)
    assert not isinstance(info.value, sb.errors.ClusterLost)


@pytest.mark.parametrize("way", ["tasks", "calls"])
def test_sums_of_other_partitions(client, monkeypatch, way):
    losses, bad = asked_by(make(), way), sorted(client.nthreads())[0]
    break_worker(monkeypatch, bad, lambda nodes: nodes.clear())
    with pytest.raises(sb.errors.ClusterError, match=f"worker {bad} has answered with sums of other partitions"):
        losses.evaluate(np.zeros(losses.n_params))


@pytest.mark.parametrize("n_workers", [1, 2, 6])
def test_infinite_losses_are_answers(cluster, n_workers):
    """exp(1e3) overflows on every worker alike."""
    y = np.ones(len(X))
    known = sb.GroupedLinear(np.abs(X), y, GROUPS, loss="poisson")
    cluster(n_workers)
    losses = sb.GroupedLinear(lazy(np.abs(X), LENGTHS), y, GROUPS, loss="poisson")
    w = np.full(known.n_params, 1e3)
    expected = known.evaluate(w)
    assert not np.isfinite(expected[0]).any()
    for actual, of_memory in zip(losses.evaluate(w), expected, strict=True):
        np.testing.assert_array_equal(np.isfinite(actual), np.isfinite(of_memory))
    np.testing.assert_array_equal(losses.values(w), known.values(w))
    for actual, of_memory in zip(asked_by(losses).evaluate(w), expected, strict=True):
        np.testing.assert_array_equal(np.isfinite(actual), np.isfinite(of_memory))


def test_an_error_of_the_users_loss_comes_through(client):
    class Failing(sb.losses.PointwiseLoss):
        convex = True

        def value_and_slope(self, eta, y):
            if np.abs(eta).max() > 1e6:
                raise ArithmeticError("too large for this loss")
            return eta**2, 2 * eta

    losses = sb.GroupedLinear(lazy(X, LENGTHS), X[:, 0], GROUPS, loss=Failing())
    losses.values(np.ones(losses.n_params))
    with pytest.raises(ArithmeticError, match="too large for this loss"):
        losses.values(np.full(losses.n_params, 1e9))
    losses.values(np.ones(losses.n_params))
