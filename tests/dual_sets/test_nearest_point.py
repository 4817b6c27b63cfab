"""Nearest points from support functions alone, and the defaults of sets that define nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback import Ball, Box, CappedSimplex, Contamination, Product, Simplex
from saddleback.capabilities import lack, offers
from saddleback.dual_sets import DualSet, HasBarrier, HasProjection, HasTilt, Polyhedral
from saddleback.dual_sets.nearest_point import nearest_point


class SupportOnly(DualSet):
    """Another set without anything but its support function."""

    def __init__(self, other: DualSet) -> None:
        self.other, self.calls = other, 0

    def support(self, z):
        self.calls += 1
        return self.other.support(z)


SETS = {
    "simplex": Simplex(),
    "capped": CappedSimplex(0.3),
    "contamination": Contamination(0.3),
    "box": Box(-1.0, 2.0),
    "ball": Ball(0.5, 2.0),
    "product": Product([Simplex(), Ball(0.0, 1.0)]),
}


@pytest.mark.parametrize("n", [2, 6, 20])
@pytest.mark.parametrize("name", SETS)
def test_nearest_points_are_projections(name, n):
    rng = np.random.default_rng(n)
    dual_set = SupportOnly(SETS[name])
    for scale in (0.1, 1.0, 10.0):
        x = scale * rng.normal(size=n)
        found = nearest_point(dual_set.support, x)
        np.testing.assert_allclose(found.point, SETS[name].project(x), atol=1e-7 * (1 + scale))
        np.testing.assert_allclose(found.weights @ found.points, found.point)
        assert found.weights.min() > 0
        assert found.weights.sum() == pytest.approx(1.0, abs=1e-14)
        assert found.lower_bound <= found.distance * (1 + 1e-9) + 1e-12
        assert found.distance - found.lower_bound <= 1e-9 * (1 + scale)
        np.testing.assert_array_equal(dual_set.restore(x), found.point)


@pytest.mark.parametrize("n", [2, 8, 40])
def test_a_boundary_point_of_a_curved_set_takes_few_support_points(n):
    """In steps towards x - y alone it takes about 20 n."""
    dual_set = SupportOnly(Ball(0.0, 1.0))
    x = np.random.default_rng(n).normal(size=n)
    shifted = SupportOnly(Ball(np.arange(float(n)), 3.0))
    for owner, point in ((dual_set, x / np.linalg.norm(x)), (shifted, shifted.support(x)[1])):
        owner.calls = 0
        assert owner.contains(point)
        assert owner.calls <= 60


@pytest.mark.parametrize("name", SETS)
def test_membership_by_default(name):
    rng = np.random.default_rng(0)
    full, dual_set = SETS[name], SupportOnly(SETS[name])
    for _ in range(10):
        lam = full.project(rng.normal(size=6))
        assert dual_set.contains(lam)
        z = rng.normal(size=6)
        outside = full.support(z)[1] + 1e-6 * z
        assert not dual_set.contains(outside)
        assert dual_set.contains(outside, tol=1e-4)
    assert full.contains(dual_set.center(6), 1e-9)
    np.testing.assert_array_equal(dual_set.tangent_part(z), z)
    assert dual_set.largest_weight(6) == pytest.approx(np.abs(np.concatenate(full.bounds(6))).max())


def test_zero_is_a_point_too():
    assert SupportOnly(Ball(0.0, 1.0)).contains(np.zeros(3))
    assert not SupportOnly(Simplex()).contains(np.zeros(3))
    np.testing.assert_allclose(SupportOnly(Simplex()).restore(np.zeros(3)), 1 / 3)


def test_what_a_set_offers():
    for capability in (HasBarrier, HasProjection, HasTilt, Polyhedral):
        assert offers(Simplex(), capability)
        assert not offers(SupportOnly(Simplex()), capability)
    assert lack(SupportOnly(Simplex()), HasBarrier) == "SupportOnly has no 'barrier'"
    assert lack(Box(-1.0, 1.0), HasTilt).startswith("Box allows the weight -1 at position 0")


def test_a_product_names_the_part_that_lacks_something():
    both = Product([Simplex(), SupportOnly(Ball(0.0, 1.0))])
    assert lack(both, HasBarrier) == "sets[1] of Product does not: SupportOnly has no 'barrier'"
    assert lack(Product([Simplex(), Ball(0.0, 1.0)]), Polyhedral).startswith("sets[1] of Product does not: Ball has no")
    assert offers(Product([Simplex(), Box(0.0, 1.0)]), Polyhedral)
    assert offers(Product([Simplex(), Box(0.0, 1.0)]), HasTilt)
    assert lack(Product([Simplex(), Box(-1.0, 1.0)]), HasTilt) is not None
