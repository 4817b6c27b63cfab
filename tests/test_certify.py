"""Certificates of any point from one evaluation: value, bound and gap are true for any lam."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from calls import CENTERS, CIRCLE, Calls, quadratics
from methods.geometries import GEOMETRIES, PAIRS, REGULARIZERS, Matrices
from problems import enclosing_ball, nesterov_split, random_quadratics
from scipy.sparse import csr_array

import saddleback as sb
from saddleback.certify import INNER_ACCURACY

# What rounding of losses of size one may add to a bound.
ROUNDING = 1e-12


class Circles:
    """Half the squared distances to three points, with the given strong convexity."""

    n_losses, n_params = CENTERS.shape
    strong_convexity = 1.0

    def __init__(self, strong_convexity=1.0):
        self.strong_convexity = strong_convexity
        self.evaluate = Calls(quadratics)


def table(fit_intercept, l2=0.1, convert=np.asarray):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(120, 4)), rng.integers(0, 2, 120)
    return sb.GroupedLinear(convert(X), y, np.arange(120) % 3, l2=l2, fit_intercept=fit_intercept)


# --- true bounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_global_bounds_are_below_a_known_optimum(seed):
    rng = np.random.default_rng(seed)
    solved = enclosing_ball(seed, J=6, d=3)
    problem = sb.Problem(solved.losses)
    for length in (0.0, 1e-6, 1e-2, 1.0, 100.0):
        w = solved.w + length * rng.standard_normal(3)
        for dual in (None, rng.dirichlet(np.ones(6)), np.eye(6)[seed % 6]):
            certificate = sb.certify(problem, w, dual)
            assert certificate.radius == np.inf
            assert certificate.value == problem.value(w)
            assert certificate.gap == certificate.value - certificate.lower_bound >= 0
            assert certificate.lower_bound <= solved.value + ROUNDING * (1 + certificate.value)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.3), sb.Entropy(0.3)])
def test_bounds_within_a_radius_are_below_a_known_optimum_inside(seed, regularizer):
    rng = np.random.default_rng(seed)
    solved = nesterov_split(3, 8)
    problem = sb.Problem(solved.losses, regularizer=regularizer)
    for length in (0.0, 1e-3, 1.0):
        w = solved.w + length * rng.standard_normal(8)
        reach = max(1e-9, float(np.linalg.norm(w - solved.w)))
        for dual in (None, rng.dirichlet(np.ones(3))):
            certificate = sb.certify(problem, w, dual, radius=reach)
            assert certificate.radius == reach
            assert certificate.lower_bound <= solved.value + ROUNDING


@pytest.mark.parametrize("curved", [(), (0,), (0, 2)])
@pytest.mark.parametrize("metric", [None, [1.0, 100.0, 0.01, 4.0]])
def test_bounds_hold_at_every_point_of_the_region(curved, metric):
    """Coordinates with strong convexity are free, the others within the radius, in the problem's metric."""
    losses = random_quadratics(3, J=3, d=4)
    rng = np.random.default_rng(0)
    m = np.zeros(4)
    m[list(curved)] = losses.strong_convexity

    class Partly:
        n_losses, n_params, strong_convexity = 3, 4, m
        evaluate = staticmethod(losses.evaluate)

    problem = sb.Problem(Partly(), metric=metric)
    scale = np.ones(4) if metric is None else np.sqrt(metric)
    w = rng.standard_normal(4)
    certificate = sb.certify(problem, w, radius=0.5)
    for _ in range(500):
        step = rng.standard_normal(4)
        flat = m == 0
        step[flat] *= 0.5 / np.linalg.norm((step * scale)[flat])
        step[~flat] *= rng.choice([0.1, 1.0, 10.0])
        assert problem.value(w + step) >= certificate.lower_bound - ROUNDING
    assert certificate.gap > 0.1, "the point is no solution"


