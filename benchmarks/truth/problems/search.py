"""Low values of g in a ball, by looking: random points, points that are known to be low, and descents from the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import minimize

from .nonconvex import Array

SAMPLES = 300
DESCENTS = 6


def lowest_inside(
    rng: np.random.Generator,
    g: Callable[[Array], tuple[float, Array]],
    center: Array,
    radius: float,
    known: Sequence[Array],
) -> tuple[float, Array]:
    """The least value of g (given with a subgradient) that was found within ``radius`` of the center, and where."""
    best, where = g(center)[0], center

    def look(v: Array) -> float:
        nonlocal best, where
        value = g(v)[0]
        # Slightly inside, so that rounding errors of the distance do not matter.
        if value < best and float(np.linalg.norm(v - center)) <= radius * (1 - 1e-9):
            best, where = value, v.copy()
        return value

    def into_ball(v: Array) -> Array:
        step = v - center
        length = float(np.linalg.norm(step))
        inside = step if length <= 0.99 * radius else step * (0.99 * radius / length)
        return center + inside

    directions = rng.standard_normal((SAMPLES, center.size))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    # Half of them far out, half at all scales.
    lengths = radius * np.where(rng.random(SAMPLES) < 0.5, rng.random(SAMPLES), 10 ** rng.uniform(-3, 0, SAMPLES))
    points = [center + length * u for length, u in zip(lengths, directions, strict=True)]
    points += [into_ball(v) for v in known]
    values = [look(p) for p in points]
    starts = [points[i] for i in np.argsort(values)[:DESCENTS]]
    starts.append(center + 1e-3 * max(1.0, radius) * directions[0])

    for start in starts:
        # Points that the descent visits inside the region count, also if it fails later.
        def visited(v: Array) -> tuple[float, Array]:
            look(v)
            return g(v)

        answer = minimize(visited, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
        look(into_ball(answer.x))
    return best, where
