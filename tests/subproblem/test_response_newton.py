"""Newton's method on the primal of (D), where the best response is smooth."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import Auto, DualSubproblem, FactoredSubproblem, PathFollowing, ResponseNewton
from saddleback.subproblem.response_newton import low_rank_factor

from .instances import instance, plain_gap, rounding, scaled
from .sets import UnitBox

SOLVER = ResponseNewton()


@pytest.mark.parametrize("regularizer", ["entropy", "quadratic"])
@pytest.mark.parametrize("kind", ["rank-one", "tiny", "zero"])
def test_gap_as_asked_and_value_as_path_following(kind, regularizer):
    for seed in range(30):
        case = instance(seed, kind=kind, regularizer=regularizer)
        problem = case.subproblem
        solution = SOLVER.solve(problem, case.tol)
        assert solution.converged
        assert Simplex().contains(solution.lam)
        assert solution.gap == problem.cross_evaluation_gap(solution.lam)
        assert plain_gap(problem, solution.lam) <= solution.gap + rounding(problem)
        reference = PathFollowing().solve(problem, case.tol)
        difference = problem.objective(solution.lam) - problem.objective(reference.lam)
        assert abs(difference) <= 2 * case.tol + rounding(problem)


@pytest.mark.parametrize("kind", ["full", "huge"])
@pytest.mark.parametrize("seed", range(25))
def test_what_it_does_not_reach_the_next_solver_does(kind, seed):
    """Where Q is much larger than R it stops with a message, and Auto goes on with path following."""
    case = instance(seed, n=2 + seed, kind=kind, regularizer="entropy")
    alone = SOLVER.solve(case.subproblem, case.tol)
    assert alone.converged or alone.message
    assert Auto().solve(case.subproblem, case.tol).converged


@pytest.mark.parametrize("R", [Entropy(0.2), Quadratic(0.2), Entropy(0.2, prior=np.arange(1, 7) / 21)])
def test_newton_converges_fast_from_a_warm_start(R):
    rng = np.random.default_rng(0)
    G, c = rng.standard_normal((6, 9)), rng.standard_normal(6)
    adversary = Adversary(Simplex(), R, 6)
    before = SOLVER.solve(DualSubproblem(G @ G.T, c, adversary), 1e-13)
    after = SOLVER.solve(DualSubproblem(G @ G.T, c + 1e-4 * rng.standard_normal(6), adversary), 1e-13, before.lam)
    assert before.converged
    assert after.converged
    assert after.n_iter <= 2


def test_units_do_not_matter():
    """Q, c and R times a power of two: not a bit changes."""
    for seed in range(10):
        case = instance(seed, n=8, kind="full", regularizer=("entropy", "quadratic")[seed % 2])
        one = SOLVER.solve(case.subproblem, case.tol)
        for factor in (2.0, 2.0**-15):
            two = SOLVER.solve(scaled(case.subproblem, factor), factor * case.tol)
            assert np.array_equal(one.lam, two.lam)
            assert (two.gap, two.n_iter) == (factor * one.gap, one.n_iter)


@pytest.mark.parametrize("R", [Entropy(0.1), Quadratic(0.1)])
@pytest.mark.parametrize(("J", "r"), [(100, 4), (1000, 5), (10_000, 3)])
def test_many_losses_form_no_matrix(J, r, R):
    rng = np.random.default_rng(J)
    problem = FactoredSubproblem(rng.standard_normal((J, r)), rng.standard_normal(J), Adversary(Simplex(), R, J))
    solution = Auto().solve(problem, 1e-9)
    assert solution.converged
    assert solution.solver == SOLVER.name
    assert "Q" not in vars(problem)


@pytest.mark.parametrize("rank", [1, 3, 7])
def test_factor_of_a_singular_matrix(rank):
    G = np.random.default_rng(rank).standard_normal((7, rank))
    problem = DualSubproblem(G @ G.T, np.zeros(7), Adversary(Simplex(), Zero(), 7))
    F = low_rank_factor(problem)
    assert F.shape == (7, rank)
    np.testing.assert_allclose(problem.scale * F @ F.T, problem.Q, atol=1e-14 * problem.scale)


def test_refusals_name_what_is_missing():
    unmet = SOLVER.needs.unmet
    assert "Zero has no 'response_weights'" in unmet(Adversary(Simplex(), Zero(), 3))
    assert "UnitBox is not one" in unmet(Adversary(UnitBox(), Quadratic(1.0), 3))
    assert unmet(Adversary(Simplex(), Entropy(1.0), 3)) is None