def test_a_bound_is_as_tight_as_its_formula_allows():
    """On the sphere where the bound is attained: one affine loss falls by the radius times its slope."""
    problem = sb.Problem(sb.from_functions(lambda w: (3 * w[0] + 4 * w[1], [3.0, 4.0]), [0.0, 0.0], True))
    certificate = sb.certify(problem, [1.0, 1.0], radius=2.0)
    assert certificate.lower_bound == pytest.approx(7.0 - 2.0 * 5.0, abs=ROUNDING)
    rescaled = sb.Problem(problem.losses, metric=[9.0, 16.0])
    assert sb.certify(rescaled, [1.0, 1.0], radius=2.0).lower_bound == pytest.approx(7 - 2 * np.sqrt(2), abs=ROUNDING)


# --- the best lam -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_flat", [0, 1, 3, 5])
def test_without_a_dual_the_bound_is_the_best_that_one_evaluation_proves(seed, n_flat):
    """The maximum over the simplex of <lam, f> - 1/2 |A' lam|^2 - D |F' lam|, by another solver."""
    rng = np.random.default_rng(seed)
    d, J, reach = 5, 4, 2.0
    losses = random_quadratics(seed, J, d)
    m = np.where(np.arange(d) < n_flat, 0.0, losses.strong_convexity)

    class Partly:
        n_losses, n_params, strong_convexity = J, d, m
        evaluate = staticmethod(losses.evaluate)

    w = 10.0 ** rng.uniform(-3, 1) * rng.standard_normal(d)
    f, G = losses.evaluate(w)
    flat = m == 0
    lam = cp.Variable(J, nonneg=True)
    bound = lam @ f
    if flat.any():
        bound -= reach * cp.norm(G[:, flat].T @ lam)
    if not flat.all():
        bound -= 0.5 * cp.sum_squares((G[:, ~flat] / np.sqrt(m[~flat])).T @ lam)
    best = cp.Problem(cp.Maximize(bound), [cp.sum(lam) == 1]).solve(solver=cp.CLARABEL)
    certificate = sb.certify(sb.Problem(Partly()), w, radius=reach)
    size = np.abs(f).max() + reach * np.linalg.norm(G)
    # What (D) may miss, and the slope, which is met to one part in a hundred: that costs its square.
    slope = np.linalg.norm(certificate.dual @ G[:, flat])
    missed = 10 * INNER_ACCURACY * certificate.gap + 1e-4 * reach * slope
    assert certificate.lower_bound >= best - 1e-7 * size - missed
    assert certificate.lower_bound <= best + 1e-7 * size


@pytest.mark.parametrize("strong_convexity", [1.0, 0.0, [1.0, 0.0]])
def test_a_wrong_dual_proves_less_but_nothing_false(strong_convexity):
    problem = sb.Problem(Circles(strong_convexity))
    w = sb.solve(problem, tol=1e-9).w
    best = sb.certify(problem, w, radius=1.0)
    assert best.holds(1e-6)
    for wrong in ([1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.2, 0.8]):
        certificate = sb.certify(problem, w, wrong, radius=1.0)
        assert certificate.lower_bound < CIRCLE - 1e-3
        assert not certificate.holds(1e-6)
        assert certificate.value == best.value
        np.testing.assert_allclose(certificate.dual, wrong, rtol=1e-15)


# --- agreement with runs ----------------------------------------------------------------------------------------------


P = [1.0, 4.0, 9.0]
METRICS = [(s, r, metric) for s, r in PAIRS for metric in (None, P) if metric is None or s != "spectrahedron"]


@pytest.mark.parametrize(("dual_set", "regularizer", "metric"), METRICS)
def test_runs_are_confirmed(dual_set, regularizer, metric):
    geometry = GEOMETRIES[dual_set]
    problem = sb.Problem(geometry.losses(), geometry.dual_set, REGULARIZERS[regularizer], metric)
    result = sb.solve(problem, tol=1e-8)
    assert result.certified
    own = sb.certify(problem, result.w, result.dual, result.radius)
    assert own.value == pytest.approx(result.value, abs=ROUNDING)
    np.testing.assert_allclose(own.dual, result.dual, atol=ROUNDING)
    np.testing.assert_allclose(own.losses, result.losses, atol=ROUNDING)
    assert own.radius == result.radius
    best = sb.certify(problem, result.w, radius=result.radius)
    # lam itself is only known up to the gap of the run.
    assert best.holds(2e-8)
    assert best.lower_bound >= own.lower_bound - 2e-9
    optimum = sb.solve(problem, result.w, tol=1e-11, method="newton") if result.gap > 1e-9 else result
    assert best.lower_bound <= optimum.value + ROUNDING
    assert own.lower_bound <= optimum.value + ROUNDING


