"""The losses at one point: values, best response and Jacobian."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, sqrt

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Jacobian, Matrix, Params, Vector, Weights
from ..linalg.jacobians import StructuredJacobian
from ..subproblem.factored_subproblem import is_tall

# Sums of squares in this range have lost nothing to overflow or underflow.
SAFE_SQUARES = 1e-280, 1e300
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
        absolute = np.abs(self.G)
        finite = isfinite(self.value) and absolute.item(absolute.argmax()) <= LARGEST_DERIVATIVE
        object.__setattr__(self, "finite", finite)

    @property
    def point(self) -> Point:
        return Point(self.w, self.f, self.value, self.lam)

    def slope(self, lam: Vector) -> Vector:
        """G' lam."""
        return lam.dot(self.G)

    def change(self, p: Vector) -> Vector:
        """G p."""
        return self.G.dot(p)

    def magnitudes(self, p: Vector) -> Vector:
        """|G| |p|, one per loss."""
        return np.abs(self.G) @ np.abs(p)

    def changes(self, V: Matrix) -> Matrix:
        """G V."""
        return self.G @ V

    def row_norms(self) -> Vector:
        """|row of G|_2, one per loss."""
        return row_norms(self.G)

    def column_norms(self) -> Vector:
        """|column of G|_2, one per parameter."""
        return row_norms(self.G.T)

    def largest_derivatives(self) -> Vector:
        """The largest |G_ji| of each column."""
        return np.abs(self.G).max(axis=0)

    def rescaled(self, factors: Vector) -> Evaluation:
        """The same evaluation in the parameters v = factors w."""
        return replace(self, w=read_only_copy(self.w * factors), G=self.G / factors)

    @cached_property
    def magnitude(self) -> float:
        """The largest |lam_j f_j| over Lambda, with and without the reference: rounding errors are relative to it."""
        return self.largest_weight * max(float(np.abs(self.f).max()), self.largest_loss)

    @cached_property
    def steepness(self) -> Vector:
        """The largest |lam_j| |grad f_j| over Lambda, one per loss."""
        return self.largest_weight * row_norms(self.G)

    @cached_property
    def slope_magnitude(self) -> float:
        """The largest |lam_j| sum_i |G_ji w_i|: rounding errors of w change <lam, f> by this times the precision."""
        return self.largest_weight * float(self.magnitudes(self.w).max())

    @property
    def tall(self) -> bool:
        """Whether G has fewer entries than G G'."""
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


class StructuredEvaluation(Evaluation):
    """A point whose Jacobian is applied, not stored; an array of it is made where ``G`` is read."""

    jacobian: StructuredJacobian

    def __init__(
        self,
        w: Vector,
        f: Vector,
        value: float,
        lam: Vector,
        jacobian: StructuredJacobian,
        largest_weight: float = 1.0,
        largest_loss: float = 0.0,
    ) -> None:
        self.__dict__.update(w=w, f=f, value=value, lam=lam, jacobian=jacobian)
        self.__dict__.update(largest_weight=largest_weight, largest_loss=largest_loss)
        norms = jacobian.row_norms()
        self.__dict__["finite"] = isfinite(value) and bool(norms.item(norms.argmax()) <= LARGEST_DERIVATIVE)

    @property
    def steepness(self) -> Vector:
        return self.largest_weight * self.jacobian.row_norms()

    @cached_property
    def G(self) -> Matrix:
        return self.jacobian.dense()

    def slope(self, lam: Vector) -> Vector:
        return self.jacobian.slope(lam)

    def change(self, p: Vector) -> Vector:
        return self.jacobian.change(p)

    def magnitudes(self, p: Vector) -> Vector:
        return self.jacobian.magnitudes(p)

    def changes(self, V: Matrix) -> Matrix:
        return np.column_stack([self.jacobian.change(v) for v in V.T])

    def row_norms(self) -> Vector:
        return self.jacobian.row_norms()

    def column_norms(self) -> Vector:
        return self.jacobian.column_norms()

    def largest_derivatives(self) -> Vector:
        """The norms of the columns, which are at least as large."""
        return self.jacobian.column_norms()

    def rescaled(self, factors: Vector) -> StructuredEvaluation:
        return StructuredEvaluation(
            read_only_copy(self.w * factors),
            self.f,
            self.value,
            self.lam,
            self.jacobian.rescaled(factors),
            self.largest_weight,
            self.largest_loss,
        )

    @property
    def tall(self) -> bool:
        return is_tall(*self.jacobian.shape)


def read_only_copy(w: Vector) -> Vector:
    """A copy that nobody can change: the oracle may keep it while the caller changes the original."""
    w = np.array(w)
    w.flags.writeable = False
    return w


def row_norms(rows: Matrix) -> Vector:
    """|row|_2, one per row."""
    norms: Vector = np.sqrt((rows * rows).dot(np.ones(rows.shape[1])))
    return norms


def frobenius_norm(G: Matrix) -> float:
    """|G|_F: by a sum of squares, unless that overflows or underflows."""
    entries = G.ravel("K")
    squares = float(entries.dot(entries))
    return sqrt(squares) if SAFE_SQUARES[0] < squares < SAFE_SQUARES[1] else float(dnrm2(entries))
