"""`GroupedLinear` on Dask clusters: speed, messages, bytes, and the model of cost that `docs/scaling.md` explains."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..report import Options, Report

PARTS = ("optimum", "speed", "overhead", "traffic", "peers", "many", "simulated", "solves", "plan")


def part(name: str) -> Callable[[Options], Report]:
    """What measures a part; imported late, as its processes import this package too."""
    measure: Callable[[Options], Report] = import_module(f".{name}", __name__).measure
    return measure
