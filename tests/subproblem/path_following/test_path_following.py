"""Path following: short steps stay within the bounds of the theory, long steps are few."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import ceil, log, sqrt

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Chi2Ball, KLBall, Simplex
from saddleback.errors import ProblemError
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import DualSubproblem, PathFollowing
from saddleback.subproblem.path_following.central_path import CentralPath
from saddleback.subproblem.path_following.long_steps import LongSteps
from saddleback.subproblem.path_following.regularized_center import regularized_center

from ..geometries import PAIRS
from ..geometries import instance as geometry
from ..instances import REGULARIZERS, instance, rounding
from ..sets import UnitBall, UnitBox

QUADRATIC_PARTS = ("full", "rank-one", "zero")
PAPER = PathFollowing(schedule="paper")


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("kind", QUADRATIC_PARTS)
def test_short_steps_never_leave_the_neighborhood(kind, regularizer):
    """Phase I ends with a decrement of at most 1/4, and every step of Phase II does (paper, Algorithm 2)."""
    problem = instance(11, n=12, kind=kind, regularizer=regularizer).subproblem
    path, phases, taus = CentralPath(problem), [], []
    for k, iterate in enumerate(PAPER.iterates(problem)):
        if iterate.phase == "II":
            # The decrement that led here was taken at the longer tau, before the step.
            assert iterate.decrement <= 1 / 3 + 1e-6
            assert path.newton_step(iterate.lam, iterate.tau)[1] <= 1 / 4 + 1e-6
            taus.append(iterate.tau)
        else:
            assert iterate.tau == 1.0
        phases.append(iterate.phase)
        if k == 900:
            break
    assert phases == sorted(phases)
    assert len(taus) > 300
    assert np.allclose(np.diff(np.log(taus)), log(1 + 1 / (15 * sqrt(12))))


def steps_of_theory(problem, diameter, eps):
    """Newton steps that suffice: Phase I by its decrease omega(1/4), Phase II until the theorem's bound is eps."""
    path, n = CentralPath(problem), problem.c.size
    start = lam = regularized_center(path)
    for _ in range(500):
        direction, delta = path.newton_step(lam, 1.0)
        lam = lam + direction / (1 + delta)
        if delta < 1e-8:
            break
    phase_one = (path.value(start, 1.0) - path.value(lam, 1.0)) / (0.25 - log(1.25))
    # At delta <= beta = 1/4, beta/(1 - beta) = 1/3 and omega_*(beta) = log(4/3) - 1/4.
    nu = n - 1
    constant, distance = nu + sqrt(nu) / 3 + log(4 / 3) - 0.25, diameter / 3
    root = (distance + sqrt(distance**2 + 4 * eps * constant)) / (2 * eps)
    return ceil(phase_one) + ceil(log(max(1.0, root**2)) / log(1 + 1 / (15 * sqrt(n))))


@pytest.mark.parametrize("n", [3, 10, 30, 60])
def test_short_steps_are_as_few_as_the_theory_says(n):
    """N <= N_I + log(tau_end) / log(1 + 1/(15 sqrt J)), which is O(sqrt(J) log(1/eps)); tau_end = nu/eps is enough."""
    rng = np.random.default_rng(n)
    G, c = rng.standard_normal((n, n)) / sqrt(n), rng.standard_normal(n)
    problem = DualSubproblem(G @ G.T, c, Adversary(Simplex(), Quadratic(0.1), n))
    diameter = 2 * np.linalg.norm(G, axis=1).max()
    steps = []
    for eps in (1e-2, 1e-4, 1e-6):
        solution = PAPER.solve(problem, eps)
        assert solution.converged
        assert solution.n_iter <= steps_of_theory(problem, diameter, eps)
        assert solution.n_iter <= steps_of_theory(problem, 0.0, eps)
        # The gap is about J/tau in practice, which takes this many steps and no more.
        assert solution.n_iter <= 1.1 * 15 * sqrt(n) * log(2 * n / eps) + 20
        steps.append(solution.n_iter)
    # Two more decimals cost the same again: linear in log(1/eps).
    assert steps[2] - steps[1] == pytest.approx(steps[1] - steps[0], rel=0.2)


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("kind", QUADRATIC_PARTS)
def test_long_steps_are_few(kind, regularizer):
    """At most 40 Newton systems at J = 100 for a gap of 1e-9 relative to the scale of c; 30 on average."""
    counts = []
    for seed in range(8):
        case = instance(seed, n=100, kind=kind, regularizer=regularizer)
        solution = PathFollowing().solve(case.subproblem, case.tol)
        assert solution.converged
        counts.append(solution.n_iter)
    assert max(counts) <= 40
    assert np.mean(counts) <= 30


