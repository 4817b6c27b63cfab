"""How many threads BLAS may use."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS with one thread: for products that are small, or that run side by side already.

    Threads of BLAS wait for each other at every product, which takes a hundred times longer than the product itself
    where another program has one of the cores. The limit is the whole process's, for the libraries that were loaded
    when it was first asked for.
    """
    limit = _limit(os.getpid())
    limit.enter()
    try:
        yield
    finally:
        limit.leave()


class _Limit:
    """Set by the first who asks for it and lifted by the last who leaves, whatever thread they are in."""

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController

        self._libraries, self._lock = ThreadpoolController(), threading.Lock()
        self._users, self._limiter = 0, None

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limiter = self._libraries.limit(limits=1, user_api="blas")
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                limiter: Any = self._limiter
                limiter.restore_original_limits()


@cache
def _limit(process: int) -> _Limit:
    # A child of fork() begins with a count of its own.
    return _Limit()
