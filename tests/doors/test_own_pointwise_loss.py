"""Pointwise losses from outside the package: their contract, fits by both second-order methods, rows not fitted."""

from __future__ import annotations

import ast
import inspect

import numpy as np
import pytest
from scipy.optimize import minimize

import saddleback as sb

from . import pointwise
from .pointwise import Probit, Tweedie


@pytest.mark.parametrize("loss", [Probit(), Tweedie()], ids=["probit", "tweedie"])
def test_the_contract_holds(loss):
    sb.testing.check_pointwise_loss(loss)


@pytest.mark.parametrize("name", ["Probit", "Tweedie"])
def test_fifteen_lines_are_enough(name):
    (tree,) = ast.parse(inspect.getsource(getattr(pointwise, name))).body
    assert len([line for line in ast.unparse(tree).splitlines() if line.strip()]) <= 15


def data(loss, n=2000, d=4):
    rng = np.random.default_rng(0)
    X, w, groups = rng.standard_normal((n, d)), np.linspace(-0.5, 0.5, d), np.arange(n) % 3
    eta = X @ w + 0.3 * groups
    if loss.response == "binary":
        return X, np.where(eta + rng.standard_normal(n) > 0, "yes", "no"), groups
    return X, np.where(rng.random(n) < 0.5, 0.0, rng.gamma(2.0, np.exp(eta))), groups


@pytest.mark.parametrize("loss", [Probit(), Tweedie()], ids=["probit", "tweedie"])
def test_solved_by_newton_and_quasi_newton_and_evaluated_on_other_rows(loss):
    X, y, groups = data(loss)
    train, test = slice(0, 1500), slice(1500, None)
    losses = sb.GroupedLinear(X[train], y[train], groups[train], loss=loss, l2=1e-3)
    sb.testing.check_losses(losses)
    problem = sb.Problem(losses)
    newton, quasi = (sb.solve(problem, method=method, tol=1e-9) for method in ("newton", "quasi-newton"))
    assert newton.success
    assert quasi.success
    assert newton.value == pytest.approx(quasi.value, abs=2e-9)
    held_out = losses.on(X[test], y[test], groups[test])
    numbers = np.where(y[test] == "yes", 1.0, -1.0) if loss.response == "binary" else y[test]
    rows = loss.value_and_slope(X[test] @ newton.w[:-1] + newton.w[-1], numbers)[0]
    np.testing.assert_allclose(held_out.rows(newton.w), rows, rtol=1e-12)
    np.testing.assert_allclose(
        held_out.values(newton.w), [rows[groups[test] == j].mean() for j in range(3)], rtol=1e-12
    )


def test_one_group_is_the_usual_fit():
    """The mean of (y - mu)-deviances of power 1.5, written in the mean mu = exp(eta), and minimized by SciPy."""
    X, y, _ = data(Tweedie())
    ours = sb.solve(sb.Problem(sb.GroupedLinear(X, y, np.zeros(len(y)), loss=Tweedie(), fit_intercept=False)), tol=1e-9)

    def deviance(w):
        mean = np.exp(X @ w)
        return np.mean(2 * np.sqrt(mean) + 2 * y / np.sqrt(mean))

    theirs = minimize(deviance, np.zeros(4), method="BFGS", options={"gtol": 1e-6})
    assert ours.value == pytest.approx(theirs.fun, rel=1e-7)
    np.testing.assert_allclose(ours.w, theirs.x, atol=1e-4)
