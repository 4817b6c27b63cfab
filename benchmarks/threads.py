"""BLAS threads: every contestant is measured with each of a few settings, and the best median counts.

Solvers of small systems can be fifty times slower with several threads on a busy machine; products with large matrices
need all cores; SciPy's L-BFGS-B with a NumPy oracle has both. Neither this nor the noise of one trial should decide a
comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from .setting import blas_threads

ONE, ALL, SPLIT = "one", "all", "all for NumPy, one for SciPy"
# A setting that took this many times longer than the best in the first round is dropped.
HOPELESS = 3.0


@contextmanager
def limited(setting: str) -> Iterator[None]:
    """BLAS with the threads of a setting."""
    with ExitStack() as stack:
        if setting == ONE:
            stack.enter_context(ThreadpoolController().limit(limits=1, user_api="blas"))
        elif setting == SPLIT:
            stack.enter_context(_of_scipy().limit(limits=1))
        yield


def settings() -> list[str]:
    """The settings that differ on this machine."""
    if blas_threads() <= 1:
        return [ONE]
    return [ONE, ALL, SPLIT] if len(_of_scipy()) else [ONE, ALL]


def worth_repeating(seconds: Mapping[str, float]) -> list[str]:
    """The settings that the first round has not ruled out; nan is a run that did not reach the target."""
    times = {setting: np.inf if np.isnan(time) else time for setting, time in seconds.items()}
    best = min(times.values())
    return [setting for setting, time in times.items() if time <= HOPELESS * best or np.isinf(best)]


def _of_scipy() -> Any:
    """SciPy's own BLAS; its wheels contain one besides NumPy's."""
    everything = ThreadpoolController()
    paths = [pool["filepath"] for pool in everything.info() if pool["user_api"] == "blas"]
    return everything.select(filepath=[path for path in paths if "scipy.libs" in path])