@pytest.mark.parametrize("n", [10, 100])
@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_a_good_start_saves_work_and_a_bad_one_costs_little(n, regularizer):
    cold, warm, bad = [], [], []
    for seed in range(6):
        case = instance(seed, n=n, kind=("full", "rank-one")[seed % 2], regularizer=regularizer)
        rng = np.random.default_rng(seed)
        before = PathFollowing().solve(case.subproblem, case.tol)
        noise = 1e-5 * np.ptp(case.subproblem.c) * rng.standard_normal(n)
        problem = replace(case.subproblem, c=case.subproblem.c + noise)
        starts = (None, before.lam, rng.dirichlet(np.full(n, 0.1)))
        for counts, start in zip((cold, warm, bad), starts, strict=True):
            solution = PathFollowing().solve(problem, case.tol, start)
            assert solution.converged
            counts.append(solution.n_iter)
    assert sum(warm) <= 0.8 * sum(cold)
    assert sum(bad) <= 1.1 * sum(cold) + 2


def test_a_solution_as_start_needs_no_step():
    case = instance(4, n=20)
    solution = PathFollowing().solve(case.subproblem, case.tol)
    again = PathFollowing().solve(case.subproblem, case.tol, solution.lam)
    assert again.converged
    assert again.n_iter == 0


