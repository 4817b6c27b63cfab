"""The default schedule: long steps along the central path, with no unit of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .._types import Vector
from .central_path import CentralPath, Iterate, decrement
from .newton_system import NewtonSystem

REDUCTIONS = (1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 2e-2, 3e-2, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7)
STEP_LENGTHS = (1.0, 0.8, 0.6, 0.4)
BLENDS = tuple(10.0**k for k in np.arange(-7.0, 0.0, 0.5))


@dataclass(frozen=True)
class LongSteps:
    """Predictor-corrector in s = 1/tau: a second-order predictor of the path, Newton correctors.

    The path x(t) with s(t) = (1 - t) s solves  tau grad h(x) + (1 - t) grad B(x) in the normals of the hull, so
    with H = F_tau'' and G the gradient of tau R + B

        H x' = grad B,    H x'' = 2 B'' x' - G''[x', x'],

    both by the factorization that the corrector needs. A coordinate that tends to the boundary behaves as
    s/z, which the predictor follows exactly, so that s may fall by orders of magnitude at once: it is reduced as
    far as the predicted point stays within ``far`` of the path, in the cheap metric that leaves Q out.
    """

    far: float = 8.0
    near: float = 0.3
    worthwhile: float = 0.2
    max_iter: int = 150

    def iterates(self, path: CentralPath, start: Vector | None = None) -> Iterator[Iterate]:
        lam, tau = self._cold(path) if start is None else self._warm(path, start)
        yield Iterate(lam, tau)
        while path.nu / tau > 1e-3 * path.subproblem.resolution:
            gradient = path.gradient(lam, tau)
            system = path.newton_system(lam, tau)
            correction = system.solve(-gradient)
            delta = decrement(gradient, correction)
            predicted = self._predict(path, system, lam, tau, correction, delta)
            lam, tau = predicted or (self._correct(path, lam, tau, correction, delta), tau)
            yield Iterate(lam, tau, delta, "corrector" if predicted is None else "predictor")

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
            # The tau that fits best: it minimizes |slope + grad B / tau| in the local norm.
            tau = -float(products[1, 1] / products[0, 1]) if products[0, 1] < 0 else 0.0
            if tau > 2.0 * cold and path.distance(x, tau) <= 0.75 * self.far:
                return x, tau
        return center, cold

    def _predict(
        self, path: CentralPath, system: NewtonSystem, lam: Vector, tau: float, correction: Vector, delta: float
    ) -> tuple[Vector, float] | None:
        """The point predicted at the largest tau whose neighbourhood it reaches; None when it is not worth it."""
        if delta > 2.0:
            return None
        x1 = system.solve(path.dual_set.barrier_gradient(lam))
        curvature = path.dual_set.barrier_hessian(lam)
        bend = curvature * x1 if curvature.ndim == 1 else curvature @ x1
        length = float(np.sqrt(x1 @ bend))
        x2 = np.zeros_like(x1)
        if length > 1e-6:
            # G'' along x' by central differences: 1e-3 of the local norm leaves a relative error of 1e-6.
            h = 1e-3 / length
            third = path.separable_gradient(lam + h * x1, tau) + path.separable_gradient(lam - h * x1, tau)
            third = (third - 2.0 * path.separable_gradient(lam, tau)) / h**2
            x2 = system.solve(2.0 * bend - third)

        def point(k: int) -> tuple[Vector, float]:
            t = 1.0 - REDUCTIONS[k]
            return lam + correction + t * x1 + 0.5 * t**2 * x2, tau / REDUCTIONS[k]

        # A better centered point allows a far longer step, so that a short one waits for it.
        allowed = [k for k, r in enumerate(REDUCTIONS) if r <= self.worthwhile or delta <= self.near]
        k = bisect_left(allowed, True, key=lambda k: path.distance(*point(k)) <= self.far)
        return point(k) if k < len(allowed) else None

    def _correct(self, path: CentralPath, lam: Vector, tau: float, correction: Vector, delta: float) -> Vector:
        """The step, among full, shortened and damped ones (which decrease F_tau surely), that ends nearest."""
        lengths = (1.0,) if delta < 0.1 else (*STEP_LENGTHS, 1.0 / (1.0 + delta))
        points = [lam + t * correction for t in lengths]
        return points[int(np.argmin([path.distance(x, tau) for x in points]))]
