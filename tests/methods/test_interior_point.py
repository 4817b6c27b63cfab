"""Interior-point steps: known optima, independent references, ties, ends of the radii, units, resumption, refusals."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.engine.evaluation import StructuredEvaluation
from saddleback.engine.oracle import Oracle
from saddleback.errors import ConvergenceWarning, IncompatibleError
from saddleback.losses.grouped.row_jacobian import RowJacobian
from saddleback.methods.interior_point import with_smaller_slope
from saddleback.methods.interior_system import dominant_rows, split_direction
from saddleback.subproblem import Auto

TOL = 1e-6
SETS = [
    sb.CappedSimplex(0.1),
    sb.CappedSimplex(0.3),
    sb.Chi2Ball(1.0),
    sb.KLBall(0.5),
    sb.TVBall(0.2),
    sb.Simplex(),
    sb.Contamination(0.5),
    sb.Box(0.0, 1.0),
]


def table(n=200, d=4, loss="squared", seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    margin = X @ rng.standard_normal(d) + rng.standard_normal(n)
    return X, margin if loss == "squared" else np.where(margin > 0.0, 1.0, -1.0)


def rows(X, y, loss="squared", **options):
    return sb.GroupedLinear(X, y, "rows", loss=loss, **options)


def no_dense_jacobian(monkeypatch):
    def refuse(self):
        raise AssertionError("the Jacobian was formed")

    monkeypatch.setattr(RowJacobian, "dense", refuse)


def conic(X, y, loss, dual_set, l2, prior):
    """The optimum by CVXPY and Clarabel, with h in its dual form."""
    n = len(X)
    w, b, z, t = cp.Variable(X.shape[1]), cp.Variable(), cp.Variable(n), cp.Variable()
    eta = X @ w + b
    constraints = [z >= (cp.square(eta - y) if loss == "squared" else cp.logistic(cp.multiply(-y, eta)))]
    match dual_set:
        case sb.Simplex():
            h = cp.max(z)
        case sb.CappedSimplex(alpha=alpha):
            h = t + prior @ cp.pos(z - t) / alpha
        case sb.Contamination(worst_weight=share):
            h = (1 - share) * (prior @ z) + share * cp.max(z)
        case sb.Chi2Ball(rho=rho):
            h = t + np.sqrt(1 + rho) * cp.norm(cp.multiply(np.sqrt(prior), cp.pos(z - t)))
        case sb.KLBall(rho=rho):
            mu, e = cp.Variable(nonneg=True), cp.Variable(n)
            h = t + (rho - 1) * mu + prior @ e
            constraints.append(cp.ExpCone(z - t, mu * np.ones(n), e))
        case sb.TVBall(rho=rho):
            k = cp.Variable(nonneg=True)
            constraints.append(z - t - k <= 0)
            h = prior @ z + 2 * min(rho, 1.0) * k + prior @ cp.pos(t - z - k)
    problem = cp.Problem(cp.Minimize(h + l2 / 2 * cp.sum_squares(w)), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL)
    return problem.value if problem.status == "optimal" else None


def random_case(seed):
    """Tables with constant columns, duplicates and zero rows; sets with priors and radii up to their ends."""
    rng = np.random.default_rng(seed)
    n, d, loss = int(rng.integers(5, 120)), int(rng.integers(1, 6)), ("squared", "logistic")[rng.integers(2)]
    X = rng.standard_normal((n, d))
    if rng.random() < 0.2:
        X[:, 0] = 1.0
    if rng.random() < 0.2:
        X[1::2] = X[: n - n % 2 : 2]
    if rng.random() < 0.2:
        X[0] = 0.0
    margin = X @ rng.standard_normal(d) + rng.choice([0.3, 1.0, 3.0]) * rng.standard_normal(n)
    y = margin if loss == "squared" else np.where(margin > 0.0, 1.0, -1.0)
    if loss == "logistic":
        y[:2] = 1.0, -1.0
    prior = rng.random(n) + 0.05 if rng.random() < 0.3 else np.ones(n)
    prior /= prior.sum()
    dual_set = [
        sb.Simplex(),
        sb.CappedSimplex(float(rng.choice([0.01, 0.1, 0.3, 0.9])), prior),
        sb.Contamination(float(rng.choice([0.1, 0.7])), prior),
        sb.Chi2Ball(float(rng.choice([1e-3, 1.0, 0.98 * n, 5.0 * n])), prior),
        sb.KLBall(float(rng.choice([1e-3, 0.1, 1.0, 0.95 * np.log(n), 10.0])), prior),
        sb.TVBall(float(rng.choice([0.01, 0.3, 0.9])), prior),
    ][rng.integers(6)]
    return X, y, loss, dual_set, float(rng.choice([1e-3, 1.0])), prior


@pytest.mark.parametrize("seed", range(40))
def test_values_and_bounds_agree_with_a_conic_solver(seed, monkeypatch):
    no_dense_jacobian(monkeypatch)
    X, y, loss, dual_set, l2, prior = random_case(seed)
    result = sb.solve(sb.Problem(rows(X, y, loss, l2=l2), dual_set), tol=TOL)
    assert result.method == "interior-point"
    assert result.certified
    assert result.gap <= TOL
    assert result.n_iter <= 60
    assert dual_set.contains(result.dual, 1e-9)
    optimum = conic(X, y, loss, dual_set, l2, prior)
    if optimum is not None:
        slack = 1e-5 * max(1.0, abs(optimum))
        assert result.value <= optimum + slack
        assert result.lower_bound <= optimum + slack


@pytest.mark.parametrize("dual_set", SETS, ids=repr)
@pytest.mark.parametrize("l2", [0.0, 1e-2])
@pytest.mark.parametrize("tol", [1e-6, 1e-10])
def test_the_certificate_can_be_checked_without_the_run(dual_set, l2, tol, monkeypatch):
    X, y = table()
    no_dense_jacobian(monkeypatch)
    problem = sb.Problem(rows(X, y, l2=l2), dual_set)
    result = sb.solve(problem, tol=tol)
    assert result.certified, result.message
    certificate = sb.certify(problem, result.w, result.dual)
    assert certificate.value == pytest.approx(result.value, rel=1e-12)
    # The region's radius is rounded differently.
    assert certificate.gap <= (1 + 1e-6) * max(tol, 1e-10 * result.value)


@pytest.mark.parametrize("mean", [1e2, 1e3, 1e4])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize("dual_set", [sb.TVBall(0.1), sb.Contamination(0.5), sb.CappedSimplex(0.3)], ids=repr)
def test_columns_of_large_mean(dual_set, loss, mean):
    """The dominant losses have 1e16 times the curvature of the direction that is left: they are split off."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(1000, 5))
    margin = Z @ rng.normal(size=5)
    y = (
        np.where(margin + rng.logistic(size=1000) > 0, 1, -1)
        if loss == "logistic"
        else margin + rng.standard_t(3, 1000)
    )
    plain, shifted = (
        sb.solve(sb.Problem(rows(X, y, loss, l2=0.0), dual_set), method="interior-point") for X in (Z, Z + mean)
    )
    assert shifted.success
    assert shifted.n_iter <= 60
    assert shifted.value == pytest.approx(plain.value, abs=2e-6)


