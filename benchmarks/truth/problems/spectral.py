"""Largest eigenvalues with known optima: matrices of losses, over the spectrahedron."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

import saddleback as sb
from saddleback.regularizers import Regularizer

from .adversaries import Random, multipliers
from .constructed import Known
from .convex_losses import Array
from .known_tables import OnePoint


def draw_spectral(rng: Random, *, mild: bool, strong: bool = False) -> Known:
    """F(x) = C + sum_i x_i B_i + 1/2 sum_k (p_k'x)^2 S_k with S_k >= 0, x = (w - optimum)/units.

    Lam is chosen, of full rank or less; C = grad R(Lam) + theta I - S with S >= 0 and S Lam = 0 makes it the best
    response to C, and tr(Lam B_i) = 0 makes x = 0 optimal.
    """
    k, d = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    smooth = ("zero", "quadratic", "von neumann")[int(rng.integers(1 if strong else 0, 3))]
    U = qr(rng.standard_normal((k, k)))[0]
    spectrum = rng.dirichlet(np.full(k, 2.0)) + 1e-3
    if smooth != "von neumann":
        spectrum[int(rng.integers(1, k + 1)) :] = 0.0
    spectrum /= spectrum.sum()
    Lam = (U * spectrum) @ U.T
    unit = 10 ** rng.uniform(-3, 3) if not mild and rng.random() < 0.3 else 1.0
    gamma = unit * 10 ** rng.uniform(-1.5, 0.5)
    regularizer: Regularizer = sb.Zero()
    gradient, value = np.zeros((k, k)), 0.0
    if smooth == "quadratic":
        center = np.eye(k) / k
        regularizer = sb.Quadratic(gamma, center)
        gradient, value = gamma * (Lam - center), 0.5 * gamma * float(((Lam - center) ** 2).sum())
    elif smooth == "von neumann":
        regularizer = sb.VonNeumann(gamma)
        gradient = gamma * ((U * (np.log(spectrum) + 1.0)) @ U.T)
        value = gamma * float(spectrum @ np.log(spectrum))
    slack = multipliers(rng, k) * (spectrum == 0)
    C = gradient + unit * (rng.standard_normal() * np.eye(k) - (U * slack) @ U.T)
    B = unit * rng.standard_normal((d, k, k))
    B = B + B.transpose(0, 2, 1)
    squared = float((Lam * Lam).sum())
    for _ in range(2):
        B = B - (B * Lam).sum(axis=(1, 2))[:, None, None] * Lam / squared
    curved = rng.random() < 0.7
    S = rng.standard_normal((d, k, k))
    S = unit * (S @ S.transpose(0, 2, 1)) / k * curved
    P = rng.standard_normal((d, d)) / np.sqrt(d)
    units: Array = 10.0 ** rng.uniform(-7, 7, d) if not mild and rng.random() < 0.25 else np.ones(d)
    optimum = units * rng.standard_normal(d)

    def F(w: Array) -> Array:
        x = (w - optimum) / units
        t = P @ x
        matrix: Array = C + np.tensordot(x, B, 1) + 0.5 * np.tensordot(t * t, S, 1)
        return matrix

    def derivative(w: Array) -> Array:
        t = P @ ((w - optimum) / units)
        dF: Array = (B + np.tensordot(P.T * t, S, 1)) / units[:, None, None]
        return dF

    w0 = optimum + units * rng.standard_normal(d)
    losses: sb.Losses
    if curved or rng.random() < 0.5:
        losses = sb.from_matrix_functions(F, w0, derivative)
    else:
        losses = sb.AffineMatrix(F(np.zeros(d)), derivative(np.zeros(d)))
    problem = sb.Problem(losses, sb.Spectrahedron(), regularizer)
    best = float((Lam * C).sum()) - value
    size = float(np.abs(C).sum()) + abs(best) + unit
    label = f"Spectrahedron, {type(regularizer).__name__}, k = {k}, d = {d}, {'curved' if curved else 'affine'}"
    easy = bool(curved and (units == 1.0).all() and unit == 1.0)
    return Known(label, problem, w0, best, OnePoint(optimum), unit, size, easy)
