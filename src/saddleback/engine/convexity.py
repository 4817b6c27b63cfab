"""Monitoring convexity: no evaluated loss may lie below a linearization at another point."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np

from .._types import EPS, Vector
from ..dual_sets import DualSet

# Relative errors of the losses that do not count as violations of convexity.
# float64: losses are sums of many terms, whose rounding errors add up.
DOUBLE_TOLERANCE = 1e5 * EPS
# Lower precision: this many units in the last place.
LOW_PRECISION_ULPS = 64.0
# Jacobians by finite differences: their usual relative error.
DIFFERENCES_TOLERANCE = 1e-6
# Losses that declare themselves convex: with columns such as time stamps, seven digits of a margin can cancel, which
# cannot be seen from the losses or their Jacobian.
DECLARED_TOLERANCE = 1e-7


class Linearization(Protocol):
    """A point with the losses f and products with their Jacobian G."""

    @property
    def w(self) -> Vector: ...
    @property
    def f(self) -> Vector: ...
    def change(self, p: Vector) -> Vector:
        """G p."""

    def magnitudes(self, p: Vector) -> Vector:
        """|G| |p|."""


class ConvexityWatch:
    """Keeps the last linearizations and the first violation of convexity.

    <lam, f> - m/2 |w|^2 is convex for every lam in Lambda exactly when the support function of Lambda at
    f(u) + G(u)(v - u) - f(v) is never above -m/2 |v - u|^2.
    """

    def __init__(
        self,
        dual_set: DualSet,
        strong_convexity: Vector,
        *,
        exact_jacobian: bool = True,
        memory: int = 2,
        reference: Vector | None = None,
    ) -> None:
        self._dual_set = dual_set
        self._reference_size = 0.0 if reference is None else np.abs(reference)
        self._strong_convexity = strong_convexity
        self._strongly_convex = bool(strong_convexity.any())
        self.tolerance = DOUBLE_TOLERANCE if exact_jacobian else DIFFERENCES_TOLERANCE
        self._known: deque[Linearization] = deque(maxlen=memory)
        self.violation: str | None = None

    @property
    def known(self) -> tuple[Linearization, ...]:
        """The linearizations that are kept, the oldest first."""
        return tuple(self._known)

    def restore(self, known: tuple[Linearization, ...], violation: str | None) -> None:
        """Take the contents of an earlier watch."""
        self._known.clear()
        self._known.extend(known)
        self.violation = violation

    def allow_declared(self) -> None:
        """Raise the tolerance to that of losses which declare themselves convex."""
        self.tolerance = max(self.tolerance, DECLARED_TOLERANCE)

    def allow_precision(self, precision: float) -> None:
        """Raise the tolerance to that of losses which are computed with this relative precision."""
        if precision > EPS:
            self.tolerance = max(self.tolerance, LOW_PRECISION_ULPS * precision)

    def observe_values(self, w: Vector, f: Vector) -> None:
        """Compare losses at w with the linearizations that are kept."""
        if self.violation is None:
            for known in self._known:
                step = w - known.w
                self._check(known.change(step) - (f - known.f), known, w, f, step)

    def observe(self, new: Linearization) -> None:
        """Compare the new linearization with those that are kept, then keep it."""
        if self.violation is None:
            w, f = new.w, new.f
            for known in self._known:
                step, change = w - known.w, f - known.f
                self._check(known.change(step) - change, known, w, f, step)
                self._check(change - new.change(step), new, known.w, known.f, step)
        self._known.append(new)

    def compare(self, known: Linearization, new: Linearization) -> None:
        """Compare the losses at each of two points with the linearization at the other."""
        step, change = new.w - known.w, new.f - known.f
        self._check(known.change(step) - change, known, new.w, new.f, step)
        self._check(change - new.change(step), new, known.w, known.f, step)

    def _check(self, excess: Vector, at: Linearization, w: Vector, f: Vector, step: Vector) -> None:
        """Note a violation where the linearization at a point exceeds the losses f at w, by ``excess``."""
        worst = self._dual_set.support_value(excess)
        if self._strongly_convex:
            worst += 0.5 * float((self._strong_convexity * step).dot(step))
        if worst <= 0.0 or self.violation is not None:
            return
        # Rounding errors of w itself change the losses by |G| |w|, however small f and the step are. Those of the
        # losses are relative to their size before the reference was subtracted, at most |f| + |r|.
        lam = self._dual_set.support(excess)[1]
        size = np.abs(at.f) + np.abs(f) + 2.0 * self._reference_size
        magnitude = size + at.magnitudes(np.abs(at.w) + np.abs(w))
        if worst > self.tolerance * float(np.abs(lam) @ magnitude):
            j = int(np.argmax(np.abs(lam)))
            claim = " or their strong convexity" if self._strongly_convex else ""
            self.violation = (
                f"loss {j} lies {worst:.3g} below its linearization, so the losses are not convex "
                f"(or their Jacobian{claim} is wrong)"
            )
