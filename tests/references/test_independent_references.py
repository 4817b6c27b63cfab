"""Every method against optima from outside the library, and every certificate against them too."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from problems import oracle_of
from theory.tolerances import OPTIMUM, REFERENCE, relative

import saddleback as sb
from saddleback.engine.certificates import Region
from saddleback.methods import METHODS

from .catalogue import CASES, Case

SMOOTH_ONLY = ("apgd", "lbfgsb")
WITHOUT_REGULARIZER = ("interior-point",)
# These losses offer no L; the method has references of its own (tests/methods/test_algorithm_one.py).
NEEDS_L = ("algorithm-1",)
# Gradient methods on the saddle function need more iterations here than a test should take: MAXQUAD starts with
# losses of 5000 and a Jacobian of norm 1000, and their step is 1/|G|.
TOO_SLOW = {("MAXQUAD", "extragradient"), ("MAXQUAD", "optimistic")}

APPLICABLE = [
    (name, method)
    for name, case in CASES.items()
    for method in METHODS
    if method not in (*NEEDS_L, *(WITHOUT_REGULARIZER if case.regularized else SMOOTH_ONLY))
]


def solve(case: Case, method: str, **options) -> sb.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(case.problem_for(method), case.start, method=method, **options)


def assert_interval_holds(result: sb.Result, case: Case) -> None:
    """[lower_bound, value] contains the optimum, where the minimizer lies within the certificate's reach."""
    value, w = case.optimum
    slack = REFERENCE * relative(value)
    assert value - slack <= result.value
    if np.linalg.norm(result.w - w) <= result.radius:
        assert result.lower_bound <= value + slack
    assert result.gap == pytest.approx(result.value - result.lower_bound, abs=slack)


@pytest.mark.parametrize("name", CASES)
def test_references_are_accurate(name: str) -> None:
    """g at the reference minimizer is the reference value, so that both can be trusted to REFERENCE."""
    case = CASES[name]
    value, w = case.optimum
    assert case.problem.value(w) == pytest.approx(value, abs=REFERENCE / 4 * relative(value))
    # No direction leads down: g is convex, so that this is global up to the same accuracy.
    rng = np.random.default_rng(0)
    for v in rng.standard_normal((50, w.size)):
        assert case.problem.value(w + 1e-3 * v) >= value - REFERENCE / 4 * relative(value)


@pytest.mark.parametrize(("name", "method"), [pair for pair in APPLICABLE if pair not in TOO_SLOW])
def test_every_method_reaches_the_reference(name: str, method: str) -> None:
    case = CASES[name]
    value, w = case.optimum
    result = solve(case, method, tol=5e-7, max_iter=1500)
    assert result.success, result.message
    assert abs(result.value - value) <= OPTIMUM * relative(value)
    assert np.linalg.norm(result.w - w) <= result.radius
    assert_interval_holds(result, case)


@pytest.mark.parametrize("max_iter", [0, 3, 10, 30])
@pytest.mark.parametrize(("name", "method"), APPLICABLE)
def test_certificates_of_unfinished_runs_hold(name: str, method: str, max_iter: int) -> None:
    case = CASES[name]
    assert_interval_holds(solve(case, method, tol=1e-12, max_iter=max_iter), case)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {*SMOOTH_ONLY, *NEEDS_L}))
@pytest.mark.parametrize("radius", [0.01, 10.0])
def test_certificates_hold_for_other_radii(method: str, radius: float) -> None:
    """MAXQUAD and CB2 promise no strong convexity, so that their bounds are about a ball."""
    for name in ("MAXQUAD", "CB2"):
        case = CASES[name]
        result = solve(case, method, tol=1e-9, max_iter=20, radius=radius)
        assert result.radius == radius
        assert_interval_holds(result, case)
        # Convexity within the ball: the bound is about every point of it, not only about the minimizer.
        rng = np.random.default_rng(0)
        for v in rng.standard_normal((20, result.w.size)):
            inside = result.w + radius * rng.uniform() * v / np.linalg.norm(v)
            assert result.lower_bound <= case.problem.value(inside) + REFERENCE * relative(result.value)


@pytest.mark.parametrize("method", SMOOTH_ONLY)
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.regularized])
def test_methods_for_smooth_objectives_refuse_plain_maxima(name: str, method: str) -> None:
    with pytest.raises(sb.IncompatibleError, match="regularizer with strong convexity"):
        sb.solve(CASES[name].problem, CASES[name].start, method=method)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.regularized])
def test_vanishing_gamma_is_refused_as_well(name: str) -> None:
    problem = sb.Problem(CASES[name].losses, regularizer=type(CASES[name].regularizer)(0.0))
    for method in SMOOTH_ONLY:
        with pytest.raises(sb.IncompatibleError):
            sb.solve(problem, method=method)


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        (name, inner)
        for name in CASES
        for inner in ("auto", "path-following", "qp", "trust-constr")
        # SciPy's trust-constr leaves gaps of 1e-6 on (D) of MAXQUAD, and takes a minute to do so.
        if (name, inner) != ("MAXQUAD", "trust-constr")
    ],
)
def test_every_inner_solver_reaches_the_reference(name: str, inner: str) -> None:
    case = CASES[name]
    if inner == "qp" and isinstance(case.regularizer, sb.Entropy):
        with pytest.raises(sb.IncompatibleError, match="a quadratic form"):
            sb.solve(case.problem, case.start, inner=inner)
        return
    result = solve(case, "accelerated", inner=inner)
    value = case.optimum[0]
    assert result.success
    assert abs(result.value - value) <= OPTIMUM * relative(value)
    assert_interval_holds(result, case)


@pytest.mark.parametrize("name", CASES)
def test_minorants_of_random_weights_bound_the_optimum(name: str) -> None:
    """Any lam at any point gives a bound: docs/mathematics.md, 5, checked where no method has chosen them."""
    case = CASES[name]
    value, w_star = case.optimum
    rng = np.random.default_rng(1)
    oracle = oracle_of(case.losses, case.regularizer, w0=case.start)
    for _ in range(20):
        w = case.start + rng.standard_normal(case.start.size)
        lam = rng.dirichlet(np.ones(case.losses.n_losses))
        radius = max(1.0, 1.01 * float(np.linalg.norm(w - w_star)))
        region = Region(w, radius)
        assert oracle.cut(oracle.evaluate(w), lam).minimum(region) <= value + REFERENCE * relative(value)
