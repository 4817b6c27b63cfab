"""Newton's method on the primal of (D), where the best response is smooth."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Box, CappedSimplex, Chi2Ball, Contamination, KLBall, Simplex, TVBall
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import (
    Auto,
    DualSubproblem,
    FactoredSubproblem,
    PathFollowing,
    ResponseNewton,
    adversary_of,
)
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
        # Even powers of two, whose roots are exact: rows of derivatives are in units of the root.
        for factor in (4.0, 2.0**-16):
            two = SOLVER.solve(scaled(case.subproblem, factor), factor * case.tol)
            assert np.array_equal(one.lam, two.lam)
            assert (two.gap, two.n_iter) == (factor * one.gap, one.n_iter)


@pytest.mark.parametrize("R", [Entropy(0.1), Quadratic(0.1)])
@pytest.mark.parametrize(("J", "r"), [(300, 4), (1000, 5), (10_000, 3)])
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
    assert "UnitBox has no 'smooth_project'" in unmet(Adversary(UnitBox(), Quadratic(1.0), 3))
    assert "UnitBox has no 'proximal_distance'" in unmet(Adversary(UnitBox(), Zero(), 3))
    assert unmet(Adversary(Simplex(), Zero(), 3)) is None
    assert unmet(Adversary(Simplex(), Entropy(1.0), 3)) is None


# Proximal points: sets whose best response has kinks, and extremes of each family.

J_MANY, D_FEW = 600, 5
MANY = {
    "simplex": Simplex(),
    "cvar": CappedSimplex(0.1),
    "cvar of few": CappedSimplex(0.01),
    "contamination": Contamination(0.3),
    "box": Box(-1.0, 1.0),
    "hinge": Box(0.0, 1.0),
    "tv": TVBall(0.1),
    "tv at its end": TVBall(1.0 - 1.0 / J_MANY),
    "chi2": Chi2Ball(0.5),
    "chi2 at its end": Chi2Ball(J_MANY - 1.0),
    "kl": KLBall(0.3),
    "kl at its end": KLBall(float(np.log(J_MANY))),
}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("magnitude", [0.1, 1.0, 1e3])
@pytest.mark.parametrize("name", MANY)
def test_every_set_is_solved_without_a_regularizer(name, magnitude, ties):
    rng = np.random.default_rng(1)
    F, c = magnitude * rng.standard_normal((J_MANY, D_FEW)), rng.standard_normal(J_MANY) * (not ties)
    problem = FactoredSubproblem(F, c, adversary_of(MANY[name], Zero(), J_MANY))
    tol = 1e-9 * problem.scale
    solution = SOLVER.solve(problem, tol)
    assert solution.converged, solution.message
    assert MANY[name].contains(solution.lam)
    assert "Q" not in vars(problem)
    other = PathFollowing().solve(problem, tol)
    assert abs(problem.objective(solution.lam) - problem.objective(other.lam)) <= 2.0 * tol


@pytest.mark.parametrize("R", [Quadratic(0.01), Quadratic(1e-6), Entropy(0.01)])
@pytest.mark.parametrize("name", [name for name in MANY if name not in ("box", "kl", "kl at its end", "chi2")])
def test_sets_with_regularizers(name, R):
    rng = np.random.default_rng(2)
    F, c = rng.standard_normal((J_MANY, D_FEW)), rng.standard_normal(J_MANY)
    adversary = adversary_of(MANY[name], R, J_MANY)
    if SOLVER.needs.unmet(adversary):
        pytest.skip("no proximal response")
    problem = FactoredSubproblem(F, c, adversary)
    assert SOLVER.solve(problem, 1e-9 * problem.scale).converged


@pytest.mark.parametrize("name", MANY)
def test_columns_that_depend_on_each_other_or_are_zero(name):
    rng = np.random.default_rng(3)
    F = rng.standard_normal((J_MANY, 2)) @ rng.standard_normal((2, D_FEW))
    F[:, 0] = 0.0
    problem = FactoredSubproblem(F, rng.standard_normal(J_MANY), adversary_of(MANY[name], Zero(), J_MANY))
    assert SOLVER.solve(problem, 1e-9 * problem.scale).converged


@pytest.mark.parametrize("name", ["cvar", "box", "tv", "chi2", "kl"])
@pytest.mark.parametrize("exponent", [-200, 200])
def test_extreme_units(name, exponent):
    rng = np.random.default_rng(4)
    units = 4.0**exponent
    F, c = rng.standard_normal((J_MANY, D_FEW)), rng.standard_normal(J_MANY)
    adversary = adversary_of(MANY[name], Zero(), J_MANY)
    plain, scaled_ = FactoredSubproblem(F, c, adversary), FactoredSubproblem(2.0**exponent * F, units * c, adversary)
    one, two = (SOLVER.solve(p, 1e-9 * p.scale) for p in (plain, scaled_))
    assert one.converged
    assert two.converged
    np.testing.assert_allclose(two.lam, one.lam, atol=1e-9)


@pytest.mark.parametrize("dual_set", [Simplex(), CappedSimplex(0.5), Box(-1.0, 1.0), Chi2Ball(1.0), KLBall(1.0)])
def test_a_single_loss(dual_set):
    problem = FactoredSubproblem(np.ones((1, 3)), np.ones(1), adversary_of(dual_set, Zero(), 1))
    assert SOLVER.solve(problem, 1e-12).converged


def test_a_warm_start_takes_few_steps():
    rng = np.random.default_rng(5)
    F, c = rng.standard_normal((J_MANY, D_FEW)), rng.standard_normal(J_MANY)
    for name in MANY:
        adversary = adversary_of(MANY[name], Zero(), J_MANY)
        problem = FactoredSubproblem(F, c, adversary)
        cold = SOLVER.solve(problem, 1e-10 * problem.scale)
        moved = FactoredSubproblem(F, c + 1e-6 * rng.standard_normal(J_MANY), adversary)
        warm = SOLVER.solve(moved, 1e-8 * problem.scale, cold.lam)
        assert warm.converged
        assert warm.n_iter <= max(10, cold.n_iter)
