"""The affine hull of a dual set, and lines from its points to its boundary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from .._types import Matrix, Vector
from ..dual_sets import DualSet

# How far a set may extend in Euclidean norm from its center before it counts as unbounded.
UNBOUNDED = 1e12
# Singular values of the support points below this, relative to the largest, belong to directions outside the hull.
NO_DIRECTION = 1e-9


@dataclass(frozen=True, eq=False)
class Hull:
    """The affine hull {E lam = e}, with an orthonormal basis Z of its directions."""

    E: Matrix
    e: Vector
    Z: Matrix

    @classmethod
    def of(cls, dual_set: DualSet, n: int) -> Hull:
        """As ``affine_hull`` describes it."""
        E, e = dual_set.affine_hull(n)
        return cls(E, e, null_space(E) if len(E) else np.eye(n))

    def spanned(self, differences: Matrix) -> Hull:
        """The same equations, with the directions that the rows span: sets without a barrier need not list them all."""
        _, sizes, directions = np.linalg.svd(differences, full_matrices=False)
        return Hull(self.E, self.e, directions[sizes > NO_DIRECTION * max(sizes[0], 1e-300)].T)

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

    def coordinate_directions(self) -> list[tuple[int, Vector]]:
        """Unit coordinate vectors projected on the hull, with their number; those that vanish are left out."""
        P = self.Z @ self.Z.T
        return [(i, P[:, i] / np.sqrt(P[i, i])) for i in range(len(P)) if P[i, i] > 1e-12]


@dataclass(frozen=True, eq=False)
class Edge:
    """A point of the relative interior, a unit direction, and how far the barrier stays finite along it."""

    x: Vector
    u: Vector
    distance: float

    @classmethod
    def of(cls, barrier: Callable[[Vector], float], x: Vector, u: Vector) -> Edge:
        """The distance is sup {t : B(x + t u) < inf}; inf where the barrier stays finite very far out."""
        inside, outside = 0.0, 1.0
        while np.isfinite(barrier(x + outside * u)):
            inside, outside = outside, 2.0 * outside
            if outside > UNBOUNDED:
                return cls(x, u, np.inf)
        while outside - inside > 1e-13 * outside and outside > 1e-300:
            middle = 0.5 * (inside + outside)
            if np.isfinite(barrier(x + middle * u)):
                inside = middle
            else:
                outside = middle
        return cls(x, u, inside)

    def at(self, share: float) -> Vector:
        """The point this share of the way to the boundary."""
        return self.x + share * self.distance * self.u
