"""The time of an iteration, split into evaluations of the losses, their Hessians and the rest."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from .losses_proxy import HESSIANS, LossesProxy
from .race import Regularizer
from .threads import limited, settings


class Timed(LossesProxy):
    """Losses that add up the time spent in evaluations, and in Hessians."""

    def __init__(self, losses: Any) -> None:
        super().__init__(losses)
        self.seconds = 0.0
        self.hessian_seconds = 0.0

    def _call(self, name: str, *arguments: Any) -> Any:
        started = time.perf_counter()
        answer = super()._call(name, *arguments)
        spent = time.perf_counter() - started
        if name in HESSIANS:
            self.hessian_seconds += spent
        else:
            self.seconds += spent
        return answer


@dataclass(frozen=True)
class Cost:
    """Seconds per iteration, medians over runs: evaluations of the losses, their Hessians, the rest."""

    losses: float
    hessians: float
    dual: float

    @property
    def rest(self) -> float:
        """Everything but the evaluations."""
        return self.hessians + self.dual

    @property
    def whole(self) -> float:
        return self.losses + self.rest

    @property
    def share(self) -> float:
        """The share of the time outside the evaluations."""
        return self.rest / self.whole


def cost_of_iteration(losses: Any, regularizer: Regularizer, method: str, n_iter: int, repeats: int) -> Cost:
    """Measured by runs of ``n_iter`` iterations from w = 0, with the best setting of BLAS threads."""
    costs: dict[str, list[Cost]] = {setting: [] for setting in settings()}
    for _ in range(repeats):
        for setting, some in costs.items():
            with limited(setting):
                some.append(_cost(losses, regularizer, method, n_iter))
    medians = [
        Cost(*(float(np.median([getattr(c, part) for c in some])) for part in ("losses", "hessians", "dual")))
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
    dual = whole - timed.seconds - timed.hessian_seconds
    return Cost(timed.seconds / steps, timed.hessian_seconds / steps, dual / steps)
