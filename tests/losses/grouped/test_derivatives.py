"""Jacobian and Hessian against autodiff and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

import saddleback as sb
from saddleback.losses import check_jacobian
from saddleback.losses.grouped import Huber, Quantile

from . import reference as plain
from .cases import LOSSES, assert_same, make

# Central differences with step h = 1e-5: h^2 times a third derivative of order 1, and eps/h of rounding.
DIFFERENCES = 1e-8


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("d", [3, 70])
@pytest.mark.parametrize("loss", LOSSES)
def test_hessian_is_that_of_autodiff(loss, d, intercept):
    case = make(loss, n=60, d=d)
    losses = case.losses(l2=0.2, fit_intercept=intercept)
    reference = case.reference(l2=0.2, fit_intercept=intercept)
    w = case.point(losses)
    # A negative weight, as other dual sets have them, and a group that is left out.
    lam = np.array([0.7, -0.4, 0.0, 0.3])
    H = losses.hessian(w, lam)
    assert_same(H, reference.hessian(w, lam), 10 * 1e-13)
    np.testing.assert_array_equal(H, H.T)


@pytest.mark.parametrize("loss", LOSSES)
def test_jacobian_and_hessian_by_finite_differences(loss):
    case = make(loss, n=50, d=4)
    losses = case.losses(l2=0.1, fit_intercept=True)
    w, h = case.point(losses), 1e-5
    lam = np.array([0.4, 0.3, 0.2, 0.1])
    steps = h * np.eye(w.size)
    if loss in ("huber", "squared_hinge", "quantile"):
        # Differences across a kink of the slope do not converge to the Hessian.
        assert losses.hessian(w + h, lam) == pytest.approx(losses.hessian(w - h, lam))
    check_jacobian(losses, w)
    slopes = np.array([(losses.values(w + step) - losses.values(w - step)) / (2 * h) for step in steps]).T
    curvature = np.array([lam @ (losses.evaluate(w + step)[1] - losses.evaluate(w - step)[1]) for step in steps])
    np.testing.assert_allclose(losses.evaluate(w)[1], slopes, atol=10 * DIFFERENCES)
    np.testing.assert_allclose(losses.hessian(w, lam), curvature / (2 * h), atol=10 * DIFFERENCES)


@pytest.mark.parametrize(
    ("loss", "pointwise"),
    [
        (Huber(delta=0.3), lambda eta, y: plain.huber(eta, y, 0.3)),
        (Quantile(q=0.9, smoothing=0.7), lambda eta, y: plain.quantile(eta, y, 0.9, 0.7)),
    ],
    ids=["huber", "quantile"],
)
def test_options(loss, pointwise):
    case = make("squared")
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=loss, fit_intercept=False)
    reference = case.reference(pointwise=pointwise)
    w, lam = case.point(losses), np.full(4, 0.25)
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w))
    assert_same(G, reference.jacobian(w))
    assert_same(losses.hessian(w, lam), reference.hessian(w, lam))


@pytest.mark.parametrize("density", [0.02, 0.5])
@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_sparse_hessian(loss, density):
    """As a product of sparse matrices, and by BLAS where there are few zeros."""
    case = make(loss, n=80, d=30)
    X = sp.random_array(case.X.shape, density=density, format="csr", rng=case.rng)
    losses = case.losses(X, l2=0.1, fit_intercept=True)
    reference = case.reference(X.toarray(), l2=0.1, fit_intercept=True)
    w, lam = case.point(losses), np.array([0.7, -0.4, 0.0, 0.3])
    assert_same(losses.hessian(w, lam), reference.hessian(w, lam), 1e-12)


def test_hessian_in_many_blocks(monkeypatch):
    from saddleback.losses.grouped import hessian

    case = make("logistic", n=500, d=70)
    losses = case.losses()
    w, lam = case.point(losses), np.full(4, 0.25)
    H = losses.hessian(w, lam)
    monkeypatch.setattr(hessian, "BLOCK_ENTRIES", 1)
    assert_same(losses.hessian(w, lam), H)


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("n_threads", [2, 3])
def test_a_small_hessian_is_the_same_for_any_number_of_threads(loss, n_threads, monkeypatch):
    """The calling thread computes it alone; with several threads it differs by rounding."""
    from saddleback.losses.grouped import hessian

    case = make(loss, n=900, d=7)
    losses, single = (case.losses(n_threads=threads, fit_intercept=True) for threads in (n_threads, 1))
    w, lam = case.point(losses), np.full(4, 0.25)
    alone = losses.hessian(w, lam)
    np.testing.assert_array_equal(single.hessian(w, lam), alone)
    monkeypatch.setattr(hessian, "MULTIPLICATIONS_ALONE", 0)
    np.testing.assert_allclose(losses.hessian(w, lam), alone, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 7, 8, 12, 35, 128])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_kernel_of_narrow_tables(d, dtype, intercept):
    """All remainders of its tiles, blocks that end within the cache's rows, and groups of weight 0."""
    rng = np.random.default_rng(d)
    X, groups = rng.standard_normal((1300, d)).astype(dtype), rng.integers(0, 3, 1300)
    y, offset = rng.integers(0, 2, 1300), rng.standard_normal(1300)
    losses = sb.GroupedLinear(X, y, groups, l2=0.5, fit_intercept=intercept, offset=offset)
    w, lam = rng.standard_normal(losses.n_params) / np.sqrt(d), np.array([0.3, 0.0, 0.7])
    Z = np.column_stack([X, np.ones(1300)]) if intercept else X.astype(np.float64)
    p = expit(Z @ w + offset)
    weight = lam[groups] / np.bincount(groups)[groups] * p * (1 - p)
    expected = (Z * weight[:, None]).T @ Z + np.diag([0.5] * d + [0.0] * intercept)
    H = losses.hessian(w, lam)
    np.testing.assert_allclose(H, expected, rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(H, H.T)
    f, G = losses.evaluate(w)
    sign, share = 2 * y - 1, np.eye(3)[groups] / np.bincount(groups)
    weights = np.append(w[:d], [0.0] * intercept)
    values = share.T @ np.logaddexp(0.0, -sign * (Z @ w + offset)) + 0.25 * w[:d] @ w[:d]
    np.testing.assert_allclose(f, values, rtol=1e-12)
    np.testing.assert_allclose(G, (share * (p - y)[:, None]).T @ Z + 0.5 * weights, rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(losses.values(w), f)


def test_layout_of_softmax_parameters():
    """K weight vectors, then K intercepts: a large intercept of one class makes it certain."""
    case = make("softmax", d=5)
    losses = case.losses(fit_intercept=True, l2=2.0)
    assert losses.n_params == 3 * 5 + 3
    assert losses.classes == ["a", "b", "c"]
    w = np.zeros(losses.n_params)
    w[3 * 5 + 1] = 50.0
    share = np.array([(case.y[case.groups == j] == "b").mean() for j in range(4)])
    np.testing.assert_allclose(losses.values(w), 50.0 * (1.0 - share), rtol=1e-12)
    np.testing.assert_array_equal(losses.strong_convexity, [2.0] * 15 + [0.0] * 3)


def test_two_class_softmax_is_logistic():
    case = make("logistic", d=5)
    two = sb.GroupedLinear(case.X, case.y, case.groups, loss="softmax", fit_intercept=False)
    w = case.rng.standard_normal(5)
    f, G = two.evaluate(np.concatenate([0 * w, w]))
    g, H = case.losses().evaluate(w)
    assert_same(f, g)
    assert_same(G[:, 5:], H)
    assert_same(G[:, :5], -H)