@pytest.mark.parametrize("dual_set", [UnitBox(), UnitBall()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("schedule", ["long", "paper"])
def test_other_sets_through_the_barrier_protocol(dual_set, schedule):
    """A box has bounds on both sides and no affine hull, a ball a full Hessian and a curved boundary."""
    for seed in range(10 if schedule == "long" else 3):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        G = rng.standard_normal((n, n if seed % 2 else 1))
        R = [Zero(), Quadratic(0.5)][seed % 2]
        problem = DualSubproblem(G @ G.T / n, rng.standard_normal(n), Adversary(dual_set, R, n))
        solution = PathFollowing(schedule).solve(problem, 1e-8)
        assert solution.converged
        assert dual_set.contains(solution.lam)
        assert problem.frank_wolfe_gap(solution.lam) <= 1e-8 + (1e-3 if seed % 2 else rounding(problem))
        assert schedule == "paper" or solution.n_iter <= 30


def test_limits_and_names():
    case = instance(3, n=20, kind="full", regularizer="entropy")
    solution = PathFollowing(max_iter=2).solve(case.subproblem, case.tol)
    assert not solution.converged
    assert solution.n_iter == 2
    assert "max_iter = 2" in solution.message
    with pytest.raises(ProblemError, match="unknown schedule 'short'; expected one of 'long', 'paper'"):
        PathFollowing(schedule="short").solve(case.subproblem, case.tol)
    assert PathFollowing(schedule=LongSteps(max_iter=3)).solve(case.subproblem, case.tol).n_iter == 3


@pytest.mark.parametrize("tol", [0.0, 1e-300])
@pytest.mark.parametrize("seed", range(10))
def test_what_rounding_hides_is_said(seed, tol):
    case = instance(seed, n=15)
    solution = PathFollowing().solve(case.subproblem, tol)
    assert solution.converged == (solution.gap <= tol)
    assert solution.gap <= 10 * case.subproblem.rounding_floor
    assert solution.converged or solution.message


@pytest.mark.parametrize("seed", range(6))
def test_the_papers_schedule_has_patience_with_its_first_phase(seed):
    """tau = 1 is far along the path of losses of size 1e4."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((8, 5))
    problem = DualSubproblem(1e4 * G @ G.T, 1e4 * rng.standard_normal(8), Adversary(Simplex(), Zero(), 8))
    assert sum(iterate.phase == "I" for iterate in islice(PAPER.iterates(problem), 100)) > 12
    solution = PAPER.solve(problem, 1e-4)
    assert solution.converged, solution.message


@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_the_papers_schedule_ignores_the_last_lam(regularizer):
    """Neither as a start nor as an answer, and so its steps do not depend on it."""
    problem = instance(5, n=10, kind="full", regularizer=regularizer).subproblem
    cold = PAPER.solve(problem, 1e-6)
    assert cold.n_iter > 0
    vertex = np.eye(10)[3] * (1 - 1e-6) + 1e-7
    for start in (cold.lam, PathFollowing().solve(problem, 1e-9).lam, vertex):
        warm = PAPER.solve(problem, 1e-6, start)
        assert warm.n_iter == cold.n_iter
        np.testing.assert_array_equal(warm.lam, cold.lam)
        first = next(PAPER.iterates(problem, start))
        np.testing.assert_array_equal(first.lam, next(PAPER.iterates(problem)).lam)
        assert first.tau == 1.0


def test_the_papers_schedule_starts_at_argmin_R_plus_B():
    """gamma (log(lam/prior) + 1) - 1/lam is constant there: not at the center, and for any gamma."""
    prior = np.array([0.6, 0.2, 0.1, 0.06, 0.04])
    for gamma in (1e-2, 1.0, 1e3):
        adversary = Adversary(Simplex(), Entropy(gamma, prior), 5)
        for c in (np.zeros(5), np.arange(5.0)):
            lam = next(PAPER.iterates(DualSubproblem(np.eye(5), c, adversary))).lam
            terms = gamma * np.log(lam / prior) - 1 / lam
            assert np.ptp(terms) <= 1e-7 * (gamma + 1 / lam.min())
            assert lam.sum() == pytest.approx(1.0, abs=1e-14)
            assert np.ptp(lam) > 1e-3
        # Without losses Phase I has nothing to do.
        assert [it.phase for it in islice(PAPER.iterates(DualSubproblem(0 * np.eye(5), 0 * c, adversary)), 2)][
            1
        ] == "II"


@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_argmin_R_plus_B_on_every_pair(pair):
    """Newton's decrement of R + B there is zero up to rounding; it is the center itself without R."""
    for index in range(3):
        adversary = geometry(*pair, 3, index, 8).subproblem.adversary
        n = adversary.n
        path = CentralPath(DualSubproblem(np.zeros((n, n)), np.zeros(n), adversary))
        if path.is_point:
            continue
        lam = regularized_center(path)
        assert path.newton_step(lam, 1.0)[1] <= 1e-5
        if isinstance(adversary.regularizer, Zero):
            np.testing.assert_array_equal(lam, path.center)
        lam[:] = 0.0  # a caller's own
        assert path.newton_step(regularized_center(path), 1.0)[1] <= 1e-5


@pytest.mark.parametrize("gamma", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("ball", [Chi2Ball, KLBall])
def test_argmin_R_plus_B_of_a_large_gamma_on_curved_balls(ball, gamma):
    """A thousand Newton steps from the center did not find it; along the central path of R some tens do."""
    rng = np.random.default_rng(0)
    for rho in (1e-4, 1e-2, 1.0):
        for _ in range(8):
            priors = rng.dirichlet(np.full(3, 0.05), 2) + 1e-6
            p, q = priors / priors.sum(axis=1)[:, None]
            path = CentralPath(
                DualSubproblem(np.zeros((3, 3)), np.zeros(3), Adversary(ball(rho, p), Entropy(gamma, q), 3))
            )
            assert path.newton_step(regularized_center(path), 1.0)[1] <= 1e-2


def test_argmin_R_plus_B_is_found_once_for_all_losses(monkeypatch):
    adversary, systems = Adversary(Simplex(), Entropy(0.3, np.array([0.7, 0.2, 0.1])), 3), []
    counts: list[int] = []
    solve = CentralPath.newton_step
    monkeypatch.setattr(CentralPath, "newton_step", lambda *args: systems.append(1) or solve(*args))
    for k in range(3):
        regularized_center(CentralPath(DualSubproblem(np.eye(3), np.arange(3.0) * k, adversary)))
        counts.append(len(systems))
    assert 2 <= counts[0] <= 12
    assert counts == counts[:1] * 3
