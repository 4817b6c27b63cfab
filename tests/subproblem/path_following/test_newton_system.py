"""Newton systems of every structure against the matrix C + tau Q on the affine hull."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Box
from saddleback.linalg.hessians import Diagonal, Gram, LowRank, Spectral
from saddleback.regularizers import Zero
from saddleback.subproblem import FactoredSubproblem
from saddleback.subproblem.path_following.newton_system import NarrowSystem, newton_system

N = 6
RNG = np.random.default_rng(1)
D, V, M = RNG.uniform(0.5, 2.0, N), RNG.standard_normal((2, N)), RNG.standard_normal((N + 2, N))
U = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
E = np.ones((1, N))
C_MATRICES = [Diagonal(D), LowRank(D, V), Gram(M), Spectral(U, np.full((3, 3), 2.0))]


def step(H: np.ndarray, r: np.ndarray, E: np.ndarray) -> np.ndarray:
    """d of H d + E'y = r, E d = 0."""
    k = len(E)
    K = np.block([[H, E.T], [E, np.zeros((k, k))]])
    return np.linalg.solve(K, np.append(r, np.zeros(k)))[: len(H)]


@pytest.mark.parametrize("tau", [0.05, 40.0])
@pytest.mark.parametrize("C", C_MATRICES, ids=lambda C: type(C).__name__)
def test_systems_of_every_structure(C, tau) -> None:
    F, r = RNG.standard_normal((N, 3)), RNG.standard_normal(N)
    subproblem = FactoredSubproblem(F, RNG.standard_normal(N), Adversary(Box(0.0, 1.0), Zero(), N))
    got = newton_system(C, tau, subproblem, E).solve(r)
    np.testing.assert_allclose(got, step(C.dense() + tau * F @ F.T, r, E), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("tau", [0.05, 40.0])
@pytest.mark.parametrize("rows", [None, V, 1e3 * V], ids=["none", "two", "two large ones"])
@pytest.mark.parametrize("normals", [E, E[:0]], ids=["hull", "no hull"])
def test_narrow_systems(rows, tau, normals) -> None:
    F, r = RNG.standard_normal((N, 2)), RNG.standard_normal(N)
    H = np.diag(D) + tau * F @ F.T + (0.0 if rows is None else rows.T @ rows)
    got = NarrowSystem(D, tau, F, normals, rows).solve(r)
    # The rows of 1e3 make a matrix of condition 1e7.
    np.testing.assert_allclose(got, step(H, r, normals), rtol=1e-6, atol=1e-8)
