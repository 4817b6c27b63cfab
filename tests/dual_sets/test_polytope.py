"""Polytopes: what construction finds out or refuses, vertices to rounding, the barrier on the affine hull."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, linear_sum_assignment

from saddleback.dual_sets import Simplex
from saddleback.dual_sets.capped_simplex import CappedSimplex
from saddleback.dual_sets.polytope import Polytope
from saddleback.errors import ProblemError
from saddleback.linalg.hessians import as_hessian

from .barriers import worst_ratio

EPS = float(np.finfo(np.float64).eps)
# Each instance solves linear programs, of milliseconds each.
PROPERTY = settings(derandomize=True, deadline=None, max_examples=40)


def simplex(n):
    return Polytope(-np.eye(n), np.zeros(n), np.ones((1, n)), [1.0])


def cube(n, lower=0.0, upper=1.0):
    return Polytope(np.vstack((np.eye(n), -np.eye(n))), np.repeat([upper, -lower], n))


def hull_basis(P):
    """Orthonormal columns that span the directions within the affine hull."""
    E, _ = P.affine_hull(P.size)
    return np.linalg.svd(np.vstack((E, np.zeros((1, P.size)))))[2][len(E) :].T


@st.composite
def instances(draw):
    """A polytope with an interior within its equations, rows of many scales, redundant ones; and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 6)), draw(st.integers(0, 8))
    k = draw(st.integers(0, n - 1))
    inside = rng.normal(size=n) * draw(st.sampled_from([0.0, 1.0, 100.0]))
    A = np.vstack((rng.normal(size=(m, n)), np.eye(n), -np.eye(n)))
    b = A @ inside + rng.uniform(0.1, 2, len(A))
    A_eq = rng.normal(size=(k, n))
    if k and draw(st.booleans()):
        A_eq = np.vstack((A_eq, A_eq.sum(axis=0), np.zeros(n)))
    b_eq = A_eq @ inside
    scales, scales_eq = 10.0 ** rng.uniform(-6, 6, len(A)), 10.0 ** rng.uniform(-6, 6, len(A_eq))
    if not draw(st.booleans()):
        scales, scales_eq = np.ones(len(A)), np.ones(len(A_eq))
    args = (A * scales[:, None], b * scales)
    return Polytope(*args, A_eq * scales_eq[:, None], b_eq * scales_eq) if k else Polytope(*args), rng


def members(P, rng, count=5):
    vertices = [P.support(rng.normal(size=P.size))[1] for _ in range(3)] + [P.center(P.size)]
    return [weights @ vertices for weights in rng.dirichlet(np.full(4, 0.5), count)]


def interior(P, rng):
    return 0.5 * P.center(P.size) + 0.5 * members(P, rng, 1)[0]


@PROPERTY
@given(instance=instances())
def test_support_agrees_with_an_independent_solver_and_is_exact_at_vertices(instance):
    P, rng = instance
    n, z = P.size, rng.normal(size=P.size)
    value, lam = P.support(z)
    assert P.contains(lam, tol=32 * n * EPS)
    v = cp.Variable(n)
    lengths = np.linalg.norm(P.A, axis=1)
    constraints = [(P.A / lengths[:, None]) @ v <= P.b / lengths]
    E, e = P.affine_hull(n)
    if len(E):
        constraints.append(E @ v == e)
    scale = max(1.0, np.abs(lam).max())
    assert value == pytest.approx(
        cp.Problem(cp.Maximize(z @ v), constraints).solve(solver="CLARABEL"), abs=1e-6 * scale
    )
    # A vertex: as many constraints hold to rounding as there are coordinates.
    slack = (P.b - P.A @ lam) / lengths
    active = np.vstack((E, (P.A / lengths[:, None])[slack <= 64 * n * EPS * scale]))
    assert np.linalg.matrix_rank(active, tol=1e-9) == n
    assert value == P.support_value(z) == lam @ z
    for mu in members(P, rng):
        assert P.regret(mu, z) == pytest.approx(value - mu @ z, abs=64 * n * EPS * scale)


