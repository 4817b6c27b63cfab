"""Watching convexity: an evaluated loss may not lie below an earlier linearization."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np

from .._types import EPS, Matrix, Vector
from ..dual_sets import DualSet

# Losses are sums of many terms: allow their rounding errors in float64, in float32, or those of finite differences.
ROUNDING = 1e5 * EPS
SINGLE = 64.0
DIFFERENCES = 1e-6
# Losses that declare themselves convex are believed rather than their rounding errors: margins of time stamps cancel
# seven digits, which neither the losses nor their Jacobian show.
DECLARED = 1e-7


class Linearization(Protocol):
    """A point where the losses and their Jacobian are known."""

    @property
    def w(self) -> Vector: ...
    @property
    def f(self) -> Vector: ...
    @property
    def G(self) -> Matrix: ...


class ConvexityWatch:
    """Remembers the last linearizations and the first violation of convexity.

    <lam, f> - m/2 |w|^2 is convex for every lam in Lambda exactly when the support function of Lambda at
    f(u) + G(u)(v - u) - f(v) is never above -m/2 |v - u|^2.
    """

    def __init__(self, dual_set: DualSet, curvature: Vector, *, exact_jacobian: bool = True, memory: int = 2) -> None:
        self._dual_set = dual_set
        self._curvature = curvature
        self._curved = bool(curvature.any())
        self.tolerance = ROUNDING if exact_jacobian else DIFFERENCES
        self._known: deque[Linearization] = deque(maxlen=memory)
        self.violation: str | None = None

    @property
    def known(self) -> tuple[Linearization, ...]:
        """The linearizations that are remembered, the oldest first."""
        return tuple(self._known)

    def restore(self, known: tuple[Linearization, ...], violation: str | None) -> None:
        """Remember what an earlier watch did."""
        self._known.clear()
        self._known.extend(known)
        self.violation = violation

    def believe(self) -> None:
        """Allow for what rounding may make of losses that are convex by their own account."""
        self.tolerance = max(self.tolerance, DECLARED)

    def trust(self, precision: float) -> None:
        """Allow for losses that are computed with this relative precision."""
        if precision > EPS:
            self.tolerance = max(self.tolerance, SINGLE * precision)

    def observe_values(self, w: Vector, f: Vector) -> None:
        """Compare losses at w with the linearizations that are remembered."""
        if self.violation is None:
            for known in self._known:
                self._compare(known, w, f, w - known.w, f - known.f)

    def observe(self, new: Linearization) -> None:
        """Compare both ways, then remember the new linearization."""
        if self.violation is None:
            for known in self._known:
                self.compare(known, new)
        self._known.append(new)

    def compare(self, known: Linearization, new: Linearization) -> None:
        """Compare the losses at each of two points with the linearization at the other."""
        step, change = new.w - known.w, new.f - known.f
        self._compare(known, new.w, new.f, step, change)
        self._compare(new, known.w, known.f, -step, -change)

    def _compare(self, at: Linearization, w: Vector, f: Vector, step: Vector, change: Vector) -> None:
        excess = at.G.dot(step) - change
        worst = self._dual_set.support_value(excess)
        if self._curved:
            worst += 0.5 * float((self._curvature * step).dot(step))
        if worst <= 0.0 or self.violation is not None:
            return
        # Parameters carry rounding errors, too: those of w move the losses by |G| |w|, however small f and the step.
        lam = self._dual_set.support(excess)[1]
        size = np.abs(at.f) + np.abs(f) + np.abs(at.G) @ (np.abs(at.w) + np.abs(w))
        if worst > self.tolerance * float(np.abs(lam) @ size):
            j = int(np.argmax(np.abs(lam)))
            claim = " or their strong convexity" if self._curved else ""
            self.violation = (
                f"loss {j} lies {worst:.3g} below its linearization, so the losses are not convex "
                f"(or their Jacobian{claim} is wrong)"
            )
