"""The one way that progress is measured: at the losses, for every solver alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saddleback.capabilities import lack

Array = NDArray[np.float64]

HESSIANS = ("hessian", "sampled_hessian")


class Enough(Exception):
    """Raised through a solver when its value has reached the target, or its time is up."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """After each point that the losses were asked about: seconds, the lowest g so far, points without a Jacobian."""

    time: Array
    value: Array
    n_values: NDArray[np.intp]
    n_hessians: NDArray[np.intp]
    """Hessians so far, whole or from a sample of the rows: work on the data that evaluations do not count."""

    def evaluations_to(self, target: float) -> int | None:
        """How many points were needed for a value of at most ``target``."""
        reached = np.flatnonzero(self.value <= target)
        return int(reached[0]) + 1 if reached.size else None

    def values_to(self, target: float) -> int:
        """How many of these points were asked about without a Jacobian."""
        k = self.evaluations_to(target)
        return 0 if k is None else int(self.n_values[k - 1])

    def hessians_to(self, target: float) -> int:
        k = self.evaluations_to(target)
        return 0 if k is None else int(self.n_hessians[k - 1])

    def seconds_to(self, target: float) -> float:
        k = self.evaluations_to(target)
        return np.nan if k is None else float(self.time[k - 1])


class Recorder:
    """Losses that remember when they answered and what g was there; the cost of remembering is not counted.

    Every point counts, with or without its Jacobian. The clock runs from ``start``.
    """

    def __init__(
        self, losses: Any, g: Callable[[Array], float], target: float = -np.inf, budget: float = np.inf
    ) -> None:
        self._losses = losses
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

    @property
    def n_losses(self) -> int:
        return int(self._losses.n_losses)

    @property
    def n_params(self) -> int:
        return int(self._losses.n_params)

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        f, G = self._losses.evaluate(w)
        self._note(f, without=False)
        return f, G

    def lacks(self, capability: type) -> str | None:
        return lack(self._losses, capability)

    def __getattr__(self, name: str) -> Any:
        """A capability, where the losses have it."""
        offer = getattr(self._losses, name)
        if name in HESSIANS:
            return lambda *args: self._count_hessian(offer, *args)
        if name != "values":
            return offer

        def values(w: Array) -> Array:
            f: Array = offer(w)
            self._note(f, without=True)
            return f

        return values

    def _count_hessian(self, offer: Callable[..., Any], *args: Any) -> Any:
        self._hessian_calls += 1
        return offer(*args)

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
