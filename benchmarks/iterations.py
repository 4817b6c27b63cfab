"""What an iteration costs, and where: inside the losses or outside."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from .race import Regularizer
from .recorder import Array
from .threads import limited, settings


class Timed:
    """Losses that add up the time spent in them."""

    def __init__(self, losses: Any) -> None:
        self._losses = losses
        self.seconds = 0.0

    @property
    def n_losses(self) -> int:
        return int(self._losses.n_losses)

    @property
    def n_params(self) -> int:
        return int(self._losses.n_params)

    def evaluate(self, w: Array) -> Any:
        return self._timed(self._losses.evaluate, w)

    def __getattr__(self, name: str) -> Any:
        offer = getattr(self._losses, name)
        return (lambda *args: self._timed(offer, *args)) if name in ("values", "hessian") else offer

    def _timed(self, function: Any, *args: Any) -> Any:
        started = time.perf_counter()
        answer = function(*args)
        self.seconds += time.perf_counter() - started
        return answer


@dataclass(frozen=True)
class Cost:
    """Seconds per iteration, inside the losses and outside, medians over runs."""

    losses: float
    rest: float

    @property
    def whole(self) -> float:
        return self.losses + self.rest

    @property
    def share(self) -> float:
        """Of the time that is spent outside the losses."""
        return self.rest / self.whole


def cost_of_iteration(losses: Any, regularizer: Regularizer, method: str, n_iter: int, repeats: int) -> Cost:
    """By runs of ``n_iter`` iterations from w = 0, whatever they reach, with the BLAS threads that suit them."""
    costs: dict[int, list[Cost]] = {threads: [] for threads in settings()}
    for _ in range(repeats):
        for threads, some in costs.items():
            with limited(threads):
                some.append(_cost(losses, regularizer, method, n_iter))
    medians = [
        Cost(float(np.median([c.losses for c in some])), float(np.median([c.rest for c in some])))
        for some in costs.values()
    ]
    return min(medians, key=lambda cost: cost.whole)


def _cost(losses: Any, regularizer: Regularizer, method: str, n_iter: int) -> Cost:
    timed = Timed(losses)
    problem = sb.Problem(timed, regularizer=regularizer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        started = time.perf_counter()
        result = sb.solve(problem, method=method, tol=1e-13, max_iter=n_iter)
        whole = time.perf_counter() - started
    steps = max(1, result.n_iter)
    return Cost(timed.seconds / steps, (whole - timed.seconds) / steps)
