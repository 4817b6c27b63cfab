"""The interior form of a set: its support function as a minimum over few multipliers, smoothed by a barrier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Protocol

import numpy as np

from ..._types import Axes, Matrix, Vector

BOUNDARY_SHARE = 0.99
"""A step of the weights stops at this share of the way to a bound (Wright 1997, chapter 10: 0.9 to 0.995)."""
LEAST_SHARE = 0.08
"""The least share of its distance to a bound that a weight keeps where each steps on its own. Less than the factor by
which tau falls, so that weights on their way to a bound can follow; of 0.01, 0.03, 0.05, 0.08 and 0.2 this one took the
fewest steps, and on the simplex 0.01 twice as many."""
LARGEST_SQUARED = 1e150
"""The largest number that is squared: larger ones occur at points that are refused."""
MOST_OFF_CENTER = 1e10
"""Weights and slacks are kept within this factor of each other's central values (Waechter and Biegler 2006, eq. 16)."""


@dataclass(frozen=True, eq=False)
class Interior:
    """Multipliers y of the constraints that couple the weights, interior weights v, and the slack of y_k >= 0."""

    y: Annotated[Vector, Axes(("multipliers",))]
    v: Annotated[Vector, Axes(("weights",))]
    slack: float = 1.0
    """Of the constraint whose multiplier must be positive; 1 where there is none."""


@dataclass(frozen=True, eq=False)
class InteriorModel:
    """The quadratic model of phi_tau at (z, y), with the curvature of primal-dual methods."""

    weights: Vector
    """d phi / d z, one per loss."""
    gradient: Vector
    """d phi / d y."""
    theta: Vector
    """The diagonal of the curvature in z."""
    cross: Matrix
    """The curvature between y and z, one row per multiplier."""
    border: Matrix
    """The curvature in y."""
    rest: Matrix
    """The part of ``border`` that is not sum_j cross_j cross_j'/theta_j: that of the multipliers' own barriers."""


class InteriorForm(ABC):
    """h(z) = min over y of phi_0(z, y), a sum of one term per loss, and its barrier smoothing phi_tau.

    With constraints c(lam) on sums over the losses and a barrier on what bounds single weights,

        phi_tau(z, y) = max over v of <lam(v), z> - <y, c(v)> + tau sum log(slacks of v) - tau sum log(positive y)

    splits into one-dimensional problems with closed solutions. Its minimum over y is within tau times ``n_pairs`` of
    h(z). Newton's method on phi_tau takes ever shorter steps as tau falls; with theta from weights v of their own,
    which move with their linearized conditions, it does not (primal-dual methods; Wright 1997, chapter 1).
    """

    @property
    @abstractmethod
    def n_pairs(self) -> float:
        """Products of a weight and a slack that are all tau on the central path."""

    @abstractmethod
    def start(self, z: Vector, scale: float) -> Interior:
        """Multipliers and central weights, for a gap of about ``scale``."""

    @abstractmethod
    def value(self, z: Vector, y: Vector, tau: float) -> float:
        """phi_tau, up to a constant for each tau; inf outside of its domain."""

    @abstractmethod
    def model(self, z: Vector, at: Interior, tau: float) -> InteriorModel:
        """The quadratic model for changes of z and y."""

    @abstractmethod
    def moved(
        self, before: Vector, z: Vector, at: Interior, y: Vector, change: Vector, dy: Vector, tau: float
    ) -> Interior:
        """The next interior point.

        z were ``before`` and y at ``at``; ``change`` and ``dy`` are their steps in the model.
        """

    @abstractmethod
    def lam(self, at: Interior) -> Vector:
        """The weights of the losses: in Lambda, up to what `DualSet.restore` repairs."""

    def longest_step(self, y: Vector, dy: Vector) -> float:
        """The share of a step of y, at most 1, that keeps positive multipliers positive."""
        return 1.0


class HasInteriorForm(Protocol):
    """separable constraints ``interior_form(n)``: lets interior-point steps for very many losses in."""

    def interior_form(self, n: int) -> InteriorForm:
        """The set in R^n."""


def two_sided(q: Vector, width: Vector | float, tau: float) -> tuple[Vector, Vector]:
    """(s, t) with tau/s + tau/t = width and t - s = q: the slacks at argmax of v q + tau log v + tau log(width - v)."""
    # With x = width |q|/(2 tau) and u = x + sqrt(1 + x^2) the larger slack is (1 + u) tau/width, the smaller (1 + 1/u)
    # tau/width. In place, as these are the longest arrays of a run.
    unit = tau / width
    x = np.abs(q)
    x *= 0.5 / unit
    u = np.minimum(x, LARGEST_SQUARED)
    u *= u
    u += 1.0
    np.sqrt(u, out=u)
    u += x
    smaller = np.divide(1.0, u, out=x)
    smaller += 1.0
    smaller *= unit
    larger = u
    larger += 1.0
    larger *= unit
    above = q > 0.0
    return np.where(above, smaller, larger), np.where(above, larger, smaller)


def primal_dual_step(v: Vector, width: Vector | float, q: Vector, s: Vector, t: Vector, tau: float) -> Vector:
    """dv of the linearized conditions q = t - s, s v = tau, t (width - v) = tau, for the next q.

    s and t are overwritten.
    """
    rest = width - v
    dv = q + tau / v
    dv -= tau / rest
    s /= v
    t /= rest
    s += t
    dv /= s
    return dv


def interior_step(v: Vector, dv: Vector, width: Vector | float) -> float:
    """The share of dv, at most 1, with which 0 < v + share dv < width, with a margin."""
    fastest = -float(np.min(dv / v))
    if not np.isscalar(width) or np.isfinite(width):
        fastest = max(fastest, float(np.max(dv / (width - v))))
    return min(1.0, BOUNDARY_SHARE / fastest) if fastest > 0.0 else 1.0


def moved_within(v: Vector, dv: Vector, width: Vector | float) -> Vector:
    """v + dv, every weight kept from its bounds on its own: the slowest must not shorten the steps of the others.

    The sum of the weights changes by that, until the steps are short; `DualSet.restore` repairs it.
    """
    least = width - v
    least *= LEAST_SHARE
    most = np.subtract(width, least, out=least)
    moved = np.minimum(v + dv, most, out=most)
    return np.maximum(moved, LEAST_SHARE * v, out=moved)


def near_center(v: Vector, s: Vector, t: Vector, width: Vector | float, tau: float) -> Vector:
    """v, kept within MOST_OFF_CENTER of the weights that are central for the slacks."""
    least, most = tau / (MOST_OFF_CENTER * s), width - tau / (MOST_OFF_CENTER * t)
    return np.minimum(np.maximum(v, least), most)
