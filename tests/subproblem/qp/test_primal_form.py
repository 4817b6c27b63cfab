"""(D) from a factor: the primal and the dual form agree, and nothing of size J x J is formed."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import Auto, DualSubproblem, FactoredSubproblem, PathFollowing, QuadraticProgram
from saddleback.subproblem.factored_subproblem import MOST_ROWS_OF_DENSE
from saddleback.subproblem.qp.kkt import frank_wolfe_bound
from saddleback.subproblem.qp.primal_form import PrimalForm

from ..instances import losses, plain_gap, rounding

KINDS = ("plain", "duplicate rows", "rank-deficient", "zero", "tied", "tiny", "huge", "one column")


def factored(seed: int, kind: str, R=None) -> FactoredSubproblem:
    """J from 8 to 80 losses, rank from 1 to 6; "tiny" and "huge" are Q times 1e-16 and 1e16."""
    rng = np.random.default_rng(seed)
    r = 1 if kind == "one column" else int(rng.integers(2, 7))
    J = int(rng.integers(4 * (r + 1), 80))
    F, c = rng.standard_normal((J, r)) * 10 ** rng.uniform(-1, 1), losses(rng, J)
    if kind == "duplicate rows":
        F, c = np.repeat(F, 3, axis=0)[:J], np.repeat(c, 3)[:J]
    elif kind == "rank-deficient":
        F[:, -1] = F[:, 0]
    elif kind == "zero":
        F *= 0.0
    elif kind == "tied":
        # All rows of F on a line: a whole face of the simplex is optimal.
        F, c = np.outer(rng.choice([-1.0, 1.0], J), F[0]), np.zeros(J)
    elif kind == "generic":
        c = rng.standard_normal(J)
    F *= {"tiny": 1e-8, "huge": 1e8}.get(kind, 1.0)
    return FactoredSubproblem(F, c, Adversary(Simplex(), Zero() if R is None else R, J))


def dense(problem: FactoredSubproblem) -> DualSubproblem:
    return DualSubproblem(problem.factor @ problem.factor.T, problem.c, problem.adversary)


@pytest.mark.parametrize("kind", KINDS)
def test_both_forms_agree_in_value_and_gap(kind):
    for seed in range(40):
        problem = factored(seed, kind)
        assert PrimalForm.suits(problem)
        plain = dense(problem)
        tol = max(1e-9 * float(np.ptp(problem.c)), problem.rounding_floor)
        primal, dual = QuadraticProgram().solve(problem, tol), QuadraticProgram().solve(plain, tol)
        assert primal.converged, primal
        assert dual.converged
        assert Simplex().contains(primal.lam, 1e-14)
        assert primal.lam.min() >= 0
        assert primal.gap == problem.cross_evaluation_gap(primal.lam)
        assert plain_gap(plain, primal.lam) <= primal.gap + rounding(plain)
        assert abs(plain.objective(primal.lam) - plain.objective(dual.lam)) <= 2 * tol + rounding(plain)


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_down_to_rounding(kind):
    for seed in range(40):
        problem = factored(seed, kind)
        assert QuadraticProgram().solve(problem, 0.0).gap <= problem.rounding_floor


def test_quantities_are_those_of_the_dense_problem():
    for seed in range(20):
        problem = factored(seed, "plain", [Zero(), Quadratic(0.3), Entropy(0.3)][seed % 3])
        plain = dense(problem)
        lam = np.random.default_rng(seed).dirichlet(np.ones(problem.c.size))
        error = rounding(plain)
        assert problem.scale == pytest.approx(plain.scale, rel=1e-14)
        assert problem.objective(lam) == pytest.approx(plain.objective(lam), abs=error)
        assert problem.cross_evaluation_gap(lam) == pytest.approx(plain.cross_evaluation_gap(lam), abs=error)
        assert problem.frank_wolfe_gap(lam) == pytest.approx(plain.frank_wolfe_gap(lam), abs=error)
        np.testing.assert_allclose(problem.product(lam), plain.product(lam), atol=error)
        np.testing.assert_allclose(problem.gradient(lam), plain.gradient(lam), atol=error)
        assert ("Q" in vars(problem)) == (problem.c.size <= MOST_ROWS_OF_DENSE)
        np.testing.assert_allclose(problem.Q, plain.Q, atol=error)


def test_a_wide_factor_is_solved_in_the_dual_form():
    rng = np.random.default_rng(0)
    problem = FactoredSubproblem(rng.standard_normal((6, 40)), rng.standard_normal(6), Adversary(Simplex(), Zero(), 6))
    assert not PrimalForm.suits(problem)
    assert not PrimalForm.suits(dense(problem))
    both = [Auto().solve(p, 1e-12) for p in (problem, dense(problem))]
    assert all(solution.converged for solution in both)
    np.testing.assert_allclose(both[0].lam, both[1].lam, atol=1e-9)


@pytest.mark.parametrize("R", [Quadratic(0.1), Entropy(0.1)])
def test_other_regularizers_are_solved_from_a_factor_too(R):
    for seed in range(5):
        problem = factored(seed, "plain", R)
        solution, reference = Auto().solve(problem, 1e-10), PathFollowing().solve(dense(problem), 1e-10)
        assert solution.converged
        assert problem.objective(solution.lam) == pytest.approx(problem.objective(reference.lam), abs=1e-9)


def test_units_do_not_matter():
    """F times 2 and c times 4: not a bit changes."""
    for seed in range(10):
        problem = factored(seed, "plain")
        tol = 1e-10 * problem.scale
        other = FactoredSubproblem(2 * problem.factor, 4 * problem.c, problem.adversary)
        one, two = QuadraticProgram().solve(problem, tol), QuadraticProgram().solve(other, 4 * tol)
        assert np.array_equal(one.lam, two.lam)
        assert (two.gap, two.n_iter) == (4 * one.gap, one.n_iter)


@pytest.mark.parametrize("seed", range(10))
def test_a_start_with_the_right_active_set_is_recognized(seed):
    problem = factored(seed, "generic")
    before = QuadraticProgram().solve(problem, 1e-12 * problem.scale)
    noise = 1e-7 * np.ptp(problem.c) * np.random.default_rng(seed).standard_normal(problem.c.size)
    moved = FactoredSubproblem(problem.factor, problem.c + noise, problem.adversary)
    warm = QuadraticProgram().solve(moved, 1e-12 * problem.scale, before.lam)
    assert warm.converged
    assert warm.n_iter <= 1


def test_multipliers_certify_the_gap():
    for seed in range(10):
        problem = factored(seed, "plain")
        solution = QuadraticProgram().solve(problem, 1e-9 * problem.scale)
        constraints = problem.adversary.linear_constraints
        bound = frank_wolfe_bound(problem, constraints, solution.lam, solution.multipliers)
        assert problem.frank_wolfe_gap(solution.lam) <= bound + rounding(dense(problem))
        assert bound <= 1e-6 * problem.scale


@pytest.mark.parametrize(("J", "r"), [(1000, 5), (10_000, 3)])
def test_many_losses_form_no_matrix(J, r):
    rng = np.random.default_rng(J)
    problem = FactoredSubproblem(rng.standard_normal((J, r)), rng.standard_normal(J), Adversary(Simplex(), Zero(), J))
    solution = Auto().solve(problem, 1e-9)
    assert solution.converged
    assert np.count_nonzero(solution.lam > 1e-9) <= r + 1
    again = Auto().solve(problem, 1e-9, solution.lam)
    assert again.n_iter == 0
    assert "Q" not in vars(problem)
