"""The arithmetic of the model of a cluster's cost."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.cluster import model
from benchmarks.cluster.traffic import nodes_per_worker
from saddleback.losses.grouped.partitions.joining import MOST_CALLS

TASK = model.Task(n_rows=1e6, n_params=100, n_losses=3, n_partitions=64)
ONE = model.Machines(n_workers=1, read_rate=1e10, latency=0.01, bandwidth=1e6, call=0.005, call_per_worker=0.001)


def test_one_worker():
    cost = model.evaluation(TASK, ONE)
    assert cost.read_bytes == 8e8
    assert cost.flops == 4e8
    assert cost.compute == pytest.approx(0.08)
    assert (cost.messages, cost.levels) == (2, 0)
    assert cost.waiting == pytest.approx(0.02)
    assert cost.overhead == 0.005
    assert (cost.out_bytes, cost.sums_bytes, cost.back_bytes) == (800, 8 * 303, 8 * 303)
    assert cost.transfer == pytest.approx((800 + 8 * 303) / 1e6)
    assert cost.seconds == pytest.approx(cost.compute + cost.overhead + cost.waiting + cost.transfer)


def test_passes_are_shared_and_messages_are_not():
    costs = [model.evaluation(TASK, replace(ONE, n_workers=n)) for n in (1, 2, 4, 8)]
    np.testing.assert_allclose([cost.compute for cost in costs], [0.08, 0.04, 0.02, 0.01])
    assert {cost.messages for cost in costs} == {2}
    np.testing.assert_allclose([cost.back_bytes for cost in costs], 8 * 303 * np.array([1, 2, 4, 8]))
    np.testing.assert_allclose([cost.overhead for cost in costs], [0.005, 0.006, 0.008, 0.012])


def test_tree_of_joins_where_sums_are_large():
    wide = replace(TASK, n_params=20_000)
    sums = 8 * 3 * 20_001
    costs = {n: model.evaluation(wide, replace(ONE, n_workers=n)) for n in (2, 4, 8, 16, 64)}
    assert [cost.levels for cost in costs.values()] == [0, 0, 1, 1, 2]
    assert [cost.messages for cost in costs.values()] == [2, 2, 4, 4, 6]
    assert costs[16].back_bytes == costs[4].back_bytes == 4 * sums
    assert costs[8].back_bytes == 2 * sums
    # w goes to four workers, and from each to three others; the sums come back the same way.
    assert costs[16].transfer == pytest.approx((160_000 + sums) * (3 + 4) / 1e6)
    # At each of two levels; the client calls four again.
    assert costs[64].transfer == pytest.approx((160_000 + sums) * (6 + 4) / 1e6)
    assert costs[64].overhead == pytest.approx(0.005 + 0.001 * (6 + 3))


def test_few_bytes_need_no_tree_until_workers_are_many():
    small = replace(TASK, n_params=2, n_losses=1, n_partitions=4096)
    costs = [model.evaluation(small, replace(ONE, n_workers=n)) for n in (MOST_CALLS, 4 * MOST_CALLS)]
    assert [cost.levels for cost in costs] == [0, 1]
    assert costs[0].overhead == pytest.approx(0.005 + 0.001 * (MOST_CALLS - 1))
    assert costs[1].overhead == pytest.approx(0.005 + 0.001 * (MOST_CALLS - 1 + 3))


def test_partitions_are_shared_as_well():
    calls = [replace(ONE, n_workers=n, call_per_worker=0.0, call_per_partition=0.001) for n in (1, 4)]
    assert [model.evaluation(TASK, of_one).overhead for of_one in calls] == pytest.approx([0.069, 0.021])


def test_hessian():
    cost = model.hessian(TASK, replace(ONE, flop_rate=1e9))
    assert cost.flops == 1e10
    assert cost.compute == pytest.approx(10.0)
    assert cost.sums_bytes == 8 * 100**2
    assert model.hessian(TASK, replace(ONE, flop_rate=1e30)).compute == model.evaluation(TASK, ONE).compute


def test_more_sums_where_shares_are_no_nodes():
    assert [nodes_per_worker(100, n) for n in (1, 2, 4, 64)] == [1.0] * 4
    three = model.evaluation(replace(TASK, n_partitions=100), replace(ONE, n_workers=3))
    assert three.sums_bytes == pytest.approx(8 * 303 * nodes_per_worker(100, 3))
    assert nodes_per_worker(100, 3) > 2.0


def test_memory():
    assert model.memory_per_worker(TASK, 4) == (8e8 + 32e6) / 4
    assert model.memory_per_worker(replace(TASK, item_bytes=4), 4) == (4e8 + 32e6) / 4
    assert model.dual_flops(10, 1000) == 10**5 + 10**4
