"""Best responses made smooth by a distance from a center, with derivatives of the form diagonal less low rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Matrix, Vector


class SmoothResponse(NamedTuple):
    """A maximizer lam and its derivative diag(diagonal) - rows' rows, symmetric and positive semidefinite.

    Where lam has a kink, the derivative is one of the limits from nearby points (Clarke's generalized Jacobian).
    """

    lam: Vector
    diagonal: Vector
    rows: Matrix
    """At most two."""


class ProximalResponse(NamedTuple):
    """max over lam of <lam, z> - R(lam) - gamma D(lam, center), its maximizer, and d lam/dz = diag - rows' rows."""

    value: float
    lam: Vector
    diagonal: Vector
    rows: Matrix


def constant_response(lam: Vector) -> SmoothResponse:
    """A maximizer that does not move."""
    return SmoothResponse(lam, np.zeros_like(lam), np.zeros((0, lam.size)))


def balanced_response(lam: Vector, *groups: Vector) -> SmoothResponse:
    """lam that moves by weights times (z - mean of z), within each of the disjoint groups of weights: their sums stay.

    The derivative is the sum over groups of diag w - w w'/<1, w>.
    """
    totals = [float(w.sum()) for w in groups]
    rows = [w / np.sqrt(total) for w, total in zip(groups, totals, strict=True) if total > 0.0]
    diagonal = groups[0] if len(groups) == 1 else np.sum(groups, axis=0)
    return SmoothResponse(lam, diagonal, np.array(rows) if rows else np.zeros((0, lam.size)))


def response_on_sphere(lam: Vector, weights: Vector, v: Vector) -> SmoothResponse:
    """lam that moves by weights times z, less its weighted projection on the span of 1 and v.

    Both the sum of lam and <v, d lam> = 0 are kept: W - W A (A'WA)^-1 A'W with A = (1, v), by Gram and Schmidt.
    """
    total = float(weights.sum())
    if not total > 0.0:
        return constant_response(lam)
    rows = [weights / np.sqrt(total)]
    # Centered twice, as the first mean has rounding errors of the largest v.
    v = v - weights.dot(v) / total
    v = v - weights.dot(v) / total
    turned = weights * v
    length = float(turned.dot(v))
    if length > 0.0:
        rows.append(turned / np.sqrt(length))
    return SmoothResponse(lam, weights, np.array(rows))


def scaled_response(response: SmoothResponse, factor: float, value: float) -> ProximalResponse:
    """The response to ``factor`` times z, as a function of z."""
    return ProximalResponse(value, response.lam, factor * response.diagonal, np.sqrt(factor) * response.rows)


def squared_distance(lam: Vector, center: Vector) -> float:
    """1/2 |lam - center|^2."""
    offset = lam - center
    return 0.5 * float(offset.dot(offset))


class EuclideanProximity:
    """The proximal response of a set with a projection: that of center + z/gamma, for D = 1/2 |lam - center|^2."""

    def smooth_project(self, x: Vector) -> SmoothResponse:
        """The point of Lambda nearest to x, and its derivative."""
        raise NotImplementedError

    def proximal_distance(self, lam: Vector, center: Vector) -> float:
        """1/2 |lam - center|^2."""
        return squared_distance(lam, center)

    def proximal_response(self, z: Vector, gamma: float, center: Vector) -> ProximalResponse:
        """argmax over lam of <lam, z> - gamma/2 |lam - center|^2, for gamma > 0."""
        response = self.smooth_project(center + z / gamma)
        value = float(response.lam.dot(z)) - gamma * squared_distance(response.lam, center)
        return scaled_response(response, 1.0 / gamma, value)
