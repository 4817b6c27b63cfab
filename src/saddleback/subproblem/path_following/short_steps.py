"""The paper's step rule: damped centering, then short steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .central_path import CentralPath, Iterate


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
    """Algorithm 2 of the paper, with nu for J, and the center (or a start) for argmin R + B.

    Phase I, at tau = 1: steps d/(1 + delta) until the decrement delta is at most 1/4. Phase II:
    tau *= 1 + 1/(15 sqrt(nu)), one full Newton step each. If delta <= 1/4, it is at most 1/4 (1 + 1/15) + 1/15 = 1/3
    with the larger tau, and (1/3 / (2/3))^2 = 1/4 again after the full step: the iterates stay in the neighborhood.
    Newton steps: O(sqrt(nu) log(nu/eps)) after Phase I. tau starts at 1 for every scale of (D).
    """

    max_iter: int = 100_000

    def iterates(self, path: CentralPath, start: Vector | None = None) -> Iterator[Iterate]:
        lam, tau = path.center, 1.0
        if start is not None and np.isfinite(path.dual_set.barrier(start)):
            lam = start
        yield Iterate(lam, tau)
        direction, delta = path.newton_step(lam, tau)
        while delta > CONTROL.near:
            lam = lam + direction / (1.0 + delta)
            yield Iterate(lam, tau, delta, "I")
            direction, delta = path.newton_step(lam, tau)
        growth = 1.0 + 1.0 / (CONTROL.shortness * np.sqrt(path.nu))
        while path.nu / tau > CONTROL.share_of_rounding_floor * path.subproblem.rounding_floor:
            tau *= growth
            direction, delta = path.newton_step(lam, tau)
            lam = lam + direction
            yield Iterate(lam, tau, delta, "II")
