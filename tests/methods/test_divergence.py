"""A smoothness that is too small by far makes steps too long: the run diverges, and says so in its status."""

from __future__ import annotations

import numpy as np
import pytest
from problems import nesterov_split

import saddleback as sb

SOLVED = nesterov_split(J=4, d=400)
REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}


@pytest.mark.slow
@pytest.mark.parametrize("inner", ["auto", "path-following"])
@pytest.mark.parametrize("R", REGULARIZERS)
def test_divergence_is_a_status_and_keeps_the_best_point(R: str, inner: str) -> None:
    problem = sb.Problem(SOLVED.losses, regularizer=REGULARIZERS[R])
    method = sb.Accelerated(smoothness=SOLVED.losses.L / 20)
    # Overflow is the point here; what NumPy says about it is not.
    with np.errstate(all="ignore"), pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(problem, method=method, inner=inner)
    assert not result.success
    assert result.value <= problem.value(np.zeros(problem.n_params))
    assert result.value == pytest.approx(problem.value(result.w))
    if np.linalg.norm(result.w - SOLVED.w) <= result.radius:
        assert result.lower_bound <= SOLVED.value + 1e-12