@pytest.mark.parametrize("size", [1e-300, 1e-6, 1.0, 1e6, 1e300])
def test_support_of_losses_of_any_size(size):
    value, lam = simplex(4).support(size * np.array([1.0, 3.0, 2.0, -1.0]))
    assert value == pytest.approx(3 * size, rel=8 * EPS)
    np.testing.assert_allclose(lam, [0, 1, 0, 0], atol=4 * EPS)


@pytest.mark.parametrize("difference", [1e-3, 1e-9, 1e-12])
def test_support_tells_losses_apart_that_are_almost_equal(difference):
    z = 1.0 + np.array([0.0, difference, 0.0, 0.0])
    value, _ = simplex(4).support(z)
    assert value == pytest.approx(z[1], abs=8 * EPS)


@pytest.mark.parametrize("z", [np.zeros(3), np.ones(3), np.full(3, -1e8)])
def test_losses_that_are_constant_on_the_set_get_the_center(z):
    value, lam = simplex(3).support(z)
    assert value == pytest.approx(z[0], rel=4 * EPS)
    np.testing.assert_allclose(lam, 1 / 3, rtol=8 * EPS)


def test_what_is_not_finite_has_no_support():
    assert np.isnan(simplex(3).support(np.array([np.nan, 0.0, 1.0]))[0])
    assert simplex(3).support(np.array([np.inf, 0.0, 1.0]))[0] == np.inf


@pytest.mark.parametrize("seed", range(5))
def test_value_at_risk_as_a_polytope(seed):
    """The general machinery on the capped simplex gives what sorting gives."""
    rng = np.random.default_rng(seed)
    n, reference = 8, CappedSimplex(rng.uniform(0.2, 0.9))
    cap = reference.linear_constraints(n).upper
    P = Polytope(np.vstack((np.eye(n), -np.eye(n))), np.concatenate((cap, np.zeros(n))), np.ones((1, n)), [1.0])
    z = rng.normal(size=n)
    assert P.support(z)[0] == pytest.approx(reference.support(z)[0], abs=16 * EPS)
    np.testing.assert_allclose(P.center(n), reference.center(n), atol=1e-12)
    np.testing.assert_allclose(P.bounds(n), reference.bounds(n), atol=8 * EPS)
    # A polytope does not know that its rows are pairs, each of which would count one.
    assert P.barrier_parameter(n) == 2 * n - 1
    lam = reference.restore(rng.dirichlet(np.ones(n))) * 0.9 + 0.1 / n
    assert P.barrier(lam) == pytest.approx(reference.barrier(lam))


@PROPERTY
@given(instance=instances())
def test_barrier_derivatives_are_those_of_finite_differences_on_the_hull(instance):
    P, rng = instance
    lam, N = interior(P, rng), hull_basis(P)
    step = 1e-5 * min(0.1, np.abs(P.center(P.size)).max() or 1.0)
    gradient, hessian = P.barrier_gradient(lam), as_hessian(P.barrier_hessian(lam)).dense()
    origin = np.zeros(N.shape[1])
    along = [approx_fprime(origin, lambda t: P.barrier(lam + N @ t), sign * step) for sign in (1, -1)]
    size = np.sqrt(np.abs(hessian).max())
    np.testing.assert_allclose(N.T @ gradient, 0.5 * sum(along), rtol=1e-3, atol=1e-3 * size)
    second = [
        np.atleast_2d(approx_fprime(origin, lambda t: N.T @ P.barrier_gradient(lam + N @ t), s * step)) for s in (1, -1)
    ]
    np.testing.assert_allclose(N.T @ hessian @ N, 0.5 * sum(second), rtol=1e-3, atol=1e-3 * np.abs(hessian).max())
    assert np.linalg.eigvalsh(hessian).min() > 0, "callers solve with the matrix itself"


