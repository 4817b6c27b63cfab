"""Problem: g(w) and the best response, against CVXPY and formulas by hand."""

from __future__ import annotations

import dataclasses

import cvxpy as cp
import numpy as np
import pytest
from calls import Calls, parabola, quadratics
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb

PROPERTY = settings(derandomize=True, deadline=None, max_examples=60)
REGULARIZERS = {
    "zero": sb.Zero(),
    "quadratic": sb.Quadratic(0.4),
    "entropy": sb.Entropy(0.4, prior=[0.5, 0.3, 0.2]),
}


class Losses:
    n_losses, n_params = 3, 2

    def __init__(self):
        self.evaluate = Calls(quadratics)


def reference(kind, z):
    """max <lam, z> - R(lam) over the simplex, by an interior-point solver."""
    lam = cp.Variable(3)
    R = REGULARIZERS[kind]
    cost = {
        "zero": 0.0,
        "quadratic": 0.2 * cp.sum_squares(lam - np.full(3, 1 / 3)),
        "entropy": 0.4 * cp.sum(cp.rel_entr(lam, np.array([0.5, 0.3, 0.2]))),
    }[kind]
    assert R is not None
    return cp.Problem(cp.Maximize(lam @ z - cost), [lam >= 0, cp.sum(lam) == 1]).solve(solver="CLARABEL")


@pytest.mark.parametrize("kind", REGULARIZERS)
@pytest.mark.parametrize("seed", range(3))
def test_value_and_best_response_agree_with_cvxpy(kind, seed):
    problem = sb.Problem(Losses(), regularizer=REGULARIZERS[kind])
    w = np.random.default_rng(seed).normal(size=2)
    z = quadratics(w)[0]
    expected = reference(kind, z)
    assert problem.value(w) == pytest.approx(expected, abs=1e-6)
    response = problem.best_response(z)
    assert response.value == problem.value(w)
    R = problem.adversary.regularizer
    assert response.lam @ z - R.value(response.lam) == pytest.approx(response.value, rel=1e-14)


@PROPERTY
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(REGULARIZERS)))
def test_no_mixture_beats_the_best_response(seed, kind):
    rng = np.random.default_rng(seed)
    problem = sb.Problem(Losses(), regularizer=REGULARIZERS[kind])
    z = rng.normal(size=3) * 10.0 ** rng.integers(-3, 4)
    best, lam = problem.best_response(z)
    assert sb.Simplex().contains(lam)
    R = problem.adversary.regularizer
    for mu in [*rng.dirichlet(np.full(3, 0.5), 20), *np.eye(3)]:
        assert mu @ z - R.value(mu) <= best + 1e-13 * (1 + np.abs(z).max())


@PROPERTY
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(REGULARIZERS)), t=st.floats(0, 1))
def test_g_is_convex(seed, kind, t):
    u, v = np.random.default_rng(seed).normal(size=(2, 2)) * 3
    g = sb.Problem(Losses(), regularizer=REGULARIZERS[kind]).value
    assert g((1 - t) * u + t * v) <= (1 - t) * g(u) + t * g(v) + 1e-12 * (1 + g(u) + g(v))


def test_defaults_are_the_plain_maximum():
    problem = sb.Problem(Losses())
    assert problem.dual_set == sb.Simplex()
    assert problem.regularizer == sb.Zero()
    assert problem.metric is None
    assert (problem.n_losses, problem.n_params) == (3, 2)
    assert problem.value([0.1, 0.2]) == quadratics(np.array([0.1, 0.2]))[0].max()


def test_making_a_problem_evaluates_nothing():
    losses = Losses()
    problem = sb.Problem(losses, regularizer=sb.Quadratic(1.0), metric=2.0)
    assert losses.evaluate.n == 0
    problem.value([0.0, 0.0])
    assert losses.evaluate.n == 1


