"""Losses whose next sums are asked for in a certain way."""

from __future__ import annotations

import time

import numpy as np

import saddleback as sb
from saddleback.losses.grouped.partitions.on_workers import OnWorkers

LIMIT_SECONDS = 60.0


def asked_by(losses: sb.GroupedLinear, way: str = "calls") -> sb.GroupedLinear:
    """The same losses, once workers answer calls: evaluations are by tasks until they do."""
    executor, end = _executor(losses), time.monotonic() + LIMIT_SECONDS
    while executor.way != way:
        if time.monotonic() > end:
            raise TimeoutError(f"sums are asked for by {executor.way} after {LIMIT_SECONDS:g} s; expected {way}")
        losses.values(np.zeros(losses.n_params))
        time.sleep(0.01)
    return losses


def next_by_tasks(losses: sb.GroupedLinear) -> None:
    """The next sums are asked for by tasks, as they are now and then."""
    _executor(losses)._lines.by_tasks = -np.inf


def _executor(losses: sb.GroupedLinear) -> OnWorkers:
    executor = losses._passes.residents  # type: ignore[union-attr]
    assert isinstance(executor, OnWorkers)
    return executor
