"""Products of sets: every number is that of the blocks."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.dual_sets import Box, CappedSimplex, Contamination, Product, Simplex, Spectrahedron, TVBall
from saddleback.testing import check_dual_set

SETS = (Simplex(), Box(-1.0, 2.0), CappedSimplex(0.5), TVBall(0.3), Spectrahedron())
SIZES = (3, 2, 4, 3, 6)
PRODUCT = Product(SETS, SIZES)
N = sum(SIZES)


@pytest.mark.parametrize("sets", [SETS[2:4], (Simplex(), Contamination(0.0)), (Simplex(), Spectrahedron())])
def test_products_keep_the_contract(sets) -> None:
    sizes = [6 if isinstance(dual_set, Spectrahedron) else 3 for dual_set in sets]
    check_dual_set(Product(sets, sizes), sum(sizes))


def test_the_barrier_and_its_parameter_are_sums() -> None:
    parts = list(zip(SETS, SIZES, strict=True))
    assert PRODUCT.barrier_parameter(N) == sum(dual_set.barrier_parameter(n) for dual_set, n in parts)
    rng = np.random.default_rng(0)
    lams = [0.9 * dual_set.center(n) + 0.1 * dual_set.support(rng.normal(size=n))[1] for dual_set, n in parts]
    pairs = list(zip(SETS, lams, strict=True))
    lam = np.concatenate(lams)
    assert PRODUCT.barrier(lam) == pytest.approx(sum(dual_set.barrier(x) for dual_set, x in pairs))
    gradients = [dual_set.barrier_gradient(x) for dual_set, x in pairs]
    np.testing.assert_allclose(PRODUCT.barrier_gradient(lam), np.concatenate(gradients))


def test_a_block_that_is_a_point_has_no_part_in_the_barrier() -> None:
    """Its weights cannot move: on the simplex beside it alone the parameter is that of the simplex."""
    point = Product([Simplex(), Contamination(0.0)], [3, 2])
    assert point.barrier_parameter(5) == Simplex().barrier_parameter(3)
