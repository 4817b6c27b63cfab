"""The lower bound of a run: the best average of minorants over the region around the best point."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Vector
from .certificates import Axes, Minorant, Region
from .coordinates import Coordinates
from .oracle import Oracle
from .run_state import RunState


class BoundTracker:
    """Updates the lower bound in the run state when minorants arrive, the best point moves or convexity fails."""

    def __init__(self, oracle: Oracle, coordinates: Coordinates, run_state: RunState) -> None:
        self._oracle = oracle
        self._coordinates = coordinates
        self._run_state = run_state
        self.everywhere = bool(oracle.strong_convexity.min() > 0)
        """Whether the bound holds for all w: all coordinates are strongly convex."""
        self._axes = Axes(oracle.strong_convexity)
        self._measured: tuple[Vector, float] = (oracle.w0, 0.0)
        """The last point whose distance from w0 was asked for, and that distance."""

    @property
    def radius(self) -> float:
        """The radius of the region: inf, the user's, or the distance from w0 to the best point, at least one."""
        if self.everywhere:
            return np.inf
        if self._coordinates.radius is not None:
            return self._coordinates.radius
        return max(1.0, self.distance_from_start(self._run_state.best.w))

    @property
    def reach(self) -> Vector:
        """The semi-axes of the region along the user's parameters; inf along strongly convex ones."""
        return self._coordinates.semi_axes(self.radius, self._oracle.strong_convexity)

    @property
    def region(self) -> Region:
        """Where the lower bound must hold."""
        return Region(self._run_state.best.w, self.radius, self._coordinates.region_scales, self._axes)

    def distance_from_start(self, w: Vector) -> float:
        """|w - w0| in the scales of the region."""
        if w is not self._measured[0]:
            # dnrm2 scales before it squares: far points do not overflow.
            self._measured = w, float(dnrm2((w - self._oracle.w0) / self._coordinates.region_scales))
        return self._measured[1]

    def update(self, minorants: tuple[Minorant, ...], lam: Vector) -> None:
        """Average old and new minorants so that their bound over the region is the highest; keep its lam.

        Without convexity there is no bound, and ``lam`` is the dual.
        """
        run_state = self._run_state
        if self._oracle.watch.violation is not None:
            run_state.bound, run_state.lower = None, -np.inf
            run_state.dual = lam if np.isfinite(lam).all() else run_state.dual
            return
        region = self.region
        bound = run_state.bound
        for new in minorants:
            bound = new if bound is None else bound.best_mix(new, region)
        run_state.bound = bound
        if bound is not None:
            least = bound.minimum(region)
            # By rounding errors, the bound can exceed the value that it bounds.
            run_state.lower = -np.inf if least != least else min(least, run_state.best.value)
            run_state.dual = bound.lam

    def recompute(self) -> None:
        """Compute the bound for the present region and put its gap into the last entry of the history."""
        self.update((), self._run_state.dual)
        self._run_state.history.gap[-1] = self._run_state.gap

    def withdraw(self, violation: str) -> None:
        """Drop the bound, as the losses are not convex."""
        self._oracle.watch.violation = violation
        self.recompute()
