"""The three gaps of a point of (D), and what KKT residuals say of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.regularizers import Quadratic, Zero
from saddleback.subproblem import DualSubproblem, QuadraticProgram
from saddleback.subproblem.qp.kkt import frank_wolfe_bound, tolerances

from .instances import instance, plain_gap, rounding

PROPERTY = settings(derandomize=True, deadline=None, max_examples=150)
seeds = st.integers(0, 10**6)


@PROPERTY
@given(seed=seeds)
def test_cross_evaluation_gap_is_the_plain_formula(seed):
    """h(c - Q lam) - <lam, c - Q lam> + R(lam), with h computed another way."""
    problem = instance(seed).subproblem
    lam = np.random.default_rng(seed).dirichlet(np.ones(problem.c.size))
    assert problem.cross_evaluation_gap(lam) == pytest.approx(plain_gap(problem, lam), rel=1e-9, abs=rounding(problem))


@PROPERTY
@given(seed=seeds)
def test_chain_of_the_three_gaps(seed):
    """optimality <= cross-evaluation <= Frank-Wolfe, at an interior point (paper, eq. chain)."""
    case = instance(seed, n=2 + seed % 12)
    problem = case.subproblem
    rng = np.random.default_rng(seed)
    lam, mu = rng.dirichlet(np.full(problem.c.size, 0.5), 2) * (1 - 1e-6) + 1e-6 / problem.c.size
    cross, slack = problem.cross_evaluation_gap(lam), rounding(problem)
    # Any other point bounds the optimum from above, and its objective less its own gap bounds it from below.
    assert problem.objective(lam) - problem.objective(mu) <= cross + slack
    assert cross <= problem.frank_wolfe_gap(lam) + slack
    assert problem.optimality_gap(lam, problem.objective(mu) - problem.cross_evaluation_gap(mu)) >= -slack


@PROPERTY
@given(seed=seeds, log_tau=st.floats(0, 10), log_r=st.floats(-10, 0))
def test_kkt_lemma(seed, log_tau, log_r):
    """mu_j z_j = 1/tau and |grad h - nu 1 - z|_inf <= eps_g give a Frank-Wolfe gap of at most J/tau + 2 eps_g."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    mu, tau, nu, eps_g = rng.dirichlet(np.ones(n)), 10**log_tau, rng.standard_normal(), 10**log_r
    mu = np.maximum(mu, 1e-12) / np.maximum(mu, 1e-12).sum()
    r = eps_g * rng.uniform(-1, 1, n)
    G = rng.standard_normal((n, int(rng.integers(1, n + 2))))
    adversary = Adversary(Simplex(), Quadratic(float(rng.random())), n)
    # c is chosen so that the gradient of h at mu is nu 1 + z + r.
    without_c = DualSubproblem(G @ G.T, np.zeros(n), adversary)
    problem = DualSubproblem(G @ G.T, without_c.gradient(mu) - (nu + 1 / (tau * mu) + r), adversary)
    bound = n / tau + 2 * eps_g
    assert problem.frank_wolfe_gap(mu) <= bound + rounding(problem)
    # The lemma is sharp up to the factor in front of eps_g: without a residual it is attained from below by z.
    assert problem.frank_wolfe_gap(mu) >= n / tau - (1 / (tau * mu)).min() - 2 * eps_g - rounding(problem)


@dataclass(frozen=True, eq=False)
class GivenMultipliers:
    """Multipliers that a solver might return."""

    lower: np.ndarray
    upper: np.ndarray


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_bound_by_residuals_is_attained(n):
    """Two vertices: with Q = 0, c = eps (e_1 - e_0) and no multipliers, r = -c has |r|_inf = eps, and lam = e_0 loses
    2 eps against e_1: twice the residual, and not once."""
    eps, zero = 1e-3, np.zeros(n)
    c = eps * (np.eye(n)[1] - np.eye(n)[0])
    problem = DualSubproblem(np.zeros((n, n)), c, Adversary(Simplex(), Zero(), n))
    lam = np.eye(n)[0]
    bound = frank_wolfe_bound(problem, Simplex().linear_constraints(n), lam, GivenMultipliers(zero, zero))
    gap = problem.frank_wolfe_gap(lam)
    assert gap == pytest.approx(2 * eps)
    assert gap <= bound * (1 + 1e-12)


@PROPERTY
@given(seed=seeds, log_r=st.floats(-10, 0))
def test_the_bound_holds_for_any_multipliers(seed, log_r):
    """Whatever a solver returns as z >= 0, the Frank-Wolfe gap is at most complementarity + 2 |r|_inf."""
    problem = instance(seed, n=2 + seed % 12, regularizer=("zero", "quadratic")[seed % 2], kind="full").subproblem
    rng, n = np.random.default_rng(seed), problem.c.size
    lam = np.where(rng.random(n) < 0.5, 0.0, rng.random(n))
    lam = lam / lam.sum() if lam.any() else np.eye(n)[0]
    gradient = problem.gradient(lam)
    z = np.maximum(gradient - gradient[lam.argmax()] + 10**log_r * rng.uniform(-1, 1, n), 0.0)
    constraints = Simplex().linear_constraints(n)
    bound = frank_wolfe_bound(problem, constraints, lam, GivenMultipliers(z, np.zeros(n)))
    assert problem.frank_wolfe_gap(lam) <= bound + rounding(problem)


def test_tolerances_of_the_lemma_add_up():
    eps_tau, eps_g = tolerances(1e-6, 7)
    assert 7 * eps_tau + 2 * eps_g == pytest.approx(1e-6)


@pytest.mark.parametrize("seed", range(25))
def test_multipliers_of_the_quadratic_program_certify_its_gap(seed):
    case = instance(
        seed, n=2 + seed, regularizer=("zero", "quadratic")[seed % 2], kind=("full", "rank-one", "zero")[seed % 3]
    )
    problem = case.subproblem
    constraints = Simplex().linear_constraints(problem.c.size)
    solution = QuadraticProgram().solve(problem, 1e-9 * problem.scale)
    lam = solution.lam
    bound = frank_wolfe_bound(problem, constraints, lam, solution.multipliers)
    gap = problem.frank_wolfe_gap(lam)
    assert problem.cross_evaluation_gap(lam) <= gap + rounding(problem)
    assert gap <= bound + rounding(problem)
    assert bound <= 1e-6 * problem.scale
