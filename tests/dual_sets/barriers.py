"""The inequalities of self-concordant barriers, in their worst directions and up to the boundary."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from saddleback.dual_sets import DualSet
from saddleback.linalg.hessians import as_hessian
from saddleback.testing.hull import Hull
from saddleback.testing.self_concordance import excess, steepest, third_derivative, whitening

# Shares of the way from the boundary to the center.
SHARES = (0.9, 0.1, 1e-2, 1e-4, 1e-6, 1e-8)
# A distance t from the boundary has the relative error EPS/t, which at 1e-8 is 2e-8; its square enters the Hessian.
MARGIN = 1e-6


def hessian_at(dual_set: DualSet, lam: np.ndarray) -> np.ndarray:
    return as_hessian(dual_set.barrier_hessian(lam)).dense()


def worst_ratio(dual_set: DualSet, lam: np.ndarray) -> float:
    """max over h along the affine hull of <B', h>^2/<B'' h, h>, attained at Newton's direction.

    B'' is never formed: next to the boundary its structure keeps digits that the matrix loses.
    """
    E, _ = dual_set.affine_hull(lam.size)
    H, g = as_hessian(dual_set.barrier_hessian(lam)), dual_set.barrier_gradient(lam)
    solved = H.solve(np.vstack((g, E)))
    across = E @ solved[0]
    return float(g @ solved[0] - across @ np.linalg.solve(E @ solved[1:].T, across))


def toward_the_boundary(
    dual_set: DualSet, n: int, rng: np.random.Generator, count: int = 6, nearest: float = SHARES[-1]
) -> Iterator[np.ndarray]:
    """Points from the center to extreme points and to the midpoints of two of them."""
    center = dual_set.center(n)
    extreme = [dual_set.support(z)[1] for z in rng.standard_normal((count, n))]
    goals = [*extreme, *(0.5 * (a + b) for a, b in pairwise(extreme))]
    for goal in goals:
        for share in (share for share in SHARES if share >= nearest):
            lam = goal + share * (center - goal)
            if np.isfinite(dual_set.barrier(lam)):
                yield lam


def largest_ratio(dual_set: DualSet, n: int, seed: int = 0, count: int = 6, nearest: float = SHARES[-1]) -> float:
    """The largest `worst_ratio` at such points, some of which are next to the boundary."""
    points = list(toward_the_boundary(dual_set, n, np.random.default_rng(seed), count, nearest))
    return max((worst_ratio(dual_set, lam) for lam in points), default=0.0)


def assert_parameter(dual_set: DualSet, n: int, seed: int = 0, count: int = 6, nearest: float = SHARES[-1]) -> float:
    """<B', h>^2 <= nu <B'' h, h> (Nesterov, Lectures on Convex Optimization, 5.3); returns the largest ratio found."""
    largest = largest_ratio(dual_set, n, seed, count, nearest)
    nu = dual_set.barrier_parameter(n)
    assert largest <= nu * (1 + MARGIN), f"{dual_set!r}: <B', h>^2 = {largest:.6g} <B'' h, h>, nu = {nu:g}"
    return largest


def assert_self_concordant(dual_set: DualSet, lam: np.ndarray, rng: np.random.Generator, n_starts: int = 2) -> None:
    """|B'''[h, h, h]| <= 2 <B'' h, h>^(3/2) in the directions of the largest third derivatives."""
    Z = Hull.of(dual_set, lam.size).Z
    if not Z.shape[1]:
        return
    M = whitening(hessian_at(dual_set, lam), Z)
    assert M is not None, "B'' is not positive definite on the hull"
    for _ in range(n_starts):
        h = steepest(lambda x: hessian_at(dual_set, x), lam, M, rng)
        third = third_derivative(lambda x: hessian_at(dual_set, x), lam, h)
        assert excess(third, 1.0) <= 0.0, f"{dual_set!r} at {lam}: B'''[h, h, h] = {third.value} with |h| = 1, h = {h}"
