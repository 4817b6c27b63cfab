"""Points, lines and losses at which a dual set is tested."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from .._types import Matrix, Vector
from ..capabilities import offers
from ..dual_sets import DualSet, HasBarrier
from ..linalg.hessians import as_hessian
from .hull import Edge, Hull

# The largest share of the way from the center to the boundary at which points are sampled.
LARGEST_BOUNDARY_SHARE = 0.999
S = TypeVar("S", bound="Sample")


@dataclass(frozen=True, eq=False)
class Sample:
    """A dual set in R^n and what was drawn from it."""

    dual_set: DualSet
    n: int
    hull: Hull
    center: Vector
    edges: list[Edge]
    """Lines from interior points to the boundary; none where the set has no barrier."""
    points: list[Vector]
    """Interior points, the center first, some of them close to faces and corners."""
    zs: Matrix
    """Losses, one per row: random at several scales, coordinate vectors, constants, ties."""
    values: Vector
    """The support function at each."""
    maximizers: Matrix
    extent: float
    """The largest distance from the center."""
    rng: np.random.Generator

    @classmethod
    def of(cls: type[S], dual_set: DualSet, n: int, seed: int, n_points: int) -> S:
        rng = np.random.default_rng(seed)
        hull, center = Hull.of(dual_set, n), np.asarray(dual_set.center(n), dtype=np.float64)
        zs = _losses(n, rng)
        answers = [dual_set.support(z) for z in zs]
        values = np.array([value for value, _ in answers], dtype=np.float64)
        maximizers = np.array([lam for _, lam in answers], dtype=np.float64)
        edges: list[Edge] = []
        barrier = dual_set.barrier if offers(dual_set, HasBarrier) else None
        if barrier is None:
            hull = hull.spanned(maximizers - center)
        elif hull.dimension:
            edges = [Edge.of(barrier, center, hull.random(rng)) for _ in range(max(4, n_points))]
        points = [center]
        if hull.dimension and all(np.isfinite(edge.distance) for edge in edges):
            for i in range(n_points):
                depth = LARGEST_BOUNDARY_SHARE if i % 4 == 3 else rng.uniform(0.5, LARGEST_BOUNDARY_SHARE)
                first, second = maximizers[rng.integers(len(zs), size=2)]
                # In turn near a random boundary point, a corner, and the midpoint of two corners.
                goals = (edges[i % len(edges)].at(1.0) if edges else second, first, 0.5 * (first + second))
                points.append(center + depth * (goals[i % 3] - center))
        if barrier is not None:
            edges += [Edge.of(barrier, x, hull.random(rng)) for x in points[1:]]
        edge_lengths = [edge.distance for edge in edges if np.isfinite(edge.distance)]
        extent = max([*np.linalg.norm(maximizers - center, axis=1), *edge_lengths])
        return cls(dual_set, n, hull, center, edges, points, zs, values, maximizers, float(extent), rng)

    @property
    def magnitude(self) -> float:
        """The largest norm of a point, for rounding errors."""
        return float(np.linalg.norm(self.center)) + self.extent

    def candidates(self) -> Matrix:
        """Points of Lambda: those of the interior, some next to the boundary, and the maximizers."""
        tips = [edge.at(1.0 - 1e-9) for edge in self.edges]
        return np.vstack([*self.points, *tips, self.maximizers])

    def inside(self, x: Vector) -> bool:
        """Whether x is in the relative interior: where functions on the set must be smooth."""
        return self.dual_set.contains(x)

    def local_norm_matrix(self, x: Vector) -> Matrix:
        """A matrix H > 0 whose unit ball around x is about as large as the set is around x."""
        return np.eye(self.n) / max(self.extent, 1e-300) ** 2

    def radius(self, H: Matrix, u: Vector) -> float:
        """How far the unit ball of H extends along u; inf where u'Hu is not positive."""
        square = float(u @ H @ u)
        return 1.0 / np.sqrt(square) if square > 0 else np.inf

    def safe_step(self, x: Vector, H: Matrix, u: Vector) -> float:
        """A third of the radius, or less where the boundary is closer than that."""
        t = min(self.radius(H, u), self.extent)
        while t > 1e-12 * self.extent:
            if self.inside(x + t * u) and self.inside(x - t * u):
                break
            t *= 0.5
        return 0.3 * t


@dataclass(frozen=True, eq=False)
class BarrierSample(Sample):
    """A sample of a set with a barrier, whose Hessian is the local metric (its unit ball: the Dikin ellipsoid)."""

    @cached_property
    def barrier(self) -> HasBarrier:
        assert offers(self.dual_set, HasBarrier)
        return self.dual_set

    def inside(self, x: Vector) -> bool:
        return bool(np.isfinite(self.barrier.barrier(x)))

    def local_norm_matrix(self, x: Vector) -> Matrix:
        return as_hessian(self.barrier.barrier_hessian(x)).dense()


def draw(dual_set: DualSet, n: int, seed: int, n_points: int) -> Sample:
    """A sample of the kind that fits the set."""
    kind = BarrierSample if offers(dual_set, HasBarrier) else Sample
    return kind.of(dual_set, n, seed, n_points)


def _losses(n: int, rng: np.random.Generator) -> Matrix:
    """Losses of mixed scales, the signed units, equal losses and none."""
    random = rng.standard_normal((12, n)) * np.array([1.0, 1e-3, 1e3, 1.0])[np.arange(12) % 4, None]
    units = np.eye(n)
    ties = np.round(rng.standard_normal((2, n)))
    return np.vstack((random, units, -units, ties, np.ones(n), np.zeros(n)))
