"""Jacobians that are applied instead of stored."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .._types import Indices, Matrix, Vector


class StructuredJacobian(ABC):
    """A J x d Jacobian G of which only products are computed, for J so large that G should not be formed.

    ``hessian`` belongs to it because the losses' curvature and the squares of G are then one pass over the data.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(J, d)."""

    @abstractmethod
    def slope(self, lam: Vector) -> Vector:
        """G' lam."""

    @abstractmethod
    def change(self, p: Vector) -> Vector:
        """G p."""

    @abstractmethod
    def magnitudes(self, p: Vector) -> Vector:
        """At least |G| |p|, entry by entry, and about as much."""

    @abstractmethod
    def row_norms(self) -> Vector:
        """|row|_2, or a little more, one per row."""

    @abstractmethod
    def column_norms(self) -> Vector:
        """|column|_2, or a little more, one per column."""

    @abstractmethod
    def hessian(self, lam: Vector, theta: Vector) -> Matrix:
        """sum_j lam_j Hessian f_j + sum_j theta_j G_j G_j', with G_j the gradient of loss j."""

    @abstractmethod
    def rescaled(self, factors: Vector) -> StructuredJacobian:
        """The Jacobian in the parameters v = factors w: G / factors."""

    @abstractmethod
    def some_rows(self, which: Indices) -> Matrix:
        """The given rows of G, in ascending order, as an array."""

    @abstractmethod
    def dense(self) -> Matrix:
        """G as an array; a ProblemError where it does not fit into memory."""
