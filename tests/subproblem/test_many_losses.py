"""Many losses of few parameters: Newton systems of the size of the parameters, and nothing of size J x J."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import saddleback as sb
from saddleback.engine.evaluation import Evaluation
from saddleback.linalg.hessians import Blocks, Dense, Diagonal, LowRank
from saddleback.regularizers import Regularizer
from saddleback.subproblem import (
    Auto,
    FactoredSubproblem,
    PathFollowing,
    QuadraticProgram,
    ResponseNewton,
    WorkingSet,
    adversary_of,
)
from saddleback.subproblem.path_following import newton_system
from saddleback.subproblem.path_following.newton_system import DenseSystem, NarrowSystem, NewtonSystemControl

J, D = 1200, 4


def sets(n):
    return {
        "simplex": sb.Simplex(),
        "capped": sb.CappedSimplex(0.1),
        "contamination": sb.Contamination(0.3),
        "box": sb.Box(np.zeros(n), np.ones(n)),
        "chi2": sb.Chi2Ball(0.1),
        "kl": sb.KLBall(0.1),
        "tv": sb.TVBall(0.1),
        "product": sb.Product([sb.Simplex(), sb.KLBall(0.2)], [n // 2, n - n // 2]),
    }


NAMES = tuple(sets(4))


@pytest.fixture
def nothing_square(monkeypatch):
    """Fail where a matrix of the size of the losses would be formed."""

    def small_Q(self):
        # Working sets of a few losses may be quadratic programs in lam.
        return self.factor @ self.factor.T if len(self.factor) < 100 else pytest.fail("Q was formed")

    monkeypatch.setattr(FactoredSubproblem, "Q", property(small_Q))
    monkeypatch.setattr(Evaluation, "gram", property(lambda self: pytest.fail("G G' was formed")))
    monkeypatch.setattr(Diagonal, "dense", lambda self: pytest.fail("a diagonal became a matrix"))
    monkeypatch.setattr(LowRank, "dense", lambda self: pytest.fail("a matrix of low rank became a full one"))


class Distances:
    """1/2 |w - a_j|^2 for J points."""

    n_losses, n_params = J, D

    def __init__(self):
        self.points = np.random.default_rng(0).standard_normal((J, D))

    def evaluate(self, w):
        offset = w - self.points
        return 0.5 * (offset**2).sum(axis=1), offset


@pytest.mark.slow
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)], ids=repr)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("nothing_square")
def test_a_whole_run_forms_no_square_matrix(name, regularizer):
    problem = sb.Problem(Distances(), sets(J)[name], regularizer)
    result = sb.solve(problem, tol=1e-7)
    assert result.success


@pytest.mark.parametrize(
    "method", ["accelerated", "prox-linear", "fixed-point", "apgd", "extragradient", "optimistic", "lbfgsb"]
)
@pytest.mark.usefixtures("nothing_square")
def test_no_method_forms_one(method):
    problem = sb.Problem(Distances(), regularizer=sb.Quadratic(0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(problem, method=method, max_iter=5)
    assert result.n_iter == 5 or result.success


@pytest.mark.usefixtures("nothing_square")
def test_more_parameters_than_a_dense_model_wants():
    """Limited memory, with pairs, and more losses than parameters."""
    rng = np.random.default_rng(1)
    C, scale = rng.standard_normal((400, 160)), rng.uniform(1.0, 3.0, (400, 1))

    def fun(w):
        offset = w - C
        return 0.5 * (scale * offset**2).sum(axis=1), scale * offset

    result = sb.minimax(fun, np.zeros(160), jac=True, tol=1e-8)
    assert result.success
    assert result.n_iter > 2


@pytest.mark.usefixtures("nothing_square")
def test_best_responses_without_a_formula_form_none():
    """A regularizer of one's own, on thousands of losses."""

    class Own(Regularizer):
        """The entropy, without its formulas."""

        strong_convexity = 0.3
        plain = sb.Entropy(0.3)

        def value(self, lam):
            return self.plain.value(lam)

        def gradient(self, lam):
            return self.plain.gradient(lam)

        def hessian(self, lam):
            return self.plain.hessian(lam)

    n = 3000
    z = np.random.default_rng(2).standard_normal(n)
    value, lam = adversary_of(sb.Simplex(), Own(), n).best_response(z)
    assert value == pytest.approx(adversary_of(sb.Simplex(), sb.Entropy(0.3), n).value(z), abs=1e-13)
    assert lam.sum() == pytest.approx(1.0)


# The same answers as with matrices.


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", NAMES)
def test_narrow_and_dense_systems_find_the_same_solution(name, scale, monkeypatch):
    n = 260
    rng = np.random.default_rng(5)
    F, c = scale * rng.standard_normal((n, D)), rng.standard_normal(n)
    dual_set = sets(n)[name]
    for regularizer in (sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)):
        problem = FactoredSubproblem(F, c, adversary_of(dual_set, regularizer, n))
        optima = []
        for rows in (n, n + 1):
            control = NewtonSystemControl(narrow_from_rows=rows, narrow_from_rows_beside=rows)
            monkeypatch.setattr(newton_system, "CONTROL", control)
            solution = PathFollowing().solve(problem, 0.0)
            # The last digits of TVBall are the price of the narrow form (see NewtonSystemControl).
            assert solution.gap <= (1e-11 if name == "tv" else 1e-12) * problem.scale
            optima.append(problem.objective(solution.lam))
        assert optima[0] == pytest.approx(optima[1], rel=0, abs=1e-11 * problem.scale)


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("m", [0, 1, 2])
def test_the_inverse_is_that_of_the_matrix(k, m):
    n, rng = 40, np.random.default_rng(10 * k + m)
    w, F = rng.uniform(0.1, 10.0, n), rng.standard_normal((n, 5))
    V, E, r = 3.0 * rng.standard_normal((k, n)), rng.standard_normal((m, n)), rng.standard_normal(n)
    H = np.diag(w) + 7.0 * F @ F.T + V.T @ V
    narrow = NarrowSystem(w, 7.0, F, E, V).solve(r)
    np.testing.assert_allclose(narrow, DenseSystem(H, E).solve(r), rtol=0, atol=1e-12)
    np.testing.assert_allclose(E @ narrow, 0.0, atol=1e-13)


