"""The quadratic-program solver: last digits, warm starts, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.regularizers import Quadratic, Zero
from saddleback.subproblem import DualSubproblem, QuadraticProgram
from saddleback.subproblem.incumbent import Incumbent
from saddleback.subproblem.qp.dual_form import DualForm
from saddleback.subproblem.qp.quadratic_program import new_solver

from ..instances import KINDS, instance
from ..sets import UnitBall, UnitBox


@pytest.mark.parametrize("regularizer", ["zero", "quadratic"])
@pytest.mark.parametrize("kind", KINDS)
def test_gaps_down_to_rounding(kind, regularizer):
    """Asked for a gap of zero, it ends within the rounding floor of float64."""
    for seed in range(20):
        problem = instance(seed, kind=kind, regularizer=regularizer).subproblem
        assert QuadraticProgram().solve(problem, 0.0).gap <= problem.rounding_floor


def test_the_active_set_gives_the_digits_that_piqp_does_not():
    """On a singular Q 1e8 times c PIQP alone stays above the rounding floor; refined it does not."""
    problem = instance(578).subproblem
    raw = Incumbent(problem, 0.0, DualForm(problem).run(new_solver(0.0, 25)).lam)
    assert raw.gap > 100 * problem.rounding_floor
    assert QuadraticProgram().solve(problem, 0.0).gap <= problem.rounding_floor


@pytest.mark.parametrize("seed", range(10))
def test_a_start_with_the_right_active_set_is_recognized(seed):
    case = instance(seed, n=10, kind="full", regularizer=("zero", "quadratic")[seed % 2])
    before = QuadraticProgram().solve(case.subproblem, case.tol)
    noise = 1e-6 * np.ptp(case.subproblem.c) * np.random.default_rng(seed).standard_normal(10)
    problem = replace(case.subproblem, c=case.subproblem.c + noise)
    cold = QuadraticProgram().solve(problem, case.tol)
    warm = QuadraticProgram().solve(problem, case.tol, before.lam)
    assert warm.converged
    assert warm.n_iter <= 1 < cold.n_iter


@pytest.mark.parametrize("seed", range(30))
def test_box_with_bounds_on_both_sides(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    G = rng.standard_normal((n, n if seed % 2 else 2))
    R = [Zero(), Quadratic(0.5)][seed % 2]
    problem = DualSubproblem(G @ G.T / n, rng.standard_normal(n), Adversary(UnitBox(), R, n))
    solution = QuadraticProgram().solve(problem, n * problem.rounding_floor)
    assert solution.converged
    assert UnitBox().contains(solution.lam, 0.0)
    again = QuadraticProgram().solve(
        replace(problem, c=problem.c * (1 + 1e-9)), n * problem.rounding_floor, solution.lam
    )
    assert again.converged
    assert again.n_iter <= 3


def test_refusals_name_what_is_missing():
    unmet = QuadraticProgram.needs.unmet
    assert unmet(instance(1, n=3, regularizer="quadratic").subproblem.adversary) is None
    assert "Entropy has no 'quadratic_form'" in unmet(instance(1, n=3, regularizer="entropy").subproblem.adversary)
    assert "UnitBall has no 'linear_constraints'" in unmet(Adversary(UnitBall(), Zero(), 3))
