"""Sets whose total weight is not one: L and m of the losses are those of a unit of weight."""

import numpy as np
import pytest
from subproblem.sets import Weights

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.subproblem import PathFollowing

CENTERS = np.array([[1.0, 0.0], [-1.0, 0.5]])


class Distances:
    """|w - c_j|^2 - 1: each loss is 2-strongly convex and 2-smooth, and both are negative near the middle."""

    n_losses, n_params = CENTERS.shape
    strong_convexity = 2.0

    def __init__(self, height=-2.0):
        self.height = height

    def evaluate(self, w):
        offset = w - CENTERS
        return (offset**2).sum(1) + self.height, 2 * offset

    def smoothness(self):
        return 2.0


def oracle(dual_set):
    problem = sb.Problem(Distances(), dual_set=dual_set)
    return Oracle(problem, PathFollowing(), np.zeros(2), 1e-6)


def test_weights_scale_smoothness_and_strong_convexity():
    simplex, box = oracle(sb.Simplex()), oracle(Weights(3.0))
    assert (simplex.smoothness, simplex.strong_convexity.tolist()) == (2.0, [2.0, 2.0])
    # The adversary may play lam = 0, which has no curvature, or lam = (3, 3).
    assert (box.smoothness, box.strong_convexity.tolist()) == (12.0, [0.0, 0.0])


@pytest.mark.parametrize(("height", "optimum"), [(-2.0, 0.0), (0.0, 2.125)])
def test_certificate_on_a_set_that_holds_the_zero_weight(height, optimum):
    """g is the sum of the positive losses: 0 where both can be negative, else least at the mean of the centers."""
    result = sb.solve(sb.Problem(Distances(height), dual_set=Weights()), np.array([3.0, 3.0]), tol=1e-6)
    assert result.success
    assert np.isfinite(result.radius)
    assert result.lower_bound <= optimum + 1e-12
    assert result.value == pytest.approx(optimum, abs=1e-6)


def test_large_weights_are_not_taken_for_a_lack_of_convexity():
    result = sb.solve(sb.Problem(Distances(0.0), dual_set=Weights(1e8)), np.array([3.0, 3.0]), tol=1e2)
    assert result.success, result.message
    assert result.value == pytest.approx(1e8 * 2.125, rel=1e-5)
