"""Other units: multiplying f, R and tol, or rescaling w together with the metric, changes nothing but rounding."""

from __future__ import annotations

import numpy as np
import pytest
from problems import Scaled, WithHessian, scaled_regularizer
from references.catalogue import CASES

import saddleback as sb

# Optimal values of order one; every R; strongly convex and not; J = 1 to 12. Not MAXQUAD: at its start (D) is of size
# 5e6 and is asked for 1e-9, the last bit, where the number of inner iterations is rounding.
NAMES = (
    "enclosing ball",
    "regression, entropy",
    "logistic",
    "logistic, quadratic",
    "affine plus quadratic",
    "log-sum-exp, entropy",
    "ridge, one loss",
    "more losses than parameters",
    "CB2",
)
# SciPy's trust-constr takes a tenth of a second per outer iteration.
SLOW_INNER = ("logistic", "logistic, quadratic", "CB2")
TOL = 1e-6

# Rounding differs where a factor is not a power of two, and T steps amplify it; exact units are tested exactly.
AGREEMENT = 1e-7

RUNS = [
    (name, inner, L)
    for inner in ("auto", "path-following", "qp", "trust-constr")
    for name in (SLOW_INNER if inner == "trust-constr" else NAMES)
    for L in ("measured", "given")
    if not (inner == "qp" and "entropy" in name)
    # CB2 has a fourth power, and so no global L.
    if not (L == "given" and name == "CB2")
]


def solve(name: str, inner: str, L: str, factor: float = 1.0, s: float = 1.0) -> sb.Result:
    """factor f(s w), factor R, factor tol, from w0/s in the metric s^2."""
    case = CASES[name]
    losses = Scaled(case.losses, factor, s)
    problem = sb.Problem(losses, regularizer=scaled_regularizer(case.regularizer, factor), metric=s**2)
    method = sb.Accelerated(smoothness=case.losses.L * factor if L == "given" else None)
    return sb.solve(problem, case.start / s, method, inner, tol=TOL * factor)


def assert_same_run(result: sb.Result, plain: sb.Result, factor: float = 1.0, s: float = 1.0) -> None:
    assert result.status is plain.status
    assert abs(result.n_iter - plain.n_iter) <= 1
    n = min(len(result.history), len(plain.history))
    difference = result.history.inner_iter[:n] - plain.history.inner_iter[:n]
    assert np.abs(difference).max() <= 1, (result.history.inner_iter, plain.history.inner_iter)
    size = 1 + np.abs(plain.history.value)
    np.testing.assert_array_less(
        np.abs(result.history.value[:n] / factor - plain.history.value[:n]), AGREEMENT * size[:n]
    )
    np.testing.assert_allclose(result.w * s, plain.w, atol=np.sqrt(AGREEMENT) * (1 + np.abs(plain.w).max()))


@pytest.mark.parametrize(("name", "inner", "L"), RUNS)
def test_units_of_the_losses(name: str, inner: str, L: str) -> None:
    plain = solve(name, inner, L)
    for factor in (1e-6, 1e6):
        assert_same_run(solve(name, inner, L, factor=factor), plain, factor=factor)


@pytest.mark.parametrize(("name", "inner", "L"), RUNS)
def test_units_of_the_parameters(name: str, inner: str, L: str) -> None:
    plain = solve(name, inner, L)
    for s in (1e-3, 1e3):
        assert_same_run(solve(name, inner, L, s=s), plain, s=s)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "inner", "L"), RUNS)
def test_powers_of_two_change_no_bit(name: str, inner: str, L: str) -> None:
    """Without rounding every digit must agree: an absolute constant anywhere shows at once."""
    plain = solve(name, inner, L)
    result = solve(name, inner, L, factor=2.0**20, s=2.0**-10)
    np.testing.assert_array_equal(result.history.inner_iter, plain.history.inner_iter)
    np.testing.assert_array_equal(result.history.value, 2.0**20 * plain.history.value)
    np.testing.assert_array_equal(result.history.gap, 2.0**20 * plain.history.gap)
    np.testing.assert_array_equal(result.w, 2.0**10 * plain.w)


SECOND_ORDER = ("quasi-newton", "newton")


def second_order(name: str, method: str, factor: float = 1.0, s: float = 1.0) -> sb.Result:
    """As ``solve``, for the methods that measure curvature themselves."""
    case = CASES[name]
    losses = Scaled(WithHessian.of(case.losses) if method == "newton" else case.losses, factor, s)
    problem = sb.Problem(losses, regularizer=scaled_regularizer(case.regularizer, factor), metric=s**2)
    return sb.solve(problem, case.start / s, method, tol=TOL * factor)


@pytest.mark.parametrize("method", SECOND_ORDER)
@pytest.mark.parametrize("name", NAMES)
def test_second_order_methods_have_no_units(name: str, method: str) -> None:
    plain = second_order(name, method)
    for factor in (1e-6, 1e6):
        result = second_order(name, method, factor=factor)
        assert result.status is plain.status
        assert abs(result.n_iter - plain.n_iter) <= 1
        assert result.value / factor == pytest.approx(plain.value, abs=2 * TOL)
    for s in (1e-3, 1e3):
        result = second_order(name, method, s=s)
        assert abs(result.n_iter - plain.n_iter) <= 1
        assert result.value == pytest.approx(plain.value, abs=2 * TOL)


@pytest.mark.parametrize("name", NAMES)
def test_powers_of_two_change_no_bit_of_quasi_newton(name: str) -> None:
    plain, result = second_order(name, "quasi-newton"), second_order(name, "quasi-newton", 2.0**20, 2.0**-10)
    np.testing.assert_array_equal(result.history.value, 2.0**20 * plain.history.value)
    np.testing.assert_array_equal(result.w, 2.0**10 * plain.w)


@pytest.mark.parametrize("method", ["fixed-point", "prox-linear", "apgd", "extragradient", "optimistic", "lbfgsb"])
@pytest.mark.parametrize("name", ["regression, quadratic", "logistic, entropy"])
def test_other_methods_in_other_parameter_units(name: str, method: str) -> None:
    """apgd, extragradient and optimistic have a step in the units of f; in those of w every method is invariant."""
    case = CASES[name]
    plain = sb.solve(case.problem, case.start, method, tol=TOL)
    for s in (1e-3, 1e3):
        problem = sb.Problem(Scaled(case.losses, 1.0, s), regularizer=case.regularizer, metric=s**2)
        assert_same_run(sb.solve(problem, case.start / s, method, tol=TOL), plain, s=s)
