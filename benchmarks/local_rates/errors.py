"""Errors of a method step by step, near a solution that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb
from saddleback.engine.method import Method
from saddleback.engine.oracle import Oracle
from saddleback.subproblem import resolve_inner

from .known_solutions import Array, Solution

# Below the rounding of values, so that every step is as accurate as rounding allows.
TOL = 1e-14


@dataclass(frozen=True, eq=False)
class Errors:
    """|w_k - w*|, |lam_k - lam*| and g(w_k) - g(w*) for k = 0, 1, ..."""

    w: Array
    lam: Array
    value: Array

    @property
    def both(self) -> Array:
        return self.w + self.lam


def local_errors(
    method: Method[Any], solution: Solution, n_steps: int, *, distance: float = 1.0, seed: int = 0, least: float = 1e-13
) -> Errors:
    """From a random point at this distance of w*, until |w_k - w*| is below ``least``."""
    u = np.random.default_rng(seed).standard_normal(solution.w.size)
    w0 = solution.w + distance * u / np.linalg.norm(u)
    problem = sb.Problem(solution.losses, regularizer=solution.regularizer)
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), w0, TOL)
    state = method.init(oracle, w0)
    least_value, errors = problem.value(solution.w), []
    for k in range(n_steps + 1):
        state = method.step(oracle, state) if k else state
        e_w, e_lam = np.linalg.norm(state.point.w - solution.w), np.linalg.norm(state.lam - solution.lam)
        errors.append((e_w, e_lam, state.point.value - least_value))
        if e_w < least:
            break
    return Errors(*np.array(errors).T)


def orders(errors: Array, floor: float) -> Array:
    """q_k = log(e_{k+1}/e_k)/log(e_k/e_{k-1}) up to the first error of at most ``floor``; nan where an error stays."""
    below = np.flatnonzero(errors <= floor)
    slopes = np.diff(np.log(errors[: below[0] + 1] if below.size else errors))
    return np.divide(slopes[1:], slopes[:-1], out=np.full(max(0, slopes.size - 1), np.nan), where=slopes[:-1] != 0)