@pytest.mark.parametrize("dual_set", [sb.TVBall(0.1), sb.CappedSimplex(0.3)], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_runs_end_where_steps_are_rounding_errors(dual_set, seed):
    """The weights between their bounds are then theta times as wrong as the losses: lam is corrected without w."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(1000, 5))
    y = Z @ rng.normal(size=5) + rng.standard_t(3, 1000)
    plain, shifted = (
        sb.solve(sb.Problem(rows(X, y, "squared", l2=0.0), dual_set), method="interior-point") for X in (Z, Z + 1e4)
    )
    assert shifted.success, shifted.message
    assert shifted.n_iter <= 60
    assert shifted.value == pytest.approx(plain.value, abs=2e-6)


@given(st.integers(0, 1000), st.sampled_from([sb.CappedSimplex(0.3), sb.TVBall(0.2), sb.KLBall(0.5), sb.Chi2Ball(0.5)]))
def test_a_smaller_slope_without_a_step(seed, dual_set):
    """A change of lam that the model explains by a change of the losses is taken back, with w where it is."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    problem = sb.Problem(rows(X, y, "squared", l2=0.1), dual_set)
    result = sb.solve(problem, tol=1e-10)
    oracle = Oracle(problem, Auto(), result.w, 1e-10)
    at, form = oracle.evaluate(result.w), dual_set.interior_form(60)
    interior, tau = form.start(at.f, 1.0), 1e-3
    theta = form.model(at.f, interior, tau).theta
    lam = dual_set.restore(result.dual + 1e-3 * theta * at.change(rng.normal(size=4)))
    changed = with_smaller_slope(oracle, form, at, interior, lam, tau)
    assert dual_set.contains(changed)
    assert np.linalg.norm(at.slope(changed)) <= 1e-2 * np.linalg.norm(at.slope(lam))


@pytest.mark.parametrize("dual_set", [sb.TVBall(0.2), sb.Contamination(0.4), sb.Simplex()], ids=repr)
def test_columns_that_are_equal(dual_set):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 3))
        y = X @ rng.normal(size=3) + rng.normal(size=40)
        result = sb.solve(sb.Problem(rows(np.c_[X, X], y, l2=0.0), dual_set), method="interior-point")
        assert result.success
        assert result.n_iter <= 40


