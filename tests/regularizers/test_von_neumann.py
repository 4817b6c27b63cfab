"""The entropy of matrices: the public contract, and its formulas against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm, logm

from saddleback import VonNeumann
from saddleback.dual_sets import Spectrahedron
from saddleback.linalg import svec
from saddleback.testing import check_regularizer

GAMMA = 0.3


def density(seed: int, k: int = 3) -> np.ndarray:
    A = np.random.default_rng(seed).standard_normal((k, k))
    A = A @ A.T + 0.1 * np.eye(k)
    return A / np.trace(A)


@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_the_entropy_of_matrices_passes(gamma: float) -> None:
    check_regularizer(VonNeumann(gamma), Spectrahedron(), 6)


@pytest.mark.parametrize("seed", range(3))
def test_value_gradient_and_hessian_by_matrix_functions(seed: int) -> None:
    """gamma tr L log L, gamma (log L + I), and the derivative of the logarithm along a direction."""
    R, Lam = VonNeumann(GAMMA), density(seed)
    lam = svec.pack(Lam)
    assert R.value(lam) == pytest.approx(GAMMA * np.trace(Lam @ logm(Lam)))
    np.testing.assert_allclose(svec.unpack(R.gradient(lam)), GAMMA * (logm(Lam) + np.eye(3)), atol=1e-9)
    V = np.diag([1.0, -0.5, -0.5]) + 0.2 * np.ones((3, 3))
    t = 1e-4
    change = GAMMA * (logm(Lam + t * V) - logm(Lam - t * V)) / (2 * t)
    got = svec.unpack(R.hessian(lam).dense() @ svec.pack(V))
    np.testing.assert_allclose(got, change, atol=1e-4 * np.abs(change).max())


@pytest.mark.parametrize("seed", range(3))
def test_the_best_response_is_a_matrix_exponential(seed: int) -> None:
    F = 2.0 * density(seed) - density(seed + 10)
    expected = expm(F / GAMMA)
    lam = VonNeumann(GAMMA).best_response(Spectrahedron(), svec.pack(F))
    np.testing.assert_allclose(svec.unpack(lam), expected / np.trace(expected), atol=1e-9)
