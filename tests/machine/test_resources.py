"""Cores and memory: limits of containers, environment, affinity, OpenMP and joblib."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saddleback.machine import resources as _machine
from saddleback.machine.cgroups import cpu_quota, memory_left
from saddleback.machine.resources import cores, free_memory, quota_of_cores

pytestmark = pytest.mark.slow

GB = 2**30


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    """A process that may use eight cores, without environment variables."""
    for name in _machine.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(_machine, "_openmp_limit", lambda: float("inf"))


def system(root: Path, groups: str, **files: str) -> Path:
    """A root folder with /proc/self/cgroup and some files below /sys/fs/cgroup; double underscores are slashes."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


# Cores.


def test_the_cores_of_the_affinity(tmp_path):
    assert cores(tmp_path) == 8


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT"])
@pytest.mark.parametrize(("text", "expected"), [("1", 1), ("3", 3), ("2,4", 2), ("99", 8), ("", 8), ("0", 8), ("x", 8)])
def test_variables(name, text, expected, monkeypatch, tmp_path):
    monkeypatch.setenv(name, text)
    assert cores(tmp_path) == expected


def test_the_least_of_several_limits(monkeypatch, tmp_path):
    root = system(tmp_path, "0::/\n", cpu_dot_max="300000 100000\n")
    assert cores(root) == 3
    monkeypatch.setenv("NUMBA_NUM_THREADS", "5")
    assert cores(root) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert cores(root) == 2


@pytest.mark.parametrize(
    ("text", "quota", "whole"),
    [
        ("max 100000\n", float("inf"), None),
        ("200000 100000\n", 2.0, 2),
        ("150000 100000\n", 1.5, 2),
        ("1000 100000\n", 0.01, 1),
        ("nonsense\n", float("inf"), None),
        ("", float("inf"), None),
    ],
)
def test_quotas_of_version_two(text, quota, whole, tmp_path):
    root = system(tmp_path, "0::/\n", cpu_dot_max=text)
    assert cpu_quota(root) == quota
    assert quota_of_cores(root) == whole


def test_a_quota_of_a_group_around_ours(tmp_path):
    """A slice with a quota, in which a unit has none of its own."""
    files = {"a_dot_slice__cpu_dot_max": "250000 100000", "a_dot_slice__b__cpu_dot_max": "max 100000"}
    assert cpu_quota(system(tmp_path, "0::/a.slice/b\n", **files)) == 2.5


def test_quotas_of_version_one(tmp_path):
    files = {
        "cpu,cpuacct__docker__x__cpu_dot_cfs_quota_us": "400000",
        "cpu,cpuacct__docker__x__cpu_dot_cfs_period_us": "100000",
        "cpu,cpuacct__cpu_dot_cfs_quota_us": "-1",
        "cpu,cpuacct__cpu_dot_cfs_period_us": "100000",
    }
    assert cpu_quota(system(tmp_path, "5:memory:/y\n4:cpu,cpuacct:/docker/x\n", **files)) == 4.0


def test_a_container_that_sees_its_group_at_the_top(tmp_path):
    """/proc names the path of the host, which is not there."""
    files = {"cpu__cpu_dot_cfs_quota_us": "100000", "cpu__cpu_dot_cfs_period_us": "50000"}
    assert cpu_quota(system(tmp_path, "4:cpu,cpuacct:/docker/0123\n", **files)) == 2.0


def test_machines_without_control_groups(tmp_path):
    assert cpu_quota(tmp_path) == memory_left(tmp_path) == free_memory(tmp_path) == float("inf")


def test_this_machine():
    """On any machine: at least one core, no more than there are, and some memory."""
    assert 1 <= cores() <= 8
    assert free_memory() > 0


# Memory.


def test_memory_of_the_machine(tmp_path):
    root = system(tmp_path, "0::/\n")
    (root / "proc/meminfo").write_text("MemTotal: 9000000 kB\nMemFree: 1 kB\nMemAvailable:    2097152 kB\n")
    assert free_memory(root) == 2 * GB


