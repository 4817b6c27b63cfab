"""Runs that must not end where they stand: the last inspection sees the decrease that is left, or the run goes on."""

import warnings

import numpy as np
import pytest

import saddleback as sb


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_responses_that_are_nearly_constant(alpha, seed):
    """All losses are equal at w = 0 up to rounding. (D) with a singular Hessian is not solved with the least shift."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(2, 1)), 1000 * np.array([0.1 + 0.2, 0.3])
    result = sb.solve(sb.Problem(sb.GroupedLinear(X, y, "rows", loss="squared"), sb.CappedSimplex(alpha)))
    assert result.success
    assert result.value <= 1e-6


@pytest.mark.parametrize("dual_set", [sb.Simplex(), sb.Box(-1.0, 1.0), sb.Ball(0.0, 1.0)], ids=repr)
@pytest.mark.parametrize("eps", [1e-4, 1e-5, 1e-6])
def test_affine_losses_with_columns_that_are_nearly_equal(dual_set, eps):
    """|Aw - b| has the minimum zero, at a w of 1/eps: success, or none."""
    A, b = np.array([[1.0, 1.0], [1.0, 1.0 + eps]]), np.array([0.0, 1.0])

    def residuals(w):
        return A @ w - b, A

    def both_signs(w):
        return np.concatenate([A @ w - b, b - A @ w]), np.vstack([A, -A])

    fun = both_signs if isinstance(dual_set, sb.Simplex) else residuals
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = sb.minimax(fun, [0.0, 0.0], jac=True, dual_set=dual_set, max_iter=300)
    assert result.fun <= 1e-6 or not result.success


def test_small_matrices_are_not_left_at_the_start():
    """The largest eigenvalue of F0 + sum w_i F_i in the units of the F_i, and in units of one."""
    rng = np.random.default_rng(0)

    def matrix(k):
        A = rng.normal(size=(k, k))
        return (A + A.T) / 2 - np.trace(A) / k * np.eye(k)

    ended = 0
    for _ in range(60):
        k, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        F0 = matrix(k) * 10.0 ** rng.uniform(-5, 1)
        F = [matrix(k) * 10.0 ** rng.uniform(-8, 0) for _ in range(d)]
        problem = sb.Problem(sb.AffineMatrix(F0, F), sb.Spectrahedron())
        result = sb.solve(problem)
        unit = np.linalg.norm(F0)
        scales = np.array([unit / np.linalg.norm(F_i) for F_i in F])
        in_units = sb.AffineMatrix(F0 / unit, [s * F_i / unit for s, F_i in zip(scales, F, strict=True)])
        reference = sb.solve(sb.Problem(in_units, sb.Spectrahedron()), tol=1e-9)
        assert not result.success or result.value <= problem.value(reference.w * scales) + 1.1e-6
        ended += result.success
    assert ended >= 55


@pytest.mark.parametrize(("k", "d"), [(3, 15), (5, 30), (3, 8)])
def test_matrices_that_are_repeated(k, d):
    """More parameters than coordinates: (D) comes with Q, of a rank that is lower than d."""
    compared = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(k, k))
        F1 = (A + A.T) / 2 - np.trace(A) / k * np.eye(k)
        B = rng.normal(size=(k, k))
        F0 = 100 * (B + B.T) / 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            repeated = sb.solve(sb.Problem(sb.AffineMatrix(F0, [F1] * d), sb.Spectrahedron()), time_limit=5)
            single = sb.solve(sb.Problem(sb.AffineMatrix(F0, [F1]), sb.Spectrahedron()), time_limit=5)
        if repeated.success and single.success:
            assert repeated.value == pytest.approx(single.value, abs=1e-5)
            compared += 1
    assert compared >= 30
