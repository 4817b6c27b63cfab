"""Errors of a method step by step, near a solution that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from problems import oracle_of

from saddleback.engine.method import Method

from .known_solutions import Array, Solution


@dataclass(frozen=True, eq=False)
class Errors:
    """|w_k - w*| and |lam_k - lam*| for k = 0, 1, ..."""

    w: Array
    lam: Array

    @property
    def both(self) -> Array:
        return self.w + self.lam


def local_errors(
    method: Method[Any], solution: Solution, n_steps: int, *, distance: float = 1.0, seed: int = 0, least: float = 1e-13
) -> Errors:
    """From a random point at this distance of w*, until the error is below ``least``."""
    u = np.random.default_rng(seed).standard_normal(solution.w.size)
    w0 = solution.w + distance * u / np.linalg.norm(u)
    oracle = oracle_of(solution.losses, solution.regularizer, w0=w0, tol=1e-14)
    state = method.init(oracle, oracle.w0)
    errors = []
    for k in range(n_steps + 1):
        state = method.step(oracle, state) if k else state
        errors.append((np.linalg.norm(state.point.w - solution.w), np.linalg.norm(state.lam - solution.lam)))
        if errors[-1][0] < least:
            break
    return Errors(*np.array(errors).T)


def orders(errors: Array, floor: float) -> Array:
    """q_k = log(e_{k+1}/e_k)/log(e_k/e_{k-1}) where the error falls and stays above ``floor``."""
    e = errors[: int(np.argmax(errors <= floor)) if (errors <= floor).any() else None]
    slopes = np.diff(np.log(e))
    return slopes[1:] / slopes[:-1]