def test_memory_of_version_two(tmp_path):
    files = {
        "job__memory_dot_max": str(4 * GB),
        "job__memory_dot_current": str(3 * GB),
        "job__memory_dot_stat": f"anon {2 * GB}\ninactive_file {GB}\n",
        "memory_dot_max": "max",
    }
    root = system(tmp_path, "0::/job\n", **files)
    (root / "proc/meminfo").write_text("MemAvailable: 99999999 kB\n")
    assert memory_left(root) == free_memory(root) == 2 * GB


def test_memory_of_version_one(tmp_path):
    files = {
        "memory__job__memory_dot_limit_in_bytes": str(4 * GB),
        "memory__job__memory_dot_usage_in_bytes": str(3 * GB),
        "memory__memory_dot_limit_in_bytes": "9223372036854771712",
        "memory__memory_dot_usage_in_bytes": str(50 * GB),
    }
    assert memory_left(system(tmp_path, "4:memory:/job\n", **files)) == GB


def test_more_used_than_allowed_is_nothing_left(tmp_path):
    files = {"memory_dot_max": str(GB), "memory_dot_current": str(2 * GB)}
    assert memory_left(system(tmp_path, "0::/\n", **files)) == 0


# Real processes.

THREADS = """
import numpy as np, saddleback as sb
def threads(rows=40_000):
    X = np.ones((rows, 200), dtype=np.float32)
    losses = sb.GroupedLinear(X, np.arange(rows, dtype=float), np.arange(rows) % 2, loss="squared")
    return len(losses._passes.reader.plan.stages[0].cuts) - 1
"""


def printed(program: str, **environment: str) -> list[str]:
    """What a program prints after the definition of ``threads``, the number of threads that a large table gets."""
    clean = {name: value for name, value in os.environ.items() if name not in _machine.THREAD_VARIABLES}
    ran = subprocess.run(
        [sys.executable, "-c", THREADS + program],
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


several = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core")


@several
def test_a_process_with_one_thread_for_openmp():
    assert printed("print(threads())", OMP_NUM_THREADS="1") == ["1"]


@several
@pytest.mark.skipif(sys.platform != "linux", reason="no affinity here")
def test_a_process_bound_to_one_core():
    assert printed("import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); print(threads())") == ["1"]


@several
def test_an_explicit_number_wins():
    program = """
losses = sb.GroupedLinear(np.eye(40), np.arange(40.0), np.arange(40) % 2, loss="squared", n_threads=3)
print(len(losses._passes.reader.plan.stages[0].cuts) - 1)
"""
    assert printed(program, OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1") == ["3"]


@several
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_workers_of_joblib_share_the_cores(backend):
    pytest.importorskip("joblib")
    program = f"""
from joblib import Parallel, cpu_count, delayed
from saddleback.machine.resources import cores
if __name__ == "__main__":
    print(cores() > 1, *Parallel(n_jobs=cpu_count(), backend="{backend}")(delayed(cores)() for _ in range(2)))
"""
    assert printed(program) == ["True", "1", "1"]


@several
def test_what_joblib_allows_its_workers():
    pytest.importorskip("joblib")
    program = """
from joblib import Parallel, delayed, parallel_config
from saddleback.machine.resources import cores
with parallel_config(backend="loky", inner_max_num_threads=2):
    print(*Parallel(n_jobs=2)(delayed(cores)() for _ in range(2)))
"""
    assert printed(program, OMP_NUM_THREADS="1") == ["2", "2"]


@several
def test_what_threadpoolctl_allows_openmp():
    """As in scikit-learn, which brings OpenMP."""
    pytest.importorskip("sklearn")
    program = """
import sklearn.cluster
from threadpoolctl import threadpool_limits
from saddleback.machine.resources import cores
before = cores()
with threadpool_limits(1):
    inside = cores()
print(before > 1, inside, cores() == before)
"""
    assert printed(program) == ["True", "1", "True"]