@pytest.mark.parametrize("largest", [1e3, 1e12, 1e25])
def test_a_split_system_keeps_the_digits_across_the_dominant_losses(largest):
    """Against the limit theta = inf: C p = 0, and A p = -gradient on the null space of C."""
    rng = np.random.default_rng(3)
    n, m = 6, 3
    B, C, gradient = rng.normal(size=(n, n)), 1e3 + rng.normal(size=(m, n)), rng.normal(size=n)
    A, theta = B @ B.T + 0.1 * np.eye(n), largest * rng.uniform(0.5, 2.0, m)
    direction = split_direction(A, C, theta, gradient)
    assert direction is not None
    if largest == 1e3:
        exact = -np.linalg.solve(A + (C.T * theta) @ C, gradient)
    else:
        null = np.linalg.svd(C)[2][m:].T
        exact = -null @ np.linalg.solve(null.T @ A @ null, null.T @ gradient)
    np.testing.assert_allclose(direction.p, exact, rtol=1e-4, atol=1e-6 * np.abs(exact).max())
    assert dominant_rows(np.array([3.0, 0.0, 5.0, 1.0]), 1).tolist() == [0, 2]
    assert split_direction(np.full((n, n), np.nan), C, theta, gradient) is None


@pytest.mark.parametrize("dual_set", SETS[:6], ids=repr)
def test_the_same_problem_with_one_group_per_row(dual_set):
    X, y = table(n=40)
    few = sb.Problem(sb.GroupedLinear(X, y, np.arange(40), loss="squared", l2=0.1), dual_set)
    many = sb.Problem(rows(X, y, l2=0.1), dual_set)
    reference = sb.solve(few, method="newton", tol=1e-9)
    assert sb.solve(many, tol=1e-9).value == pytest.approx(reference.value, rel=1e-7)
    # With a Jacobian that is a matrix.
    assert sb.solve(few, method="interior-point", tol=1e-9).value == pytest.approx(reference.value, rel=1e-7)


@pytest.mark.parametrize("dual_set", SETS[:7], ids=repr)
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_ties_of_all_losses_at_the_answer(dual_set, start):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.standard_normal((60, 3)), 2, axis=0)
    losses = rows(X, np.tile([0, 1], 60), "logistic", l2=1e-3)
    result = sb.solve(sb.Problem(losses, dual_set), w0=np.full(4, start), tol=1e-8)
    assert result.certified
    assert result.value == pytest.approx(np.log(2.0), abs=1e-8)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize(
    "dual_set",
    [
        sb.CappedSimplex(0.01),
        sb.CappedSimplex(1 - 1e-9),
        sb.CappedSimplex(1.0),
        sb.Chi2Ball(0.0),
        sb.Chi2Ball(1e-9),
        sb.Chi2Ball(198.0),
        sb.Chi2Ball(1e9),
        sb.KLBall(1e-9),
        sb.KLBall(0.98 * np.log(200)),
        sb.KLBall(1e6),
        sb.TVBall(1e-9),
        sb.TVBall(5.0),
        sb.Contamination(1.0),
    ],
    ids=repr,
)
def test_radii_at_their_ends(dual_set, loss):
    X, y = table(loss=loss)
    result = sb.solve(sb.Problem(rows(X, y, loss, l2=1e-3), dual_set), tol=TOL)
    assert result.certified
    assert result.n_iter <= 60