def test_values_are_used_where_they_are_offered():
    losses = Losses()
    losses.values = Calls(lambda w: quadratics(w)[0])
    sb.Problem(losses).value([0.0, 0.0])
    assert (losses.values.n, losses.evaluate.n) == (1, 0)


@pytest.mark.parametrize("w", [[0.5], (0.5,), 0.5, np.float32(0.5), np.array([0.5])])
def test_value_takes_whatever_is_a_vector(w):
    problem = sb.Problem(sb.from_functions(parabola, [0.0], jac=True))
    assert problem.value(w) == 0.25
    assert isinstance(problem.value(w), float)


def test_value_where_the_losses_are_not_defined():
    """g is inf there, and NumPy gives no warning."""

    def fun(w):
        with np.errstate(invalid="ignore"):
            return [np.log(w[0]), 0.0], [[1 / w[0]], [0.0]]

    problem = sb.Problem(sb.from_functions(fun, [1.0], jac=True))
    assert not np.isfinite(problem.value([-1.0]))


def test_metric_is_copied_and_spread():
    problem = sb.Problem(Losses(), metric=2)
    np.testing.assert_array_equal(problem.metric, [2.0, 2.0])
    metric = np.array([1.0, 2.0])
    problem = sb.Problem(Losses(), metric=metric)
    metric[:] = -1.0
    np.testing.assert_array_equal(problem.metric, [1.0, 2.0])


def test_problem_is_frozen_and_shows_its_pieces():
    problem = sb.Problem(Losses())
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.losses = None
    assert "Simplex()" in repr(problem)
    assert "Zero()" in repr(problem)


def test_an_own_dual_set():
    """A user's set: the simplex with the first weight at most one half, through the abstract protocol."""

    class Half(sb.Simplex):
        def support(self, z):
            order = np.argsort(z)[::-1]
            lam = np.zeros(z.size)
            lam[order[0]] = 0.5 if order[0] == 0 else 1.0
            lam[order[1]] += 1.0 - lam.sum()
            return float(lam @ z), lam

        def contains(self, lam, tol=1e-12):
            return super().contains(lam, tol) and lam[0] <= 0.5 + tol

    problem = sb.Problem(Losses(), dual_set=Half())
    assert problem.best_response([2.0, 1.0, 0.0]).value == 1.5
    assert problem.best_response([0.0, 1.0, 0.0]).value == 1.0


def test_other_losses_have_the_same_adversary():
    losses = sb.GroupedLinear(np.arange(8.0).reshape(4, 2), [0, 1, 1, 0], ["a", "b", "a", "b"], l2=0.1)
    problem = sb.Problem(losses, sb.Contamination(0.5), sb.Quadratic(0.1), metric=2.0, reference=[0.1, 0.2])
    other = problem.with_losses(losses.with_l2(0.3))
    anew = sb.Problem(losses.with_l2(0.3), sb.Contamination(0.5), sb.Quadratic(0.1), metric=2.0, reference=[0.1, 0.2])
    assert other.adversary is problem.adversary
    assert problem.losses is losses
    w = np.array([0.3, -0.2, 0.1])
    assert other.value(w) == anew.value(w) != problem.value(w)
    first, second = (sb.solve(made, tol=1e-9) for made in (other, anew))
    assert (first.w == second.w).all()
    assert first.gap == second.gap


def test_losses_of_another_size_need_a_new_problem():
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 1, 0]
    problem = sb.Problem(sb.GroupedLinear(X, y, ["a", "b", "a", "b"]))
    with pytest.raises(sb.ProblemError, match="must have the n_losses of the problem, 2; got 3"):
        problem.with_losses(sb.GroupedLinear(X, y, ["a", "b", "c", "b"]))
    with pytest.raises(sb.ProblemError, match="must have the n_params of the problem, 3; got 2"):
        problem.with_losses(sb.GroupedLinear(X[:, :1], y, ["a", "b", "a", "b"]))
    with pytest.raises(sb.ProblemError, match="must offer"):
        problem.with_losses(None)
