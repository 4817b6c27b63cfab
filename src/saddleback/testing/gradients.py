"""Gradients and Hessians of functions on a dual set, compared with differences along its affine hull."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .._types import EPS, Matrix, Vector
from .derivatives import along, slope, worst_direction
from .failures import show
from .sampling import Sample

# Random directions beside the coordinates.
RANDOM = 2


def gradient_errors(
    s: Sample, x: Vector, H: Matrix, value: Callable[[Vector], float], g: Vector, name: str
) -> Iterator[str]:
    """Compare g with differences of ``value`` at x; steps are relative to the Dikin ellipsoid of H."""
    directions = [*s.hull.coordinate_directions(), *((-1, s.hull.random(s.rng)) for _ in range(RANDOM))]
    error, wrong = np.zeros(s.n), None
    # Allow for the rounding errors of the coordinates and of the terms that the function adds up.
    rounding = 8.0 * EPS * (abs(value(x)) + float(np.linalg.norm(x) * np.linalg.norm(g)))
    for i, u in directions:
        found = slope(along(value, x, u), s.safe_step(x, H, u), rounding=rounding)
        got = float(g @ u)
        scale = max(float(found.variation), abs(got))
        if found.rough(scale) > 0:
            yield _rough(x, u, float(found.value), float(found.error), name)
            return
        miss = got - float(found.value)
        if i >= 0:
            # Component i of the projected error, because u = P e_i / |P e_i| and |P e_i|^2 = (P e_i)_i.
            error[i] = miss * u[i]
        if not abs(miss) <= found.tolerance(scale):
            wrong = (u, miss) if wrong is None or abs(miss) > abs(wrong[1]) else wrong
    if wrong is None:
        return
    size = float(np.linalg.norm(error))
    u, miss = (error / size, size) if size > 0 and np.isfinite(size) else wrong
    worst = int(np.argmax(np.abs(error)))
    yield (
        f"{name} is wrong at lam = {show(x)}: in the direction {show(u)} finite differences give "
        f"{float(g @ u) - miss:.8g}, the formula {float(g @ u):.8g}. The worst coordinate is {worst}, off by "
        f"{error[worst]:.4g} along the hull: compare its formula with the function's."
    )


def hessian_errors(
    s: Sample, x: Vector, H: Matrix, gradient: Callable[[Vector], Vector], claimed: Matrix, name: str
) -> Iterator[str]:
    """Compare the matrix ``claimed`` with differences of ``gradient`` at x, both projected on the hull."""
    asymmetry = np.abs(claimed - claimed.T)
    if not asymmetry.max() <= 1e-10 * np.abs(claimed).max():
        i, j = np.unravel_index(int(np.argmax(asymmetry)), asymmetry.shape)
        yield (
            f"{name} is not symmetric at lam = {show(x)}: entry ({i}, {j}) is {claimed[i, j]:.8g}, entry ({j}, {i}) "
            f"is {claimed[j, i]:.8g}."
        )
        return
    coordinates = s.hull.coordinate_directions()
    numbers = [i for i, _ in coordinates]
    U = np.array([u for _, u in coordinates])
    # Local lengths of the coordinates: errors are compared relative to these, which may differ by orders of magnitude.
    radii = np.array([min(s.radius(H, u), s.extent) for u in U])
    error, wrong = np.zeros((s.n, s.n)), False
    rounding = 4.0 * EPS * float(np.linalg.norm(x)) * np.linalg.norm(s.hull.along(claimed @ U.T), axis=0)
    for k, u in enumerate(U):
        found = slope(along(lambda y: U @ gradient(y), x, u), s.safe_step(x, H, u), rounding=rounding)
        got = U @ (claimed @ u)
        scale = float((np.maximum(found.variation, np.abs(got)) * radii).max()) / radii
        rough = found.rough(scale)
        if (rough > 0).any():
            worst = int(np.argmax(rough))
            yield _rough(x, u, float(found.value[worst]), float(found.error[worst]), name)
            return
        miss = got - found.value
        wrong = wrong or not bool((np.abs(miss) <= found.tolerance(10.0 * scale)).all())
        lengths = np.array([u_i[i] for i, u_i in coordinates])
        error[numbers, numbers[k]] = miss * lengths * lengths[k]
    if wrong:
        u, _ = worst_direction(error)
        miss_u = float(u @ error @ u)
        i, j = np.unravel_index(int(np.argmax(np.abs(error))), error.shape)
        yield (
            f"{name} is wrong at lam = {show(x)}: in the direction {show(u)} finite differences of the gradient give "
            f"the quadratic form {float(u @ claimed @ u) - miss_u:.8g}, the formula {float(u @ claimed @ u):.8g}. The "
            f"worst coordinate is {i}, in entry ({i}, {j}), off by {error[i, j]:.4g} along the hull."
        )


def _rough(x: Vector, u: Vector, value: float, error: float, name: str) -> str:
    return (
        f"{name} cannot be verified at lam = {show(x)} in the direction {show(u)}: finite differences of what it "
        f"differentiates do not converge ({value:.4g} +- {error:.2g}). Make that function smooth and exact to rounding "
        "inside the set."
    )
