"""The safeguard of second-order steps: bound (3) of k accelerated steps from w0, whatever the other steps do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from problems import Convex, nesterov_split, oracle_of
from scipy.special import expit

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.methods import QuasiNewton
from saddleback.methods.trial import Trial

from .driver import Sequence, assert_below

REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}
# What the documentation says of the default: kappa, points before the first step and between two, and the most points
# that a step may try beyond these.
KAPPA, FIRST, BETWEEN, OVERSHOOT = 0.01, 30, 10, 23


class Refused(QuasiNewton):
    """Every trial is refused, by a value of g that is no better than before."""

    def try_step(self, oracle, state, at, model, sigma, system):
        trial = super().try_step(oracle, state, at, model, sigma, system)
        return trial and Trial(
            replace(trial.step, point=at.point), max(trial.predicted, 1.0), trial.sigma, trial.n_points
        )


class Tiny(QuasiNewton):
    """Steps that are a millionth as long as they should be: accepted, and useless."""

    def try_step(self, oracle, state, at, model, sigma, system):
        trial = super().try_step(oracle, state, at, model, sigma, system)
        if trial is None:
            return None
        direction = 1e-6 * trial.step.direction
        step = replace(trial.step, direction=direction, point=oracle.trial(at.w + direction))
        return Trial(step, 1e-6 * trial.predicted, trial.sigma, trial.n_points + 1)


class Far(Refused):
    """The first step goes thousands too far and is accepted, as g is lower there; all others are refused."""

    def try_step(self, oracle, state, at, model, sigma, system):
        trial = super().try_step(oracle, state, at, model, sigma, system)
        if trial is None or not np.array_equal(at.w, oracle.w0):
            return trial
        direction = 3665.0 * np.sign(trial.step.direction)
        step = replace(trial.step, direction=direction, point=oracle.trial(at.w + direction))
        return Trial(step, 1.0, trial.sigma, trial.n_points + 1)


@dataclass(frozen=True, eq=False)
class Followed:
    """One row per step of the method: points tried so far, accelerated steps k, A_k, the noise, and the best g."""

    oracle: Oracle
    tried: np.ndarray
    k: np.ndarray
    A: np.ndarray
    root: np.ndarray
    """sum of 1/(2 sqrt L_t)."""
    noise: np.ndarray
    best: np.ndarray
    n_evals: np.ndarray
    first_L: float


def follow(method: QuasiNewton, losses: Convex, R: str, w0: np.ndarray, k_max: int) -> Followed:
    oracle = oracle_of(losses, REGULARIZERS[R], w0=w0)
    m = float(oracle.strong_convexity.min())
    state = method.init(oracle, w0)
    tried, k, A, root, noise, first_L = 0, 0, 0.0, 0.0, 0.0, np.nan
    counted = oracle.trial

    def trial(w):
        nonlocal tried
        tried += 1
        return counted(w)

    oracle.trial = trial  # type: ignore[method-assign]
    rows = []
    best = state.point.value
    while k < k_max:
        before, state = state, method.step(oracle, state)
        best = min(best, state.point.value)
        now, then = state.guard.state, before.guard.state
        if now is not then:
            assert now is not None
            start = Sequence(oracle.w0, oracle.w0, 0.0) if then is None else Sequence.of(then)
            # ag is the lower of the best point and the guard's own; with A = 0 it has no effect.
            if then is not None and before.point.value < then.point.value:
                start = replace(start, ag=before.point.w)
            alpha = now.A - start.A
            L = (1 - KAPPA) * now.A * (1 + m * now.A) / alpha**2
            first_L = L if then is None else first_L
            k, A, root = k + 1, now.A, root + 0.5 / np.sqrt(L)
            noise += A * max(0.0, state.inner_gap - KAPPA * start.proximity(Sequence.of(now), m))
            assert now.point.value <= min(before.point.value, np.inf if then is None else then.point.value)
        rows.append((tried, k, A, root, noise, best, oracle.n_evals + oracle.n_values))
    return Followed(oracle, *np.array(rows).T, first_L)


def check(run: Followed, w: np.ndarray, L: float) -> None:
    """The theorem after every step of the method, and so after every T evaluations."""
    assert np.all(run.k >= (run.tried - FIRST - OVERSHOOT) / BETWEEN)
    # Each accelerated step takes two points, and two more per rejection of L_t, of which there are at most a third of k
    # and those of the way from the first L to 2L; the last point may have to be evaluated once more after it.
    rejections = run.k / 3 + np.log2(max(2.0, 4 * L / run.first_L))
    others = 3 * run.k + 2 * rejections + 60
    assert np.all(run.n_evals <= run.tried + others)
    taken = run.k > 0
    largest = max(run.first_L, 2 * L)
    A = run.A[taken]
    assert np.all((1 - KAPPA) * run.root[taken] ** 2 * (1 - 1e-9) <= A)
    assert np.all((1 - KAPPA) * run.k[taken] ** 2 / (4 * largest) * (1 - 1e-9) <= A)
    w0, value = run.oracle.w0, run.oracle.problem.value(w)
    bound = (0.5 * float((w - w0) @ (w - w0)) + run.noise[taken]) / A
    assert_below(run.best[taken] - value, bound, run.best[taken], run.oracle, w)


def one_sided(x0: float) -> tuple[Convex, np.ndarray]:
    """softplus(x) + 1e-4 softplus(-x), least at log 1e-4, nearly flat on its left: g is 0.4 at -3,650."""

    def pair(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = float(w[0])
        value = np.logaddexp(0.0, x) + 1e-4 * np.logaddexp(0.0, -x)
        return np.array([value]), np.array([[expit(x) - 1e-4 * expit(-x)]])

    return Convex(pair, 1, 1, (1 + 1e-4) / 4), np.array([x0])


@pytest.mark.parametrize("x0", [15.0, 5.0, -30.0])
@pytest.mark.parametrize("kind", [QuasiNewton, Refused, Tiny, Far])
def test_far_second_order_iterates_do_not_enter_the_bound(kind: type, x0: float) -> None:
    losses, w0 = one_sided(x0)
    run = follow(kind(), losses, "zero", w0, 40)
    check(run, np.array([np.log(1e-4)]), losses.L)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("kind", [QuasiNewton, Refused, Tiny])
def test_the_worst_case_of_first_order_methods(kind: type, R: str) -> None:
    """Nesterov's function, with useless second-order steps: only the accelerated ones make progress."""
    solved = nesterov_split(J=2, d=40)
    method = kind(memory=1) if kind is QuasiNewton else kind()
    run = follow(method, solved.losses, R, np.zeros(40), 60)
    check(run, solved.w, solved.losses.L)
    check(run, 0.5 * solved.w, solved.losses.L)
