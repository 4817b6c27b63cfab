"""minimax: args, hess and x0 work as in SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from calls import CENTERS, CIRCLE, Calls, quadratics, quietly
from scipy.optimize import minimize
from scipy.sparse import csr_array, eye_array

import saddleback as sb
from saddleback.capabilities import lack, offers
from saddleback.losses.base import HasHessian

W0 = [2.0, 1.0]


def distances(w, points, scale=1.0):
    return scale * 0.5 * ((w - points) ** 2).sum(axis=1)


def distances_jac(w, points, scale=1.0):
    return scale * (w - points)


def distances_hess(w, lam, points, scale=1.0):
    return scale * lam.sum() * np.eye(w.size)


def curved(w):
    """Two losses with a Hessian that depends on w and lam, and mixes the parameters; optimum 2, at 0."""
    s, q = w.sum(), (w**4).sum()
    return np.array([np.exp(s) + q + 1.0, np.exp(-s) + q + 1.0])


def curved_jac(w):
    s = w.sum()
    return np.array([np.exp(s) + 4 * w**3, -np.exp(-s) + 4 * w**3])


def curved_hess(w, lam):
    s = w.sum()
    return (lam[0] * np.exp(s) + lam[1] * np.exp(-s)) * np.ones((w.size, w.size)) + 12 * lam.sum() * np.diag(w**2)


# --- args -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [(CENTERS,), CENTERS])
def test_extra_arguments_reach_every_function(args):
    """One argument need not be in a tuple, as in SciPy."""
    result = sb.minimax(distances, W0, args, jac=distances_jac, hess=distances_hess)
    assert result.method == "newton"
    assert result.fun == pytest.approx(CIRCLE, abs=1e-6)


def test_several_arguments():
    result = sb.minimax(distances, W0, (CENTERS, 4.0), jac=distances_jac, hess=distances_hess, check_jac=True)
    assert result.fun == pytest.approx(4 * CIRCLE, abs=1e-6)


def test_arguments_of_a_pair():
    def pair(w, points):
        return distances(w, points), distances_jac(w, points)

    assert sb.minimax(pair, W0, (CENTERS,), jac=True).fun == pytest.approx(CIRCLE, abs=1e-6)


def test_arguments_of_differences():
    with pytest.warns(UserWarning, match="no jac"):
        result = sb.minimax(distances, W0, args=(CENTERS,), tol=1e-5)
    assert result.fun == pytest.approx(CIRCLE, abs=1e-4)


@pytest.mark.parametrize("extra", [True, None, np.sin])
def test_in_a_tuple_anything_is_an_argument(extra):
    seen = []

    def fun(w, given):
        seen.append(given)
        return quadratics(w)

    sb.minimax(fun, W0, (extra,), jac=True)
    assert all(given is extra for given in seen)


@pytest.mark.parametrize("jac", [True, lambda w: quadratics(w)[1]])
def test_a_jacobian_in_the_place_of_args_is_refused(jac):
    """In earlier versions the third argument was jac."""
    fun = Calls(quadratics)
    with pytest.raises(sb.ProblemError, match=r"args must be a tuple.*Pass a Jacobian by its name, jac="):
        sb.minimax(fun, W0, jac)
    assert fun.n == 0


def test_the_same_call_as_scipys():
    """One loss: the arguments of minimize, and the names of its result."""
    point = np.array([1.0, -2.0, 3.0])

    def fun(x, point, power):
        return ((x - point) ** power).sum()

    def jac(x, point, power):
        return power * (x - point) ** (power - 1)

    options = {"x0": np.zeros(3), "args": (point, 2), "jac": jac}
    theirs, ours = minimize(fun, **options), sb.minimax(fun, **options)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-3)
    assert ours.fun == pytest.approx(theirs.fun, abs=1e-6)
    assert ours["success"] is theirs["success"] is True
    assert min(ours.nit, ours.nfev, ours.njev) > 0


# --- x0 ---------------------------------------------------------------------------------------------------------------


def test_x0_is_w0():
    ours, theirs = sb.minimax(quadratics, W0, jac=True), sb.minimax(quadratics, x0=W0, jac=True)
    np.testing.assert_array_equal(ours.w, theirs.w)
    assert ours.n_evals == theirs.n_evals


def test_a_bad_x0_is_named_as_it_was_given():
    with pytest.raises(sb.ProblemError, match="x0 must be finite; got nan at position 0"):
        sb.minimax(quadratics, x0=[np.nan, 0.0], jac=True)


# --- hess -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jac", [True, curved_jac])
@pytest.mark.parametrize("metric", [None, [4.0, 1.0, 0.25]])
def test_newton_with_a_given_hessian(jac, metric):
    fun = curved if callable(jac) else lambda w: (curved(w), curved_jac(w))
    hess = Calls(lambda w: None)

    def counted(w, lam):
        hess(w)
        assert lam.shape == (2,)
        return curved_hess(w, lam)

    w0 = np.array([1.0, -0.5, 0.3])
    result = sb.minimax(fun, w0, jac=jac, hess=counted, metric=metric, tol=1e-9)
    assert result.method == "newton"
    assert result.success
    assert result.value == pytest.approx(2.0, abs=1e-8)
    assert hess.n > 0


def test_a_hessian_saves_evaluations():
    """An ill-conditioned problem: with the Hessian a few steps suffice."""
    D = np.logspace(0, 4, 30)

    def fun(w):
        return [0.5 * (D * w) @ w + np.exp(w.sum() / 30), 0.5 * (D * w) @ w + w[0]]

    def jac(w):
        return [D * w + np.exp(w.sum() / 30) / 30, D * w + np.eye(30)[0]]

    def hess(w, lam):
        return lam.sum() * np.diag(D) + lam[0] * np.exp(w.sum() / 30) / 900

    w0 = np.ones(30)
    newton, quasi = sb.minimax(fun, w0, jac=jac, hess=hess), quietly(fun, w0, jac=jac)
    assert (newton.method, quasi.method) == ("newton", "quasi-newton")
    assert newton.n_evals < quasi.n_evals / 2
    assert newton.value == pytest.approx(quasi.value, abs=1e-5)


def test_a_hessian_with_differences_for_a_jacobian():
    with pytest.warns(UserWarning, match="no jac"):
        result = sb.minimax(distances, W0, (CENTERS,), hess=distances_hess, tol=1e-5)
    assert result.method == "newton"
    assert result.fun == pytest.approx(CIRCLE, abs=1e-4)


def test_other_methods_ask_for_it_only_before_they_end():
    calls = []

    def hess(w, lam):
        calls.append(w)
        return lam.sum() * np.eye(2)

    result = sb.minimax(quadratics, W0, jac=True, hess=hess, method="quasi-newton")
    assert result.success
    assert 1 <= len(calls) <= 2


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(lambda H: H.tolist(), id="lists"),
        pytest.param(csr_array, id="sparse"),
        pytest.param(lambda H: H.astype(np.float32), id="float32"),
        pytest.param(lambda H: H.astype(object), id="objects"),
        pytest.param(lambda H: H + 1e-14 * np.triu(H, 1), id="rounded"),
        pytest.param(lambda H: (H * (1 + 1e-7 * np.triu(np.ones_like(H), 1))).astype(np.float32), id="rounded float32"),
    ],
)
def test_what_hess_may_return(convert):
    hess = lambda w, lam: convert(curved_hess(w, lam))  # noqa: E731
    result = sb.minimax(curved, [1.0, -0.5], jac=curved_jac, hess=hess)
    assert result.method == "newton"
    assert result.value == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize("hessian", [2.0, [2.0], [[2.0]], eye_array(1) * 2])
def test_a_hessian_of_one_parameter_may_be_a_number(hessian):
    result = sb.minimax(lambda w: ((w[0] - 1) ** 2, 2 * w - 2), 3.0, jac=True, hess=lambda w, lam: hessian)
    assert result.method == "newton"
    assert result.x == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("hessian", "match"),
    [
        (np.eye(3), r"hess must return an array of shape \(d, d\) = \(2, 2\).*got \(3, 3\)\.\n"),
        (np.ones(2), r"got \(2,\)\.\n"),
        (np.ones((3, 2, 2)), r"got \(3, 2, 2\)\. That is one per loss: return their sum weighted by lam"),
        (1.0, r"got \(1,\)\.\n"),
        (None, "hess must return numbers; got NoneType"),
        ([["a", "b"], ["c", "d"]], "hess must return numbers"),
        ([[1.0, 2.0], [3.0, 4.0]], r"hess\(w, lam\) must be symmetric; entries \(0, 1\) and \(1, 0\) are 2 and 3"),
        ([[1.0, 1e-6], [0.0, 1.0]], r"hess\(w, lam\) must be symmetric"),
    ],
)
def test_wrong_hessians_are_refused_by_name(hessian, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.minimax(quadratics, W0, jac=True, hess=lambda w, lam: hessian, method="newton")


def test_a_hessian_that_is_not_finite_ends_the_run():
    with pytest.warns(sb.ConvergenceWarning, match="the Hessian is not finite"):
        result = sb.minimax(quadratics, W0, jac=True, hess=lambda w, lam: np.full((2, 2), np.nan))
    assert result.status is sb.Status.NUMERICAL_ERROR
    assert np.isfinite(result.value)


def test_a_hessian_that_writes_into_its_arguments_does_no_harm():
    def spoil(w, lam):
        H = distances_hess(w, lam, CENTERS)
        w[:] = lam[:] = np.nan
        return H

    losses = sb.from_functions(quadratics, W0, True, hess=spoil)
    w, lam = np.ones(2), np.full(3, 1 / 3)
    losses.hessian(w, lam)
    assert np.isfinite(w).all()
    assert np.isfinite(lam).all()
    assert sb.minimax(quadratics, W0, jac=True, hess=spoil).fun == pytest.approx(CIRCLE, abs=1e-6)


@pytest.mark.parametrize("jac", [True, lambda w: quadratics(w)[1]])
def test_the_capability_is_there_exactly_when_hess_is(jac):
    fun = quadratics if jac is True else lambda w: quadratics(w)[0]
    assert lack(sb.from_functions(fun, W0, jac), HasHessian) == "no hess was given"
    with_hessian = sb.from_functions(fun, W0, jac, hess=lambda w, lam: lam.sum() * np.eye(2))
    assert offers(with_hessian, HasHessian)
    assert hasattr(with_hessian, "values") is (jac is not True)
    sb.testing.check_losses(with_hessian)


# --- constraints, and losses that are not convex ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_constraints_are_losses_with_fines(seed):
    """An exact penalty: the minimum of max_j f_j + fine sum_i max(0, c_i) is the constrained one that SLSQP finds."""
    rng = np.random.default_rng(seed)
    centers, normals, offsets = rng.normal(size=(6, 4)), rng.normal(size=(2, 4)), -0.5 + 0.3 * rng.normal(size=2)

    def largest(x):
        return ((x - centers) ** 2).sum(axis=1)

    def rules(x):
        return np.append(normals @ x - offsets, x @ x - 1.0)

    def both(x):
        G = np.vstack((2 * (x - centers), normals, 2 * x[None]))
        return np.append(largest(x), rules(x)), G

    fine, tol = 100.0, 1e-8
    dual_set = sb.Product([sb.Simplex(), sb.Box(0, fine)], sizes=[6, 3])
    result = sb.minimax(both, np.zeros(4), jac=True, dual_set=dual_set, tol=tol)
    epigraph = [
        {"type": "ineq", "fun": lambda x: x[4] - largest(x[:4])},
        {"type": "ineq", "fun": lambda x: -rules(x[:4])},
    ]
    start = np.append(np.zeros(4), 50.0)
    reference = minimize(lambda x: x[4], start, constraints=epigraph, method="SLSQP", options={"ftol": 1e-13})
    assert result.certified
    assert result.value == pytest.approx(reference.fun, abs=1e-7)
    multipliers, violation = result.dual[6:], np.maximum(result.losses[6:], 0.0).sum()
    assert 0.01 < multipliers.max() < fine, "some constraint is active, and the fine is large enough"
    assert violation <= tol / (fine - multipliers.max()) + 1e-14


def test_a_fine_below_the_multiplier_is_paid():
    def fun(x):
        return np.array([x @ x, 1.0 - x[0]]), np.array([2 * x, [-1.0, 0.0]])

    for fine, violation in ((1.0, 0.5), (10.0, 0.0)):
        dual_set = sb.Product([sb.Simplex(), sb.Box(0, fine)], sizes=[1, 1])
        result = sb.minimax(fun, [0.0, 0.0], jac=True, dual_set=dual_set)
        assert result.losses[1] == pytest.approx(violation, abs=1e-5)
        assert result.dual[1] == pytest.approx(min(fine, 2.0), abs=1e-5)


def test_the_example_of_fminimax_ends_as_stationary_at_its_answer():
    """MATLAB's own example: its second loss is concave, so that nothing is certified."""

    def fun(x):
        a, b = x
        f = [2 * a**2 + b**2 - 48 * a - 40 * b + 304, -(a**2) - 3 * b**2, a + 3 * b - 18, -a - b, a + b - 8]
        return f, [[4 * a - 48, 2 * b - 40], [-2 * a, -6 * b], [1, 3], [-1, -1], [1, 1]]

    with pytest.warns(sb.ConvergenceWarning, match="STATIONARY"):
        result = sb.minimax(fun, [0.1, 0.1], jac=True)
    assert not result.success
    assert result.value == pytest.approx(0.0, abs=1e-10)
    # Along the kink the value changes with a tenth of the squared distance, and its rounding errors are 1e-13.
    np.testing.assert_allclose(result.w, [4.0, 4.0], atol=1e-5)
    np.testing.assert_allclose(result.losses, [0, -64, -2, -8, 0], atol=1e-4)
