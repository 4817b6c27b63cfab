"""The arithmetic of the model of a cluster's cost."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.cluster import model
from benchmarks.cluster.traffic import nodes_per_worker
from saddleback.losses.grouped.partitions.on_workers import FEW_BYTES, INLINE_BYTES

TASK = model.Task(n_rows=1e6, n_params=100, n_losses=3, n_partitions=64)
ONE = model.Machines(n_workers=1, read_rate=1e10, latency=0.01, bandwidth=1e6, call=0.005, call_per_worker=0.001)


def test_one_worker():
    cost = model.evaluation(TASK, ONE)
    assert cost.read_bytes == 8e8
    assert cost.flops == 4e8
    assert cost.compute == pytest.approx(0.08)
    assert (cost.messages, cost.levels) == (8, 0)
    assert cost.waiting == pytest.approx(0.08)
    assert cost.overhead == 0.005
    assert (cost.out_bytes, cost.sums_bytes, cost.back_bytes) == (800, 8 * 303, 8 * 303)
    # w to the scheduler and to the worker; the sums to the scheduler and to the client.
    assert cost.transfer == pytest.approx((2 * 800 + 2 * 8 * 303) / 1e6)
    assert cost.seconds == pytest.approx(cost.compute + cost.overhead + cost.waiting + cost.transfer)


def test_passes_are_shared_and_messages_are_not():
    costs = [model.evaluation(TASK, replace(ONE, n_workers=n)) for n in (1, 2, 4, 8)]
    np.testing.assert_allclose([cost.compute for cost in costs], [0.08, 0.04, 0.02, 0.01])
    assert {cost.messages for cost in costs} == {8}
    np.testing.assert_allclose([cost.back_bytes for cost in costs], 8 * 303 * np.array([1, 2, 4, 8]))
    np.testing.assert_allclose([cost.overhead for cost in costs], [0.005, 0.006, 0.008, 0.012])


def test_tree_of_joins_where_sums_are_large():
    wide = replace(TASK, n_params=20_000)
    sums = 8 * 3 * 20_001
    costs = {n: model.evaluation(wide, replace(ONE, n_workers=n)) for n in (2, 4, 8, 16, 64)}
    assert [cost.levels for cost in costs.values()] == [0, 0, 1, 1, 2]
    assert [cost.messages for cost in costs.values()] == [8, 8, 12, 12, 16]
    assert costs[16].back_bytes == costs[4].back_bytes == 4 * sums
    assert costs[8].back_bytes == 2 * sums
    # Three others' sums at a join, then four through the scheduler and into the client.
    assert costs[16].transfer == pytest.approx((160_000 * 17 + sums * (3 + 8)) / 1e6)


def test_few_bytes_need_no_tree():
    n_workers = 100
    assert model.n_levels(n_workers, FEW_BYTES / n_workers) == 0
    assert model.n_levels(n_workers, 2 * FEW_BYTES / n_workers) == 1
    assert model.n_levels(n_workers, FEW_BYTES) == 3


def test_large_parameters_are_passed_on():
    n = INLINE_BYTES // 8
    inline, passed_on = (
        model.evaluation(replace(TASK, n_params=p, n_losses=1), replace(ONE, n_workers=2)) for p in (n, n + 1)
    )
    assert passed_on.messages == inline.messages + model.PASS_ON_MESSAGES


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
