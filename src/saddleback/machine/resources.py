"""The cores and the memory that this process may use.

Arrays that would not fit are refused by name, with their size, before they are allocated.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from math import ceil, inf
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf

from ..errors import ProblemError
from .cgroups import ROOT, cpu_quota, memory_left

# The environment variables by which users, schedulers and joblib's processes limit threads.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
# The number of rows of the matrix whose factorization is timed: about a millisecond.
TIMED_ROWS = 300
# Free memory is not read for fewer bytes than this.
UNCHECKED_BYTES = 2**28
# The bytes that a process can address: the limit where free memory is unknown.
ADDRESSABLE_BYTES = 2.0**47
GB = 2**30


def cores(root: Path = ROOT) -> int:
    """The number of threads to start: the least of affinity, quota, environment, OpenMP's limit and joblib's."""
    asked = [limit for name in THREAD_VARIABLES if (limit := _number(os.environ.get(name, "")))]
    limits = [_affinity(), quota_of_cores(root) or inf, *asked, _openmp_limit()]
    if not asked and _inside_joblib():
        # One of several threads of joblib; for its processes joblib sets OMP_NUM_THREADS.
        limits.append(1)
    return max(1, int(min(limits)))


@cache
def quota_of_cores(root: Path = ROOT) -> int | None:
    """The cores of a container's quota, rounded up; None without a quota."""
    quota = cpu_quota(root)
    return None if quota == inf else max(1, ceil(quota))


def free_memory(root: Path = ROOT) -> float:
    """Bytes that are available without swapping, up to the limits of containers and of `ulimit`; inf where unknown."""
    return min(_available(root), memory_left(root), _up_to_limits(root))


def check_room(n_bytes: float, what: str, remedy: str) -> None:
    """Refuse ``what``, which takes ``n_bytes``, where fewer are free."""
    if n_bytes < UNCHECKED_BYTES:
        return
    free = min(free_memory(), ADDRESSABLE_BYTES)
    if n_bytes > free:
        raise ProblemError(f"{what} would take {gigabytes(n_bytes)} of memory; {gigabytes(free)} are free. {remedy}")


def gigabytes(n_bytes: float) -> str:
    """For messages."""
    return f"{n_bytes / GB:.2g} GB" if n_bytes < 9.95 * GB else f"{n_bytes / GB:.0f} GB"


@cache
def flops_per_second() -> float:
    """The rate of a Cholesky factorization, timed once."""
    matrix = np.eye(TIMED_ROWS) + 0.5
    seconds = []
    for _ in range(3):
        started = perf_counter()
        dpotrf(matrix, lower=1)
        seconds.append(perf_counter() - started)
    return TIMED_ROWS**3 / 3 / min(seconds)


def _affinity() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _number(text: str) -> int | None:
    """A positive number, the first of several ("4,2" is one per level of nesting); None for anything else."""
    with suppress(ValueError):
        number = int(text.split(",")[0])
        return number if number > 0 else None
    return None


def _openmp_limit() -> float:
    """The number of threads that OpenMP may use in this thread; inf where no OpenMP is loaded."""
    # Only packages of compiled code load OpenMP.
    companions = frozenset(name for name in ("sklearn", "torch", "xgboost", "lightgbm") if name in sys.modules)
    if not companions:
        return inf
    libraries = _openmp_libraries(os.getpid(), companions).info()
    # Each library has its own limit: only one that all share is meant for this code, too.
    return max((library["num_threads"] for library in libraries), default=inf)


@cache
def _openmp_libraries(process: int, companions: frozenset[str]) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


def _inside_joblib() -> bool:
    """Whether this is a worker of joblib, a thread or a process."""
    parallel = sys.modules.get("joblib.parallel")
    active = getattr(parallel, "get_active_backend", None)
    return active is not None and (active()[0].nesting_level or 0) > 0


def _up_to_limits(root: Path) -> float:
    """Bytes that this process may still ask for, where its address space or its data are limited (``ulimit``)."""
    left = inf
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        pages = (root / "proc/self/statm").read_text().split()
        # The sizes of the address space, and of data and stack.
        for limit, used in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
            most = resource.getrlimit(limit)[0]
            if most != resource.RLIM_INFINITY:
                left = min(left, max(0.0, most - float(used) * resource.getpagesize()))
    return left


def _available(root: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    if root == ROOT:
        # On other systems by psutil, where it is installed.
        with suppress(ImportError):
            import psutil

            return float(psutil.virtual_memory().available)
    return inf
