"""What every inner solver must do, and how one is chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.errors import IncompatibleError, ProblemError
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import (
    INNER_SOLVERS,
    Auto,
    DualSubproblem,
    PathFollowing,
    QuadraticProgram,
    ResponseNewton,
    resolve_inner,
    square_matrices,
)
from saddleback.subproblem.base import applies
from saddleback.subproblem.incumbent import Incumbent

from .instances import REGULARIZERS, instance, scaled
from .sets import UnitBall

SOLVERS = [kind() for kind in INNER_SOLVERS.values()]
every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)


def treats(solver, problem):
    return applies(solver, problem.adversary)


def tolerance(solver, case):
    """trust-constr is not asked for the last two digits, which it misses on some instances."""
    return (100 if solver.name == "trust-constr" else 1) * case.tol


def cases(solver, n, kind, count):
    """Instances with each regularizer that the solver treats."""
    drawn = [instance(seed, n=n, kind=kind, regularizer=r) for seed in range(count) for r in REGULARIZERS]
    return [case for case in drawn if treats(solver, case.subproblem)]


@every_solver
def test_names_resolve(solver):
    adversary = Adversary(Simplex(), Zero(), 3)
    assert solver.name in INNER_SOLVERS
    assert resolve_inner(solver.name, adversary) == solver
    assert resolve_inner(solver, adversary) is solver


@every_solver
@pytest.mark.parametrize("kind", ["full", "rank-one", "zero"])
def test_units_do_not_matter(solver, kind):
    """Q, c, R and tol times 1e-6 or 1e6: as many iterations, up to one, and the same lam value."""
    for case in cases(solver, 6 if solver.name == "trust-constr" else 25, kind, 2):
        problem, tol = case.subproblem, 10 * tolerance(solver, case)
        plain = solver.solve(problem, tol)
        assert plain.converged
        for factor in (1e-6, 1e6):
            other = solver.solve(scaled(problem, factor), factor * tol)
            assert other.converged
            assert abs(other.n_iter - plain.n_iter) <= 1
            assert abs(problem.objective(other.lam) - problem.objective(plain.lam)) <= 2 * tol


@every_solver
def test_a_single_loss_needs_nothing(solver):
    for R in (Zero(), Quadratic(0.1), Entropy(0.1)):
        problem = DualSubproblem(np.array([[2.0]]), np.array([3.0]), Adversary(Simplex(), R, 1))
        if treats(solver, problem):
            solution = solver.solve(problem, 0.0)
            assert solution.lam == pytest.approx([1.0], abs=0)
            assert (solution.gap, solution.n_iter, solution.converged) == (0.0, 0, True)


@every_solver
def test_equal_losses(solver):
    """All losses equal and no Q: nothing depends on lam, and the scale of the problem is zero or that of R."""
    for R in (Zero(), Quadratic(0.1), Entropy(0.1)):
        problem = DualSubproblem(np.zeros((5, 5)), np.full(5, 7.0), Adversary(Simplex(), R, 5))
        if treats(solver, problem):
            solution = solver.solve(problem, 1e-12)
            assert solution.converged
            assert Simplex().contains(solution.lam)


@every_solver
def test_duplicated_losses(solver):
    """Every loss twice: Q is singular and lam is not unique, the value is that of the plain problem."""
    for case in cases(solver, 4, "full", 3):
        plain, R = case.subproblem, case.subproblem.adversary.regularizer
        if isinstance(R, Quadratic):
            R = Quadratic(2 * R.gamma)
        elif isinstance(R, Entropy):
            R = Entropy(R.gamma, np.tile(R.prior, 2) / 2)
        twice = DualSubproblem(np.tile(plain.Q, (2, 2)), np.tile(plain.c, 2), Adversary(Simplex(), R, 8))
        tol = tolerance(solver, case)
        one, two = solver.solve(plain, tol), solver.solve(twice, tol)
        assert one.converged
        assert two.converged
        assert twice.objective(two.lam) == pytest.approx(plain.objective(one.lam), abs=3 * tol)


@every_solver
@pytest.mark.parametrize("start", ["vertex", "outside", "nan"])
def test_any_start_is_survived(solver, start):
    for case in cases(solver, 6, "full", 2):
        lam = {"vertex": np.eye(6)[2], "outside": np.linspace(-0.1, 0.6, 6), "nan": np.full(6, np.nan)}[start]
        solution = solver.solve(case.subproblem, tolerance(solver, case), lam)
        assert solution.converged
        assert Simplex().contains(solution.lam)


@every_solver
def test_results_do_not_depend_on_earlier_calls_and_inputs_are_not_changed(solver):
    case = instance(7, n=6, kind="full", regularizer="quadratic")
    problem = case.subproblem
    Q, c, start = problem.Q.copy(), problem.c.copy(), np.full(6, 1 / 6)
    for array in (problem.Q, problem.c, start):
        array.flags.writeable = False
    first, second = (solver.solve(problem, case.tol, start) for _ in range(2))
    assert np.array_equal(first.lam, second.lam)
    assert np.array_equal(problem.Q, Q)
    assert np.array_equal(problem.c, c)


def test_auto_takes_the_quadratic_program_where_it_applies():
    for r, expected in (("zero", "qp"), ("quadratic", "qp"), ("entropy", "response-newton")):
        case = instance(8, n=12, kind="full", regularizer=r)
        solution = Auto().solve(case.subproblem, case.tol)
        assert solution.converged
        assert solution.solver == expected


def test_auto_goes_on_with_the_next_solver():
    case = instance(8, n=12, kind="full", regularizer="quadratic")
    first = PathFollowing(max_iter=1)
    partial = first.solve(case.subproblem, case.tol)
    assert not partial.converged
    rest = QuadraticProgram().solve(case.subproblem, case.tol, partial.lam)
    solution = Auto(solvers=(first, QuadraticProgram())).solve(case.subproblem, case.tol)
    assert solution.converged
    assert solution.solver == "qp"
    assert solution.n_iter == partial.n_iter + rest.n_iter


def test_auto_returns_the_best_when_none_is_enough():
    case = instance(8, n=12, kind="full", regularizer="entropy")
    solvers = (PathFollowing(max_iter=3), PathFollowing(max_iter=1))
    solution = Auto(solvers).solve(case.subproblem, case.tol)
    first = solvers[0].solve(case.subproblem, case.tol)
    assert not solution.converged
    assert solution.gap <= first.gap
    assert solution.n_iter == 4
    assert "max_iter" in solution.message


@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_auto_needs_no_iteration_without_q(regularizer):
    case = instance(9, n=30, kind="zero", regularizer=regularizer)
    solution = Auto().solve(case.subproblem, case.tol)
    assert solution.converged
    assert solution.n_iter == 0


def test_unknown_names_are_listed():
    expected = "unknown inner solver 'simplex'; expected one of 'auto', 'path-following', 'qp', 'trust-constr', "
    expected += "'projected-gradient', 'frank-wolfe'"
    with pytest.raises(ProblemError, match=expected):
        resolve_inner("simplex", Adversary(Simplex(), Zero(), 3))


def test_incompatible_solvers_are_refused_with_what_would_work():
    with pytest.raises(
        IncompatibleError,
        match=r"inner solver 'qp' needs a regularizer with a quadratic form.*; Entropy has no "
        r"'quadratic_form'\. Use one of: 'auto', 'path-following'",
    ):
        resolve_inner("qp", Adversary(Simplex(), Entropy(0.1), 3))
    with pytest.raises(
        IncompatibleError,
        match=r"UnitBall has no 'linear_constraints'\. Use one of: 'auto', 'path-following', .*'frank-wolfe'\.",
    ):
        resolve_inner("trust-constr", Adversary(UnitBall(), Zero(), 3))
    only_two = Auto(solvers=(QuadraticProgram(), ResponseNewton()))
    with pytest.raises(
        IncompatibleError, match=r"'auto' needs a dual set with a polyhedral .*, or a dual set and .* a proximal"
    ):
        resolve_inner(only_two, Adversary(UnitBall(), Zero(), 3))


class Centers:
    """An inner solver from outside, with the least that one must have: it returns the center."""

    name = "centers"

    def solve(self, subproblem, tol, start=None):
        incumbent = Incumbent(subproblem, tol)
        return incumbent.solution(self.name, 0, "it only knows the center")


def test_a_solver_that_declares_nothing_needs_nothing():
    solver, adversary = Centers(), Adversary(UnitBall(), Zero(), 3)
    assert resolve_inner(solver, adversary) is solver
    assert (square_matrices(solver, adversary, 5), square_matrices(solver, adversary, 2)) == (1, 1)
    assert square_matrices(solver, Adversary(UnitBall(), Zero(), 100), 5) == 0
    assert Auto(solvers=(solver,)).applicable(adversary) == (solver,)


def test_what_is_no_solver_is_refused():
    for inner in (PathFollowing, 3, object()):
        with pytest.raises(ProblemError, match="inner must be a name or an object such as"):
            resolve_inner(inner, Adversary(Simplex(), Zero(), 3))


def test_auto_asks_once_per_adversary(monkeypatch):
    asked = []
    monkeypatch.setattr("saddleback.subproblem.auto.applies", lambda *pair: asked.append(pair) or applies(*pair))
    solver = Auto()
    first, second = (instance(8, n=12, kind="full", regularizer=r).subproblem for r in ("zero", "entropy"))
    for problem in (first, first, second, second):
        assert solver.solve(problem, 1e-6).converged
    assert len(asked) == 2 * len(solver.solvers)
    assert [s.name for s in solver.applicable(first.adversary)] == [
        "qp",
        "working-set",
        "response-newton",
        "path-following",
    ]
    assert [s.name for s in solver.applicable(second.adversary)] == ["response-newton", "path-following"]
    assert solver == Auto()


def test_a_gap_that_rounding_hides_is_said():
    case = instance(6, n=20, kind="full", regularizer="zero")
    solution = QuadraticProgram().solve(case.subproblem, 0.0)
    assert 0.0 < solution.gap <= case.subproblem.rounding_floor
    assert not solution.converged
    assert "are rounding errors" in solution.message


def test_a_large_common_loss_costs_no_digits():
    case = instance(6, n=20, kind="full", regularizer="quadratic")
    shifted = replace(case.subproblem, c=np.round(case.subproblem.c, 6) + 2.0**20)
    for solver in (QuadraticProgram(), PathFollowing()):
        assert solver.solve(shifted, case.tol).converged
