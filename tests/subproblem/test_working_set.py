"""The working set of losses on the simplex."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import saddleback as sb
from saddleback.subproblem import Auto, DualSubproblem, FactoredSubproblem, QuadraticProgram, WorkingSet, adversary_of

SOLVER = WorkingSet()


def problem_of(F, c):
    return FactoredSubproblem(F, c, adversary_of(sb.Simplex(), sb.Zero(), len(c)))


@pytest.mark.parametrize("magnitude", [0.1, 1.0, 1e3])
@pytest.mark.parametrize(("J", "r"), [(300, 1), (300, 20), (5000, 10)])
def test_the_gap_is_that_of_all_losses(J, r, magnitude):
    rng = np.random.default_rng(J + r)
    problem = problem_of(magnitude * rng.standard_normal((J, r)), rng.standard_normal(J))
    solution = SOLVER.solve(problem, 0.0)
    assert solution.gap == problem.cross_evaluation_gap(solution.lam) <= problem.rounding_floor
    assert np.count_nonzero(solution.lam > 1e-8) <= 2 * (r + 1)
    other = QuadraticProgram().solve(problem, 0.0)
    assert problem.objective(solution.lam) == pytest.approx(problem.objective(other.lam), abs=1e-12 * problem.scale)
    assert Auto().solve(problem, 0.0).solver == SOLVER.name
    assert "Q" not in vars(problem)


@pytest.mark.parametrize("J", [1, 2, 5, 40])
def test_few_losses(J):
    rng = np.random.default_rng(J)
    G, c = rng.standard_normal((J, 3)), rng.standard_normal(J)
    for problem in (problem_of(G, c), DualSubproblem(G @ G.T, c, adversary_of(sb.Simplex(), sb.Zero(), J))):
        assert SOLVER.solve(problem, 1e-9).converged


def test_ties_and_copies():
    """All losses equal at the start; each one three times; a column of zeros."""
    rng = np.random.default_rng(0)
    F = np.repeat(rng.standard_normal((400, 6)), 3, axis=0)
    F[:, 2] = 0.0
    problem = problem_of(F, np.zeros(1200))
    for start in (None, np.full(1200, 1 / 1200)):
        assert SOLVER.solve(problem, 1e-11, start).converged


def test_a_good_start_needs_one_round():
    rng = np.random.default_rng(1)
    F, c = rng.standard_normal((2000, 8)), rng.standard_normal(2000)
    cold = SOLVER.solve(problem_of(F, c), 1e-12)
    warm = SOLVER.solve(problem_of(F, c + 1e-9 * rng.standard_normal(2000)), 1e-12, cold.lam)
    assert warm.converged
    assert warm.n_iter <= 3 < cold.n_iter


def test_limits():
    with pytest.raises(sb.ProblemError, match="max_iter of WorkingSet"):
        WorkingSet(max_iter=-1)
    rng = np.random.default_rng(2)
    problem = problem_of(rng.standard_normal((5000, 10)), rng.standard_normal(5000))
    solution = WorkingSet(max_iter=1).solve(problem, 0.0)
    assert not solution.converged
    assert "max_iter = 1 rounds" in solution.message
    unmet = SOLVER.needs.unmet
    assert "CappedSimplex" in unmet(adversary_of(sb.CappedSimplex(0.5), sb.Zero(), 4))
    assert "Quadratic" in unmet(adversary_of(sb.Simplex(), sb.Quadratic(0.5), 4))


class Affine:
    """A w - b."""

    def __init__(self, A, b):
        self.A, self.b = A, b
        self.n_losses, self.n_params = A.shape

    def evaluate(self, w):
        return self.A @ w - self.b, self.A

    def smoothness(self):
        return 0.0


def chebyshev_value(A, b):
    """min over w of max (A w - b), by HiGHS."""
    J, d = A.shape
    bounds = [(None, None)] * (d + 1)
    return linprog(np.append(np.zeros(d), 1.0), np.c_[A, -np.ones(J)], b, bounds=bounds, method="highs").fun


def filter_rows(taps):
    """A low-pass filter of odd length with linear phase: errors of both signs on a grid of frequencies."""
    half = 4 * taps
    frequencies = np.concatenate((np.linspace(0, 0.2 * np.pi, half), np.linspace(0.22 * np.pi, np.pi, half)))
    C, wanted = np.cos(np.outer(frequencies, np.arange(taps // 2 + 1))), (frequencies <= 0.21 * np.pi) * 1.0
    return np.vstack((C, -C)), np.concatenate((wanted, -wanted))


def regression_rows(n, d):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + rng.standard_t(2, n)
    return np.vstack((X, -X)), np.concatenate((y, -y))


@pytest.mark.parametrize(
    "rows",
    [
        regression_rows(3000, 10),
        regression_rows(200, 30),
        filter_rows(51),
        pytest.param(filter_rows(101), marks=pytest.mark.slow),
    ],
    ids=["regression", "wide regression", "51 taps", "101 taps"],
)
def test_chebyshev_approximation_is_exact_and_certified(rows):
    A, b = rows
    result = sb.solve(sb.Problem(Affine(A, b)), np.zeros(A.shape[1]), tol=1e-9)
    assert result.certified
    assert result.value == pytest.approx(chebyshev_value(A, b), abs=1e-8)
