"""The smoothness constant is an upper bound close to the truth; strong convexity is that of the penalty."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import saddleback as sb
from saddleback.capabilities import lack
from saddleback.losses.base import HasSmoothness
from saddleback.losses.grouped import Huber, Quantile
from saddleback.losses.grouped.smoothness import SLACK, largest_eigenvalue_bound
from saddleback.paper import Recipe

from .cases import LOSSES, make

CURVATURE = {"logistic": 0.25, "squared": 2.0, "huber": 1.0, "squared_hinge": 2.0, "quantile": 10.0, "softmax": 0.5}


def exact(X, m):
    m = m / m.sum(axis=0)
    return max(float(np.linalg.eigvalsh((X * c[:, None]).T @ X)[-1]) for c in m.T)


@pytest.mark.parametrize("loss", CURVATURE)
@pytest.mark.parametrize("intercept", [False, True])
def test_constants(loss, intercept):
    case = make(loss, d=20)
    losses = case.losses(l2=0.3, fit_intercept=intercept)
    X = np.column_stack([case.X, np.ones(len(case.X))]) if intercept else case.X
    L = CURVATURE[loss] * exact(X, np.eye(4)[case.groups]) + 0.3
    assert L <= losses.smoothness() <= SLACK * L
    assert losses.smoothness() == case.losses(l2=0.3, fit_intercept=intercept).smoothness()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("d", [5, 90, 300])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_layouts(layout, d, overlap, n_threads):
    case = make("squared", d=d)
    m = case.rng.random((203, 4)) * (case.rng.random((203, 4)) < 0.5) if overlap else np.eye(4)[case.groups]
    weight = case.rng.random(203)
    losses = case.losses(layout(case.X), m, sample_weight=weight, n_threads=n_threads)
    L = 2.0 * exact(case.X, m * weight[:, None])
    assert L <= losses.smoothness() <= SLACK * L


@given(
    # No products below 2e-308, where float64 has fewer digits than the bound assumes.
    spectrum=st.lists(st.just(0.0) | st.floats(1e-80, 1.0), min_size=1, max_size=80),
    scale=st.floats(-200, 200).map(lambda e: 10.0**e),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=50, deadline=None)
def test_any_spectrum(spectrum, scale, seed):
    """Also repeated and clustered eigenvalues, zero matrices and any magnitude."""
    values = scale * np.array(spectrum)
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((values.size, values.size)))[0]
    M = (Q * values) @ Q.T
    bound = largest_eigenvalue_bound(lambda V: V @ M, 2, values.size)
    top = float(values.max())
    assert top * (1 - 1e-12) <= bound <= SLACK * top * (1 + 1e-9)


def test_clustered_spectra_of_many_dimensions():
    """No gap below the top, which is the hard case: eigenvalues of a random walk."""
    d = 3000
    values = 0.5 * (1 + np.cos(np.pi * np.arange(1, d + 1) / (d + 1)))
    bound = largest_eigenvalue_bound(lambda V: V * values, 3, d)
    assert values[0] <= bound <= SLACK * values[0]


def test_poisson_has_none():
    losses = make("poisson").losses()
    assert lack(losses, HasSmoothness) == "the loss Poisson() has no smoothness constant"
    with pytest.raises(sb.IncompatibleError, match=r"does not offer smoothness\(\): the loss Poisson"):
        losses.smoothness()
    assert sb.solve(sb.Problem(make("poisson").losses(l2=0.1)), method="accelerated", tol=1e-3).success


@pytest.mark.parametrize("loss", [Huber(delta=3.0), Quantile(q=0.2, smoothing=0.01)])
def test_options_change_the_constant(loss):
    case = make("squared")
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=loss, fit_intercept=False)
    L = exact(case.X, np.eye(4)[case.groups]) * (100.0 if isinstance(loss, Quantile) else 1.0)
    assert L <= losses.smoothness() <= SLACK * L


@pytest.mark.parametrize("loss", LOSSES)
def test_strong_convexity(loss):
    case = make(loss)
    plain, intercept = case.losses(l2=0.7), case.losses(l2=0.7, fit_intercept=True)
    assert plain.strong_convexity == 0.7
    m = intercept.strong_convexity
    n_outputs = 3 if loss == "softmax" else 1
    np.testing.assert_array_equal(m, [0.7] * (7 * n_outputs) + [0.0] * n_outputs)
    lam, w = np.array([0.1, 0.2, 0.3, 0.4]), case.point(intercept)
    least = np.linalg.eigvalsh(intercept.hessian(w, lam) - np.diag(m))[0]
    assert least >= -1e-12


def test_a_slack_makes_the_bound_tighter():
    data = Recipe(d=60, J=3, N=90, seed=0, dtype="float64").generate()
    losses = data.losses
    exact = max(np.linalg.norm(data.X[data.groups == j], 2) ** 2 / (4 * 90) for j in range(3))
    tight = losses.smoothness(slack=1.0001)
    assert exact <= tight <= 1.0001 * exact * (1 + 1e-9)
    assert losses.smoothness() == losses.smoothness()
    assert tight <= losses.smoothness() <= SLACK * exact


@pytest.mark.slow
def test_second_order_runs_do_not_pay_for_L():
    """Finding L reads the table tens of times, more often than the whole run does."""
    losses = Recipe(d=200, J=3, N=2700, seed=0).generate().losses
    result = sb.solve(sb.Problem(losses), tol=1e-6)
    assert result.success
    sb.solve(sb.Problem(losses), method="quasi-newton", tol=1e-6)
    assert "smoothness" not in vars(losses._summaries)
    assert "sample" in vars(losses._summaries)


def test_the_bound_holds_where_the_start_hardly_sees_the_largest_eigenvalue():
    """The start is random, so that its share of the eigenvector may be small; 1e-8 is far above what is allowed for."""
    size = 60
    rng = np.random.default_rng(1)
    start = np.random.default_rng(0).standard_normal((1, size))[0]
    start /= np.linalg.norm(start)
    u = rng.standard_normal(size)
    u -= (u @ start) * start
    u = u / np.linalg.norm(u) + 1e-8 * start
    u /= np.linalg.norm(u)
    A = rng.standard_normal((size, size))
    A -= np.outer(A @ u, u)
    B = A.T @ A
    M = 0.5 * B / np.linalg.eigvalsh(B)[-1] + np.outer(u, u)
    assert largest_eigenvalue_bound(lambda V: V @ M, 1, size) >= np.linalg.eigvalsh(M)[-1] * (1.0 - 1e-12)
