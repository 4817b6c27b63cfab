"""The default step rule: long predictor-corrector steps along the central path, independent of the scale of (D)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._types import Vector
from .central_path import CentralPath, Iterate, decrement
from .newton_system import NewtonSystem


@dataclass(frozen=True)
class LongStepControl:
    """The numbers of `LongSteps`, chosen on random (D) over all pairs (Lambda, R) of tests/subproblem/geometries.py.

    Percentages are changes of the number of Newton systems there with another value, or without the rule.
    """

    predict_from: float = 2.0
    """Predict from decrements up to this one. A coordinate that is many times too close to the boundary adds about one
    to the square of the decrement, and each corrector doubles its distance. With 0.9: +9 %."""
    predict_from_curved: float = 0.9
    """The same where the boundary is curved (sets that are not self-scaled). With 2.0: +26 %, and gaps are missed."""
    far: float = 8.0
    """The largest distance from the path that a predicted point may have."""
    reductions: tuple[float, ...] = tuple(10.0 ** (-k / 4) for k in range(24, 0, -1))
    """Factors of s = 1/tau that are tried in a prediction, from 1e-6 to 10^(-1/4)."""
    worthwhile: float = 0.2
    near: float = 0.3
    """Factors above ``worthwhile`` are tried only where the decrement is at most ``near``. Without this rule: +7 % on
    boxes that do not declare themselves self-scaled, -2 % on the library's own sets."""
    short_step: float = 4.0
    """If no prediction succeeds and the decrement is at most ``near``, tau grows by 1 + short_step/sqrt(nu), which
    makes the decrement about ``short_step``. This guarantees progress for large nu; seldom used."""
    acceptable: float = 0.5
    """A full corrector is taken if its distance from the path is at most this share of the decrement; else others are
    tried."""
    step_lengths: tuple[float, ...] = (0.8, 0.6, 0.4)
    """Shortened correctors to try besides the damped one. Without them: +37 %."""
    farthest_start: float = 6.0
    """The largest distance from the path at which a warm start is accepted."""
    blends: tuple[float, ...] = tuple(10.0 ** (k / 2) for k in range(-14, 0))
    """Weights of the center in a warm start, which may be on the boundary; the smallest that succeeds is taken."""
    divergent: float = 1.0
    """A warm start is given up where the decrement grows and is above this: Newton's method converges from decrements
    below one."""
    least_barrier: float = 1e-3
    """Do not predict where nu/tau, the barrier's share of the gap, is at most this many times the rounding floor."""
    small_barrier: float = 1e3
    stagnation: float = 0.97
    most_stalled: int = 3
    """Where nu/tau is below ``small_barrier`` times the rounding floor, the path ends after ``most_stalled`` correctors
    in a row that leave more than the share ``stagnation`` of the decrement: they consist of rounding errors. Without
    this rule some paths do not end before ``max_iter``; with one corrector instead of three, digits are lost."""


