"""Third derivatives of barriers, in the directions where they are largest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular

from .._types import Matrix, Vector
from .derivatives import ERROR_MARGIN, Slope, along, slope

# Steps of the power method, and the distance in the local norm at which its Hessians are evaluated.
POWER_STEPS = 6
HESSIAN_DISTANCE = 0.1
# The Dikin ellipsoid has radius 1; differences stay well inside.
STEP = 0.3
# The bounds of the theory hold with equality for logarithms: this margin allows for errors of the differences.
BOUND_MARGIN = 1e-6


def whitening(H: Matrix, Z: Matrix) -> Matrix | None:
    """M with M'HM = I whose columns span the hull; None where H is not positive definite there."""
    # Scale each coordinate by its own second derivative first, as orthogonalization would mix very different ones.
    lengths = 1.0 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    basis = lengths[:, None] * np.linalg.qr(Z / lengths[:, None])[0]
    reduced = basis.T @ H @ basis
    try:
        L = np.linalg.cholesky(0.5 * (reduced + reduced.T))
    except np.linalg.LinAlgError:
        return None
    return np.asarray(basis @ solve_triangular(L, np.eye(len(L)), lower=True).T)


def steepest(hessian: Callable[[Vector], Matrix], x: Vector, M: Matrix, rng: np.random.Generator) -> Vector:
    """A direction h with |h|_x = 1 and a large third derivative D3[h, h, h], by the symmetric power method (De
    Lathauwer, De Moor and Vandewalle 2000) from a random start.
    """
    y = np.asarray(rng.standard_normal(M.shape[1]))
    best: Vector = np.asarray(M @ y / np.linalg.norm(y))
    largest = -np.inf
    for _ in range(POWER_STEPS):
        h: Vector = np.asarray(M @ y / np.linalg.norm(y))
        third = (
            M.T
            @ ((hessian(x + HESSIAN_DISTANCE * h) - hessian(x - HESSIAN_DISTANCE * h)) @ h)
            / (2.0 * HESSIAN_DISTANCE)
        )
        if not np.isfinite(third).all() or not third.any():
            break
        size = abs(float(third @ y) / float(np.linalg.norm(y)))
        if size > largest:
            best, largest = h, size
        y = third
    return best


def third_derivative(hessian: Callable[[Vector], Matrix], x: Vector, h: Vector, step: float = STEP) -> Slope:
    """D3[h, h, h] at x, by differences of the quadratic form of the Hessian."""
    return slope(along(lambda y: float(h @ hessian(y) @ h), x, h), step)


def excess(third: Slope, second: float) -> float:
    """By how much |D3| exceeds 2 D2^(3/2) beyond the errors of the differences; positive where it does."""
    return float(abs(third.value) - ERROR_MARGIN * third.error) - 2.0 * (1.0 + BOUND_MARGIN) * second**1.5
