"""The optimum does not depend on the layout of X."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb

from .cases import LOSSES, make

TOL = 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_is_solved(loss):
    case = make(loss, d=4)
    problem = sb.Problem(case.losses(l2=0.1, fit_intercept=True), regularizer=sb.Quadratic(0.1))
    result = sb.solve(problem, tol=TOL)
    assert result.success, result.message


def test_the_same_optimum_in_every_layout():
    case = make("logistic", d=6)
    X = np.round(4 * case.X) / 4
    layouts = [X, X.astype(np.float32), np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X.astype(np.float32))]
    results = [sb.solve(sb.Problem(case.losses(layout, l2=0.05)), tol=TOL) for layout in layouts]
    for result in results:
        assert result.success
        assert result.value == pytest.approx(results[0].value, abs=2 * TOL)
