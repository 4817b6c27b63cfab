"""nu on the affine hull: its values, that it suffices in Newton's direction, and that less would not."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb

from ..geometries import SETS
from .points import paths

# Errors of products in the local norm, whose matrix has entries from 1 to 1e12, at 1e-6 of the boundary.
ROUNDING = 1e-6
# The bound is approached at some points of these sets.
TIGHT = {"simplex", "contamination", "positive box", "box", "positive ball", "ball", "mixed product", "spectrahedron"}


@pytest.mark.parametrize(
    ("dual_set", "n", "nu"),
    [
        (sb.Simplex(), 5, 4),
        (sb.Contamination(0.3), 5, 4),
        (sb.CappedSimplex(0.4), 5, 5),
        (sb.Chi2Ball(0.3), 5, 5),
        (sb.KLBall(0.3), 5, 5),
        (sb.TVBall(0.3), 5, 14),
        (sb.Box(0.0, 1.0), 5, 5),
        (sb.Box(np.zeros(5), np.array([1.0, 1.0, 0.0, 1.0, 0.0])), 5, 3),
        (sb.Ball(0.0, 2.0), 5, 1),
        (sb.Spectrahedron(), 10, 3),
        (sb.Polytope(np.vstack((np.eye(5), -np.eye(5))), np.ones(10)), 5, 9),
        (sb.Product([sb.Simplex(), sb.Box(0.0, 1.0)], [3, 2]), 5, 4),
    ],
    ids=lambda x: type(x).__name__,
)
def test_values(dual_set, n, nu):
    assert dual_set.barrier_parameter(n) == nu


@pytest.mark.parametrize(
    ("dual_set", "n"),
    [
        (sb.Simplex(), 1),
        (sb.Contamination(0.0), 4),
        (sb.CappedSimplex(1.0), 4),
        (sb.Chi2Ball(0.0), 4),
        (sb.KLBall(0.0), 4),
        (sb.TVBall(0.0), 4),
        (sb.Box(1.0, 1.0), 4),
        (sb.Ball(1.0, 0.0), 4),
        (sb.Spectrahedron(), 1),
        (sb.Polytope(np.zeros((0, 2)), [], [[1, 1], [1, -1]], [3, 1]), 2),
        (sb.Product([sb.Simplex(), sb.Ball(0.0, 0.0)], [1, 2]), 3),
    ],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize("schedule", ["long", "paper"])
def test_a_point_has_none_and_is_solved(dual_set, n, schedule):
    assert dual_set.barrier_parameter(n) == 0
    D = sb.subproblem.DualSubproblem(np.eye(n), np.arange(n) * 1.0, sb.subproblem.adversary_of(dual_set, sb.Zero(), n))
    solution = sb.PathFollowing(schedule).solve(D, 1e-9)
    assert solution.converged
    assert solution.n_iter == 0


@pytest.mark.parametrize("name", SETS)
def test_it_suffices_in_newtons_direction(name):
    """<B', h>^2 <= nu <B'' h, h> for h = B''^-1 B' on the hull, where it is largest; <B', lam - mu> <= nu."""
    largest, count = 0.0, 0
    for rng, path, mu in paths(name, 45 if "polytope" in name else 150):
        gradient, n = path.dual_set.barrier_gradient(mu), mu.size
        share = path.local_products(mu, 0.0, gradient)[0, 0] / path.nu
        assert share <= 1 + ROUNDING
        for z in (gradient, rng.standard_normal(n)):
            lam = path.dual_set.support(z)[1]
            assert gradient @ (lam - mu) <= path.nu * (1 + ROUNDING)
        largest, count = max(largest, share), count + 1
    assert count > 30
    assert largest > 0.99 or name not in TIGHT


def test_total_variation_needs_more_than_its_dimension():
    """On balls in R^4 the square exceeds 5: J + 1, which would suffice for a smooth divergence, is too small."""
    largest = 0.0
    for _, path, mu in paths("TV ball", 400):
        if mu.size == 4:
            largest = max(largest, path.local_products(mu, 0.0, path.dual_set.barrier_gradient(mu))[0, 0])
    assert largest > 5