@pytest.mark.parametrize(("dual_set", "regularizer"), PAIRS)
def test_a_bound_of_one_point_is_reproduced_to_rounding(dual_set, regularizer):
    """After no iteration a result's dual and bound come from the start alone."""
    geometry = GEOMETRIES[dual_set]
    problem = sb.Problem(geometry.losses(), geometry.dual_set, REGULARIZERS[regularizer])
    with pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(problem, np.ones(problem.n_params), max_iter=0)
    certificate = sb.certify(problem, result.w, result.dual, result.radius)
    assert certificate.lower_bound == pytest.approx(result.lower_bound, abs=1e-11)
    assert certificate.gap == pytest.approx(result.gap, abs=1e-11)
    assert sb.certify(problem, result.w, radius=result.radius).lower_bound >= result.lower_bound - 1e-11


ROW_SETS = (sb.CappedSimplex(0.3), sb.Chi2Ball(1.0), sb.KLBall(0.5), sb.TVBall(0.2), sb.Simplex())


@pytest.mark.parametrize("method", ["auto", "newton", "quasi-newton"])
@pytest.mark.parametrize("l2", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("dual_set", ROW_SETS, ids=repr)
def test_the_dual_of_a_certified_run_proves_its_tolerance_at_its_point(dual_set, l2, method):
    """Labels that the table does not explain: the start is nearly optimal, and many points share the bound."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([5, 20, 100]))
        X = rng.normal(size=(n, 2))
        loss, y = (("logistic", np.arange(n) % 2), ("squared", rng.poisson(2, n)), ("poisson", rng.poisson(2, n)))[
            seed % 3
        ]
        problem = sb.Problem(sb.GroupedLinear(X, y, groups="rows", loss=loss, l2=l2), dual_set)
        result = sb.solve(problem, method=method)
        again = sb.certify(problem, result.w, result.dual)
        assert result.value == again.value == result.history.value[-1]
        assert not result.certified or again.gap <= 1e-6 * (1 + 1e-6)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("convert", [np.asarray, csr_array, lambda X: X.astype(np.float32)])
def test_tables(fit_intercept, convert):
    problem = sb.Problem(table(fit_intercept, convert=convert))
    result = sb.solve(problem, tol=1e-7)
    for dual in (None, result.dual):
        certificate = sb.certify(problem, result.w, dual, result.radius)
        assert certificate.holds(1e-6)
        assert np.isinf(certificate.radius) == (not fit_intercept)


def test_matrices():
    F0, Fs = np.diag([1.0, 0.0, -1.0]), np.stack([np.diag([1.0, -1.0, 0.0]), np.diag([0.0, 1.0, -1.0])])
    problem = sb.Problem(sb.AffineMatrix(F0, Fs), dual_set=sb.Spectrahedron())
    result = sb.solve(problem)
    certificate = sb.certify(problem, result.w, result.dual, result.radius)
    assert certificate.dual.shape == certificate.losses.shape == (3, 3)
    assert certificate.holds(1e-5)
    assert sb.certify(problem, result.w, radius=result.radius).holds(1e-5)
    assert sb.certify(problem, result.w, np.diag([1.0, 0.0, 0.0]), result.radius).gap > 0.5


def test_a_metric_does_not_matter_to_a_global_bound():
    problem = sb.Problem(Matrices(), sb.Spectrahedron(), sb.VonNeumann(0.3))
    result = sb.solve(problem)
    in_metric = sb.certify(sb.Problem(Matrices(), sb.Spectrahedron(), sb.VonNeumann(0.3), P), result.w, result.dual)
    assert in_metric.radius == np.inf
    assert in_metric.gap == pytest.approx(result.gap, abs=1e-10)


def test_many_losses_of_few_parameters():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(300, 2))
    A /= np.maximum(1.0, np.linalg.norm(A, axis=1, keepdims=True))
    A[:2] = [1.0, 0.0], [-1.0, 0.0]
    problem = sb.Problem(sb.from_functions(lambda w: (((w - A) ** 2).sum(1), 2 * (w - A)), np.zeros(2), jac=True))
    assert sb.certify(problem, [0.0, 0.0], radius=1.0).gap < 1e-6
    assert sb.certify(problem, [0.3, 0.0], radius=1.0).lower_bound <= 1.0 + ROUNDING


def test_more_parameters_than_losses():
    solved = nesterov_split(3, 200)
    certificate = sb.certify(sb.Problem(solved.losses), solved.w)
    assert certificate.radius == pytest.approx(np.linalg.norm(solved.w))
    assert certificate.holds(1e-9)
    np.testing.assert_allclose(certificate.dual, 1 / 3, atol=1e-6)


# --- cost and printed form --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dual", [None, [0.5, 0.25, 0.25]])
@pytest.mark.parametrize("strong_convexity", [1.0, 0.0])
def test_one_evaluation_is_all_it_takes(dual, strong_convexity):
    losses = Circles(strong_convexity)
    sb.certify(sb.Problem(losses), [0.5, 0.5], dual)
    assert losses.evaluate.n == 1


def test_the_default_radius_is_that_of_a_run_from_zero():
    problem = sb.Problem(Circles(0.0))
    assert sb.certify(problem, [3.0, 4.0]).radius == 5.0
    assert sb.certify(problem, [0.1, 0.0]).radius == 1.0
    assert sb.certify(sb.Problem(Circles(0.0), metric=[4.0, 4.0]), [3.0, 4.0]).radius == 10.0
    result = sb.solve(problem)
    assert sb.certify(problem, result.w).radius == result.radius


@pytest.mark.parametrize("units", [1e-6, 1e6])
def test_units_of_losses_and_parameters(units):
    def fun(w):
        f, G = quadratics(w / units)
        return units**2 * f, units * G

    problem = sb.Problem(sb.from_functions(fun, np.zeros(2), jac=True), metric=units**-2.0)
    w = np.array([0.4, 0.1])
    certificate = sb.certify(problem, units * w, radius=1.0)
    plain = sb.certify(sb.Problem(Circles(0.0)), w, radius=1.0)
    assert certificate.gap == pytest.approx(units**2 * plain.gap, rel=1e-6)


@pytest.mark.parametrize("size", [1e-140, 1.0, 1e140])
@pytest.mark.parametrize("reach", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("dual_set", [sb.Simplex(), sb.KLBall(0.1), sb.Ball(0.5, 0.1), sb.Box(1.0, 1.0)])
def test_huge_and_tiny_numbers(size, reach, dual_set):
    """No overflow warning, and the bounds hold."""

    def fun(w):
        f, G = quadratics(w)
        return size * f, size * G

    problem = sb.Problem(sb.from_functions(fun, np.zeros(2), jac=True), dual_set)
    certificate = sb.certify(problem, [0.4, 0.1], radius=reach)
    assert certificate.gap >= 0
    optimum = problem.value([0.4, 0.1]) if reach < 1 else problem.value([0.5, 0.5])
    assert certificate.lower_bound <= optimum * (1 + 1e-12)


def test_changing_a_certificate_changes_nothing_else():
    losses = Circles()
    problem = sb.Problem(losses)
    given = np.array([0.5, 0.25, 0.25])
    certificate = sb.certify(problem, [0.5, 0.5], given)
    certificate.dual[:] = certificate.losses[:] = np.nan
    np.testing.assert_array_equal(given, [0.5, 0.25, 0.25])
    assert np.isfinite(sb.certify(problem, [0.5, 0.5], given).gap)


def test_text():
    everywhere, near = (str(sb.certify(sb.Problem(Circles(m)), [0.5, 0.5], radius=2.0)) for m in (1.0, 0.0))
    assert "everywhere" in everywhere
    assert "within 2 of w" in near
    assert "\n" not in everywhere


@pytest.mark.parametrize(
    ("losses", "dual_set", "declared"),
    [
        (Circles(1.0), sb.Simplex(), True),
        (Circles([0.0, 1.0]), sb.Simplex(), True),
        (Circles(0.0), sb.Simplex(), False),
        (sb.from_functions(quadratics, [0.0, 0.0], jac=True), sb.Simplex(), False),
        (table(fit_intercept=True, l2=0.0), sb.Simplex(), True),
        (table(fit_intercept=True, l2=0.0), sb.Box(0.0, 1.0), True),
        (table(fit_intercept=True, l2=0.0), sb.Box(-1.0, 1.0), False),
        (Matrices(), sb.Spectrahedron(), True),
    ],
)
def test_text_names_the_convexity_that_nobody_has_declared(losses, dual_set, declared):
    """A weight below zero turns a convex loss into a concave one."""
    problem = sb.Problem(losses, dual_set)
    certificate = sb.certify(problem, np.zeros(problem.n_params))
    assert certificate.convex is declared
    assert ("if the losses are convex" in str(certificate)) == (not declared)


def test_reach_in_a_metric_is_that_of_a_run():
    """The bound reaches ``radius`` far in the metric: along a parameter, radius/sqrt(P_i)."""
    problem = sb.Problem(Circles([0.0, 1.0]), metric=[100.0, 4.0])
    for radius in (None, 3.0):
        result = sb.solve(problem, radius=radius)
        certificate = sb.certify(problem, result.w, result.dual, radius)
        assert certificate.radius == pytest.approx(result.radius)
        np.testing.assert_allclose(certificate.reach, result.reach)
        np.testing.assert_allclose(certificate.reach, [certificate.radius / 10, np.inf])


def test_radius_is_one_distance_for_all_parameters_and_the_default_has_one_for_each():
    """On a table with columns of sizes 1, 1000 and 1/1000 the default compares with a run, and a radius does not."""
    rng = np.random.default_rng(0)
    sizes = np.array([1.0, 1e3, 1e-3])
    X, groups = rng.normal(size=(300, 3)) * sizes, np.arange(300) % 3
    y = X @ (1 / sizes) + (groups == 1) * X[:, 0] > rng.logistic(size=300)
    problem = sb.Problem(sb.GroupedLinear(X, y, groups))
    result = sb.solve(problem)
    default = sb.certify(problem, result.w, result.dual)
    np.testing.assert_allclose(default.reach, result.reach)
    assert default.gap <= 2 * result.gap + ROUNDING
    for radius in (result.radius, result.reach.max()):
        np.testing.assert_array_equal(sb.certify(problem, result.w, radius=radius).reach, np.full(4, radius))
    assert sb.certify(problem, result.w, radius=result.reach.max()).gap > 100 * default.gap
    least, most = f"{default.reach.min():.3g}", f"{default.reach.max():.3g}"
    assert f"(within {least} to {most} of w, depending on the parameter)" in str(default)


def test_holds_means_what_solve_means_by_converged():
    problem = sb.Problem(Circles())
    certificate = sb.certify(problem, [0.5, 0.5])
    assert certificate.gap > 0
    assert certificate.holds(certificate.gap)
    assert not certificate.holds(0.99 * certificate.gap)
    with pytest.raises(sb.ProblemError, match="tol must be a finite number >= 0"):
        certificate.holds(-1.0)


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dual",
    [[0.5, 0.25, 0.24], [0.7, 0.7, -0.4], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0 + 1e-3, -1e-3, 0.0]],
)
def test_weights_outside_the_set_are_refused_before_the_evaluation(dual):
    losses = Circles()
    with pytest.raises(sb.ProblemError, match=r"dual must lie in Simplex\(\); got \[.*Pass Result.dual as it is"):
        sb.certify(sb.Problem(losses), [0.5, 0.5], dual)
    assert losses.evaluate.n == 0


@pytest.mark.parametrize(("dual_set", "regularizer"), [pair for pair in PAIRS if pair[1] == "zero"])
def test_tampered_duals_are_refused_on_every_set(dual_set, regularizer):
    geometry = GEOMETRIES[dual_set]
    problem = sb.Problem(geometry.losses(), geometry.dual_set, REGULARIZERS[regularizer])
    dual = sb.solve(problem, tol=1e-4).dual
    sb.certify(problem, np.zeros(problem.n_params), dual)
    tampered = dual + 3.0 * (np.eye(len(dual)) if dual.ndim == 2 else 1.0)
    with pytest.raises(sb.ProblemError, match="dual must lie in"):
        sb.certify(problem, np.zeros(problem.n_params), tampered)


def test_small_sets_are_as_strict():
    problem = sb.Problem(Circles(), dual_set=sb.Box(0.0, 1e-8))
    with pytest.raises(sb.ProblemError, match="dual must lie in Box"):
        sb.certify(problem, [0.5, 0.5], [2e-8, 0.0, 0.0])


def test_rounding_is_moved_into_the_set():
    problem = sb.Problem(Circles())
    rough = np.array([0.1, 0.2, 0.7], dtype=np.float32)
    certificate = sb.certify(problem, [0.5, 0.5], rough)
    assert sb.Simplex().contains(certificate.dual, tol=1e-15)
    np.testing.assert_allclose(certificate.dual, rough, rtol=1e-6)


@pytest.mark.parametrize(
    ("dual", "match"),
    [
        ([0.5, 0.5], "dual must have length 3; got length 2"),
        ([[0.5, 0.25, 0.25]], "dual must be a non-empty vector"),
        ([0.5, 0.5, np.nan], "dual must be finite"),
        ("uniform", "dual must be a vector of numbers"),
    ],
)
def test_what_is_no_vector_of_weights(dual, match):
    with pytest.raises(sb.ProblemError, match=match):
        sb.certify(sb.Problem(Circles()), [0.5, 0.5], dual)


@pytest.mark.parametrize(
    ("dual", "match"),
    [
        (np.eye(3), "dual must lie in Spectrahedron"),
        (np.array([[1.0, 0.5, 0], [0, 0, 0], [0, 0, 0]]), "dual must be symmetric"),
        (np.eye(2) / 2, r"dual must be a symmetric matrix of shape \(3, 3\)"),
        (np.diag([1.5, -0.5, 0.0]), "dual must lie in Spectrahedron"),
    ],
)
def test_what_is_no_density_matrix(dual, match):
    problem = sb.Problem(Matrices(), sb.Spectrahedron())
    with pytest.raises(sb.ProblemError, match=match):
        sb.certify(problem, np.zeros(3), dual)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"w": [0.0, 0.0, 0.0]}, "w must have length 2; got length 3"),
        ({"w": [0.0, np.nan]}, "w must be finite"),
        ({"w": None}, "w must be a vector of numbers"),
        ({"radius": 0.0}, "radius must be a finite number > 0"),
        ({"radius": np.inf}, "radius must be a finite number > 0; got inf"),
        ({"radius": "far"}, "radius must be a number"),
    ],
)
def test_bad_input(options, match):
    losses = Circles(0.0)
    with pytest.raises(sb.ProblemError, match=match):
        sb.certify(sb.Problem(losses), **({"w": [0.5, 0.5]} | options))
    assert losses.evaluate.n == 0


def test_an_infinite_radius_is_fine_where_the_bound_is_global():
    assert sb.certify(sb.Problem(Circles()), [0.5, 0.5], radius=np.inf).radius == np.inf


def test_losses_in_the_place_of_a_problem():
    with pytest.raises(sb.ProblemError, match="problem must be a Problem; got"):
        sb.certify(Circles(), [0.5, 0.5])


@pytest.mark.parametrize("what", ["losses", "Jacobian"])
def test_points_where_nothing_can_be_said_are_refused(what):
    f, G = quadratics(np.zeros(2))
    (f if what == "losses" else G)[0] = np.nan

    class Broken:
        n_losses, n_params = 3, 2

        def evaluate(self, w):
            return f, G

    with pytest.raises(sb.ProblemError, match=f"the {what} must be finite at w; got NaN or inf. Take a point where"):
        sb.certify(sb.Problem(Broken()), [0.0, 0.0])
