"""How many threads boosting gets."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from threadpoolctl import threadpool_limits

ONE_THREAD_BELOW = 50_000
"""Rows below which boosting has one thread: its threads wait for each other in busy loops, and where other programs use
the cores, 600 rows took 67 seconds of processor time with two threads and 13 with one."""


def boosting_threads(n_rows: int) -> AbstractContextManager[Any]:
    """One thread of OpenMP, which only boosting uses here, for small tables."""
    return threadpool_limits(1, user_api="openmp") if n_rows < ONE_THREAD_BELOW else nullcontext()
