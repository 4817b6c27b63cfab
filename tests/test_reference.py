"""The reference r of a problem: min over w of h(f(w) - r), compared with losses that subtract r themselves."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest
from calls import ALL_METHODS

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.engine.certificates import Region
from saddleback.engine.convexity_sampling import sample_convexity
from saddleback.engine.oracle import Oracle
from saddleback.losses.base import HasHessian
from saddleback.subproblem import Auto

rng = np.random.default_rng(11)
X, LABELS, GROUPS = rng.normal(size=(240, 4)), rng.integers(0, 2, 240), np.repeat([0, 1, 2], [40, 80, 120])
R = np.array([0.5, 0.7, 0.2])
TOL = 1e-9
EPS = float(np.finfo(np.float64).eps)
METHODS = ("auto", "newton", *ALL_METHODS)


def table(**options):
    return sb.GroupedLinear(X, LABELS, GROUPS, **{"l2": 0.1, "fit_intercept": False, **options})


class Shifted:
    """f - r, with what the table offers."""

    def __init__(self, losses, r=R):
        self.losses, self.r = losses, np.asarray(r)
        self.n_losses, self.n_params = losses.n_losses, losses.n_params
        self.strong_convexity, self.convex, self.bounded_below = losses.strong_convexity, True, True
        self.hessian, self.parameter_scales = losses.hessian, losses.parameter_scales
        self.smoothness = losses.smoothness

    def evaluate(self, w):
        f, G = self.losses.evaluate(w)
        return f - self.r, G


SETS = {
    "simplex": sb.Simplex(),
    "contamination": sb.Contamination(0.4, [0.2, 0.3, 0.5]),
    "capped": sb.CappedSimplex(0.6),
    "chi2 ball": sb.Chi2Ball(0.5),
    "box": sb.Box(0.0, 1.0),
}
REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.3), "entropy": sb.Entropy(0.3)}


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("dual_set", SETS)
def test_value_and_best_response_are_those_of_the_regrets(dual_set, regularizer):
    losses, pair = table(), (SETS[dual_set], REGULARIZERS[regularizer])
    problem, plain = sb.Problem(losses, *pair, reference=R), sb.Problem(losses, *pair)
    own = sb.Problem(Shifted(losses), *pair)
    for w in np.random.default_rng(0).normal(size=(4, 4)):
        f = losses.evaluate(w)[0]
        assert problem.value(w) == own.value(w)
        assert problem.best_response(f).value == problem.value(w)
        expected = plain.best_response(f - R)
        assert problem.best_response(f).value == expected.value
        np.testing.assert_array_equal(problem.best_response(f).lam, expected.lam)


@pytest.mark.parametrize("regularizer", ["zero", "quadratic"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_solves_what_losses_less_the_reference_give(method, regularizer):
    if method in ("apgd", "lbfgsb") and regularizer == "zero":
        pytest.skip("needs a strongly convex R")
    losses, R_ = table(), REGULARIZERS[regularizer]
    options = {"method": method, "tol": 1e-5, "max_iter": 4000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(sb.Problem(losses, regularizer=R_, reference=R), **options)
        own = sb.solve(sb.Problem(Shifted(losses), regularizer=R_), **options)
    exact = sb.solve(sb.Problem(Shifted(losses), regularizer=R_), tol=TOL)
    assert exact.certified
    for each in (result, own):
        assert each.lower_bound <= exact.value <= each.value + TOL
        assert each.value == pytest.approx(exact.value, abs=each.gap + TOL)
    assert result.status is own.status
    assert result.certified == own.certified
    f = losses.evaluate(result.w)[0]
    np.testing.assert_allclose(result.losses, f, rtol=4 * EPS)
    assert result.value == pytest.approx(sb.Problem(losses, regularizer=R_).best_response(f - R).value, abs=8 * EPS)


@pytest.mark.parametrize("method", ["newton", "quasi-newton", "accelerated"])
@pytest.mark.parametrize("shift", [0.25, -1e3, 1e5])
def test_a_constant_reference_shifts_the_value_and_nothing_else(method, shift):
    losses = table()
    plain = sb.solve(sb.Problem(losses), method=method, tol=TOL)
    result = sb.solve(sb.Problem(losses, reference=np.full(3, shift)), method=method, tol=TOL)
    rounding = 8 * EPS * abs(shift)
    assert result.certified
    # A run ends at a gap of tol, or of 1e-10 |value| where that is more. With strong convexity m = 0.1 of the losses, a
    # gap g leaves |w - w*|^2 <= 2 g/m.
    gap = max(TOL, 1e-10 * abs(result.value))
    assert result.gap <= gap
    assert result.value == pytest.approx(plain.value - shift, abs=TOL + gap + rounding)
    assert np.linalg.norm(result.w - plain.w) <= 2 * np.sqrt(2 * gap / 0.1)
    np.testing.assert_allclose(result.losses, losses.evaluate(result.w)[0], atol=rounding, rtol=4 * EPS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dual_set", ["simplex", "contamination"])
def test_agrees_with_cvxpy(dual_set, seed):
    random = np.random.default_rng(seed)
    A, b, r = random.normal(size=(3, 10, 4)), random.normal(size=(3, 10)), random.normal(size=3)

    def squares(w):
        e = A @ w - b
        return (e**2).sum(axis=1), 2 * np.einsum("ji,jik->jk", e, A)

    w = cp.Variable(4)
    regrets = cp.hstack([cp.sum_squares(A[j] @ w - b[j]) - r[j] for j in range(3)])
    S = SETS[dual_set]
    h = cp.max(regrets) if dual_set == "simplex" else 0.6 * S.prior @ regrets + 0.4 * cp.max(regrets)
    best = cp.Problem(cp.Minimize(h)).solve(solver="CLARABEL")
    problem = sb.Problem(sb.from_functions(squares, np.zeros(4), jac=True), S, reference=r)
    result = sb.solve(problem, tol=1e-8)
    assert result.success
    assert result.value == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("dual_set", SETS)
def test_certificates_hold_and_show_the_losses_themselves(dual_set):
    losses = table()
    problem = sb.Problem(losses, SETS[dual_set], reference=R)
    optimum = sb.solve(problem, tol=TOL).value
    for w in np.random.default_rng(1).normal(size=(5, 4)):
        certificate = sb.certify(problem, w)
        assert certificate.lower_bound <= optimum + TOL
        assert certificate.value == problem.value(w)
        np.testing.assert_allclose(certificate.losses, losses.evaluate(w)[0], rtol=4 * EPS)
    result = sb.solve(problem, tol=1e-8)
    assert sb.certify(problem, result.w).holds(1e-6)
    assert sb.certify(problem, result.w, result.dual).lower_bound <= result.value


def test_progress_shows_the_losses_themselves():
    losses, seen = table(), []
    sb.solve(sb.Problem(losses, reference=R), callback=seen.append)
    for now in seen:
        np.testing.assert_allclose(now.losses, losses.evaluate(now.w)[0], rtol=4 * EPS)


@pytest.mark.parametrize("method", ["auto", "accelerated", "prox-linear", "fixed-point"])
def test_a_start_without_any_regret(method):
    """r = f(w0): at the start all regrets are zero, and their magnitude tells nothing."""
    losses = table(l2=0.0)
    w0 = sb.solve(sb.Problem(losses, sb.Contamination(0.0)), tol=1e-8).w
    problem = sb.Problem(losses, reference=losses.evaluate(w0)[0])
    assert problem.value(w0) == 0.0
    result = sb.solve(problem, w0, method=method, max_iter=3000, tol=1e-7)
    assert result.success
    assert result.value <= 0.0
    assert result.value == pytest.approx(sb.solve(problem, tol=1e-7).value, abs=1e-6)


def test_large_losses_that_the_reference_cancels_stay_convex():
    """Rounding errors of losses of size 1e9 are larger than their regrets; they are no lack of convexity."""
    points = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])

    def pair(w):
        return 1e9 + ((w - points) ** 2).sum(axis=1), 2 * (w - points)

    losses = sb.from_functions(pair, np.zeros(2), jac=True)
    near = np.random.default_rng(0).normal(size=(50, 2))
    oracle = Oracle(sb.Problem(losses, reference=np.full(3, 1e9)), Auto(), np.zeros(2), tol=1e-4)
    for step in near:
        oracle.evaluate(1e-6 * step)
        assert oracle.watch.violation is None
    assert sample_convexity(oracle, oracle.point(np.zeros(2)), None, Region(np.zeros(2), 1e-6)).violation is None
    for r in (np.full(3, 1e9), pair(np.array([2.0, 1.5]))[0]):
        result = sb.solve(sb.Problem(losses, reference=r), tol=1e-4)
        assert np.isfinite(result.gap), result.message
        assert "convex" not in result.message
        assert result.success


@pytest.mark.parametrize("metric", [None, [1.0, 2.0, 3.0, 4.0]])
@pytest.mark.parametrize("method", ["quasi-newton", "newton", "accelerated"])
def test_a_resumed_run_is_the_same(method, metric, tmp_path):
    problem = sb.Problem(table(), reference=R, metric=metric)
    path, options = tmp_path / "run.ckpt", {"method": method, "tol": TOL}
    whole = sb.solve(problem, **options)
    sb.solve(problem, checkpoint=path, callback=lambda now: now.n_iter == 2, **options)
    resumed = sb.solve(problem, checkpoint=path, resume=True, **options)
    assert resumed.n_iter == whole.n_iter
    np.testing.assert_array_equal(resumed.w, whole.w)
    np.testing.assert_array_equal(resumed.losses, whole.losses)
    assert resumed.lower_bound == whole.lower_bound


@pytest.mark.parametrize("other", [None, R + 0.1, R * (1 + 1e-9), R[::-1], np.zeros(3)], ids=repr)
def test_a_checkpoint_with_another_reference_is_refused(other, tmp_path):
    path = tmp_path / "run.ckpt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        sb.solve(sb.Problem(table(), reference=R), checkpoint=path, max_iter=2)
    with pytest.raises(sb.ProblemError, match=r"is of another run.*the reference of loss \d was"):
        sb.solve(sb.Problem(table(), reference=other), checkpoint=path, resume=True)


def test_a_reference_of_zeros_is_none(tmp_path):
    plain, zeros = (sb.solve(sb.Problem(table(), reference=r)) for r in (None, np.zeros(3)))
    np.testing.assert_array_equal(plain.w, zeros.w)
    assert (plain.value, plain.lower_bound, plain.n_iter) == (zeros.value, zeros.lower_bound, zeros.n_iter)


def test_the_metric_and_the_reference_together():
    metric = np.array([1.0, 4.0, 0.25, 9.0])
    result = sb.solve(sb.Problem(table(), metric=metric, reference=R), tol=TOL)
    plain = sb.solve(sb.Problem(table(), reference=R), tol=TOL)
    assert result.certified
    assert result.value == pytest.approx(plain.value, abs=2 * TOL)


def test_the_losses_stay_the_user_s_with_their_capabilities():
    losses = table()
    problem = sb.Problem(losses, reference=R)
    assert problem.losses is losses
    assert offers(problem.losses, HasHessian)
    assert sb.solve(problem).method == sb.solve(sb.Problem(losses)).method


def test_finite_differences_take_a_reference():
    with pytest.warns(UserWarning, match="central differences"):
        losses = sb.from_functions(lambda w: [w @ w, (w - 1) @ (w - 1)], np.zeros(1), jac=None)
    result = sb.solve(sb.Problem(losses, reference=[0.0, 0.5]), tol=1e-6)
    # w^2 = (w - 1)^2 - 1/2 at w = 1/4.
    assert result.value == pytest.approx(1 / 16, abs=1e-5)
    np.testing.assert_allclose(result.losses, [1 / 16, 9 / 16], atol=1e-4)


def test_float32_losses_take_a_reference():
    def pair(w):
        w = w.astype(np.float32)
        return np.array([w @ w, (w - 1) @ (w - 1)], dtype=np.float32), np.array([2 * w, 2 * w - 2], dtype=np.float32)

    result = sb.solve(sb.Problem(sb.from_functions(pair, np.zeros(1), jac=True), reference=[0.0, 0.5]), tol=1e-4)
    assert result.value == pytest.approx(1 / 16, abs=1e-3)


def test_matrices_take_a_matrix():
    """The largest eigenvalue of F0 + w_1 F1 + w_2 F2 - F3; F1 and F2 have the trace 0, so that it is bounded below."""
    F = np.random.default_rng(2).normal(size=(4, 3, 3))
    F = F + F.transpose(0, 2, 1)
    F0, F1, F2, F3 = F - np.trace(F, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    losses, ones = sb.AffineMatrix(F0, [F1, F2]), sb.AffineMatrix(F0 - F3, [F1, F2])
    problem, own = sb.Problem(losses, sb.Spectrahedron(), reference=F3), sb.Problem(ones, sb.Spectrahedron())
    assert problem.value([0.3, -0.2]) == pytest.approx(own.value([0.3, -0.2]), abs=1e-14)
    result, expected = sb.solve(problem, tol=1e-7), sb.solve(own, tol=1e-7)
    assert result.value == pytest.approx(expected.value, abs=2e-7)
    np.testing.assert_allclose(result.losses, F0 + result.w[0] * F1 + result.w[1] * F2, atol=1e-13)
    with pytest.raises(sb.ProblemError, match=r"reference must be a symmetric matrix of shape \(3, 3\); got shape"):
        sb.Problem(losses, sb.Spectrahedron(), reference=np.eye(2))


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ([0.1, 0.2], "reference must have length 3; got length 2"),
        (0.5, "reference must have length 3; got length 1"),
        ([0.1, np.nan, 0.2], "reference must be finite; got nan at position 1"),
        ([0.1, np.inf, 0.2], "reference must be finite; got inf at position 1"),
        ([[0.1, 0.2, 0.3]], r"reference must be a non-empty vector; got an array of shape \(1, 3\)"),
        ("abc", "reference must be a vector of numbers"),
        ([], "reference must be a non-empty vector"),
        ([1j, 0, 0], "reference must"),
    ],
)
def test_other_references_are_refused(wrong, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.Problem(table(), reference=wrong)


def test_a_reference_is_passed_by_name_and_copied():
    r = R.copy()
    problem = sb.Problem(table(), reference=r)
    value = problem.value(np.zeros(4))
    r[:] = 0.0
    assert problem.value(np.zeros(4)) == value
    with pytest.raises(TypeError):
        sb.Problem(table(), sb.Simplex(), sb.Zero(), None, R)
