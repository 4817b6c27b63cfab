"""The sampled Hessian: its accuracy, and when it is offered."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import saddleback as sb
from saddleback.capabilities import lack, offers
from saddleback.losses.base import HasSampledHessian

# A quantile loss has curvature only near its kink: a wide one, so that a sample contains some of it.
QUANTILE = sb.losses.Quantile(smoothing=3.0)
LOSSES = ("logistic", "squared", "huber", "squared_hinge", "poisson", QUANTILE, "softmax")


def losses_of(loss, X, fit_intercept=False) -> sb.GroupedLinear:
    n = X.shape[0]
    rng = np.random.default_rng(1)
    y = {
        "softmax": rng.integers(0, 3, n),
        "poisson": rng.poisson(2.0, n),
        "logistic": rng.integers(0, 2, n),
        "squared_hinge": rng.integers(0, 2, n),
    }.get(loss, rng.normal(size=n))
    return sb.GroupedLinear(X, y, np.arange(n) % 4, loss=loss, l2=0.01, fit_intercept=fit_intercept)


def table(n: int = 16_000, d: int = 20) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)) * np.logspace(0, 1, d)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_close_to_the_exact_hessian_in_its_own_metric(loss, fit_intercept: bool) -> None:
    """25 rows per parameter: relative errors of about sqrt(1/25), those of the worst direction within three times."""
    losses = losses_of(loss, table(), fit_intercept=fit_intercept)
    rng = np.random.default_rng(2)
    w, lam = 0.01 * rng.normal(size=losses.n_params), rng.dirichlet(np.ones(4))
    # Adding one number to all intercepts of softmax changes nothing: the Hessian is singular.
    eye = np.eye(losses.n_params)
    exact = losses.hessian(w, lam) + 0.01 * eye
    sampled = losses.sampled_hessian(w, lam, None) + 0.01 * eye
    np.testing.assert_allclose(losses.sampled_hessian(w, lam, eye) + 0.01 * eye, sampled, rtol=1e-5, atol=1e-5)
    eigenvalues = scipy.linalg.eigh(sampled, exact, eigvals_only=True)
    assert eigenvalues[0] >= 0.4
    assert eigenvalues[-1] <= 1.8


def test_on_a_subspace_it_is_the_projection() -> None:
    losses = losses_of("logistic", table())
    V = np.random.default_rng(3).normal(size=(3, 20))
    w, lam = np.full(20, 0.02), np.full(4, 0.25)
    full = losses.sampled_hessian(w, lam, np.eye(20))
    # Single precision within the sample.
    np.testing.assert_allclose(losses.sampled_hessian(w, lam, V), V @ full @ V.T, rtol=1e-4, atol=1e-4)


def test_layouts_agree() -> None:
    X = table()
    X[np.abs(X) < 0.5] = 0.0
    w, lam, V = np.full(20, 0.02), np.array([0.7, 0.1, 0.1, 0.1]), np.eye(20)
    reference = losses_of("logistic", X).sampled_hessian(w, lam, V)
    for other in (X.astype(np.float32), np.asfortranarray(X), sp.csr_matrix(X), sp.csc_array(X)):
        np.testing.assert_allclose(
            losses_of("logistic", other).sampled_hessian(w, lam, V), reference, rtol=1e-4, atol=1e-4
        )


def test_absent_where_there_are_few_rows() -> None:
    few = losses_of("logistic", table(n=500))
    assert lack(few, HasSampledHessian) == "the table has too few rows for a sample"
    with pytest.raises(sb.IncompatibleError, match=r"does not offer sampled_hessian.*too few rows"):
        few.sampled_hessian(np.zeros(20), np.full(4, 0.25))
    assert offers(losses_of("logistic", table()), HasSampledHessian)


def test_every_group_is_in_the_sample() -> None:
    """A group of one row among thousands keeps its curvature."""
    X = table()
    groups = np.zeros(16_000, dtype=int)
    groups[-1] = 1
    losses = sb.GroupedLinear(X, np.arange(16_000) % 2, groups, fit_intercept=False)
    H = losses.sampled_hessian(np.zeros(20), np.array([0.0, 1.0]), np.eye(20))
    np.testing.assert_allclose(H, np.outer(X[-1], X[-1]) / 4, rtol=1e-5)


def test_newton_with_samples_ends_where_newton_without_ends() -> None:
    losses = losses_of("logistic", table(), fit_intercept=True)
    plain = type("Plain", (), {name: getattr(losses, name) for name in ("n_losses", "n_params", "strong_convexity")})()
    plain.evaluate, plain.hessian = losses.evaluate, losses.hessian
    a, b = (sb.solve(sb.Problem(f), method="newton", tol=1e-10) for f in (losses, plain))
    assert a.success
    assert b.success
    assert a.value == pytest.approx(b.value, abs=2e-10)
