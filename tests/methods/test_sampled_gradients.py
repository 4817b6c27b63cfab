"""The initial Hessian that is sampled on the span of the last gradients."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.losses import RescaledLosses
from saddleback.losses.base import HasHessianSample, HasSampledHessian
from saddleback.methods.sampled_gradients import are_rows


def table(J: int = 3, *, sparse: bool = False, loss: str = "logistic", **more):
    """Enough rows for a sample, and enough columns for limited memory."""
    rng = np.random.default_rng(1)
    n, d = 9000, 200
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.05)
    groups = np.arange(n) % J
    eta = X @ rng.standard_normal(d) + 0.5 * groups / J
    y = np.digitize(eta, [-1.0, 1.0]) if loss == "softmax" else np.where(eta + rng.logistic(size=n) > 0, 1, -1)
    return sb.GroupedLinear(sp.csr_array(X) if sparse else X, y, groups, loss=loss, l2=1e-3, **more)


class InOnePart:
    """The same losses without the two parts of the sample, as a user may write them."""

    def __init__(self, losses):
        self._losses = losses
        for name in ("n_losses", "n_params", "evaluate", "sampled_hessian", "strong_convexity", "convex"):
            setattr(self, name, getattr(losses, name))


def solve(losses, **more):
    problem = sb.Problem(losses, regularizer=sb.Quadratic(0.01))
    with pytest.warns(sb.ConvergenceWarning):
        return sb.solve(problem, method="quasi-newton", **{"tol": 1e-14, "max_iter": 12} | more)


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("rescaled", [False, True])
def test_the_two_parts_are_the_whole(loss, fit_intercept, rescaled):
    losses = table(loss=loss, fit_intercept=fit_intercept, sparse=True)
    rng = np.random.default_rng(0)
    if rescaled:
        losses = RescaledLosses(losses, 2.0 ** rng.integers(-3, 4, losses.n_params))
    assert offers(losses, HasHessianSample)
    w, V = 0.1 * rng.standard_normal(losses.n_params), rng.standard_normal((4, losses.n_params))
    lam = np.array([0.2, 0.5, 0.3])
    H = losses.hessian_on_margins(w, lam, losses.sampled_margins(V)) + lam.sum() * (V * losses.penalty_diagonal()) @ V.T
    np.testing.assert_allclose(H, losses.sampled_hessian(w, lam, V), rtol=1e-10)


@pytest.mark.parametrize("J", [1, 3, 20])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_steps_are_those_of_a_sample_in_one_part(J, fit_intercept):
    """Also with more losses than gradients are kept of a point."""
    losses = table(J, fit_intercept=fit_intercept)
    other = InOnePart(losses)
    assert offers(other, HasSampledHessian)
    assert not offers(other, HasHessianSample)
    mine, theirs = solve(losses, max_iter=6), solve(other, max_iter=6)
    np.testing.assert_allclose(mine.history.value, theirs.history.value, rtol=1e-9)


@pytest.mark.parametrize("J", [3, 20])
def test_a_resumed_run_takes_the_same_steps_to_the_bit(J, tmp_path):
    path = tmp_path / "run.ckpt"
    losses = table(J, sparse=True)
    whole = solve(losses, max_iter=18)
    solve(losses, max_iter=9, checkpoint=path)
    resumed = solve(losses, max_iter=18, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.w, whole.w)
    np.testing.assert_array_equal(resumed.history.value, whole.history.value)


def test_rows_are_found_among_others_with_the_same_first_entry():
    rng = np.random.default_rng(0)
    G = rng.standard_normal((50, 4))
    G[:, 0] = rng.integers(0, 3, 50)
    for rows in (G[[7]], G[[3, 3, 40]], G[[49, 0, 12]]):
        assert are_rows(rows, G)
        assert not are_rows(rows + np.array([0.0, 0.0, 0.0, 1e-3]), G)
    assert not are_rows(np.array([[5.0, 0.0, 0.0, 0.0]]), G)
