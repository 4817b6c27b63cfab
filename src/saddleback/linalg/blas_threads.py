"""Limits on the number of threads of BLAS."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache

from ..machine.resources import quota_of_cores


def one_blas_thread() -> AbstractContextManager[None]:
    """BLAS with one thread, for products that are small or already run in parallel.

    Threads of BLAS wait for each other at every product, which takes a hundred times longer than the product itself
    where another program uses one of the cores. The limit holds for the whole process and for the libraries that were
    loaded at the first call.
    """
    return _limits(os.getpid()).at_most(1)


def blas_within_quota() -> AbstractContextManager[None]:
    """BLAS with no more threads than a container's quota has cores; BLAS itself counts those of the machine.

    The kernel would stop the surplus threads most of the time, and the others would wait for them. Affinity and
    environment variables are respected by BLAS itself.
    """
    quota = quota_of_cores()
    return nullcontext() if quota is None else _limits(os.getpid()).at_most(quota)


class _Limits:
    """The smallest of the limits that are active in any thread; BLAS is unlimited again after the last one."""

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController

        self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        kinds = {type(library) for library in self._libraries}
        self._forget = [kind.clear_controlling_thread for kind in kinds if hasattr(kind, "clear_controlling_thread")]
        self._lock = threading.Lock()
        self._asked: Counter[int] = Counter()
        self._before: list[int] = []

    @contextmanager
    def at_most(self, threads: int) -> Iterator[None]:
        self._change(threads, 1)
        try:
            yield
        finally:
            self._change(threads, -1)

    def _change(self, threads: int, by: int) -> None:
        with self._lock:
            if not self._asked:
                self._before = [library.num_threads for library in self._libraries]
            least = min(self._asked, default=None)
            self._asked[threads] += by
            if not self._asked[threads]:
                del self._asked[threads]
            now = min(self._asked, default=None)
            if now != least:
                self._set([n if now is None else min(n, now) for n in self._before])

    def _set(self, threads: list[int]) -> None:
        # Since 3.8 threadpoolctl obeys only the thread that set a limit first, until that is reset.
        for forget in self._forget:
            forget(force=True)
        for library, n, before in zip(self._libraries, threads, self._before, strict=True):
            if before > 1:
                library.set_num_threads(n)
        for forget in self._forget:
            forget(force=True)


@cache
def _limits(process: int) -> _Limits:
    # One object per process: a child of fork() starts its own count.
    return _Limits()
