"""Lanczos against all eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

from saddleback.subproblem.sdp.least_eigenvalue import CONTROL, least_eigenvalue


def with_eigenvalues(values, seed=0):
    U = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    A = (U * values) @ U.T
    return 0.5 * (A + A.T)


k = CONTROL.lanczos_from
SPECTRA = {
    "spread": np.linspace(-3.0, 5.0, k),
    "clustered at the end": np.concatenate((np.full(k // 2, -1.0), np.linspace(0, 1, k - k // 2))),
    "one value": np.full(k, 2.0),
    "positive": np.linspace(1.0, 2.0, k),
    "tiny": 1e-9 * np.linspace(-3.0, 5.0, k),
    "huge": 1e12 * np.linspace(-3.0, 5.0, k),
    "far apart": np.concatenate(([-1e6], np.zeros(k - 1))),
}


@pytest.mark.parametrize("order", [1, 2, k - 1, k, 2 * k])
@pytest.mark.parametrize("name", SPECTRA)
def test_least_eigenvalue(name, order):
    values = np.resize(SPECTRA[name], order)
    A = with_eigenvalues(values, order)
    truth = float(np.linalg.eigvalsh(A)[0])
    found = least_eigenvalue(np.tril(A))
    # Within the accuracy, relative to the eigenvalue or to one, of which step lengths are made.
    assert abs(found - truth) <= 3 * CONTROL.accuracy * max(abs(truth), CONTROL.accuracy) + 1e-12 * np.abs(values).max()


def test_a_start_without_part_in_the_eigenvector():
    """The answer is then that of the rest, and the caller's step ends outside, which it notices."""
    start = np.cos(np.arange(1.0, k + 1.0) ** 2)
    U = null_space(start[None, :])
    A = 5 * np.eye(k) - 6 * np.outer(U[:, 0], U[:, 0])
    assert least_eigenvalue(A) == pytest.approx(-1.0) or least_eigenvalue(A) == pytest.approx(5.0)


def test_not_finite():
    assert np.isnan(least_eigenvalue(np.full((k, k), np.nan)))
