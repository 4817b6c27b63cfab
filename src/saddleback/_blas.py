"""How many threads BLAS may use."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_blas_thread() -> AbstractContextManager[Any]:
    """BLAS with one thread: for products that are small, or that run side by side already.

    Threads of BLAS wait for each other at every product, which takes a hundred times longer than the product itself
    where another program has one of the cores.
    """
    limited: AbstractContextManager[Any] = _libraries(os.getpid()).limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries(process: int) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
