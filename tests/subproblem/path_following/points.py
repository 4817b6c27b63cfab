"""Points near the boundary of every set that the library offers, and (D) on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.linalg import svec
from saddleback.subproblem import DualSubproblem
from saddleback.subproblem.path_following.central_path import CentralPath

from ..geometries import SETS

Rng = np.random.Generator


def a_set(rng: Rng, name: str) -> tuple[sb.DualSet, int]:
    """A random set of the family with 2 to 6 weights; 3 to 10 for matrices, 8 to 10 where these are one of several."""
    n = int(rng.integers(2, 7))
    if SETS[name].matrices:
        n = svec.length(int(rng.integers(2, 5)))
    elif name == "mixed product":
        n = int(rng.integers(8, 11))
    return SETS[name].make(rng, n), n


def interior(rng: Rng, dual_set: sb.DualSet, n: int) -> np.ndarray:
    """A point at a distance of 1e-6 to 1 from a vertex, or from the middle of two, relative to the size of the set."""
    edge = dual_set.support(rng.standard_normal(n))[1]
    if rng.random() < 0.5:
        edge = 0.5 * edge + 0.5 * dual_set.support(rng.standard_normal(n))[1]
    blend = 10 ** rng.uniform(-6, 0)
    return (1 - blend) * edge + blend * dual_set.center(n)


def paths(name: str, count: int, seed: int = 0) -> Iterator[tuple[Rng, CentralPath, np.ndarray]]:
    """Paths of random (D) with R zero or quadratic, each with an interior point."""
    rng = np.random.default_rng([seed, sorted(SETS).index(name)])
    for _ in range(count):
        dual_set, n = a_set(rng, name)
        F = rng.standard_normal((n, int(rng.integers(1, n + 1)))) * 10 ** rng.uniform(-2, 1)
        Q = F @ F.T * rng.integers(0, 2)
        center = dual_set.center(n) + rng.standard_normal(n)
        R = sb.Zero() if rng.random() < 0.5 else sb.Quadratic(10 ** rng.uniform(-4, 2), center)
        path = CentralPath(DualSubproblem(Q, rng.standard_normal(n), Adversary(dual_set, R, n)))
        mu = interior(rng, dual_set, n)
        if not path.is_point and np.isfinite(dual_set.barrier(mu)):
            yield rng, path, mu
