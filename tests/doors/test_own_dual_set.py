"""Dual sets from outside the package that define a support function and no barrier."""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import isotonic_regression

import saddleback as sb
from saddleback.testing import ContractError, check_dual_set, check_regularizer

TOL = 1e-6


@dataclass(frozen=True, eq=False)
class OrderedWeights(sb.DualSet):
    """The convex hull of all permutations of v: <lam, z> is at most the largest z times the largest v, and so on."""

    v: np.ndarray

    def support(self, z):
        lam = np.empty(z.size)
        lam[np.argsort(z)] = np.sort(self.v)
        return float(lam @ z), lam


class Projected(OrderedWeights):
    """The same with its projection, by isotonic regression (Negrinho and Martins 2014)."""

    def project(self, x):
        order = np.argsort(-x)
        lam = np.empty(x.size)
        lam[order] = x[order] - isotonic_regression(x[order] - np.sort(self.v)[::-1], increasing=False).x
        return lam


@dataclass(frozen=True, eq=False)
class Ellipsoid(sb.DualSet):
    """{lam : (lam - middle)' A (lam - middle) <= 1}: a curved boundary, and no formula but the support function."""

    middle: np.ndarray
    A: np.ndarray

    def support(self, z):
        direction = np.linalg.solve(self.A, z)
        lam = self.middle + direction / np.sqrt(z @ direction) if z.any() else self.middle.copy()
        return float(lam @ z), lam


def weights(n: int) -> np.ndarray:
    v = np.arange(n, 0.0, -1.0) ** 2
    return v / v.sum()


def ellipsoid(n: int) -> Ellipsoid:
    return Ellipsoid(np.full(n, 1.0 / n), n**2 * (2.0 * np.eye(n) + 0.3 * np.ones((n, n))))


SETS = {
    "support": lambda n: OrderedWeights(weights(n)),
    "projection": lambda n: Projected(weights(n)),
    "ellipsoid": ellipsoid,
}
POINTS = np.random.default_rng(0).normal(size=(7, 3))
UNIFORM = np.full(len(POINTS), 1 / len(POINTS))
QUADRATIC = sb.Quadratic(2.0, center=UNIFORM)


def squared_distances() -> sb.Losses:
    return sb.from_functions(lambda w: (((w - POINTS) ** 2).sum(axis=1), 2 * (w - POINTS)), np.zeros(3), jac=True)


def optimum(name: str, regularizer: sb.Regularizer) -> float:
    """min over w of max over lam in Lambda of <lam, f(w)> - R(lam), by CVXPY.

    For R = gamma/2 |lam - center|^2 the maximum is min over u of h(f - u) + <center, u> + |u|^2/(2 gamma).
    """
    n, d = POINTS.shape
    w, u, t = cp.Variable(d), cp.Variable(n), cp.Variable(n)
    constraints = [cp.sum_squares(w - POINTS[j]) - u[j] <= t[j] for j in range(n)]
    if name == "ellipsoid":
        # Weights of this ellipsoid are positive, so that h is increasing and t may stand for f - u.
        dual_set = ellipsoid(n)
        root = np.linalg.cholesky(np.linalg.inv(dual_set.A))
        h = dual_set.middle @ t + cp.norm(root.T @ t)
    else:
        v = np.append(weights(n), 0.0)
        h = sum((v[k] - v[k + 1]) * cp.sum_largest(t, k + 1) for k in range(n))
    if isinstance(regularizer, sb.Quadratic):
        h = h + UNIFORM @ u + cp.sum_squares(u) / (2.0 * regularizer.gamma)
    else:
        constraints.append(u == 0)
    problem = cp.Problem(cp.Minimize(h), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("name", SETS)
def test_the_contract_holds(name, n):
    check_dual_set(SETS[name](n), n)


@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(2.0), sb.Entropy(0.3)], ids=str)
@pytest.mark.parametrize("name", SETS)
def test_the_contract_of_regularizers_holds(name, regularizer):
    check_regularizer(regularizer, SETS[name](4), 4, n_points=3)