@PROPERTY
@given(instance=instances())
def test_barrier_inequality_with_parameter_nu(instance):
    """<B'(x), y - x> <= nu and <B'(x), h>^2 <= nu B''(x)[h, h] within the hull (Nesterov, 5.3)."""
    P, rng = instance
    x, nu = interior(P, rng), P.barrier_parameter(P.size)
    gradient = P.barrier_gradient(x)
    for y in members(P, rng):
        assert gradient @ (y - x) <= nu * (1 + 1e-6)
    assert worst_ratio(P, x) <= nu * (1 + 1e-6)


@PROPERTY
@given(instance=instances())
def test_center_minimizes_the_barrier_and_the_hull_is_orthonormal(instance):
    P, rng = instance
    n, center, N = P.size, P.center(P.size), hull_basis(P)
    E, e = P.affine_hull(n)
    np.testing.assert_allclose(E @ E.T, np.eye(len(E)), atol=1e-13)
    np.testing.assert_allclose(E @ center, e, atol=1e-13 * max(1, np.abs(center).max()))
    assert P.contains(center)
    H = N.T @ as_hessian(P.barrier_hessian(center)).dense() @ N
    gradient = N.T @ P.barrier_gradient(center)
    assert gradient @ np.linalg.solve(H, gradient) <= 1e-12
    z = rng.normal(size=n)
    tangent = P.tangent_part(z)
    np.testing.assert_allclose(E @ tangent, 0, atol=1e-13)
    np.testing.assert_allclose(N.T @ tangent, N.T @ z, atol=1e-13)


@PROPERTY
@given(instance=instances(), noise=st.floats(0, 1e-3))
def test_restore_gives_a_point_of_the_set_nearby(instance, noise):
    P, rng = instance
    for lam in members(P, rng, 3):
        almost = lam + noise * rng.uniform(-1, 1, P.size)
        restored = P.restore(almost)
        assert P.contains(restored, tol=32 * P.size * EPS)
        assert np.abs(restored - almost).max() <= 300 * P.size * noise + 1e-12 * max(1, np.abs(lam).max())


@PROPERTY
@given(instance=instances())
def test_descriptions_agree(instance):
    P, rng = instance
    n, constraints = P.size, P.linear_constraints(P.size)
    lower, upper = P.bounds(n)
    scale = max(1.0, np.abs(lower).max(), np.abs(upper).max())
    for lam in members(P, rng):
        assert (lower - 1e-13 * scale <= lam).all()
        assert (lam <= upper + 1e-13 * scale).all()
    assert constraints.A is None or (np.count_nonzero(constraints.A, axis=1) > 1).all()
    for lam in [*members(P, rng), *(P.center(n) + rng.normal(size=(5, n)))]:
        within = (constraints.lower <= lam + 1e-12 * scale).all() and (lam <= constraints.upper + 1e-12 * scale).all()
        equal = (np.abs(constraints.E @ lam - constraints.e) <= 1e-12 * scale).all()
        general = constraints.A is None or (constraints.A @ lam <= constraints.b + 1e-12 * scale).all()
        assert (within and equal and general) == P.contains(lam, tol=1e-12)


