"""Seconds of calls that are made in alternation, so that a busy moment of the machine meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def alternated(calls: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """The seconds of each call in every round, after a round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(repeats + 1):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            if number:
                seconds[name].append(time.perf_counter() - begun)
    return seconds


def median_ms(seconds: list[float]) -> str:
    return f"{1e3 * float(np.median(seconds)):.1f}"


def percent(said: float, found: float) -> str:
    """The error of what a model says."""
    return f"{100.0 * (said / found - 1.0):+.0f} %"
