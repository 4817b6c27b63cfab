"""The optimality conditions of (D) in every form, its multipliers, and the active-set method from a wrong guess."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Box, CappedSimplex, Simplex
from saddleback.regularizers import Quadratic, Zero
from saddleback.subproblem import FactoredSubproblem, QuadraticProgram
from saddleback.subproblem.incumbent import Incumbent
from saddleback.subproblem.qp import active_set
from saddleback.subproblem.qp.kkt_operator import BoundedKKT, DenseKKT, FactoredKKT

N = 6
SETS = [Simplex(), CappedSimplex(0.5), Box(0.0, 4.0), Box(-3.0, 1.0)]
REGULARIZERS = [Zero(), Quadratic(0.7)]


def subproblem(dual_set, R, seed=0, *, rank=3, size=1.0) -> FactoredSubproblem:
    rng = np.random.default_rng(seed)
    # `Adversary` resolves the center of R.
    return FactoredSubproblem(
        size * rng.standard_normal((N, rank)), 5.0 * rng.standard_normal(N), Adversary(dual_set, R, N)
    )


def forms(problem):
    adversary = problem.adversary
    plain = isinstance(adversary.dual_set, Simplex) and isinstance(adversary.regularizer, Zero)
    return [DenseKKT(problem), BoundedKKT(problem), *([FactoredKKT(problem)] if plain else [])]


@pytest.mark.parametrize("R", REGULARIZERS, ids=["zero", "quadratic"])
@pytest.mark.parametrize("dual_set", SETS, ids=["simplex", "capped", "box to 4", "box from -3"])
def test_residuals_are_the_scaled_gradient_and_the_equations(dual_set, R) -> None:
    """In x = lam/w, w the largest weight: w grad (S + R)/scale + E'y, up to a normal of the hull, then E x - e."""
    problem = subproblem(dual_set, R)
    w, E = problem.adversary.largest_weight, problem.adversary.linear_constraints.E
    x, y = np.random.default_rng(1).uniform(size=N), np.full(len(E), 0.3)
    gradient = w * problem.gradient(w * x) / problem.scale + E.T @ y
    for kkt in forms(problem):
        residual = kkt.residual(np.append(x, y))
        difference = residual[:N] - gradient
        # The common part of all losses is left out on sets whose weights have a given sum.
        np.testing.assert_allclose(difference, difference.mean() if len(E) else 0.0, atol=1e-12)
        np.testing.assert_allclose(residual[N:], E @ x - 1.0 / w, atol=1e-12)


@pytest.mark.parametrize("R", REGULARIZERS, ids=["zero", "quadratic"])
@pytest.mark.parametrize("dual_set", SETS, ids=["simplex", "capped", "box to 4", "box from -3"])
def test_blocks_are_the_derivative_of_the_residual(dual_set, R) -> None:
    problem = subproblem(dual_set, R)
    for kkt in forms(problem):
        size = sum(kkt.shape)
        index = np.r_[[0, 2, 5], N:size]
        X, steps = np.random.default_rng(2).uniform(size=size), np.eye(size)[index]
        columns = [kkt.residual(X + step) - kkt.residual(X) for step in steps]
        np.testing.assert_allclose(kkt.block(index), np.array(columns)[:, index].T, atol=1e-12)
        np.testing.assert_allclose(kkt.diagonal[index], kkt.block(index).diagonal(), atol=1e-12)


@pytest.mark.parametrize("R", REGULARIZERS, ids=["zero", "quadratic"])
@pytest.mark.parametrize("dual_set", SETS[2:], ids=["box to 4", "box from -3"])
def test_multipliers_are_in_the_units_of_the_losses(dual_set, R) -> None:
    """On a box without equations grad (S + R) = z_lower - z_upper."""
    problem = subproblem(dual_set, R, rank=N)
    # A start near the solution would need no program, and have no multipliers.
    solution = QuadraticProgram().solve(problem, 1e-9 * problem.scale)
    z = solution.multipliers
    assert z is not None
    # PIQP ends with residuals of 1e-8 or less of its scaled problem.
    slack = 1e-5 * problem.scale / problem.adversary.largest_weight
    np.testing.assert_allclose(problem.gradient(solution.lam), z.lower - z.upper, atol=slack)
    assert max(z.lower.max(), z.upper.max()) > 1e3 * slack


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dual_set", [SETS[0], *SETS[2:]], ids=["simplex", "box to 4", "box from -3"])
def test_the_active_set_is_found_from_a_wrong_guess(dual_set, seed) -> None:
    """From a feasible point with one free coordinate: all others have to be freed by the signs of their multipliers."""
    problem = subproblem(dual_set, Zero(), seed, rank=N)
    adversary = problem.adversary
    corner = dual_set.support(np.random.default_rng(seed + 10).standard_normal(N))[1]
    incumbent = Incumbent(problem, 0.0)
    x = corner / adversary.largest_weight
    free = np.zeros(N, dtype=bool)
    free[int(corner.argmax())] = True
    rounds = active_set.refine(DenseKKT(problem), adversary.linear_constraints, x, free, incumbent, 10 * N)
    assert incumbent.lam is not None
    assert incumbent.gap <= problem.rounding_floor
    assert rounds < 10 * N
