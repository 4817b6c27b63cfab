"""The accelerated rate: g(ag_{T+1}) - g(w) <= (|w - w_1|^2/2 + sum A_t gap_t)/A_T for every w and at every T."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from problems import Convex, enclosing_ball, nesterov_split, oracle_of, paper_logistic

import saddleback as sb
from saddleback.methods import Accelerated, FixedPoint
from saddleback.subproblem import Auto, DualSolution, DualSubproblem, PathFollowing

from .driver import assert_bound, moved_toward, run
from .tolerances import EPS, ROUNDING

REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}


@dataclass(frozen=True, eq=False)
class Hard:
    losses: Convex
    near: dict[str, np.ndarray]
    """For each R a point near the minimizer: the theorem holds for any, and says most for the best."""


@cache
def hard(name: str) -> Hard:
    if name == "nesterov":
        solved = nesterov_split(J=4, d=400)
        return Hard(solved.losses, dict.fromkeys(REGULARIZERS, solved.w))
    losses = paper_logistic(seed=1, d=40, J=5, N=60)
    near = {
        key: sb.solve(sb.Problem(losses, regularizer=R), method=Accelerated(smoothness=losses.L), tol=1e-5).w
        for key, R in REGULARIZERS.items()
    }
    return Hard(losses, near)


def check(instance: Hard, R: str, method: Accelerated, inner: object = "auto", n_steps: int = 1000):
    oracle = oracle_of(instance.losses, REGULARIZERS[R], inner=inner)
    result = run(method, oracle, n_steps)
    w, rng = instance.near[R], np.random.default_rng(0)
    for comparison in (w, oracle.w0, 2 * w, w + 0.1 * rng.standard_normal(w.size)):
        assert_bound(result, oracle, comparison)
    return result


def accelerated(instance: Hard, steps: str, **options) -> Accelerated:
    return Accelerated(steps=steps, smoothness=instance.losses.L, restart=False, **options)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
@pytest.mark.parametrize("name", ["nesterov", "logistic"])
def test_bound_with_near_exact_inner_solves(name: str, steps: str, R: str) -> None:
    instance = hard(name)
    result = check(instance, R, accelerated(instance, steps, inner_accuracy=1e-14))
    # The noise is negligible: what is left is the noiseless rate.
    T, w = len(result.A), instance.near[R]
    assert np.sum(result.A * result.gaps) <= 1e-3 * (w @ w)
    assert result.A[-1] >= T**2 / ((4 if steps == "sharp" else 16) * instance.losses.L)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
@pytest.mark.parametrize("name", ["nesterov", "logistic"])
def test_bound_with_the_schedule_of_inner_accuracies(name: str, steps: str, R: str) -> None:
    instance = hard(name)
    result = check(instance, R, accelerated(instance, steps), n_steps=400)
    noise, squared_distance = np.cumsum(result.noise), instance.near[R] @ instance.near[R]
    if steps == "paper":
        # eps_t = L/t^4 keeps the sum of A_t gap_t bounded, so that the rate is O(1/T^2).
        assert noise[-1] <= 2 * noise[len(noise) // 2] + 1e-3 * squared_distance
    else:
        # Gaps that the steps pay for: nothing is left but rounding errors and 1e-6 of the tolerance.
        assert noise[-1] <= 1e-6 * squared_distance


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("accuracy", [1e-4, 1e-2])
@pytest.mark.parametrize("name", ["nesterov", "logistic"])
def test_bound_with_loose_path_following(name: str, accuracy: float, R: str) -> None:
    instance = hard(name)
    result = check(instance, R, accelerated(instance, "sharp", inner_accuracy=accuracy), PathFollowing(), 150)
    assert result.gaps.max() <= accuracy
    assert result.gaps.max() > 1e-3 * accuracy, "the inner solves were not inexact"


@dataclass(frozen=True)
class Careless:
    """Answers a mixture of the solution and noise, and reports what that costs."""

    noise: float
    rng: np.random.Generator
    name: str = "careless"

    def solve(self, subproblem: DualSubproblem, tol: float, start: np.ndarray | None = None) -> DualSolution:
        lam = self.rng.dirichlet(np.ones(subproblem.c.size))
        if self.noise < 1:
            lam = self.noise * lam + (1 - self.noise) * Auto().solve(subproblem, 1e-9, start).lam
        return DualSolution(lam, subproblem.cross_evaluation_gap(lam), 1, True, self.name)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("noise", [0.01, 1.0])
@pytest.mark.parametrize("steps", ["sharp", "paper"])
def test_bound_with_a_careless_inner_solver(steps: str, noise: float, R: str) -> None:
    """The theorem charges exactly the measured gap, whoever answers (D): noise = 1 ignores the losses altogether."""
    instance = hard("logistic")
    result = check(instance, R, accelerated(instance, steps), Careless(noise, np.random.default_rng(3)), 100)
    assert result.gaps.min() > 100 * EPS


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
@pytest.mark.parametrize("name", ["nesterov", "logistic"])
def test_bound_with_backtracking(name: str, steps: str, R: str) -> None:
    """Each accepted L_t satisfies the one inequality that the proof uses, and the bound holds with its own A_T."""
    instance = hard(name)
    result = check(instance, R, Accelerated(steps=steps, restart=False), n_steps=300)
    problem = sb.Problem(instance.losses, regularizer=REGULARIZERS[R])
    A, alpha, share = result.A, result.alpha, 1 - result.kappa
    accepted = share * A / alpha**2 if steps == "sharp" else (A + alpha) / (4 * alpha**2)
    for before, after, a, L in zip(result.states[:-1], result.states[1:], alpha, accepted, strict=True):
        md = (before.A * before.point.w + a * before.w) / after.A
        f, G = instance.losses.evaluate(md)
        step = after.point.w - md
        np.testing.assert_allclose(step, -(a**2) / after.A * (after.lam @ G), atol=1e-11)
        size = np.abs(f).max() + abs(after.point.value)
        model = problem.best_response(f + G @ step).value
        assert after.point.value <= model + 0.5 * L * (step @ step) + 1e3 * ROUNDING * size
    # Doubling from below cannot pass 2 L; nor does L exceed what calibration began with.
    assert accepted.max() <= max(accepted[0], 2 * instance.losses.L) * (1 + 1e-9)
    root = np.cumsum(0.5 / np.sqrt(accepted)) if steps == "sharp" else np.cumsum(0.25 / np.sqrt(accepted))
    assert np.all(share * root**2 * (1 - 1e-9) <= A)


@dataclass(frozen=True, eq=False)
class Offering(Convex):
    """Losses that offer an upper bound of L."""

    def smoothness(self) -> float:
        return self.L


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
@pytest.mark.parametrize("factor", [1.0, 1e3])
def test_bound_with_an_offered_smoothness(factor: float, steps: str, R: str) -> None:
    """An upper bound that the losses offer is one: no step is shorter than it allows, however loose it is."""
    instance = hard("logistic")
    losses = instance.losses
    offering = Offering(losses.pair, losses.n_losses, losses.n_params, factor * losses.L)
    result = check(Hard(offering, instance.near), R, Accelerated(steps=steps, restart=False), n_steps=100)
    t = np.arange(1, 101)
    assert np.all((1 - result.kappa) * t**2 / ((4 if steps == "sharp" else 16) * offering.L) * (1 - 1e-9) <= result.A)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
@pytest.mark.parametrize("fraction", [0.02, 0.5])
@pytest.mark.parametrize("L", ["given", "measured"])
def test_any_better_point_may_replace_the_aggregate(L: str, fraction: float, steps: str, R: str) -> None:
    """Design 3.4: the proof reads of ag only g(ag) and that md is a convex combination of ag and w."""
    instance = hard("logistic")
    oracle = oracle_of(instance.losses, REGULARIZERS[R])
    method = Accelerated(steps=steps, smoothness=instance.losses.L if L == "given" else None, restart=False)
    plain = run(method, oracle_of(instance.losses, REGULARIZERS[R]), 100)
    helped = run(method, oracle, 100, edit=moved_toward(instance.near[R], fraction))
    assert_bound(helped, oracle, instance.near[R])
    assert_bound(helped, oracle, oracle.w0)
    assert helped.values[2] < plain.values[2]


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
@pytest.mark.parametrize("name", ["nesterov", "logistic"])
def test_noiseless_bound_of_the_fixed_point_method(name: str, steps: str, R: str) -> None:
    """Section 2 of the paper: the fixed-point gap takes the place of the cross-evaluation gap."""
    instance = hard(name)
    method = FixedPoint(steps=steps, smoothness=instance.losses.L, restart=False)
    result = check(instance, R, method, n_steps=60)
    assert result.gaps.max() <= 1e-9


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("steps", ["sharp", "paper"])
def test_noiseless_bound_with_backtracking(steps: str, R: str) -> None:
    instance = hard("logistic")
    check(instance, R, FixedPoint(steps=steps, restart=False), n_steps=60)


def test_closed_forms_are_optimal() -> None:
    """The instances are what they say: the optimum is a saddle point."""
    for solved, L in ((nesterov_split(4, 50), 2.0), (enclosing_ball(), 2.0)):
        f, G = solved.losses.evaluate(solved.w)
        assert f.max() == pytest.approx(solved.value, abs=1e-12)
        assert pytest.approx(L) == solved.losses.L
        weights = np.full(4, 0.25) if len(f) == 4 else np.eye(len(f))[:2].mean(axis=0)
        np.testing.assert_allclose(weights @ G, 0.0, atol=1e-12)
        np.testing.assert_allclose(f[weights > 0], solved.value, atol=1e-12)
