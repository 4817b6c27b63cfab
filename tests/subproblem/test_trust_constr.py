"""SciPy's trust-constr, the paper's choice: right on small problems, honest on hard ones."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.regularizers import Zero
from saddleback.subproblem import TrustConstr

from .instances import KINDS, REGULARIZERS, instance, plain_gap, rounding
from .sets import UnitBall


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_small_instances(kind, regularizer):
    """Feasible, honest about the gap, and within tol unless Q dwarfs c."""
    misses = 0
    for seed in range(6):
        case = instance(seed, n=1 + seed, kind=kind, regularizer=regularizer)
        solution = TrustConstr().solve(case.subproblem, case.tol)
        assert case.subproblem.adversary.dual_set.contains(solution.lam)
        assert plain_gap(case.subproblem, solution.lam) <= solution.gap + rounding(case.subproblem)
        assert solution.converged == (solution.gap <= case.tol)
        assert solution.converged or solution.message
        misses += not solution.converged
    assert misses <= (6 if kind == "huge" else 1)


def test_start_and_limits():
    case = instance(5, n=5, kind="full", regularizer="entropy")
    solution = TrustConstr().solve(case.subproblem, case.tol)
    assert TrustConstr().solve(case.subproblem, case.tol, solution.lam).n_iter == 0
    vertex = np.eye(5)[0]
    assert TrustConstr().solve(case.subproblem, case.tol, vertex).converged
    short = TrustConstr(max_iter=2).solve(case.subproblem, case.tol)
    assert not short.converged
    assert "maximum number" in short.message
    assert "UnitBall has no linear_constraints" in TrustConstr().refusal(Adversary(UnitBall(), Zero(), 3))
