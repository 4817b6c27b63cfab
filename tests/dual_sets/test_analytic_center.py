"""The analytic center by damped Newton steps."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.dual_sets import Simplex
from saddleback.dual_sets.analytic_center import STAGNANT_DECREMENT, analytic_center


class Weighted(Simplex):
    """The barrier -<counts, log lam>, self-concordant for counts >= 1; its center is counts/sum of them."""

    counts = np.array([1.0, 100.0, 10.0])

    def barrier(self, lam):
        return -float(self.counts @ np.log(lam)) if lam.min() > 0 else np.inf

    def barrier_gradient(self, lam):
        return -self.counts / lam

    def barrier_hessian(self, lam):
        return self.counts / lam**2


@pytest.mark.parametrize("start", [[0.4, 0.2, 0.4], [0.998, 0.001, 0.001], [1e-9, 0.5, 0.5 - 1e-9]])
def test_the_center_is_found_from_far_away(start):
    """From the first start the full step of Newton leaves the set: the decrement is far above one."""
    counts = Weighted.counts
    center = analytic_center(Weighted(), np.array(start))
    # The relative error of a weight is at most about the last decrement, below which rounding errors may stall.
    np.testing.assert_allclose(center, counts / counts.sum(), rtol=STAGNANT_DECREMENT)


def test_a_full_step_from_there_would_leave_the_set():
    counts, x = Weighted.counts, np.array([0.4, 0.2, 0.4])
    # d = -H^-1 (g + y 1) with H = diag counts/x^2 and the y of sum d = 0.
    inverse, g = x**2 / counts, -counts / x
    y = -(inverse @ g) / inverse.sum()
    assert (x - inverse * (g + y)).min() < 0.0
