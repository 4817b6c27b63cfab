"""Polyhedra: the description of polyhedral sets for quadratic-program solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._types import Matrix, Vector


@dataclass(frozen=True, eq=False)
class LinearConstraints:
    """The polyhedron {lam : E lam = e, A lam <= b, lower <= lam <= upper}; A and b are None where there are no rows."""

    E: Matrix
    e: Vector
    lower: Vector
    upper: Vector
    A: Matrix | None = None
    b: Vector | None = None

    @cached_property
    def equations(self) -> tuple[Matrix, Vector]:
        """[[0, E'], [E, 0]] and (0, e): the terms of E lam = e in the optimality conditions."""
        k, n = self.E.shape
        K = np.zeros((n + k, n + k))
        K[n:, :n], K[:n, n:] = self.E, self.E.T
        return K, np.concatenate((np.zeros(n), self.e))

    def divided_by(self, scale: float) -> LinearConstraints:
        """The same polyhedron for lam / scale."""
        b = None if self.b is None else self.b / scale
        return replace(self, e=self.e / scale, lower=self.lower / scale, upper=self.upper / scale, b=b)

    @cached_property
    def is_simplex_above(self) -> bool:
        """Whether this is {lam >= lower, sum lam = 1}: the simplex, shrunk and shifted."""
        simple = self.A is None and not self.capped and len(self.e) == 1 and self.e[0] == 1.0
        return bool(simple and (self.E == 1.0).all() and np.isfinite(self.lower).all())

    @cached_property
    def capped(self) -> bool:
        """Whether any coordinate has an upper bound."""
        return bool(np.isfinite(self.upper).any())
