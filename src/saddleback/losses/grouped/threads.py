"""Threads that drive the kernels, which run without the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from ...machine.resources import cores

WORTH_A_THREAD = 2_000_000
"""Entries of X per thread, about a millisecond: less is eaten up by waking the threads on a busy machine."""

SPARSE = 4
"""What a stored entry of a sparse table costs, in entries of a dense one."""

ENTRIES_OF_A_ROW = 15
"""What the pointwise loss of one row costs, in entries."""


def worthwhile_threads(n_entries: int, n_rows: int) -> int:
    """The cores that this process may use, or fewer for small tables."""
    worth = (n_entries + ENTRIES_OF_A_ROW * n_rows) // WORTH_A_THREAD
    return min(cores(), worth) if worth > 1 else 1


def run_all(tasks: Sequence[Callable[[], None]]) -> None:
    """Run the tasks side by side, the first one in the calling thread."""
    futures = []
    if len(tasks) > 1:
        # A child of fork() inherits the pool but not its threads: the process number makes it start its own.
        pool = _pool(os.getpid(), len(tasks) - 1)
        futures = [pool.submit(task) for task in tasks[1:]]
    tasks[0]()
    for future in futures:
        future.result()


@cache
def _pool(process: int, size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix="saddleback")
