"""Times of whole calls, measured in interleaved rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .threads import limited, settings, worth_repeating

# Calls shorter than this many seconds are timed in a loop, because the clock and cold caches take as long.
QUICK = 0.02
MOST_CALLS = 50


def side_by_side(calls: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median seconds of each call over interleaved rounds, with the BLAS threads whose median is lowest."""
    kept, loops = {}, {}
    for name, call in calls.items():
        # Not measured: compilation and cold caches.
        call()
        first = {setting: _seconds(call, setting, 1) for setting in settings()}
        kept[name] = worth_repeating(first)
        loops[name] = {setting: int(np.clip(QUICK / max(t, 1e-9), 1, MOST_CALLS)) for setting, t in first.items()}
    times: dict[str, dict[str, list[float]]] = {name: {s: [] for s in some} for name, some in kept.items()}
    for _ in range(repeats):
        for name, call in calls.items():
            for setting in kept[name]:
                times[name][setting].append(_seconds(call, setting, loops[name][setting]))
    return {name: min(float(np.median(some)) for some in by_setting.values()) for name, by_setting in times.items()}


def _seconds(call: Callable[[], Any], setting: str, loops: int) -> float:
    with limited(setting):
        started = time.perf_counter()
        for _ in range(loops):
            call()
        return (time.perf_counter() - started) / loops