@dataclass(frozen=True)
class LongSteps:
    """Predictor-corrector in s = 1/tau: the tangent of the path as predictor, Newton steps as correctors.

    The path x(t) at s(t) = (1 - t) s solves  tau grad (S + R)(x) + (1 - t) grad B(x) = 0  up to normals of the hull, so
    that F_tau''(x) x' = grad B(x): one more right-hand side for the factorization of the corrector. A coordinate
    that tends to the boundary behaves as s/z, which is linear in s, so that s may fall by orders of magnitude in one
    step: as long as the predicted point is within ``far`` of the path, in the norm without Q. About 25 Newton systems
    from the center, 3 to 15 from a warm start.
    """

    max_iter: int = 400
    control: LongStepControl = LongStepControl()

    def iterates(self, path: CentralPath, start: Vector | None = None) -> Iterator[Iterate]:
        control = self.control
        predict_from = control.predict_from if path.dual_set.self_scaled else control.predict_from_curved
        warm = start is not None
        lam, tau = self._cold_start(path) if start is None else self._warm_start(path, start)
        # The decrement before the last corrector; inf after a step that changed tau.
        last, stalled = np.inf, 0
        yield Iterate(lam, tau)
        while tau < np.inf:
            gradient, system = path.gradient(lam, tau), path.newton_system(lam, tau)
            correction = system.solve(-gradient)
            delta = decrement(gradient, correction)
            barrier = path.nu / (tau * path.subproblem.rounding_floor)
            predicted, bound = None, np.inf
            if delta <= predict_from and barrier > control.least_barrier:
                predicted = self._predict(path, system, lam, tau, correction, delta)
            stalled = stalled + 1 if barrier < control.small_barrier and delta > control.stagnation * last else 0
            if predicted is not None:
                (lam, tau), last, phase = predicted, np.inf, "predictor"
            elif warm and delta > max(control.divergent, last):
                # The correctors diverge: the warm start was too far from the path.
                (lam, tau), last, phase, warm = self._cold_start(path), np.inf, "restart", False
            elif stalled == control.most_stalled:
                return
            else:
                full = lam + correction
                lam, last, phase = self._correct(path, lam, tau, correction, delta), delta, "corrector"
                bound = path.full_step_bound(tau, delta) if np.array_equal(lam, full) else np.inf
            yield Iterate(lam, tau, delta, phase, bound)
            if not np.isfinite(path.dual_set.barrier(lam)):
                # By rounding errors, the last step has crossed the boundary.
                return

    def _cold_start(self, path: CentralPath) -> tuple[Vector, float]:
        """The center, with the tau at which its decrement is at most 1; inf where S + R is constant to first order."""
        square = float(path.local_products(path.center, 0.0, path.slope(path.center))[0, 0])
        return path.center, 1.0 / np.sqrt(square) if square > 0 else np.inf

    def _warm_start(self, path: CentralPath, start: Vector) -> tuple[Vector, float]:
        """The first blend of ``start`` and center that is near the path at a larger tau than the cold start."""
        center, cold_tau = self._cold_start(path)
        for blend in self.control.blends:
            x = (1.0 - blend) * start + blend * center
            products = path.local_products(x, 0.0, path.slope(x), path.dual_set.barrier_gradient(x))
            # tau minimizes |slope + grad B / tau| in the local dual norm.
            tau = -float(products[1, 1] / products[0, 1]) if products[0, 1] < 0 else 0.0
            if tau > cold_tau and path.distance(x, tau) <= self.control.farthest_start:
                return x, tau
        return center, cold_tau

    def _predict(
        self, path: CentralPath, system: NewtonSystem, lam: Vector, tau: float, correction: Vector, delta: float
    ) -> tuple[Vector, float] | None:
        """The predicted point at the largest tau for which it is near the path; None where a corrector is needed."""
        control, centered = self.control, lam + correction
        tangent = system.solve(path.dual_set.barrier_gradient(lam))

        def point(reduction: float) -> tuple[Vector, float]:
            return centered + (1.0 - reduction) * tangent, tau / reduction

        reductions = [r for r in control.reductions if r <= control.worthwhile or delta <= control.near]
        first = bisect_left(reductions, True, key=lambda r: path.distance(*point(r)) <= control.far)
        if first < len(reductions):
            return point(reductions[first])
        return (centered, tau * (1.0 + control.short_step / np.sqrt(path.nu))) if delta <= control.near else None

    def _correct(self, path: CentralPath, lam: Vector, tau: float, correction: Vector, delta: float) -> Vector:
        """The full Newton step where it is ``acceptable``, else the best of the full, shortened and damped ones."""
        full = lam + correction
        full_distance = path.distance(full, tau)
        if full_distance <= self.control.acceptable * delta:
            return full
        # The damped step always decreases F_tau (paper, Theorem G.1). It comes first, so that argmin takes it where no
        # distance is finite.
        points = [lam + t * correction for t in (1.0 / (1.0 + delta), *self.control.step_lengths)]
        distances = [path.distance(x, tau) for x in points]
        return [*points, full][int(np.argmin([*distances, full_distance]))]
