"""Runs an accelerated method step by step and keeps the quantities of the theorem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from saddleback.engine.oracle import Oracle
from saddleback.methods import Accelerated, ProxLinear
from saddleback.methods.accelerated import AcceleratedState

from .tolerances import accumulated


@dataclass(frozen=True, eq=False)
class Sequence:
    """The state of one sequence before a step: w, ag and A."""

    w: np.ndarray
    ag: np.ndarray
    A: float

    @staticmethod
    def of(state: AcceleratedState) -> Sequence:
        return Sequence(state.w, state.point.w, state.A)

    @staticmethod
    def kept(state: AcceleratedState) -> Sequence:
        assert state.kept is not None
        return Sequence(state.kept.w, state.kept.point.w, state.kept.A)

    def middle(self, alpha: float, m: float) -> tuple[np.ndarray, np.ndarray]:
        """u and md, from u (1 + m A) = alpha m md + (1 + m A_-) w and A md = A_- ag + alpha u."""
        A = self.A + alpha
        system = np.array([[1 + m * A, -alpha * m], [-alpha / A, 1.0]])
        u, md = np.linalg.solve(system, np.array([(1 + m * self.A) * self.w, self.A / A * self.ag]))
        return u, md

    def proximity(self, after: Sequence, m: float) -> float:
        """1/2 lam' Q lam = (1 + m A)/(2 A) |w+ - u|^2."""
        step = after.w - self.middle(after.A - self.A, m)[0]
        return float((1 + m * after.A) / (2 * after.A) * (step @ step))


@dataclass(frozen=True, eq=False)
class Run:
    """The states of T steps, with A_t, gap_t and g(ag_{t+1})."""

    states: list[AcceleratedState]
    m: float = 0.0
    kappa: float = 0.0

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
    def proximities(self) -> np.ndarray:
        """1/2 lam' Q lam."""
        sequences = [Sequence.of(state) for state in self.states]
        return np.array([s.proximity(t, self.m) for s, t in pairwise(sequences)])

    @property
    def noise(self) -> np.ndarray:
        """A_t max(0, gap_t - kappa/2 lam' Q lam)."""
        return self.A * np.maximum(0.0, self.gaps - self.kappa * self.proximities)

    @property
    def values(self) -> np.ndarray:
        """g(ag_{t+1}) of the step itself."""
        return np.array([state.point.value for state in self.states[1:]])

    @property
    def start(self) -> np.ndarray:
        return self.states[0].w

    def bound(self, w: np.ndarray) -> np.ndarray:
        """(|w - w_1|^2/2 + sum of noise until t)/A_t for t = 1..T."""
        distance = 0.5 * float((w - self.start) @ (w - self.start))
        return (distance + np.cumsum(self.noise)) / self.A


Edit = Callable[[Oracle, AcceleratedState], AcceleratedState]


def run(method: Accelerated | ProxLinear, oracle: Oracle, n_steps: int, edit: Edit | None = None) -> Run:
    """init and n_steps steps; ``edit`` may change each state before the next step."""
    states = [method.init(oracle, oracle.w0)]
    for _ in range(n_steps):
        state = states[-1] if edit is None or len(states) == 1 else edit(oracle, states[-1])
        states.append(method.step(oracle, state))
    # The modulus that the losses of the tests declare; the paper's rule does not use it.
    if not isinstance(method, Accelerated):
        return Run(states)
    m = float(oracle.strong_convexity.min()) if method.steps == "sharp" else 0.0
    return Run(states, m, method.kappa)


def moved_toward(target: np.ndarray, fraction: float) -> Edit:
    """Replaces ag by a better point: part of the way to a minimizer, where the convex g is lower."""

    def edit(oracle: Oracle, state: AcceleratedState) -> AcceleratedState:
        better = oracle.point(state.point.w + fraction * (target - state.point.w))
        return replace(state, point=better) if better.value < state.point.value else state

    return edit


def assert_bound(run: Run, oracle: Oracle, w: np.ndarray) -> None:
    """The theorem at every iteration, for one comparison point w: it holds for all of them, minimizer or not."""
    assert_below(run.values - oracle.problem.value(w), run.bound(w), run.values, oracle, w)


def assert_below(gaps: np.ndarray, bound: np.ndarray, values: np.ndarray, oracle: Oracle, w: np.ndarray) -> None:
    """gaps <= bound at every iteration, up to the rounding errors of the inequalities that were added up."""
    excess = gaps - bound
    size = np.abs(values) + float(np.abs(oracle.problem.losses.evaluate(w)[0]).max())
    allowed = np.array([accumulated(t + 1, s) for t, s in enumerate(size)])
    worst = int(np.argmax(excess - allowed))
    assert excess[worst] <= allowed[worst], f"iteration {worst + 1}: {excess[worst]:.3g} above the bound"
