"""Starts far from the optimum: cancellation does not spoil the certificate, nor the scale the method."""

import numpy as np
import pytest

import saddleback as sb

UNITS = np.eye(3)


class Far:
    """|w - shift - e_j|^2: the optimum 2/3 lies at shift + 1/3, wherever that is."""

    n_losses = n_params = 3
    strong_convexity = 2.0

    def __init__(self, shift):
        self.shift = shift

    def evaluate(self, w):
        offset = (w - self.shift) - UNITS
        return (offset**2).sum(1), 2 * offset


@pytest.mark.parametrize("method", ["accelerated", "prox-linear", "fixed-point"])
@pytest.mark.parametrize("shift", [1e2, 1e4, 1e6, 1e7])
def test_a_far_optimum_is_certified_to_what_is_true(shift, method):
    """Around w0 the minorants' constants would be differences of numbers of size shift^2."""
    result = sb.solve(sb.Problem(Far(shift)), tol=1e-6, method=method)
    assert result.success
    # w itself is known to eps * shift, and the losses to |G| times that.
    known = 8 * np.finfo(float).eps * shift
    assert result.lower_bound <= 2 / 3 + 1e-12
    assert result.value - 2 / 3 <= result.gap + known


def cb2(x):
    e = 2 * np.exp(x[1] - x[0])
    f = [x[0] ** 2 + x[1] ** 4, (2 - x[0]) ** 2 + (2 - x[1]) ** 2, e]
    return f, [[2 * x[0], 4 * x[1] ** 3], [2 * x[0] - 4, 2 * x[1] - 4], [-e, e]]


def test_losses_that_fall_by_many_orders():
    """The accuracy of the dual subproblems follows the present step, not the first one."""
    result = sb.minimax(cb2, [-20, 20], jac=True)
    assert result.success
    assert result.value == pytest.approx(1.9522245, abs=1e-6)