def test_rows_that_are_zero_add_nothing():
    """The Hessian of a ball's barrier has such rows at its center."""
    n, rng = 10, np.random.default_rng(0)
    w, F, r = rng.uniform(1.0, 2.0, n), rng.standard_normal((n, 2)), rng.standard_normal(n)
    with_zero = NarrowSystem(w, 1.0, F, np.ones((1, n)), np.zeros((1, n))).solve(r)
    np.testing.assert_array_equal(with_zero, NarrowSystem(w, 1.0, F, np.ones((1, n))).solve(r))


def test_rows_much_larger_than_the_rest_cost_no_digits():
    """A very large V acts as the equation V d = 0."""
    n, rng = 30, np.random.default_rng(3)
    w, F, r = rng.uniform(1.0, 2.0, n), rng.standard_normal((n, 2)), rng.standard_normal(n)
    v = rng.standard_normal((1, n))
    d = NarrowSystem(w, 1.0, F, np.zeros((0, n)), 1e12 * v).solve(r)
    np.testing.assert_allclose(d, DenseSystem(np.diag(w) + F @ F.T, v).solve(r), rtol=0, atol=1e-13)


def test_which_hessians_are_nearly_diagonal():
    rng = np.random.default_rng(0)
    d, V = rng.random(3), rng.random((2, 3))
    for hessian in (Diagonal(d), LowRank(d, V), Blocks([LowRank(d, V), Diagonal(d), LowRank(d, V)])):
        diagonal, rows = hessian.diagonal_and_rows()
        np.testing.assert_allclose(np.diag(diagonal) + rows.T @ rows, hessian.dense())
    assert Dense(np.eye(3)).diagonal_and_rows() is None
    assert Blocks([Diagonal(d), Dense(np.eye(3))]).diagonal_and_rows() is None


def test_quadratic_programs_in_lam_are_left_to_fewer_losses():
    def order(n, dual_set, regularizer):
        problem = FactoredSubproblem(np.ones((n, 2)), np.zeros(n), adversary_of(dual_set, regularizer, n))
        return [type(solver) for solver in Auto()._ordered(problem)]

    assert order(50, sb.CappedSimplex(0.1), sb.Zero())[0] is QuadraticProgram
    assert QuadraticProgram not in order(J, sb.CappedSimplex(0.1), sb.Zero())
    assert order(J, sb.CappedSimplex(0.1), sb.Zero())[0] is ResponseNewton
    assert order(50, sb.Simplex(), sb.Zero())[0] is QuadraticProgram
    assert order(J, sb.Simplex(), sb.Zero())[0] is WorkingSet
    # On curved balls the proximal Newton method is the fastest for any shape.
    assert order(50, sb.KLBall(0.1), sb.Zero())[0] is order(3, sb.Chi2Ball(0.1), sb.Zero())[0] is ResponseNewton


@pytest.mark.parametrize("dual_set", [sb.CappedSimplex(1.0), sb.Contamination(0.0), sb.KLBall(0.0), sb.TVBall(0.0)])
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)])
def test_sets_of_one_point_have_no_equations_of_their_own(dual_set, regularizer, monkeypatch):
    """Those would be a J x J matrix."""
    monkeypatch.setattr(type(dual_set), "affine_hull", lambda self, n: pytest.fail("the equations were formed"))
    rng = np.random.default_rng(0)
    adversary = adversary_of(dual_set, regularizer, J)
    assert adversary.is_point
    problem = FactoredSubproblem(rng.standard_normal((J, D)), rng.standard_normal(J), adversary)
    solution = Auto().solve(problem, 1e-9)
    assert solution.converged
    np.testing.assert_allclose(solution.lam, 1.0 / J, rtol=1e-12)


@pytest.mark.parametrize(
    ("dual_set", "regularizer"),
    [(sb.Chi2Ball(0.5), sb.Entropy(0.1)), (sb.KLBall(0.5), sb.Quadratic(0.1)), (sb.KLBall(0.5), sb.Quadratic(10.0))],
)
def test_curved_balls_with_a_regularizer_of_another_kind(dual_set, regularizer):
    """Counted: 10 to 16 steps. Path following took 180 to 270, as it predicts badly along curved boundaries."""
    rng = np.random.default_rng(0)
    adversary = adversary_of(dual_set, regularizer, J)
    problem = FactoredSubproblem(rng.standard_normal((J, D)), rng.standard_normal(J), adversary)
    tol = 1e-10 * problem.scale
    solution, other = Auto().solve(problem, tol), PathFollowing().solve(problem, tol)
    assert solution.solver == "response-newton"
    assert solution.converged
    assert solution.n_iter <= 40
    difference = problem.objective(solution.lam) - problem.objective(other.lam)
    assert abs(difference) <= solution.gap + other.gap + problem.rounding_floor
