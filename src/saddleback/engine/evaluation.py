"""The losses at one point: values, best response and Jacobian."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Jacobian, Matrix, Params, Vector, Weights
from ..subproblem.factored_subproblem import is_tall

# Larger derivatives overflow in G G'.
LARGEST_DERIVATIVE = 1e152


class Breakdown(Exception):
    """Raised where a method cannot take another step; the loop then ends the run with the best point so far."""


@dataclass(frozen=True, eq=False)
class Point:
    """The losses, less the problem's reference, with g and the best response at w, without the Jacobian."""

    w: Params
    f: Weights
    value: float
    lam: Weights


@dataclass(frozen=True, eq=False)
class Evaluation(Point):
    """A point with the Jacobian G of the losses."""

    G: Jacobian
    largest_weight: float = 1.0
    """The largest |lam_j| on Lambda, by which ``magnitude`` and ``steepness`` are multiplied."""
    largest_loss: float = 0.0
    """The largest |f_j| before a reference was subtracted; 0 without a reference."""
    finite: bool = field(init=False)
    """Whether g is finite and no derivative overflows in G G'."""

    def __post_init__(self) -> None:
        finite = isfinite(self.value) and largest_magnitude(self.G) <= LARGEST_DERIVATIVE
        self.__dict__["finite"] = finite

    @property
    def point(self) -> Point:
        return Point(self.w, self.f, self.value, self.lam)

    @cached_property
    def magnitude(self) -> float:
        """The largest |lam_j f_j| over Lambda, with and without the reference: rounding errors are relative to it."""
        return self.largest_weight * max(largest_magnitude(self.f), self.largest_loss)

    @cached_property
    def steepness(self) -> Vector:
        """The largest |lam_j| |grad f_j| over Lambda, one per loss."""
        return self.largest_weight * row_norms(self.G)

    @cached_property
    def slope_magnitude(self) -> float:
        """The largest |lam_j| sum_i |G_ji w_i|: rounding errors of w change <lam, f> by this times the precision."""
        return self.largest_weight * largest_magnitude(np.abs(self.G).dot(np.abs(self.w)))

    @property
    def tall(self) -> bool:
        """Whether G has fewer entries than G G'."""
        return is_tall(*self.G.shape)

    @cached_property
    def gram(self) -> Matrix:
        """G G'."""
        return self.G @ self.G.T

    @cached_property
    def length(self) -> float:
        """sqrt(sum of G_ji^2)."""
        return float(dnrm2(self.G.ravel()))

    @cached_property
    def norm(self) -> float:
        """|G|_2."""
        gram = self.G.T @ self.G if self.tall else self.gram
        return float(np.sqrt(max(0.0, np.linalg.eigvalsh(gram)[-1])))


def largest_magnitude(x: Vector | Matrix) -> float:
    """The largest |x_i|; nan where an entry is nan. argmax takes a third of the time of max on small arrays."""
    magnitudes = np.abs(x)
    return magnitudes.item(magnitudes.argmax())


def row_norms(rows: Matrix) -> Vector:
    """|row|_2, one per row."""
    norms: Vector = np.sqrt(np.add.reduce(rows * rows, 1))
    return norms
