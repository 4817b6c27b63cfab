"""BLAS threads: every contestant is measured with one and with all, and the better median counts.

Solvers of small systems wait for each other's threads, by a factor of fifty on a busy machine; products with large
matrices need all the cores. Neither should decide who wins, nor should one noisy trial decide between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from .setting import blas_threads

# After the first round a setting is dropped that took this many times longer than the other: more than noise.
HOPELESS = 3.0


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """At most so many BLAS threads."""
    with ThreadpoolController().limit(limits=threads, user_api="blas"):
        yield


def settings() -> list[int]:
    """One thread, and all."""
    return sorted({1, max(1, blas_threads())})


def worth_repeating(seconds: Mapping[int, float]) -> list[int]:
    """The settings that one round has not ruled out; nan is a run that did not arrive."""
    times = {threads: np.inf if np.isnan(time) else time for threads, time in seconds.items()}
    best = min(times.values())
    return [threads for threads, time in times.items() if time <= HOPELESS * best or np.isinf(best)]