@pytest.mark.parametrize("regularizer", [sb.Zero(), QUADRATIC], ids=["zero", "quadratic"])
@pytest.mark.parametrize("name", SETS)
def test_solved_to_a_certified_gap(name, regularizer):
    dual_set = SETS[name](len(POINTS))
    result = sb.solve(sb.Problem(squared_distances(), dual_set, regularizer), tol=TOL)
    assert result.success
    assert result.value == pytest.approx(optimum(name, regularizer), abs=10 * TOL)
    assert dual_set.contains(result.dual, 1e-10)
    if name != "ellipsoid":
        assert result.certified
        assert result.gap <= TOL
    certificate = sb.certify(sb.Problem(squared_distances(), dual_set, regularizer), result.w, result.dual)
    assert certificate.gap <= 100 * TOL


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point", "apgd", "lbfgsb", "extragradient"])
def test_every_method_that_can_work_does(method):
    problem = sb.Problem(squared_distances(), Projected(weights(len(POINTS))), QUADRATIC)
    result = sb.solve(problem, method=method, tol=1e-4)
    assert result.certified
    assert result.value == pytest.approx(optimum("projection", QUADRATIC), abs=1e-3)


def test_entropy_is_solved_by_numerical_best_responses():
    for dual_set in (OrderedWeights(weights(7)), Projected(weights(7))):
        result = sb.solve(sb.Problem(squared_distances(), dual_set, sb.Entropy(0.5)), tol=TOL)
        assert result.certified


@pytest.mark.parametrize("method", ["extragradient", "optimistic"])
def test_methods_that_step_in_lam_name_what_is_missing(method):
    problem = sb.Problem(squared_distances(), OrderedWeights(weights(7)))
    with pytest.raises(sb.IncompatibleError, match=f"(?s){method} needs .*'project'"):
        sb.solve(problem, method=method)


@pytest.mark.parametrize("inner", ["qp", "path-following", "trust-constr", "projected-gradient"])
def test_inner_solvers_that_do_not_apply_name_one_that_does(inner):
    problem = sb.Problem(squared_distances(), OrderedWeights(weights(7)))
    with pytest.raises(sb.IncompatibleError, match=r"OrderedWeights has no .*'frank-wolfe'"):
        sb.solve(problem, inner=inner)


@pytest.mark.parametrize("inner", ["auto", "frank-wolfe", "projected-gradient"])
def test_inner_solvers_agree(inner):
    problem = sb.Problem(squared_distances(), Projected(weights(7)))
    result = sb.solve(problem, inner=inner, tol=TOL)
    assert result.certified
    assert result.value == pytest.approx(optimum("projection", sb.Zero()), abs=10 * TOL)


def test_a_part_of_a_product():
    """A product offers what its parts offer: here a support function, and the strongest solver that is left."""
    both = sb.Product([OrderedWeights(weights(4)), sb.Simplex()], [4, 3])
    check_dual_set(both, 7)
    result = sb.solve(sb.Problem(squared_distances(), both), tol=TOL)
    assert result.certified
    parts = [(OrderedWeights(weights(4)), slice(0, 4)), (sb.Simplex(), slice(4, 7))]
    assert result.value == pytest.approx(sum(s.support(result.losses[own])[0] for s, own in parts))


class Wrong(OrderedWeights):
    def support(self, z):
        value, lam = super().support(z)
        return 1.001 * value, lam


class Minimal(OrderedWeights):
    def support(self, z):
        return super().support(-z)


class Shifting(Projected):
    def project(self, x):
        return super().project(x) + 1e-3


class NotNearest(Projected):
    def project(self, x):
        return super().project(x if self.contains(x, 0.1) else 2.0 * x)

    def contains(self, lam, tol=1e-12):
        return bool(np.linalg.norm(lam - super().project(lam)) <= tol)


class Everything(OrderedWeights):
    def contains(self, lam, tol=1e-12):
        return True


class Outside(OrderedWeights):
    def center(self, n):
        return np.full(n, 1.0)


class Half(OrderedWeights):
    """A barrier of which the derivatives are missing."""

    def barrier(self, lam):
        return 0.0


class OffHull(OrderedWeights):
    def affine_hull(self, n):
        return np.ones((1, n)), np.array([2.0])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Wrong, "but its maximizer has"),
        (Minimal, "but its maximizer has"),
        (Shifting, "contains refuses"),
        (NotNearest, "not the nearest point"),
        (Everything, "contains accepts"),
        (Outside, "contains refuses center"),
        (Half, "a barrier needs more: Half has no 'barrier_parameter'"),
        (OffHull, "off the affine hull"),
    ],
)
def test_the_contract_finds_what_is_wrong(kind, words):
    with pytest.raises(ContractError, match=words):
        check_dual_set(kind(weights(4)), 4)
