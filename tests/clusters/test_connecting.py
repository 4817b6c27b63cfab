"""A client of a cluster that is there, or of one that is started; whoever does not answer is named."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from time import monotonic

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import saddleback as sb
from saddleback.distributed import ClusterError, connect
from saddleback.distributed.agreement import check_files, check_workers

OLD = """
import importlib.metadata as metadata
known = metadata.version


def version(name):
    if name == {package!r}:
        if {told!r} is None:
            raise metadata.PackageNotFoundError(name)
        return {told!r}
    return known(name)


metadata.version = version
"""


def nobody() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{free.getsockname()[1]}"


def test_a_scheduler_that_is_there_stays_there(cluster):
    with connect(cluster.scheduler_address) as client:
        assert client.submit(sum, [1, 2]).result() == 3
        assert len(client.nthreads()) == 2
    assert client.status == "closed"
    with Client(cluster) as again:
        assert again.submit(sum, [3, 4]).result() == 7


def test_the_client_is_the_active_one_and_the_one_before_is_so_again(cluster):
    with Client(cluster) as before:
        with connect(cluster.scheduler_address) as client:
            assert Client.current() is client
        assert Client.current() is before


@pytest.mark.parametrize("address", ["tcp://host.invalid:8786", "nobody"])
def test_a_scheduler_that_does_not_answer_is_named(address):
    address = nobody() if address == "nobody" else address
    with (
        pytest.raises(ClusterError, match=rf"no scheduler of Dask answers at '{address}' within 0\.5 seconds"),
        connect(address, timeout=0.5),
    ):
        pass
    assert da.ones(3).sum().compute() == 3, "Dask computes in this process, as before"


@pytest.fixture(params=["mute", "of the web"])
def another_server(request):
    """The address of a server that is no scheduler."""

    def serve():
        with suppress(OSError):
            while True:
                opened, _ = listening.accept()
                kept.append(opened)
                if request.param != "mute":
                    opened.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    kept = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    for opened in kept:
        opened.close()


def test_another_server_is_no_scheduler(another_server):
    begun = monotonic()
    with pytest.raises(ClusterError, match="no scheduler of Dask answers"), connect(another_server, timeout=1.0):
        pass
    assert monotonic() - begun < 30.0, "the time to wait is bounded, whatever the server does"


def test_certificates_that_are_not_there_are_named():
    address = nobody().replace("tcp://", "tls://")
    with pytest.raises(ClusterError, match=r"distributed\.comm\.tls"), connect(address, timeout=1.0):
        pass


@pytest.mark.parametrize("address", ["", 8786, "here or there"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(sb.ProblemError, match="address must be that of a scheduler"), connect(address, timeout=0.5):
        pass


def test_workers_of_a_scheduler_are_not_ours_to_number(cluster):
    with (
        pytest.raises(sb.ProblemError, match="are for workers on this machine"),
        connect(cluster.scheduler_address, n_workers=2),
    ):
        pass


def test_a_scheduler_without_workers_says_how_to_start_some():
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
        pytest.raises(ClusterError, match=r"has no workers; expected at least one\. Start some: dask worker"),
        connect(empty.scheduler_address, timeout=0.5),
    ):
        pass


def test_a_worker_that_comes_a_moment_later_is_waited_for():
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        later = Timer(1.0, cluster.scale, [1])
        later.start()
        with connect(cluster.scheduler_address, timeout=60.0) as client:
            assert len(client.nthreads()) == 1
        later.join()


def test_workers_that_can_do_what_they_are_asked_for_are_not_named(cluster, tmp_path):
    (tmp_path / "a").write_text("123")
    with connect(cluster.scheduler_address) as client:
        check_files(client, [tmp_path / "a"])
        check_workers(client, ("pyarrow",))
        with pytest.raises(sb.ProblemError, match="is no file here"):
            check_files(client, [tmp_path / "b"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "told", "words"),
    [
        ("pyarrow", None, "cannot import pyarrow; expected it on all 1 workers"),
        ("saddleback", "0.0.1", "must have the version of saddleback that this process has, .*; got 0.0.1"),
    ],
)
def test_workers_that_differ_are_named(package, told, words, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(OLD.format(package=package, told=told), encoding="utf-8")
    with LocalCluster(n_workers=0, processes=True, host="127.0.0.1", dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
        worker = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL, cwd=tmp_path)
        try:
            with Client(address) as client:
                client.wait_for_workers(1, timeout=20)
                with pytest.raises(ClusterError, match=words):
                    check_workers(client, ("pyarrow",))
        finally:
            worker.terminate()
            worker.wait()


@pytest.mark.slow
def test_workers_on_this_machine_end_with_the_block():
    rng = np.random.default_rng(0)
    X, town = rng.standard_normal((600, 2)), np.repeat(["big", "small"], [500, 100])
    y = X[:, 0] + rng.logistic(size=600) > 0
    expected = sb.MinimaxClassifier().fit(X, y, town)
    # A file that only this process sees.
    own_file = Path(f"/proc/self/task/{os.getpid()}/comm")
    with connect("local", n_workers=2, threads_per_worker=1) as client:
        n_workers = len(client.nthreads())
        if own_file.exists():
            with pytest.raises(ClusterError, match=r"must see the files as this process does; .*: it is not there"):
                check_files(client, [own_file])
        model = sb.MinimaxClassifier().fit(da.from_array(X, chunks=(200, 2)), y, town)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5)
    assert n_workers == 2
    assert client.status == "closed"
