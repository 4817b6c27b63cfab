"""Restarts keep the theorem: after the first one, every tenth step belongs to the sequence from w0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from problems import Convex, nesterov_split, oracle_of, paper_logistic, random_quadratics

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.methods import Accelerated, FixedPoint
from saddleback.methods.accelerated import AcceleratedState

from .driver import Sequence, assert_below
from .test_inner_accuracy import AsLooseAsAllowed
from .tolerances import ROUNDING

REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}
EVERY = 10
"""What the documentation says of the default."""


def without_modulus(losses: Convex) -> Convex:
    return Convex(losses.pair, losses.n_losses, losses.n_params, losses.L)


NESTEROV = nesterov_split(J=4, d=60)
LOSSES = {
    "nesterov": NESTEROV.losses,
    "well conditioned": without_modulus(random_quadratics(seed=2, J=4, d=10, condition=10.0)),
    "ill conditioned": without_modulus(random_quadratics(seed=9, J=4, d=30, condition=1e4)),
    "known modulus": random_quadratics(seed=9, J=4, d=30, condition=1e3),
    "logistic": paper_logistic(seed=1, d=40, J=5, N=60),
}
N_STEPS = {"nesterov": 300, "well conditioned": 80, "ill conditioned": 150, "known modulus": 100, "logistic": 120}


@cache
def near_optimum(name: str, R: str) -> np.ndarray:
    if name == "nesterov":
        return NESTEROV.w
    return sb.solve(sb.Problem(LOSSES[name], regularizer=REGULARIZERS[R]), tol=1e-8).w


@dataclass
class Account:
    """What the theorem says of the sequence from w0, recomputed from the states step by step."""

    kappa: float
    m: float
    k: int = 0
    A: float = 0.0
    root: float = 0.0
    """sum of 1/(2 sqrt L_t) over its steps."""
    noise: float = 0.0

    def add(self, before: Sequence, after: Sequence, gap: float) -> None:
        alpha = after.A - before.A
        L = (1 - self.kappa) * after.A * (1 + self.m * after.A) / alpha**2
        self.k += 1
        self.A = after.A
        self.root += 0.5 / np.sqrt(L)
        self.noise += after.A * max(0.0, gap - self.kappa * before.proximity(after, self.m))


def belongs_to_kept(before: AcceleratedState, after: AcceleratedState) -> bool:
    return before.kept is not None and after.kept is not None and after.kept.A != before.kept.A


@dataclass
class Followed:
    oracle: Oracle
    states: list[AcceleratedState]
    lowest: np.ndarray
    A: np.ndarray
    """A_k of the sequence from w0 after each step, and the noise that it has paid."""
    noise: np.ndarray
    k: np.ndarray
    root: np.ndarray
    kappa: float


@cache
def followed(name: str, R: str, kind: type = Accelerated, given: bool = False) -> Followed:
    losses = LOSSES[name]
    method = kind(smoothness=losses.L if given else None)
    oracle = oracle_of(losses, REGULARIZERS[R], w0=np.ones(losses.n_params) if name != "nesterov" else None)
    m = float(oracle.strong_convexity.min()) if method.steps == "sharp" else 0.0
    account = Account(method.kappa, m)
    states = [method.init(oracle, oracle.w0)]
    rows = []
    for _ in range(N_STEPS[name]):
        before, after = states[-1], method.step(oracle, states[-1])
        if before.kept is None:
            # The step in which the first restart happened is the last one of the sequence before it is kept.
            end = Sequence.of(after) if after.kept is None else Sequence.kept(after)
            account.add(Sequence.of(before), end, after.inner_gap)
        elif belongs_to_kept(before, after):
            account.add(Sequence.kept(before), Sequence.kept(after), after.inner_gap)
        states.append(after)
        rows.append((account.A, account.noise, account.k, account.root))
    A, noise, k, root = np.array(rows).T
    lowest = np.minimum.accumulate([state.point.value for state in states])[1:]
    return Followed(oracle, states, lowest, A, noise, k, root, method.kappa)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_bound_from_w0_holds_with_restarts(name: str, R: str) -> None:
    """g(lowest) - g(w) <= (|w - w0|^2/2 + noise)/A_k and A_k >= (1 - kappa) (sum 1/(2 sqrt L_t))^2, k >= T/10."""
    run = followed(name, R)
    T = np.arange(1, len(run.A) + 1)
    first = next(t for t, state in enumerate(run.states) if state.kept is not None)
    assert first < 0.7 * len(T), "no restart to test"
    # Every step before the first restart, and one in ten after it.
    assert np.all(run.k >= np.where(first >= T, T, first + (T - first) // EVERY))
    assert np.all(run.k >= T // EVERY)
    assert np.all((1 - run.kappa) * run.root**2 * (1 - 1e-9) <= run.A)
    w = near_optimum(name, R)
    for comparison in (w, run.oracle.w0, 0.5 * (w + run.oracle.w0)):
        distance = 0.5 * float((comparison - run.oracle.w0) @ (comparison - run.oracle.w0))
        gaps = run.lowest - run.oracle.problem.value(comparison)
        assert_below(gaps, (distance + run.noise) / run.A, run.lowest, run.oracle, comparison)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_average_of_the_sequence_from_w0_certifies_the_bound(name: str, R: str) -> None:
    """A_k (g(lowest) - l(v)) <= |v - w0|^2/2 + noise for every v, l the average minorant: more than (3), as l <= g."""
    run = followed(name, R)
    w0, w = run.oracle.w0, near_optimum(name, R)
    rng = np.random.default_rng(0)
    checked = 0
    for t, (before, after) in enumerate(zip(run.states[:-1], run.states[1:], strict=True)):
        if not (before.kept is None or belongs_to_kept(before, after)):
            continue
        average, checked = after.minorants[-1], checked + 1
        for v in (w, w0, w + 0.1 * rng.standard_normal(w.size)):
            bound = (0.5 * float((v - w0) @ (v - w0)) + run.noise[t]) / run.A[t]
            gap = np.array([run.lowest[t] - average.at(v)])
            assert_below(gap, np.array([bound]), run.lowest[t : t + 1], run.oracle, v)
    assert checked == run.k[-1]


@pytest.mark.parametrize("name", ["nesterov", "logistic", "well conditioned"])
def test_the_slope_of_an_average_is_the_way_of_its_sequence(name: str) -> None:
    """sum alpha_t G'lam_t = w_1 - w_{T+1}: weights alpha_t/A_T, of the sequence from w0 and of the restarted one."""
    run = followed(name, "zero")
    start, w0 = run.oracle.w0, run.oracle.w0
    size = max(np.abs(state.minorants[0].slope).max() for state in run.states)
    seen = set()
    for before, after in zip(run.states[:-1], run.states[1:], strict=True):
        slope = after.minorants[-1].slope
        if belongs_to_kept(before, after):
            end, A, origin, kind = after.kept.w, after.kept.A, w0, "kept"
        elif after.A > 0:
            end, A, origin, kind = after.w, after.A, start, "restarted" if after.kept else "first"
        else:
            start = after.w
            continue
        seen.add(kind)
        np.testing.assert_allclose(slope, (origin - end) / A, atol=1e-11 * size)
    assert seen == {"first", "kept", "restarted"}


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_a_restart_begins_at_the_last_point(name: str, R: str) -> None:
    """w = ag and A = 0, so that bound (3) holds for the restarted sequence from that point."""
    run = followed(name, R)
    w, start, n_restarts = near_optimum(name, R), None, 0
    value = run.oracle.problem.value(w)
    for before, after in zip(run.states[:-1], run.states[1:], strict=True):
        if after.A == 0:
            n_restarts += 1
            np.testing.assert_array_equal(after.w, after.point.w)
            assert after.average is None
            start, noise = after.w, 0.0
        elif start is not None and not belongs_to_kept(before, after):
            m = float(run.oracle.strong_convexity.min())
            step = Sequence.of(before).proximity(Sequence.of(after), m)
            noise += after.A * max(0.0, after.inner_gap - run.kappa * step)
            bound = (0.5 * float((w - start) @ (w - start)) + noise) / after.A
            gap, values = np.array([after.point.value - value]), np.array([after.point.value])
            assert_below(gap, np.array([bound]), values, run.oracle, w)
    assert n_restarts >= 1