@pytest.mark.parametrize("rho", [1e-300, 1e-100, 1e-30, 1e-24, 1e-20, 1e-16, 1e-14, 1e-12, 1e-8])
@pytest.mark.parametrize("ball", [sb.KLBall, sb.Chi2Ball, sb.TVBall])
def test_tiny_radii(ball, rho):
    """The average model, and at most the spread of the losses times sqrt(2 rho) more."""
    X, y = table(50, 3, "logistic")
    result = sb.solve(sb.Problem(rows(X, y, "logistic", l2=0.0), ball(rho)), method="interior-point")
    average = sb.solve(sb.Problem(rows(X, y, "logistic", l2=0.0), ball(0.0)), method="interior-point")
    assert result.success
    assert -1e-6 <= result.value - average.value <= 1e-6 + 2.0 * np.ptp(result.losses) * np.sqrt(2 * rho)


@pytest.mark.parametrize("loss", ["huber", "squared_hinge", "poisson", "quantile"])
def test_other_losses(loss):
    X, y = table()
    y = np.abs(y).round() if loss == "poisson" else y > 0 if loss == "squared_hinge" else y
    for dual_set in SETS[1:5]:
        problem = sb.Problem(rows(X, y, loss, l2=1e-3), dual_set)
        assert sb.solve(problem, method="interior-point").certified
        assert sb.solve(problem).method == ("interior-point" if loss == "poisson" else "newton")


@pytest.mark.parametrize("loss", ["huber", "quantile"])
@pytest.mark.parametrize("dual_set", [sb.CappedSimplex(1.0), sb.Chi2Ball(0.0), sb.Simplex()], ids=repr)
def test_losses_that_are_flat_somewhere_are_solved(loss, dual_set):
    """Interior-point steps from w = 0, where no row is curved, are far too long: they stalled near w = 0."""
    X, y = table()
    for responses, scale in ((y, 1.0), (1000.0 * y, 1000.0), (np.full(len(y), 1000.0), 1000.0)):
        problem = sb.Problem(rows(X, responses, loss, l2=1e-6), dual_set)
        result = sb.solve(problem, tol=1e-5 * scale)
        reference = sb.solve(problem, method="quasi-newton", tol=1e-5 * scale)
        assert result.success
        assert result.value <= reference.value + 2e-5 * scale


@pytest.mark.parametrize("convert", [sp.csr_array, np.asfortranarray, np.float32], ids=["csr", "F", "float32"])
def test_other_tables(convert):
    X, y = table()
    reference = sb.solve(sb.Problem(rows(X, y, l2=0.1), sb.CappedSimplex(0.2)))
    result = sb.solve(sb.Problem(rows(convert(X), y, l2=0.1), sb.CappedSimplex(0.2)))
    assert result.certified
    assert result.value == pytest.approx(reference.value, abs=3e-6)


@pytest.mark.parametrize("shape", [(1, 3), (2, 3), (3, 8), (30, 1)])
@pytest.mark.parametrize("dual_set", SETS, ids=repr)
def test_odd_shapes(shape, dual_set):
    rng = np.random.default_rng(0)
    for l2 in (0.0, 1.0):
        losses = rows(rng.standard_normal(shape), rng.standard_normal(shape[0]), l2=l2)
        result = sb.solve(sb.Problem(losses, dual_set))
        assert result.success
        assert result.certified


@pytest.mark.parametrize("dual_set", [SETS[0], SETS[2], SETS[3]], ids=repr)
def test_units_of_columns_and_responses(dual_set):
    X, y = table()
    plain = sb.solve(sb.Problem(rows(X, y), dual_set))
    for column in (1e-60, 1e60, np.array([1e-8, 1.0, 1e6, 1e3])):
        other = sb.solve(sb.Problem(rows(X * column, y), dual_set))
        assert other.certified
        assert other.value == pytest.approx(plain.value, abs=3e-6)
    scaled = sb.solve(sb.Problem(rows(X, 1e20 * y), dual_set), tol=1e34)
    assert scaled.certified
    assert scaled.n_iter == plain.n_iter
    assert scaled.value == pytest.approx(1e40 * plain.value, rel=1e-5)


@pytest.mark.parametrize("dual_set", [SETS[0], SETS[2], SETS[3], SETS[4]], ids=repr)
def test_a_resumed_run_has_the_same_bits(dual_set, tmp_path):
    X, y = table()
    problem = sb.Problem(rows(X * [1e5, 1.0, 1.0, 1e-5], y, l2=1e-3), dual_set)
    whole = sb.solve(problem, tol=1e-9)
    path = tmp_path / "run.ckpt"
    sb.solve(problem, tol=1e-9, checkpoint=path, callback=lambda now: now.n_iter == 6)
    resumed = sb.solve(problem, tol=1e-9, checkpoint=path, resume=True)
    assert resumed.n_iter == whole.n_iter > 6
    np.testing.assert_array_equal(resumed.w, whole.w)
    np.testing.assert_array_equal(resumed.dual, whole.dual)
    assert resumed.gap == whole.gap