@pytest.mark.parametrize(
    ("P", "dimension", "nu"),
    [
        (cube(3), 3, 5),
        (simplex(4), 3, 3),
        (simplex(1), 0, 0),
        # lam_1 = 1, twice, as two inequalities, one of them stated again at another scale.
        (Polytope([[1, 0], [-1, 0], [3, 0], [0, 1], [0, -1]], [1, -1, 3, 1, 0]), 1, 1),
        # Faces: lam >= 0 with a sum <= 0, alone and within more coordinates.
        (Polytope([[1, 1], [-1, 0], [0, -1]], [0, 0, 0]), 0, 0),
        (Polytope([[1, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], [0, 0, 0, 2, 1]), 1, 1),
        # Two simplices that touch in an edge.
        (Polytope(np.vstack((-np.eye(3), [[1, 0, 0]])), [0, 0, 0, 0], [[1, 1, 1]], [1]), 1, 1),
        # A row that is constant on the hull and not active keeps its (constant) term; rows of zeros do not.
        (Polytope(np.vstack((-np.eye(3), [[1, 1, 1]], np.zeros((2, 3)))), [0, 0, 0, 5, 0, 1], [[1, 1, 1]], [1]), 2, 3),
        # Equations that say the same twice, and only equations.
        (Polytope(-np.eye(2), [0, 0], [[1, 1], [2, 2]], [1, 2]), 1, 1),
        (Polytope(np.zeros((0, 2)), [], [[1, 1], [1, -1]], [3, 1]), 0, 0),
        # The cross-polytope: as many as 2^n rows.
        (Polytope([[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, 1, 1]), 2, 3),
    ],
)
def test_dimension_and_parameter(P, dimension, nu):
    n = P.size
    E, e = P.affine_hull(n)
    assert n - len(E) == dimension
    assert P.barrier_parameter(n) == nu
    center = P.center(n)
    assert P.contains(center)
    assert np.isfinite(P.barrier(center))
    assert np.linalg.eigvalsh(as_hessian(P.barrier_hessian(center)).dense()).min() > 0
    for z in (np.arange(n) + 1.0, -np.ones(n)):
        value, lam = P.support(z)
        assert P.contains(lam)
        assert value == pytest.approx(lam @ z)
    assert P.contains(P.restore(center + 1e-3))
    np.testing.assert_allclose(E @ center, e, atol=1e-14)


def test_single_point():
    P = Polytope([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, -1, 2, -2])
    for lam in (P.center(2), P.support(np.array([1.0, 1.0]))[1], P.restore(np.zeros(2)), *P.bounds(2)):
        np.testing.assert_allclose(lam, [1.0, 2.0], rtol=8 * EPS)
    np.testing.assert_allclose(P.tangent_part(np.array([3.0, 4.0])), 0, atol=8 * EPS)


@pytest.mark.parametrize("n", [2, 5])
def test_simplex_as_a_polytope(n):
    P, z = simplex(n), np.arange(n) * 1.0
    assert P.support(z)[0] == pytest.approx(Simplex().support(z)[0], abs=8 * EPS)
    np.testing.assert_allclose(P.center(n), 1 / n, rtol=1e-12)
    low, high = P.weight_range(n)
    assert (low, high) == (pytest.approx(1.0), pytest.approx(1.0)), "rounding makes no weight negative"
    assert P.linear_constraints(n).A is None


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ([0.0, 0.0], [1e-6, 1e6]),
        ([0.0, 0.0], [1e-9, 1e-9]),
        ([1e6, -1.0], [1e6 + 1e-3, 1.0]),
        ([-1e-12, -1e-12], [1.0, 1e9]),
        ([-1e9, 1e-9], [1e9, 2e-9]),
    ],
)
def test_boxes_of_any_size_and_place(lower, upper):
    lower, upper = np.array(lower), np.array(upper)
    P = Polytope(np.vstack((1e5 * np.eye(2), -1e-5 * np.eye(2))), np.concatenate((1e5 * upper, -1e-5 * lower)))
    assert len(P.affine_hull(2)[0]) == 0
    rounding = 16 * EPS * np.maximum(np.abs(lower), np.abs(upper))
    np.testing.assert_array_less(np.abs(P.center(2) - (lower + upper) / 2), 1e-6 * (upper - lower) + rounding)
    for bound, exact in zip(P.bounds(2), (lower, upper), strict=True):
        assert (np.abs(bound - exact) <= rounding).all()


def test_weights_that_rows_bound_need_no_linear_programs(monkeypatch):
    """With J losses and rows lam >= 0, A lam <= 1 there would be J of them: minutes for a few hundred losses."""
    P = Polytope(np.vstack((-np.eye(3), [[1.0, 2.0, 4.0]])), [0, 0, 0, 1], [[1.0, 0.0, 0.0]], [0.2])
    monkeypatch.setattr(Polytope, "support", lambda self, z: pytest.fail("a linear program"))
    np.testing.assert_allclose(P.bounds(3), [[0.2, 0, 0], [0.2, 0.4, 0.2]], atol=8 * EPS)


