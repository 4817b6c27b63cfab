"""SciPy's trust-constr, the paper's choice: accurate on small problems, with the measured gap on hard ones."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.regularizers import Quadratic, Zero
from saddleback.subproblem import DualSubproblem, QuadraticProgram, TrustConstr

from .instances import KINDS, REGULARIZERS, instance, plain_gap, rounding
from .sets import UnitBall, UnitBox


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_small_instances(kind, regularizer):
    """Feasible, with its true gap, and within tol; where Q is much larger than c, within the rounding of Q."""
    misses = 0
    for seed in range(6):
        case = instance(seed, n=1 + seed, kind=kind, regularizer=regularizer)
        solution = TrustConstr().solve(case.subproblem, case.tol)
        assert case.subproblem.adversary.dual_set.contains(solution.lam)
        assert plain_gap(case.subproblem, solution.lam) <= solution.gap + rounding(case.subproblem)
        assert solution.converged == (solution.gap <= case.tol)
        assert solution.converged or solution.message
        misses += not solution.converged
        assert solution.gap <= 1e-8 * case.subproblem.scale
    if kind != "huge":
        assert misses <= 1


@pytest.mark.parametrize("seed", range(6))
def test_a_set_without_equations_and_with_negative_weights(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed
    G, R = rng.standard_normal((n, n)), [Zero(), Quadratic(0.5)][seed % 2]
    problem = DualSubproblem(G @ G.T, rng.standard_normal(n), Adversary(UnitBox(), R, n))
    solution = TrustConstr().solve(problem, 1e-7)
    reference = QuadraticProgram().solve(problem, 1e-12)
    assert solution.converged
    assert problem.objective(solution.lam) == pytest.approx(problem.objective(reference.lam), abs=1e-7)


def test_start_and_limits():
    case = instance(5, n=5, kind="full", regularizer="entropy")
    solution = TrustConstr().solve(case.subproblem, case.tol)
    assert TrustConstr().solve(case.subproblem, case.tol, solution.lam).n_iter == 0
    vertex = np.eye(5)[0]
    assert TrustConstr().solve(case.subproblem, case.tol, vertex).converged
    short = TrustConstr(max_iter=2).solve(case.subproblem, case.tol)
    assert not short.converged
    assert "maximum number" in short.message
    assert "UnitBall has no 'linear_constraints'" in TrustConstr.needs.unmet(Adversary(UnitBall(), Zero(), 3))
