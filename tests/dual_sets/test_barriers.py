"""Barrier parameters and self-concordance up to the boundary, in the worst directions.

Toward a vertex the ratio <B', h>^2/<B'' h, h> in Newton's direction tends to the number of constraints that are active
there, if their slacks can shrink in proportion. On products of intervals and on simplices, the spectrahedron and the
ball no point has a larger one: it is n - 1/|lam|^2 on the simplex, and at most one for each free coordinate of a box.
Inside of other polytopes it may be larger.
"""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.dual_sets import DualSet

from .barriers import assert_parameter, assert_self_concordant, toward_the_boundary
from .test_polytope import birkhoff, cube, simplex

# A share of 1e-4 to 1e-8 of the way is left; ratios differ from their limits by that order.
CLOSE = 1e-3
# Where slacks are differences of larger numbers, or B'' is no diagonal, digits are lost in proportion to the distance.
NEAREST_OF_DIFFERENCES = 1e-4


def prior(n: int) -> np.ndarray:
    p = np.arange(1.0, n + 1)
    return p / p.sum()


OCTAHEDRON = sb.Polytope([[a, b, c] for a in (1, -1) for b in (1, -1) for c in (1, -1)], np.ones(8))

# Sets, n, and the supremum of the ratio.
SUPREMA: list[tuple[DualSet, int, float]] = [
    (sb.Simplex(), 2, 1),
    (sb.Simplex(), 4, 3),
    (sb.Simplex(), 30, 29),
    (sb.Contamination(0.3), 5, 4),
    (sb.Contamination(0.01, prior(5)), 5, 4),
    # Half of the weights at their caps and the others zero: a vertex at which every bound is active.
    (sb.CappedSimplex(0.5), 6, 6),
    (sb.Box(0.0, 1.0), 1, 1),
    (sb.Box(-1.0, [1.0, 2.0, 3.0]), 3, 3),
    (sb.Box([0.0, 0.0, 1.0], [1.0, 2.0, 1.0]), 3, 2),
    (sb.Spectrahedron(), 3, 1),
    (sb.Spectrahedron(), 10, 3),
    (sb.Ball(0.0, 1.0), 1, 1),
    (sb.Ball([1.0, -2.0, 0.5], 3.0), 3, 1),
    (sb.Product([sb.Simplex(), sb.Box(0.0, 1.0)], [3, 2]), 5, 4),
]
# Sets, n, and the limit of the ratio at their worst vertices.
OTHERS: list[tuple[DualSet, int, float]] = [
    # One weight lies between its bounds.
    (sb.CappedSimplex(0.3), 12, 11),
    (sb.CappedSimplex(0.65, prior(4)), 4, 3),
    (cube(3), 3, 3),
    (simplex(4), 4, 3),
    (birkhoff(3), 9, 6),
    # Four facets meet in each vertex of three dimensions.
    (OCTAHEDRON, 3, 4),
    # Mass moves from one weight to another: one slack of these two, both of all others, and rho - sum s.
    (sb.TVBall(0.3), 2, 3),
    (sb.TVBall(0.3), 4, 7),
    (sb.TVBall(0.01, prior(5)), 5, 9),
    # Here the weight that gives may end at zero.
    (sb.TVBall(0.6, prior(5)), 5, 10),
]
CURVED = [sb.Chi2Ball(0.3), sb.Chi2Ball(3.0, prior(5)), sb.KLBall(0.2), sb.KLBall(3.0, prior(5))]
ALL = [(dual_set, n, 1e-4 if dual_set.takes_matrices else 1e-8) for dual_set, n, _ in SUPREMA]
ALL += [(dual_set, n, NEAREST_OF_DIFFERENCES) for dual_set, n, _ in OTHERS]
ALL += [(dual_set, 5, NEAREST_OF_DIFFERENCES) for dual_set in CURVED]


@pytest.mark.parametrize(("dual_set", "n", "supremum"), SUPREMA, ids=str)
def test_parameters_hold_and_the_supremum_is_approached(dual_set: DualSet, n: int, supremum: float) -> None:
    largest = assert_parameter(dual_set, n, count=20)
    assert supremum * (1 - CLOSE) <= largest <= supremum * (1 + CLOSE)


@pytest.mark.parametrize(("dual_set", "n", "limit"), OTHERS, ids=str)
def test_parameters_hold_and_limits_at_vertices_are_approached(dual_set: DualSet, n: int, limit: float) -> None:
    assert assert_parameter(dual_set, n, count=10, nearest=NEAREST_OF_DIFFERENCES) >= limit * (1 - CLOSE)


@pytest.mark.parametrize("dual_set", CURVED, ids=str)
def test_parameters_hold_on_curved_balls(dual_set: DualSet) -> None:
    assert assert_parameter(dual_set, 5, count=20, nearest=NEAREST_OF_DIFFERENCES) >= 1 - CLOSE


@pytest.mark.parametrize(("dual_set", "n", "nearest"), ALL, ids=str)
def test_barriers_are_self_concordant_up_to_the_boundary(dual_set: DualSet, n: int, nearest: float) -> None:
    rng = np.random.default_rng(n)
    for lam in toward_the_boundary(dual_set, n, rng, 2, nearest):
        assert_self_concordant(dual_set, lam, rng)
