"""What a callback sees after each iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._types import Vector


@dataclass(frozen=True, eq=False)
class Progress:
    """What a callback sees after each iteration; ``w`` is the best point so far."""

    n_iter: int
    n_evals: int
    time: float
    w: Vector
    dual: Vector
    value: float
    losses: Vector
    lower_bound: float
    gap: float


Callback = Callable[[Progress], Any]
