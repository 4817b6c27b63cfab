"""Losses and the points of parameter space where they are tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .._types import EPS, Matrix, Vector
from ..capabilities import offers
from ..dual_sets import DualSet
from ..losses import Losses
from ..losses.base import HasValues
from .derivatives import Slope, along, noise_level, slope

# Coordinates that are tested at one point; of more, a random choice.
COORDINATES = 20
RANDOM = 3
# Steps of differences relative to the scale of w, for exact losses and for losses with noise.
SMALL_STEP, SMALL_LEVELS = 1e-4, 3
STEP, LEVELS = 0.1, 7
RATIO = 4.0
NOISY_SHARE = 1e-5
# A spacing at which losses are nearly linear, so that their sixth differences are noise.
NOISE_SPACING = 1e-6
# Jacobians by differences.
DIFFERENCES_ERROR = 1e-5


@dataclass(frozen=True, eq=False)
class LossesSample:
    """J losses of d parameters, points, and the set of weights under which they must be convex."""

    losses: Losses
    dual_set: DualSet
    points: list[Vector]
    noise: Vector
    """The size of the errors in the losses, (J,)."""
    precision: float
    """The relative error that Jacobians may have."""
    scale: float
    """The typical magnitude of the parameters, in which steps are measured."""
    rng: np.random.Generator

    @classmethod
    def of(cls, losses: Losses, dual_set: DualSet, w: Vector, seed: int, n_points: int) -> LossesSample:
        rng = np.random.default_rng(seed)
        scale = max(1.0, float(np.abs(w).max()))
        points = [w]
        for _ in range(n_points - 1):
            step = rng.uniform(0.1, 1.0) * scale * _direction(w.size, rng)
            while not np.isfinite(_values(losses, w + step)).all() and np.abs(step).max() > 1e-6 * scale:
                step = 0.5 * step
            points.append(w + step)
        u = _direction(w.size, rng)
        f, G = losses.evaluate(w.copy())
        noise = np.maximum.reduce(
            [noise_level(along(partial(_values, losses), p, u), NOISE_SPACING * scale) for p in points]
        )
        noise = np.where(np.isfinite(noise), noise, 0.0)
        size = np.maximum.reduce([np.abs(_values(losses, p)) for p in points])
        relative = float((noise / np.maximum(size, 1e-300))[size > 0].max(initial=0.0))
        exact = getattr(losses, "exact_jacobian", True)
        dtypes = max(
            float(np.finfo(a.dtype).eps) if a.dtype.kind == "f" else EPS for a in (np.asarray(f), np.asarray(G))
        )
        precision = max(100.0 * dtypes, 100.0 * min(relative, 1e-6), 0.0 if exact else DIFFERENCES_ERROR)
        return cls(losses, dual_set, points, 10.0 * noise, precision, scale, rng)

    @property
    def J(self) -> int:
        return self.losses.n_losses

    @property
    def d(self) -> int:
        return self.losses.n_params

    def values(self, w: Vector) -> Vector:
        return _values(self.losses, w)

    def jacobian(self, w: Vector) -> Matrix:
        return np.asarray(self.losses.evaluate(w.copy())[1], dtype=np.float64)

    def coordinate_indices(self) -> list[int]:
        """All, or a random choice that has the last, which may be an intercept."""
        if self.d <= COORDINATES:
            return list(range(self.d))
        return [*np.sort(self.rng.choice(self.d - 1, COORDINATES - 1, replace=False)).tolist(), self.d - 1]

    def directions(self) -> Iterator[Vector]:
        for i in self.coordinate_indices():
            yield unit_vector(self.d, i)
        for _ in range(RANDOM):
            yield _direction(self.d, self.rng)

    def weights(self) -> Iterator[tuple[str, Vector]]:
        """Weights that pick single losses, or directions of a matrix of losses."""
        if getattr(self.losses, "matrix_size", None) is None:
            for j in range(self.J):
                yield f"loss {j}", unit_vector(self.J, j)
        else:
            for _ in range(4):
                lam = self.dual_set.support(self.rng.standard_normal(self.J))[1]
                yield "a direction of the matrix of losses", lam

    def random_weights(self) -> Vector:
        """A point of the relative interior of Lambda."""
        corner = self.dual_set.support(self.rng.standard_normal(self.J))[1]
        return np.asarray(0.5 * (self.dual_set.center(self.J) + corner))

    def slope(self, phi: Callable[[float], Vector], noise: Vector | float = 0.0) -> Slope:
        """The derivative at 0 of a function of a length in parameter space.

        Steps are small, because second derivatives may jump nearby; larger ones are used only where noise exceeds small
        differences.
        """
        step = SMALL_STEP * self.scale
        while step > 1e-4 * SMALL_STEP * self.scale and not np.isfinite([phi(step), phi(-step)]).all():
            step /= RATIO
        found = slope(phi, step, levels=SMALL_LEVELS, ratio=RATIO, noise=noise)
        if float(np.max(noise)) / step > NOISY_SHARE * float(found.variation.max()):
            found = slope(phi, STEP * self.scale, levels=LEVELS, ratio=RATIO, noise=noise)
        return replace(found, error=found.error + found.kink)


def unit_vector(n: int, i: int) -> Vector:
    e = np.zeros(n)
    e[i] = 1.0
    return e


def _values(losses: Losses, w: Vector) -> Vector:
    f = losses.values(w.copy()) if offers(losses, HasValues) else losses.evaluate(w.copy())[0]
    return np.asarray(f, dtype=np.float64)


def _direction(d: int, rng: np.random.Generator) -> Vector:
    u = rng.standard_normal(d)
    return np.asarray(u / np.linalg.norm(u))
