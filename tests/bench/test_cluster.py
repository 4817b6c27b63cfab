"""The benchmarks of clusters run at tiny sizes, and their network delays and counts what it passes on."""

import socket
import threading
import time

import numpy as np
import pytest

from benchmarks.cluster import PARTS, many, optimum, part, solves
from benchmarks.cluster.data import ClusterTable
from benchmarks.cluster.network import Link, free_port, host, network, relayed
from benchmarks.cluster.timing import alternated
from benchmarks.report import Options

TINY = Options("tiny", repeats=1)


def test_every_part_can_be_measured():
    assert all(callable(part(name)) for name in PARTS)


def test_table_on_workers_is_the_one_in_memory():
    table = ClusterTable(103, 6, 3, 5, "float32", least_scale=0.1)
    here, there = table.in_memory(), [x.compute(scheduler="sync") for x in table.lazy()]
    for a, b in zip(here, there, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    assert sum(table.lengths()) == 103
    assert table.n_bytes == here[0].nbytes
    np.testing.assert_allclose(here[0].std(axis=0), np.geomspace(1.0, 0.1, 6), rtol=0.3)


def test_alternated():
    calls = []
    seconds = alternated({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2)
    assert calls == list("ababab")
    assert {name: len(some) for name, some in seconds.items()} == {"a": 2, "b": 2}


@pytest.mark.slow
def test_network_delays_and_counts():
    """Node 0 sends 100 kB to node 1, which answers with 50 bytes, over a line of 1 MB/s."""
    port, link = free_port(), Link(0.02, 1e6)
    with socket.create_server((host(1), port)) as server, network([1], 2, port, link) as wires:
        answering = threading.Thread(target=_answer, args=(server,))
        answering.start()
        begun = time.perf_counter()
        with socket.create_connection((relayed(host(1)), port), source_address=(host(0), 0)) as one:
            one.sendall(bytes(100_000))
            received = _receive(one, 50)
        seconds = time.perf_counter() - begun
        answering.join()
        assert received == 50
        np.testing.assert_array_equal(wires.sent, [[0, 100_000], [50, 0]])
    # Two latencies and a tenth of a second of transfer; how much more depends on the machine.
    assert seconds >= 0.14


def _answer(server):
    other, _ = server.accept()
    with other:
        _receive(other, 100_000)
        other.sendall(bytes(50))


def _receive(connection, n):
    received = 0
    while received < n and (data := connection.recv(1 << 16)):
        received += len(data)
    return received


@pytest.mark.slow
def test_optimum_on_a_cluster():
    report = optimum.measure(TINY)
    assert len(report.tables[0].rows) == len(optimum.ADVERSARIES)
    assert all(demand.met for demand in report.demands)


@pytest.mark.slow
def test_several_vectors_on_a_cluster():
    report = many.measure(TINY)
    assert [row[0] for row in report.tables[0].rows] == ["evaluate_many", "evaluate"]


def test_passes_of_a_solve():
    report = solves.measure(TINY)
    assert len(report.tables[0].rows) == len(solves.METHODS)
    for row in report.tables[0].rows:
        assert all(cell == "-" or " + " in cell for cell in row[1:])
