"""The active-set method for few losses on the simplex, against PIQP and the optimality conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saddleback import Box, Quadratic, Simplex, Zero
from saddleback.subproblem import DualSubproblem, QuadraticProgram, adversary_of
from saddleback.subproblem.incumbent import Incumbent
from saddleback.subproblem.qp.dual_form import DualForm
from saddleback.subproblem.qp.few_losses import CONTROL, has_few_losses, refine_few
from saddleback.subproblem.qp.quadratic_program import new_solver


def subproblem(seed: int, n: int, rank: int, scale: float = 1.0) -> DualSubproblem:
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((n, rank))
    return DualSubproblem(scale * F @ F.T, scale * rng.standard_normal(n), adversary_of(Simplex(), Zero(), n))


def refined(problem: DualSubproblem, tol: float, start: np.ndarray) -> tuple[Incumbent, int]:
    incumbent = Incumbent(problem, tol)
    return incumbent, refine_few(problem, incumbent, start)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, CONTROL.most_losses),
    rank=st.integers(1, 12),
    exponent=st.sampled_from([-150, -9, 0, 9, 150]),
)
def test_solved_to_rounding_in_any_units_from_any_vertex(seed: int, n: int, rank: int, exponent: int) -> None:
    problem = subproblem(seed, n, rank, 10.0**exponent)
    start = np.zeros(n)
    start[seed % n] = 1.0
    solution = QuadraticProgram().solve(problem, 0.0, start)
    assert solution.gap <= problem.rounding_floor
    assert problem.cross_evaluation_gap(solution.lam) == pytest.approx(solution.gap, abs=problem.rounding_floor)
    assert Simplex().contains(solution.lam)


@pytest.mark.parametrize("seed", range(20))
def test_the_value_is_that_of_piqp(seed: int) -> None:
    n = 2 + seed
    problem = subproblem(seed, n, 1 + seed // 2)
    ours = QuadraticProgram().solve(problem, 1e-12, np.full(n, 1.0 / n))
    piqp = DualForm(problem).run(new_solver(1e-12, 25)).lam
    assert problem.objective(ours.lam) == pytest.approx(problem.objective(Simplex().restore(piqp)), abs=1e-8)


def test_the_right_face_takes_one_round() -> None:
    problem = subproblem(3, 12, 12)
    before = QuadraticProgram().solve(problem, 1e-12)
    nearby = replace(problem, c=problem.c + 1e-7 * np.arange(12.0))
    incumbent, rounds = refined(nearby, 1e-12, before.lam)
    assert incumbent.done
    assert rounds == 1


def test_a_start_that_is_good_enough_is_returned() -> None:
    problem = subproblem(5, 6, 6)
    lam = QuadraticProgram().solve(problem, 1e-12).lam
    incumbent, rounds = refined(problem, 1e-9, lam)
    assert rounds == 0
    np.testing.assert_array_equal(incumbent.lam, lam)


def test_equal_losses_and_gradients() -> None:
    """All weights are optimal: Q is zero up to a constant, and every loss ties."""
    problem = DualSubproblem(np.ones((5, 5)), np.ones(5), adversary_of(Simplex(), Zero(), 5))
    solution = QuadraticProgram().solve(problem, 0.0, np.eye(5)[2])
    assert solution.gap <= problem.rounding_floor


def test_nothing_to_solve() -> None:
    problem = DualSubproblem(np.zeros((3, 3)), np.zeros(3), adversary_of(Simplex(), Zero(), 3))
    incumbent, rounds = refined(problem, 0.0, np.full(3, 1 / 3))
    assert rounds == 0
    assert incumbent.gap == 0.0


def test_a_start_of_nan_is_not_used() -> None:
    problem = subproblem(1, 4, 2)
    assert QuadraticProgram().solve(problem, 1e-9, np.full(4, np.nan)).converged


@pytest.mark.parametrize(
    ("dual_set", "regularizer", "n"),
    [(Simplex(), Zero(), 1), (Simplex(), Zero(), 33), (Simplex(), Quadratic(0.1), 3), (Box(0, 1), Zero(), 3)],
)
def test_other_problems_are_left_to_the_general_method(dual_set: Simplex, regularizer: Zero, n: int) -> None:
    problem = DualSubproblem(np.eye(n), np.ones(n), adversary_of(dual_set, regularizer, n))
    assert not has_few_losses(problem)
