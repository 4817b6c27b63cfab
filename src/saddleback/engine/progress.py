"""Reports after each iteration: what a callback gets, and the line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Vector


@dataclass(frozen=True, eq=False)
class Progress:
    """What a callback gets after each iteration; ``w`` is the best point so far, with "algorithm-1" the last one."""

    n_iter: int
    n_evals: int
    time: float
    value: float
    lower_bound: float
    gap: float
    w: Vector
    dual: Vector
    losses: Vector


Callback = Callable[[Progress], Any]


def asks_to_stop(callback: Callback, progress: Progress) -> bool:
    """Call the callback; whether it returned True or raised StopIteration."""
    try:
        answer = callback(progress)
    except StopIteration:
        return True
    return isinstance(answer, bool | np.bool_) and bool(answer)


def print_line(method: str, progress: Progress) -> None:
    """Overwrite the line on standard error."""
    line = (
        f"\r{method}: iteration {progress.n_iter}, value {progress.value:.8g}, gap {progress.gap:.2e}, "
        f"{progress.n_evals} evaluations, {progress.time:.1f} s"
    )
    print(f"{line:<100}", end="", file=sys.stderr, flush=True)
