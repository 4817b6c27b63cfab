"""One proximal problem of (D), min over u of h_gamma(c + F u) + 1/2 |u|^2, by semismooth Newton steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from .._types import EPS, Matrix, Vector
from ..adversary import Adversary
from ..dual_sets import ProximalResponse
from .convex_line_search import convex_line_search


@dataclass(frozen=True)
class ProximalRoundControl:
    """The numbers of `minimize`."""

    rounding: float = 8 * EPS
    """The rounding error of phi that a line search allows, relative to its terms."""
    unchanged_steps: int = 3
    """End after this many steps in a row that change phi by no more than that: a few of them still improve u."""
    max_steps: int = 60
    """Newton steps: about five, and one more for each column of F where fewer losses than that are between their
    bounds."""
    smallest_pivot: float = 1e-14
    """Added to the Hessian relative to its largest entry where rounding errors make it indefinite."""


CONTROL = ProximalRoundControl()


@dataclass(frozen=True, eq=False)
class ProximalProblem:
    """phi(u) = h_gamma(c + F u) + 1/2 |u|^2 over the scale of (D), with h_gamma around a center.

    u is measured in the square root of the scale. The dual objective at the response lam to c + F u is
    phi(u) - 1/2 |u + F'lam|^2, so that the gradient bounds the distance from the optimum.
    """

    adversary: Adversary
    F: Matrix
    c: Vector
    scale: float
    gamma: float
    center: Vector

    def at(self, u: Vector) -> Iterate:
        return self.along(u, self.F.dot(u))

    def along(self, u: Vector, change: Vector, direction: Vector | None = None, rise: Vector | None = None) -> Iterate:
        """The iterate at u with F u = ``change``; a ``direction`` p with F p = ``rise`` gives it a slope."""
        z = self.c + change
        response = self.adversary.proximal_response(self.scale * z, self.scale * self.gamma, self.center)
        value = response.value / self.scale + 0.5 * float(u.dot(u))
        slope = 0.0 if direction is None or rise is None else float(u.dot(direction) + response.lam.dot(rise))
        return Iterate(u, change, value, slope, response)

    def noise(self, here: Iterate) -> float:
        """The rounding error of phi: that of its largest term."""
        linear = float(here.lam.dot(self.c + here.change))
        return CONTROL.rounding * (
            abs(here.value) + abs(linear) + abs(self.adversary.regularizer.value(here.lam)) / self.scale
        )

    def hessian(self, response: ProximalResponse) -> Matrix:
        """I + F'(diag - rows' rows)F, from the rows of F that move.

        The rows are sqrt(diag) times orthonormal vectors, which are projected out before squaring: no digits cancel.
        """
        moving = response.diagonal.nonzero()[0]
        root = np.sqrt(response.diagonal.take(moving))
        A = self.F.take(moving, 0) * root[:, None]
        for row in response.rows:
            unit = row.take(moving) / root
            A -= np.multiply.outer(unit, unit.dot(A))
        H: Matrix = A.T.dot(A)
        H *= self.scale
        H.ravel()[:: len(H) + 1] += 1.0
        return H


@dataclass(frozen=True, eq=False)
class Iterate:
    """A point u with phi(u), its slope along the present line, and the response to c + F u."""

    u: Vector
    change: Vector
    """F u."""
    value: float
    slope: float
    response: ProximalResponse

    @property
    def lam(self) -> Vector:
        return self.response.lam


class Round(NamedTuple):
    """The last iterate of a round, the Newton steps taken, and whether rounding errors ended it."""

    last: Iterate
    n_iter: int
    stalled: bool


def minimize(problem: ProximalProblem, u: Vector, share: float, target: float) -> Round:
    """Newton steps from u until the error is at most ``share`` of the distance term, or ``target``.

    Damped by a line search that knows kinks; semismooth Newton converges superlinearly (Qi and Sun 1993), and in
    finitely many steps where Lambda is polyhedral.
    """
    F, adversary = problem.F, problem.adversary
    here, unchanged = problem.at(u), 0
    for n_iter in range(CONTROL.max_steps):
        gradient = here.u + here.lam.dot(F)
        error = 0.5 * float(gradient.dot(gradient))
        moved = problem.gamma * adversary.proximal_distance(here.lam, problem.center)
        if not error > max(share * moved, target):
            return Round(here, n_iter, stalled=False)
        adversary.clock.check(2.0 * F.size * F.shape[1])
        direction = _newton_direction(problem.hessian(here.response), gradient)
        start = replace(here, slope=float(gradient.dot(direction)))
        noise = problem.noise(here)
        found = convex_line_search(start, _Line(problem, start, direction), noise)
        if found is None:
            return Round(here, n_iter, stalled=True)
        unchanged = unchanged + 1 if found[1].value > here.value - noise else 0
        here = found[1]
        if unchanged == CONTROL.unchanged_steps:
            return Round(here, n_iter + 1, stalled=True)
    return Round(here, CONTROL.max_steps, stalled=False)


class _Line:
    """The iterates at u + t p; F p is computed once."""

    def __init__(self, problem: ProximalProblem, start: Iterate, direction: Vector) -> None:
        self.problem, self.start, self.direction = problem, start, direction
        self.rise = problem.F.dot(direction)

    def __call__(self, t: float) -> Iterate:
        start, direction, rise = self.start, self.direction, self.rise
        self.problem.adversary.clock.check()
        return self.problem.along(start.u + t * direction, start.change + t * rise, direction, rise)


def _newton_direction(H: Matrix, gradient: Vector) -> Vector:
    """-H^-1 gradient; H is positive definite up to rounding errors."""
    _, direction, info = dposv(H, -gradient)
    if info != 0:
        H.ravel()[:: len(H) + 1] += CONTROL.smallest_pivot * len(H) * float(H.max())
        _, direction, info = dposv(H, -gradient)
    return direction if info == 0 else -gradient