def test_weight_range():
    """With rows lam >= 0, with weights that only follow from other rows, and with negative ones."""
    assert cube(3, 0.5, 2.0).weight_range(3) == pytest.approx((1.5, 6.0))
    assert Polytope([[1, 1], [1, -1], [-1, 1], [-1, -1]], [3, 1, 1, -1]).weight_range(2) == pytest.approx((1.0, 3.0))
    assert cube(2, -1.0, 2.0).weight_range(2) == pytest.approx((0.0, 4.0))


def birkhoff(m):
    """Doubly stochastic matrices: as degenerate as vertices come."""
    rows = np.kron(np.eye(m), np.ones(m))
    columns = np.kron(np.ones(m), np.eye(m))
    return Polytope(-np.eye(m * m), np.zeros(m * m), np.vstack((rows, columns)), np.ones(2 * m))


def test_assignments():
    P, rng = birkhoff(4), np.random.default_rng(0)
    assert len(P.affine_hull(16)[0]) == 7
    np.testing.assert_allclose(P.center(16), 0.25, rtol=1e-12)
    for _ in range(10):
        Z = rng.normal(size=(4, 4))
        assert P.support(Z.ravel())[0] == pytest.approx(Z[linear_sum_assignment(-Z)].sum(), abs=64 * EPS)


