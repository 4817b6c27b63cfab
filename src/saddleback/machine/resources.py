"""What this process may use of its machine: cores and memory, as they are limited by whoever limits them.

Arrays that cannot be had are refused by name, with their size, before NumPy is asked for them.
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

# The variables by which users, schedulers and joblib's processes limit threads: OpenMP's, Numba's and loky's.
VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
# The rows of the matrix whose factorization is timed: about a millisecond.
SAMPLE = 300
# Fewer bytes are not worth a look at how many are free.
SMALL = 2**28
# What a process can address: more is not there, even where nobody knows how much is free.
ADDRESSABLE = 2.0**47
GB = 2**30


def cores(root: Path = ROOT) -> int:
    """How many threads are worth starting: the least of affinity, quota, environment, OpenMP's limit and joblib's."""
    asked = [limit for name in VARIABLES if (limit := _number(os.environ.get(name, "")))]
    limits = [_affinity(), quota_of_cores(root) or inf, *asked, _openmp_limit()]
    if not asked and _inside_joblib():
        # One of several workers in threads; those in processes have OMP_NUM_THREADS set for them.
        limits.append(1)
    return max(1, int(min(limits)))


@cache
def quota_of_cores(root: Path = ROOT) -> int | None:
    """Those of a container's quota, a part of one counted as one; None without a quota."""
    quota = cpu_quota(root)
    return None if quota == inf else max(1, ceil(quota))


def free_memory(root: Path = ROOT) -> float:
    """Bytes that can be had without swapping, as far as that can be told; inf where it cannot."""
    return min(_free_of_the_machine(root), memory_left(root))


def check_room(size: float, what: str, remedy: str) -> None:
    """Refuse ``what``, which takes ``size`` bytes, where fewer than that are free."""
    if size < SMALL:
        return
    free = min(free_memory(), ADDRESSABLE)
    if size > free:
        raise ProblemError(f"{what} would take {gigabytes(size)} of memory; {gigabytes(free)} are free. {remedy}")


def gigabytes(size: float) -> str:
    """``size`` bytes, in words."""
    return f"{size / GB:.2g} GB" if size < 9.95 * GB else f"{size / GB:.0f} GB"


@cache
def flops_per_second() -> float:
    """The rate of a Cholesky factorization, timed once."""
    matrix = np.eye(SAMPLE) + 0.5
    seconds = []
    for _ in range(3):
        started = perf_counter()
        dpotrf(matrix, lower=1)
        seconds.append(perf_counter() - started)
    return SAMPLE**3 / 3 / min(seconds)


def _affinity() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _number(text: str) -> int | None:
    """A positive number, the first of several ("4,2" are those of nested levels); None for anything else."""
    with suppress(ValueError):
        number = int(text.split(",")[0])
        return number if number > 0 else None
    return None


def _openmp_limit() -> float:
    """What threadpoolctl, or whoever else, allows OpenMP in this thread; inf where no OpenMP is loaded."""
    # Only a package of compiled code brings OpenMP; without one there is nothing to ask.
    companions = frozenset(name for name in ("sklearn", "torch", "xgboost", "lightgbm") if name in sys.modules)
    if not companions:
        return inf
    libraries = _openmp_libraries(os.getpid(), companions).info()
    # Each library has a limit of its own: only one that all share is meant for everybody.
    return max((library["num_threads"] for library in libraries), default=inf)


@cache
def _openmp_libraries(process: int, companions: frozenset[str]) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


def _inside_joblib() -> bool:
    """Whether the call comes from a worker of joblib, in a thread or in a process."""
    parallel = sys.modules.get("joblib.parallel")
    active = getattr(parallel, "get_active_backend", None)
    return active is not None and (active()[0].nesting_level or 0) > 0


def _free_of_the_machine(root: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    if root == ROOT:
        # On other systems psutil knows, where it happens to be installed.
        with suppress(ImportError):
            import psutil

            return float(psutil.virtual_memory().available)
    return inf
