"""The paper's step rule: damped centering, then short steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log, sqrt

from ..._types import Vector
from ...dual_sets import Simplex
from .central_path import CentralPath, Iterate
from .regularized_center import regularized_center


@dataclass(frozen=True)
class ShortStepControl:
    """The numbers of `ShortSteps`: the first two are the paper's (Algorithm 2)."""

    near: float = 1 / 4
    """The decrement at which Phase I ends, and which the iterates of Phase II do not exceed."""
    shortness: float = 15.0
    """tau grows by 1 + 1/(shortness sqrt(nu)) per Newton step."""
    share_of_rounding_floor: float = 1e-2
    """The path ends where nu/tau, the barrier's share of the gap, is this share of the rounding floor."""


CONTROL = ShortStepControl()


@dataclass(frozen=True)
class ShortSteps:
    """Algorithm 2 of the paper.

    It starts at argmin R + B with tau = 1, whatever the last lam and the scale of (D) are. Phase I: steps
    d/(1 + delta) until the decrement delta is at most 1/4. Phase II: tau *= 1 + 1/(15 sqrt(nu)), one full Newton step
    each; under this root nu is J on the simplex, as printed, and the set's parameter elsewhere. If delta <= 1/4, it is
    at most 1/4 (1 + 1/15) + 1/15 = 1/3 with the larger tau, and (1/3 / (2/3))^2 = 1/4 again after the full step: the
    iterates stay in the neighborhood. Phase II takes at most `phase_two_steps` for quadratic R on the sets that prove
    gaps, and O(sqrt(nu) log(nu/eps)) on all.
    """

    max_iter: int = 100_000

    def first(self, path: CentralPath) -> Vector:
        return regularized_center(path)

    def iterates(self, path: CentralPath, start: Vector | None = None) -> Iterator[Iterate]:
        lam, tau = self.first(path), 1.0
        yield Iterate(lam, tau)
        direction, delta = path.newton_step(lam, tau)
        while delta > CONTROL.near:
            lam = lam + direction / (1.0 + delta)
            yield Iterate(lam, tau, delta, "I")
            direction, delta = path.newton_step(lam, tau)
        growth = growth_of_tau(_printed_parameter(path))
        while path.nu / tau > CONTROL.share_of_rounding_floor * path.subproblem.rounding_floor:
            tau *= growth
            direction, delta = path.newton_step(lam, tau)
            lam = lam + direction
            yield Iterate(lam, tau, delta, "II", path.full_step_bound(tau, delta))


def _printed_parameter(path: CentralPath) -> float:
    """J on the simplex, the parameter of its barrier on the whole orthant, which Algorithm 2 prints; else nu."""
    return float(path.center.size) if isinstance(path.dual_set, Simplex) else path.nu


def growth_of_tau(parameter: float) -> float:
    """The factor of tau per step of Phase II."""
    return 1.0 + 1.0 / (CONTROL.shortness * sqrt(parameter))


def phase_two_steps(nu: float, eps: float, parameter: float | None = None) -> int:
    """The steps of Phase II after which nu/tau <= eps, which bounds the gap where full steps prove gaps; at least one.

    ``parameter`` is that of the growth of tau: J on the simplex, nu unless given. The steps do not depend on the losses
    (docs/mathematics.md, 8). None are needed where Lambda is a point, with nu = 0.
    """
    if nu == 0:
        return 0
    return max(1, ceil(log(nu / eps) / log(growth_of_tau(nu if parameter is None else parameter))))
