"""The default schedule: long steps along the central path, with no unit of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .central_path import CentralPath, Iterate, decrement
from .newton_system import NewtonSystem

REDUCTIONS = (1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 2e-2, 3e-2, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.85)
STEP_LENGTHS = (0.8, 0.6, 0.4)
# A warm start is given up when a corrector leaves more than this share of the decrement.
HOPEFUL = 0.8
# The decrement from which a warm start may predict for the first time.
UNPROVED = 1.5
# More correctors than this in a row are many.
MANY = 3
# Where the barrier is next to rounding, a corrector that leaves more than this share of the decrement corrects nothing.
FUTILE = 0.97
BLENDS = tuple(10.0**k for k in np.arange(-7.0, 0.0, 0.5))


@dataclass(frozen=True)
class LongSteps:
    """Predictor-corrector in s = 1/tau: the tangent of the path as predictor, Newton steps as correctors.

    The path x(t) at s(t) = (1 - t) s solves  tau grad (S + R)(x) + (1 - t) grad B(x) = 0  up to normals of the hull, so
    that F_tau''(x) x' = grad B(x): one more right-hand side for the factorization of the corrector. A coordinate
    that tends to the boundary behaves as s/z, which the tangent follows exactly, so that s may fall by orders of
    magnitude at once: as far as the predicted point stays within ``far`` of the path, in the cheap metric that
    leaves Q out. Reductions of s that fall short of ``worthwhile`` wait for a decrement below ``near``. Predictions
    start from decrements up to ``bold``; where the boundary is curved, or correctors are many, up to ``careful``: a
    coordinate that is many times too close to the boundary adds about one to the square of the decrement, and recovers
    by a factor of two per step.
    """

    far: float = 8.0
    bold: float = 2.0
    careful: float = 0.9
    near: float = 0.3
    worthwhile: float = 0.2
    max_iter: int = 400

    def iterates(self, path: CentralPath, start: Vector | None = None) -> Iterator[Iterate]:
        warm = start is not None
        lam, tau = self._cold(path) if start is None else self._warm(path, start)
        yield Iterate(lam, tau)
        last, correctors, futile, careful, unproved = np.inf, 0, 0, not path.dual_set.self_scaled, warm
        while tau < np.inf:
            gradient = path.gradient(lam, tau)
            system = path.newton_system(lam, tau)
            correction = system.solve(-gradient)
            delta = decrement(gradient, correction)
            left = path.nu / (tau * path.subproblem.rounding_floor)
            # Where the barrier is less than rounding there is nothing left to predict: correctors end the path.
            arrived = left <= 1e-3
            if arrived and last < 1.0 and delta >= 0.5 * last:
                return
            near = self.careful if careful else UNPROVED if unproved else self.bold
            ready = delta <= near and not arrived
            predicted = self._predict(path, system, lam, tau, correction, delta) if ready else None
            correctors = correctors + 1 if predicted is None else 0
            futile = futile + 1 if predicted is None and left < 1e3 and FUTILE * last < delta < 1.0 else 0
            if futile == MANY:
                return
            careful = careful or correctors > MANY
            lost = predicted is None and delta > max(1.0, (HOPEFUL if warm else 1.0) * last)
            last = delta if predicted is None else np.inf
            if lost and warm:
                # Correctors that lead nowhere: the start was not as near as it looked.
                (lam, tau), phase = self._cold(path), "restart"
                warm = unproved = False
            elif lost:
                lam, phase = lam + correction / (1.0 + delta), "damped"
            elif predicted is None:
                lam, phase = self._correct(path, lam, tau, correction, delta), "corrector"
            else:
                (lam, tau), phase, unproved = predicted, "predictor", False
            yield Iterate(lam, tau, delta, phase)
            if not np.isfinite(path.dual_set.barrier(lam)):
                # Rounding has taken the last step across the boundary.
                return

    def _cold(self, path: CentralPath) -> tuple[Vector, float]:
        """The center, with the tau at which its decrement is at most 1."""
        size = float(path.local_products(path.center, 0.0, path.slope(path.center))[0, 0])
        return path.center, 1.0 / np.sqrt(size) if size > 0 else np.inf

    def _warm(self, path: CentralPath, start: Vector) -> tuple[Vector, float]:
        """The blend of ``start`` and center that is near the path at the largest tau; the center when none is."""
        center, cold = self._cold(path)
        for blend in BLENDS:
            x = (1.0 - blend) * start + blend * center
            products = path.local_products(x, 0.0, path.slope(x), path.dual_set.barrier_gradient(x))
            # The tau that fits best: it minimizes |slope + grad B / tau| in the local norm. At the center grad B is
            # nothing but rounding, and so would be tau.
            told = products[0, 1] < 0 and products[1, 1] > 1e-6 * path.nu
            tau = -float(products[1, 1] / products[0, 1]) if told else 0.0
            if tau > 2.0 * cold and path.distance(x, tau) <= 0.75 * self.far:
                return x, tau
        return center, cold

    def _predict(
        self, path: CentralPath, system: NewtonSystem, lam: Vector, tau: float, correction: Vector, delta: float
    ) -> tuple[Vector, float] | None:
        """The point predicted at the largest tau whose neighborhood it reaches; None when it is not worth it."""
        tangent = system.solve(path.dual_set.barrier_gradient(lam))

        def point(k: int) -> tuple[Vector, float]:
            return lam + correction + (1.0 - REDUCTIONS[k]) * tangent, tau / REDUCTIONS[k]

        allowed = [k for k, r in enumerate(REDUCTIONS) if r <= self.worthwhile or delta <= self.near]
        k = bisect_left(allowed, True, key=lambda k: path.distance(*point(k)) <= self.far)
        if k < len(allowed):
            return point(k)
        # Near the path, where it bends too sharply for its tangent: a short step without it, to a decrement of about 4.
        return (lam + correction, tau * (1.0 + 4.0 / np.sqrt(path.nu))) if delta <= self.near else None

    def _correct(self, path: CentralPath, lam: Vector, tau: float, correction: Vector, delta: float) -> Vector:
        """The full step where it halves the distance, else the best of full, shortened and damped ones."""
        full = lam + correction
        reached = path.distance(full, tau)
        if delta < 0.1 or reached <= 0.5 * delta:
            return full
        # The damped step is the one that decreases F_tau surely.
        points = [lam + t * correction for t in (*STEP_LENGTHS, 1.0 / (1.0 + delta))]
        distances = [path.distance(x, tau) for x in points]
        best = int(np.argmin(distances))
        return points[best] if distances[best] < reached else full
