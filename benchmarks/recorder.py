"""Progress of a solver, measured at the losses, in the same way for every solver."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .losses_proxy import HESSIANS, LossesProxy

Array = NDArray[np.float64]


class Enough(Exception):
    """Raised through a solver to end it, when its value has reached the target or its time is up."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """After each evaluation: seconds, the lowest g so far, and the number of evaluations without a Jacobian."""

    time: Array
    value: Array
    n_values: NDArray[np.intp]
    n_hessians: NDArray[np.intp]
    """Hessians so far, exact or from a sample of the rows, which are not among the evaluations."""

    def evaluations_to(self, target: float) -> int | None:
        """The number of evaluations until the value was at most ``target``."""
        reached = np.flatnonzero(self.value <= target)
        return int(reached[0]) + 1 if reached.size else None

    def values_to(self, target: float) -> int:
        """How many of these evaluations were without a Jacobian."""
        k = self.evaluations_to(target)
        return 0 if k is None else int(self.n_values[k - 1])

    def hessians_to(self, target: float) -> int:
        k = self.evaluations_to(target)
        return 0 if k is None else int(self.n_hessians[k - 1])

    def seconds_to(self, target: float) -> float:
        k = self.evaluations_to(target)
        return np.nan if k is None else float(self.time[k - 1])


class Recorder(LossesProxy):
    """Losses that record when they answered and what g was there; the time of recording is not counted.

    Every point counts, with or without its Jacobian. The clock runs from ``start``.
    """

    def __init__(
        self, losses: Any, g: Callable[[Array], float], target: float = -np.inf, budget: float = np.inf
    ) -> None:
        super().__init__(losses)
        self._g = g
        self._target = target
        self._budget = budget
        self._times: list[float] = []
        self._values: list[float] = []
        self._without: list[bool] = []
        self._hessians: list[int] = []
        self._hessian_calls = 0
        self._paused = 0.0
        self._started = time.perf_counter()

    def start(self) -> None:
        self._paused = 0.0
        self._started = time.perf_counter()

    def _call(self, name: str, *arguments: Any) -> Any:
        if name in HESSIANS:
            # Margins are the first of two parts of one sampled Hessian.
            self._hessian_calls += name != "sampled_margins"
            return super()._call(name, *arguments)
        answer = super()._call(name, *arguments)
        self._note(answer if name == "values" else answer[0], without=name == "values")
        return answer

    def _note(self, f: Array, *, without: bool) -> None:
        now = time.perf_counter()
        value = self._g(np.asarray(f, dtype=np.float64)) if np.isfinite(f).all() else np.inf
        self._times.append(now - self._started - self._paused)
        self._values.append(value)
        self._without.append(without)
        self._hessians.append(self._hessian_calls)
        self._paused += time.perf_counter() - now
        if value <= self._target or self._times[-1] > self._budget:
            raise Enough

    @property
    def trajectory(self) -> Trajectory:
        value = np.minimum.accumulate(np.array(self._values))
        return Trajectory(np.array(self._times), value, np.cumsum(self._without), np.array(self._hessians))
