"""Runs an accelerated method step by step and keeps the quantities of the theorem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from saddleback.engine.oracle import Oracle
from saddleback.methods import Accelerated
from saddleback.methods.accelerated import AcceleratedState

from .tolerances import accumulated


@dataclass(frozen=True, eq=False)
class Run:
    """The states of T steps, with A_t, gap_t and g(ag_{t+1})."""

    states: list[AcceleratedState]

    @property
    def A(self) -> np.ndarray:
        return np.array([state.A for state in self.states[1:]])

    @property
    def alpha(self) -> np.ndarray:
        return np.diff([state.A for state in self.states])

    @property
    def gaps(self) -> np.ndarray:
        return np.array([state.inner_gap for state in self.states[1:]])

    @property
    def values(self) -> np.ndarray:
        """g(ag_{t+1}) of the step itself."""
        return np.array([state.point.value for state in self.states[1:]])

    @property
    def start(self) -> np.ndarray:
        return self.states[0].w

    def bound(self, w: np.ndarray) -> np.ndarray:
        """(|w - w_1|^2/2 + sum_{s <= t} A_s gap_s)/A_t for t = 1..T."""
        distance = 0.5 * float((w - self.start) @ (w - self.start))
        return (distance + np.cumsum(self.A * self.gaps)) / self.A


Edit = Callable[[Oracle, AcceleratedState], AcceleratedState]


def run(method: Accelerated, oracle: Oracle, n_steps: int, edit: Edit | None = None) -> Run:
    """init and n_steps steps; ``edit`` may change each state before the next step."""
    states = [method.init(oracle, oracle.w0)]
    for _ in range(n_steps):
        state = states[-1] if edit is None or len(states) == 1 else edit(oracle, states[-1])
        states.append(method.step(oracle, state))
    return Run(states)


def moved_toward(target: np.ndarray, fraction: float) -> Edit:
    """Replaces ag by a better point: part of the way to a minimizer, where the convex g is lower."""

    def edit(oracle: Oracle, state: AcceleratedState) -> AcceleratedState:
        better = oracle.point(state.point.w + fraction * (target - state.point.w))
        return replace(state, point=better) if better.value < state.point.value else state

    return edit


def assert_bound(run: Run, oracle: Oracle, w: np.ndarray) -> None:
    """The theorem at every iteration, for one comparison point w: it holds for all of them, minimizer or not."""
    excess = run.values - oracle.problem.value(w) - run.bound(w)
    size = np.abs(run.values) + float(np.abs(oracle.problem.losses.evaluate(w)[0]).max())
    allowed = np.array([accumulated(t + 1, s) for t, s in enumerate(size)])
    worst = int(np.argmax(excess - allowed))
    assert excess[worst] <= allowed[worst], f"iteration {worst + 1}: {excess[worst]:.3g} above the bound"
