"""The losses at one point: values, best response and Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np

from .._types import Jacobian, Matrix, Params, Vector, Weights
from ..subproblem.factored_subproblem import is_tall

# Larger derivatives overflow in G G'.
LARGEST = 1e152


class Breakdown(Exception):
    """The method cannot take another step; the loop ends the run with the best point so far."""


@dataclass(frozen=True, eq=False)
class Point:
    """A candidate answer: the losses, g and the best response at w, without a Jacobian."""

    w: Params
    f: Weights
    value: float
    lam: Weights


@dataclass(frozen=True, eq=False)
class Evaluation(Point):
    """A point with the Jacobian G of the losses."""

    G: Jacobian
    largest_weight: float = 1.0
    """The largest weight of a loss on Lambda: losses and derivatives count as many times."""

    @cached_property
    def finite(self) -> bool:
        sizes = np.abs(self.G)
        return isfinite(self.value) and sizes.item(sizes.argmax()) <= LARGEST

    @property
    def point(self) -> Point:
        return Point(self.w, self.f, self.value, self.lam)

    @cached_property
    def size(self) -> float:
        """The largest |f_j|, as the adversary can weigh it."""
        return self.largest_weight * float(np.abs(self.f).max())

    @cached_property
    def steepness(self) -> Vector:
        """|grad f_j|, one per loss, as the adversary can weigh it."""
        return self.largest_weight * row_norms(self.G)

    @property
    def tall(self) -> bool:
        """Whether G itself is less than G G'."""
        return is_tall(*self.G.shape)

    @cached_property
    def gram(self) -> Matrix:
        """G G'."""
        return self.G @ self.G.T

    @cached_property
    def norm(self) -> float:
        """|G|_2."""
        gram = self.G.T @ self.G if self.tall else self.gram
        return float(np.sqrt(max(0.0, np.linalg.eigvalsh(gram)[-1])))


def row_norms(rows: Matrix) -> Vector:
    """|row|_2, one per row."""
    norms: Vector = np.sqrt((rows * rows).dot(np.ones(rows.shape[1])))
    return norms
