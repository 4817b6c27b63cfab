"""Density matrices: what does not depend on the identity, and barriers against the definitions."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.dual_sets import Spectrahedron
from saddleback.linalg import svec

SET = Spectrahedron()


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_tangent_part_has_no_trace(k):
    """So the magnitude of (D) does not depend on a multiple of the identity in the losses."""
    A = np.random.default_rng(k).standard_normal((k, k))
    A = A + A.T
    part = svec.unpack(SET.tangent_part(svec.pack(A)))
    np.testing.assert_allclose(part, A - np.trace(A) / k * np.eye(k), atol=1e-13)


def test_barrier_and_derivatives_by_matrix_functions():
    """-log det, -Lam^-1, and Lam^-1 V Lam^-1."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((4, 4))
    Lam = A @ A.T + 0.5 * np.eye(4)
    Lam /= np.trace(Lam)
    lam, inverse = svec.pack(Lam), np.linalg.inv(Lam)
    V = rng.standard_normal((4, 4))
    V = V + V.T
    assert SET.barrier(lam) == pytest.approx(-np.linalg.slogdet(Lam)[1])
    np.testing.assert_allclose(svec.unpack(SET.barrier_gradient(lam)), -inverse, rtol=1e-9)
    got = svec.unpack(SET.barrier_hessian(lam).dense() @ svec.pack(V))
    np.testing.assert_allclose(got, inverse @ V @ inverse, rtol=1e-9, atol=1e-9 * np.abs(got).max())