@pytest.mark.parametrize("name", LOSSES)
def test_points_are_handed_over_where_they_are_lower(name: str) -> None:
    """A kept step starts at the lowest point; the restarted sequence goes on at the new point if that is lower."""
    run = followed(name, "zero")
    taken = 0
    for before, after in zip(run.states[:-1], run.states[1:], strict=True):
        if after.kept is None:
            continue
        assert after.kept.point.value <= after.point.value
        if before.kept is not None:
            assert after.kept.point.value <= before.kept.point.value
        if belongs_to_kept(before, after):
            assert after.point.value <= before.point.value
            np.testing.assert_array_equal(after.w, before.w)
            assert after.A == before.A
            taken += after.point is not before.point
    # Where restarts help, the sequence without them is behind.
    assert taken >= 1 or name != "nesterov"


@pytest.mark.parametrize("R", REGULARIZERS)
def test_the_fixed_point_method_keeps_its_bound(R: str) -> None:
    """With restarts as without, by its own gap."""
    run = followed("well conditioned", R, FixedPoint, True)
    w = near_optimum("well conditioned", R)
    distance = 0.5 * float((w - run.oracle.w0) @ (w - run.oracle.w0))
    gaps = run.lowest - run.oracle.problem.value(w)
    assert any(state.kept is not None for state in run.states)
    assert_below(gaps, (distance + run.noise) / run.A, run.lowest, run.oracle, w)


def test_the_schedule_of_the_papers_steps_counts_all_steps() -> None:
    """gap <= L/t^4 in step t, of either sequence, also after restarts, so that the noise stays bounded."""
    losses = LOSSES["well conditioned"]
    oracle = oracle_of(losses, inner=AsLooseAsAllowed())
    method = Accelerated(steps="paper", smoothness=losses.L)
    state, checked = method.init(oracle, oracle.w0), 0
    for t in range(1, 201):
        before, state = state, method.step(oracle, state)
        assert state.inner_gap <= losses.L / t**4 + ROUNDING * np.abs(state.point.f).max()
        checked += belongs_to_kept(before, state)
    assert checked >= 5


def test_without_restarts_nothing_is_kept() -> None:
    losses = LOSSES["well conditioned"]
    oracle = oracle_of(losses)
    for restart in (False, True):
        method = Accelerated(restart=restart)
        state = method.init(oracle, oracle.w0)
        for _ in range(30):
            state = method.step(oracle, state)
        assert (state.kept is not None) == restart
