"""The iterates of Algorithm 1 with the quantities of its theorem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._types import Vector
from ...engine.oracle import Oracle
from ...methods import Accelerated
from ...methods.accelerated import AcceleratedState
from ...problem import Problem
from ...subproblem import InnerSolver, resolve_inner

# Below every gap that is measured; the oracle uses it only to keep the inner accuracy above rounding.
TOL = 1e-9


@dataclass(frozen=True, eq=False)
class Steps:
    """T steps of Algorithm 1 from w_1 = 0: A_t, the gap of each dual subproblem, and g(ag_{t+1})."""

    states: list[AcceleratedState]

    @cached_property
    def A(self) -> Vector:
        return np.array([state.A for state in self.states])

    @cached_property
    def values(self) -> Vector:
        return np.array([state.point.value for state in self.states])

    def bound(self, w: Vector) -> Vector:
        """(|w - w_1|^2/2 + sum_{s <= t} A_s gap_s)/A_t >= g(ag_{t+1}) - g(w) (paper, thm. "Accelerated algorithm")."""
        gaps = np.array([state.inner_gap for state in self.states])
        bound: Vector = (0.5 * float(w @ w) + np.cumsum(self.A * gaps)) / self.A
        return bound


def follow(problem: Problem, steps: str, L: float, n_steps: int, inner: str | InnerSolver = "qp") -> Steps:
    """Algorithm 1 without restarts, for a given L; with inner accuracies L/t^4 if ``steps`` is "paper"."""
    oracle = Oracle(problem, resolve_inner(inner, problem.adversary), np.zeros(problem.n_params), TOL)
    method = Accelerated(steps=steps, restart=False, smoothness=L)
    state, states = method.init(oracle, oracle.w0), []
    for _ in range(n_steps):
        state = method.step(oracle, state)
        states.append(state)
    return Steps(states)
