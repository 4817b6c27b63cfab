"""Threads that run the kernels, which release the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from reprlib import repr as shortened
from typing import Any

import numpy as np

from ....errors import ProblemError
from ....machine.resources import cores

ENTRIES_PER_THREAD = 2_000_000
"""The least entries of X per thread, about a millisecond: for fewer, starting a thread costs more than it saves."""

SPARSE_ENTRY_COST = 4
"""The cost of a stored entry of a sparse table, in entries of a dense one."""

ROW_COST = 15
"""The cost of the pointwise loss of one row, in entries of a dense table."""

MOST_THREADS = 1024
"""A limit on memory: every thread has sums of its own, as large as the Jacobian."""


def check_threads(n_threads: Any) -> None:
    """Refuse a number of threads that is not a count, or that is too large; None is for all cores."""
    if n_threads is None:
        return
    count = isinstance(n_threads, int | np.integer) and not isinstance(n_threads, bool)
    if not (count and 1 <= n_threads <= MOST_THREADS):
        raise ProblemError(
            f"n_threads must be a whole number between 1 and {MOST_THREADS}, or None for all cores; got "
            f"{shortened(n_threads)}."
        )


def worthwhile_threads(n_entries: int, n_rows: int) -> int:
    """The number of cores that this process may use, or fewer for small tables."""
    worth = (n_entries + ROW_COST * n_rows) // ENTRIES_PER_THREAD
    return min(cores(), worth) if worth > 1 else 1


def run_all(tasks: Sequence[Callable[[], None]]) -> None:
    """Run the tasks in parallel, the first one in the calling thread."""
    futures = []
    if len(tasks) > 1:
        # The process number is part of the key because a child of fork() inherits the pool without its threads.
        pool = _pool(os.getpid(), len(tasks) - 1)
        futures = [pool.submit(task) for task in tasks[1:]]
    tasks[0]()
    for future in futures:
        future.result()


@cache
def _pool(process: int, n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix="saddleback")