def test_limits():
    X, y = table()
    problem = sb.Problem(rows(X, y), sb.CappedSimplex(0.1))
    for limits, status, n_iter in (
        ({"max_iter": 0}, sb.Status.MAX_ITER, 0),
        ({"max_iter": 1}, sb.Status.MAX_ITER, 1),
        ({"time_limit": 0.0}, sb.Status.TIME_LIMIT, 0),
    ):
        with pytest.warns(ConvergenceWarning):
            result = sb.solve(problem, **limits)
        assert (result.status, result.n_iter) == (status, n_iter)
        assert result.lower_bound <= result.value


def test_losses_that_are_not_convex_get_no_certificate():
    class Wave:
        def value_and_slope(self, eta, y):
            return np.sin(3 * eta) + eta**2 / 2, 3 * np.cos(3 * eta) + eta

        def curvature(self, eta, y):
            return 1.0 - 9 * np.sin(3 * eta)

    X, y = table()
    with pytest.warns(ConvergenceWarning):
        result = sb.solve(sb.Problem(rows(X, y, Wave()), sb.CappedSimplex(0.3)), max_iter=30)
    assert not result.certified


def test_what_the_method_needs():
    X, y = table(n=30)

    class NoCurvature:
        convex = True

        def value_and_slope(self, eta, y):
            return (eta - y) ** 2, 2 * (eta - y)

    for losses, problem in (
        (rows(X, y), {"dual_set": sb.Ball(np.full(30, 1 / 30), 0.01)}),
        (rows(X, y), {"regularizer": sb.Quadratic(0.1)}),
        (rows(X, y, NoCurvature(), l2=0.1), {}),
    ):
        with pytest.raises(IncompatibleError, match="interior-point"):
            sb.solve(sb.Problem(losses, **problem), method="interior-point")
        # The default takes another method, which forms the Jacobian.
        result = sb.solve(sb.Problem(losses, **problem))
        assert result.success
        assert result.method in ("newton", "quasi-newton")


def test_no_jacobian_is_needed_for_the_memory_check(monkeypatch):
    # 200 losses of 5 parameters: 32 kB of vectors. Jacobians and matrices of (D) would take 1 MB.
    monkeypatch.setattr("saddleback.engine.memory_check.UNCHECKED_BYTES", 1e4)
    monkeypatch.setattr("saddleback.engine.memory_check.free_memory", lambda: 5e4)
    problem = sb.Problem(rows(*table(), l2=1e-3), sb.Chi2Ball(0.5))
    assert sb.solve(problem).certified
    with pytest.raises(sb.ProblemError, match="J x J matrices"):
        sb.solve(problem, method="newton")


def test_evaluations_of_rows_are_structured():
    X, y = table()
    losses = rows(X, y, l2=0.5)
    oracle = Oracle(sb.Problem(losses, sb.Simplex()), Auto(), np.zeros(5), 1e-6)
    at = oracle.evaluate(np.ones(5))
    assert isinstance(at, StructuredEvaluation)
    f, G = losses.evaluate(np.ones(5))
    np.testing.assert_array_equal(at.f, f)
    np.testing.assert_array_equal(at.G, G)
    assert at.norm == pytest.approx(np.linalg.norm(G, 2))
    there = at.rescaled(np.full(5, 2.0))
    np.testing.assert_allclose(there.G, G / 2.0, rtol=1e-15)
    np.testing.assert_allclose(there.changes(np.eye(5)), G / 2.0, rtol=1e-12)
    assert oracle.memory().recent == ()


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("dual_set", [sb.TVBall(0.05), sb.TVBall(0.2), sb.CappedSimplex(0.1)], ids=repr)
def test_the_weights_follow_the_parameters(dual_set, loss):
    """Counted: 11 to 25 steps. With one length for the steps of all weights they lagged behind, for 25 to 80 steps."""
    X, y = table(5000, 20, loss)
    result = sb.solve(sb.Problem(rows(X, y, loss, l2=1e-3), dual_set), method="interior-point", tol=TOL)
    assert result.certified
    assert result.n_iter <= 30
