"""Points, lines and losses at which a dual set is tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from .._types import Matrix, Vector
from ..dual_sets import DualSet
from ..linalg.hessians import as_hessian

# How far a set may reach in Euclidean norm from its center before it counts as unbounded.
FAR = 1e12
# The longest way to the boundary that a point goes.
DEEPEST = 0.999


@dataclass(frozen=True, eq=False)
class Hull:
    """The affine hull {E lam = e}, with an orthonormal basis Z of its directions."""

    E: Matrix
    e: Vector
    Z: Matrix

    @classmethod
    def of(cls, dual_set: DualSet, n: int) -> Hull:
        E, e = dual_set.affine_hull(n)
        return cls(E, e, null_space(E) if len(E) else np.eye(n))

    @property
    def dimension(self) -> int:
        return self.Z.shape[1]

    def along(self, v: Vector | Matrix) -> Vector:
        """The part of v (of each column) that is parallel to the hull."""
        return np.asarray(self.Z @ (self.Z.T @ v))

    def off(self, lam: Vector) -> float:
        """|E lam - e|, relative to its terms."""
        if not len(self.E):
            return 0.0
        terms = np.abs(self.E) @ np.abs(lam) + np.abs(self.e)
        return float((np.abs(self.E @ lam - self.e) / np.maximum(terms, 1e-300)).max())

    def random(self, rng: np.random.Generator) -> Vector:
        """A random unit direction."""
        u = self.Z @ rng.standard_normal(self.dimension)
        return np.asarray(u / np.linalg.norm(u))

    def coordinates(self) -> list[tuple[int, Vector]]:
        """Unit coordinate vectors projected on the hull, with their number; those that vanish are left out."""
        P = self.Z @ self.Z.T
        return [(i, P[:, i] / np.sqrt(P[i, i])) for i in range(len(P)) if P[i, i] > 1e-12]


@dataclass(frozen=True, eq=False)
class Edge:
    """A point of the relative interior, a unit direction, and how far the barrier stays finite along it."""

    x: Vector
    u: Vector
    distance: float

    def at(self, share: float) -> Vector:
        """The point this share of the way to the boundary."""
        return self.x + share * self.distance * self.u


def distance_to_boundary(dual_set: DualSet, x: Vector, u: Vector) -> float:
    """sup {t : B(x + t u) < inf}; inf where the barrier stays finite very far out."""
    inside, outside = 0.0, 1.0
    while np.isfinite(dual_set.barrier(x + outside * u)):
        inside, outside = outside, 2.0 * outside
        if outside > FAR:
            return np.inf
    while outside - inside > 1e-13 * outside and outside > 1e-300:
        middle = 0.5 * (inside + outside)
        if np.isfinite(dual_set.barrier(x + middle * u)):
            inside = middle
        else:
            outside = middle
    return inside


@dataclass(frozen=True, eq=False)
class Sample:
    """A dual set in R^n and what was drawn from it."""

    dual_set: DualSet
    n: int
    hull: Hull
    center: Vector
    edges: list[Edge]
    """Lines from interior points to the boundary."""
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
    def of(cls, dual_set: DualSet, n: int, seed: int, n_points: int) -> Sample:
        rng = np.random.default_rng(seed)
        hull, center = Hull.of(dual_set, n), np.asarray(dual_set.center(n), dtype=np.float64)
        zs = _losses(n, rng)
        answers = [dual_set.support(z) for z in zs]
        values = np.array([value for value, _ in answers], dtype=np.float64)
        maximizers = np.array([lam for _, lam in answers], dtype=np.float64)
        edges, points = [], [center]
        if hull.dimension:
            edges = [_edge(dual_set, center, hull.random(rng)) for _ in range(max(4, n_points))]
        if edges and all(np.isfinite(edge.distance) for edge in edges):
            for i in range(n_points):
                depth = DEEPEST if i % 4 == 3 else rng.uniform(0.5, DEEPEST)
                first, second = maximizers[rng.integers(len(zs), size=2)]
                # In turns near a random part of the boundary, a corner, and what lies between two corners.
                goals = (edges[i % len(edges)].at(1.0), first, 0.5 * (first + second))
                points.append(center + depth * (goals[i % 3] - center))
            edges += [_edge(dual_set, x, hull.random(rng)) for x in points[1:]]
        edge_lengths = [edge.distance for edge in edges if np.isfinite(edge.distance)]
        extent = max([*np.linalg.norm(maximizers - center, axis=1), *edge_lengths])
        return cls(dual_set, n, hull, center, edges, points, zs, values, maximizers, float(extent), rng)

    @property
    def size(self) -> float:
        """The largest norm of a point, for rounding errors."""
        return float(np.linalg.norm(self.center)) + self.extent

    def candidates(self) -> Matrix:
        """Points of Lambda: those of the interior, some next to the boundary, and the maximizers."""
        tips = [edge.at(1.0 - 1e-9) for edge in self.edges]
        return np.vstack([*self.points, *tips, self.maximizers])

    def barrier_matrix(self, x: Vector) -> Matrix:
        return as_hessian(self.dual_set.barrier_hessian(x)).dense()

    def radius(self, H: Matrix, u: Vector) -> float:
        """How far the Dikin ellipsoid of the Hessian H reaches along u; inf where H does not curve."""
        curvature = float(u @ H @ u)
        return 1.0 / np.sqrt(curvature) if curvature > 0 else np.inf

    def safe_step(self, x: Vector, H: Matrix, u: Vector) -> float:
        """A third of the Dikin radius, or less where the barrier is infinite closer than that."""
        t = min(self.radius(H, u), self.extent)
        while t > 1e-12 * self.extent:
            if np.isfinite(self.dual_set.barrier(x + t * u)) and np.isfinite(self.dual_set.barrier(x - t * u)):
                break
            t *= 0.5
        return 0.3 * t


def _edge(dual_set: DualSet, x: Vector, u: Vector) -> Edge:
    return Edge(x, u, distance_to_boundary(dual_set, x, u))


def _losses(n: int, rng: np.random.Generator) -> Matrix:
    """Losses of mixed scales, the signed units, equal losses and none."""
    random = rng.standard_normal((12, n)) * np.array([1.0, 1e-3, 1e3, 1.0])[np.arange(12) % 4, None]
    units = np.eye(n)
    ties = np.round(rng.standard_normal((2, n)))
    return np.vstack((random, units, -units, ties, np.ones(n), np.zeros(n)))