@pytest.mark.parametrize("seed", range(30))
def test_faces_in_general_position(seed):
    """k + 1 rows whose positive combination is zero hold with equality: they cut out n - k dimensions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    k = int(rng.integers(1, n))
    inside, size = rng.normal(size=n) * 10.0 ** rng.integers(-2, 3), 10.0 ** rng.integers(-2, 3)
    F = rng.normal(size=(k, n))
    A = np.vstack((F, -rng.uniform(0.2, 2, k) @ F, np.eye(n), -np.eye(n), rng.normal(size=(4, n))))
    room = np.concatenate((np.zeros(k + 1), size * rng.uniform(0.1, 1, 2 * n + 4)))
    order, scales = rng.permutation(len(A)), 10.0 ** rng.uniform(-6, 6, len(A))
    P = Polytope((A * scales[:, None])[order], ((A @ inside + room) * scales)[order])
    assert len(P.affine_hull(n)[0]) == k
    assert P.barrier_parameter(n) == 2 * n + 3
    assert P.contains(P.center(n))
    assert P.contains(P.support(rng.normal(size=n))[1])


def test_bounds_that_do_not_bind_do_no_harm():
    """Weights below 1e12, which no weight of the simplex comes near."""
    P = Polytope(np.vstack((np.eye(3), -np.eye(3))), [1e12, 1e12, 1e12, 0, 0, 0], np.ones((1, 3)), [1])
    np.testing.assert_allclose(P.center(3), 1 / 3, rtol=1e-6)
    np.testing.assert_allclose(P.support(np.array([1.0, 2.0, 3.0]))[1], [0, 0, 1], atol=8 * EPS)


@pytest.mark.parametrize("lam", [[1.0, 0.5], [2.0, 0.5], [np.nan, 0.5]])
def test_barrier_is_infinite_on_the_boundary_and_beyond(lam):
    assert cube(2).barrier(np.array(lam)) == np.inf


@pytest.mark.parametrize(
    ("lam", "inside"),
    [([0.5, 0.5], True), ([1.0, 0.0], True), ([0.5, 0.51], False), ([1.1, -0.1], False), ([np.nan, 1.0], False)],
)
def test_contains(lam, inside):
    assert simplex(2).contains(np.array(lam)) is inside


def test_rows_with_one_entry_become_bounds():
    P = Polytope([[2, 0], [0, -4], [1, 1], [-3, 0], [0, 5], [1, 0]], [4, 0, 2.5, 3, 10, 7])
    constraints = P.linear_constraints(2)
    np.testing.assert_allclose(constraints.lower, [-1, 0])
    np.testing.assert_allclose(constraints.upper, [2, 2])
    np.testing.assert_allclose(constraints.A * np.sqrt(2), [[1, 1]])
    np.testing.assert_allclose(constraints.b * np.sqrt(2), [2.5])


I2 = np.eye(2)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((I2, [1]), "b of Polytope must have one entry per row of A; got 1 entries for 2 rows"),
        ((I2, [1, 1], [[1, 1, 1]], [1]), "as many columns; got 2 and 3"),
        ((I2, [1, 1], [[1, 1]], [1, 2]), "b_eq of Polytope must have one entry per row of A_eq"),
        ((I2, [1, 1], [[1, 1]]), "got A_eq but no b_eq"),
        ((I2, [1, 1], None, [1]), "got b_eq but no A_eq"),
        (([1, 1], [1]), r"A of Polytope must be a matrix.*shape \(2,\)"),
        ((np.zeros((2, 0)), [1, 1]), "one column per loss"),
        (([[1, np.nan]], [1]), "A of Polytope must be finite; got nan in row 0, column 1"),
        ((I2, [1, np.inf]), "b of Polytope must be finite; got inf at position 1"),
        ((I2, [1, 1], [[np.inf, 1]], [1]), "A_eq of Polytope must be finite"),
        (("A", [1]), "A of Polytope must be a matrix of numbers"),
        ((None, None), "A of Polytope must be a matrix of numbers"),
        (([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, -2, 1, 0]), "Polytope is empty.*inequalities 0, 1 of A"),
        (([[0, 0], [1, 1], [-1, 0], [0, -1]], [0, -1, 0, 0]), "Polytope is empty.*inequalities 1, 2, 3 of A"),
        (([[0, 0], [1, 1], [-1, 0], [0, -1]], [-1, 1, 0, 0]), "empty: row 0 of A is zero"),
        ((-I2, [0, 0], [[0, 0]], [1]), "empty: row 0 of A_eq is zero"),
        ((-I2, [0, 0], [[1, 1], [1, 1]], [1, 2]), "empty: its equations A_eq lam = b_eq contradict"),
        ((-I2, [0, 0], [[1, 1]], [-1]), "Polytope is empty"),
        ((I2, [-1, 1], I2, [0, 0]), "Polytope is empty.*inequalities 0 of A"),
        ((-I2, [0, 0]), "unbounded in the direction"),
        (([[1, 0], [-1, 0]], [1, 1]), r"unbounded in the direction \[-?0. +-?1.\]"),
        (([[1, 0], [-1, 0], [0, -1]], [1, 1, 1]), r"unbounded in the direction \[-?0. +1.\]"),
        ((-I2, [0, 0], [[1, -1]], [0]), r"unbounded in the direction \[1. 1.\]"),
        ((np.zeros((0, 2)), []), "unbounded in the direction"),
        (([[1, 1e-3], [-1, 1e-3], [0, -1]], [1, 1, 1], [[1, 0]], [0]), None),
    ],
)
def test_what_is_no_polytope_is_refused(args, message):
    if message is None:
        assert Polytope(*args).support(np.array([0.0, 1.0]))[0] == pytest.approx(1000.0)
        return
    with pytest.raises(ProblemError, match=message):
        Polytope(*args)


def test_wrong_dimension_is_refused_with_both_numbers():
    with pytest.raises(ProblemError, match=r"R\^3, for 4 losses"):
        simplex(3).validate(4)
    simplex(3).validate(3)
    assert repr(simplex(3)) == "Polytope(<3 inequalities and 1 equations in R^3>)"
    assert simplex(3).costly_support


def test_capabilities_are_those_it_has():
    assert not hasattr(simplex(2), "project")
    assert not hasattr(simplex(2), "tilt")


def test_arguments_are_copied():
    A, b = np.vstack((I2, -I2)), np.array([1.0, 1.0, 0.0, 0.0])
    P = Polytope(A, b)
    A[:], b[:] = 0, -1
    np.testing.assert_allclose(P.center(2), 0.5)
    P.center(2)[:] = 7
    P.bounds(2)[0][:] = 7
    np.testing.assert_allclose(P.center(2), 0.5)
    np.testing.assert_array_equal(P.bounds(2)[0], 0)
