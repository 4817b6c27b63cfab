"""Convex losses whose values and gradients at one point are chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

LOG_2 = float(np.log(2.0))


def _square(t: Array) -> tuple[Array, Array, Array]:
    return 0.5 * t * t, t, np.ones_like(t)


def _softplus(t: Array) -> tuple[Array, Array, Array]:
    s = expit(t)
    # log(1 + e^t) - log 2 - t/2 = log cosh(t/2), four times it: second derivative 1 at zero.
    return 4.0 * (np.logaddexp(0.0, t) - LOG_2 - 0.5 * t), 4.0 * s - 2.0, 4.0 * s * (1.0 - s)


def _exponential(t: Array) -> tuple[Array, Array, Array]:
    return np.expm1(t) - t, np.expm1(t), np.exp(t)


def _quartic(t: Array) -> tuple[Array, Array, Array]:
    return t**4 / 12.0, t**3 / 3.0, t * t


def _root(t: Array) -> tuple[Array, Array, Array]:
    r = np.hypot(1.0, t)
    return t * t / (1.0 + r), t / r, r**-3


def _cosh(t: Array) -> tuple[Array, Array, Array]:
    return 2.0 * np.sinh(0.5 * t) ** 2, np.sinh(t), np.cosh(t)


# psi with psi(0) = psi'(0) = 0: value, first and second derivative.
PIECES = {
    "squares": _square,
    "softplus": _softplus,
    "exponentials": _exponential,
    "fourth powers": _quartic,
    "hyperbolas": _root,
    "cosh": _cosh,
}
# Those whose second derivative stays between moderate bounds within a few units.
TAME = ("squares", "softplus", "hyperbolas")


@dataclass(frozen=True, eq=False)
class Pieces:
    """f_j(w) = c_j + <b_j, x> + sum_k a_jk psi(p_k'x) + m/2 |x|^2, x = (w - optimum)/units: convex as a, m >= 0.

    At the optimum f = c and the gradients are b/units: <lam, f> is least there for every lam with b'lam = 0.
    """

    psi: str
    c: Array
    b: Array
    a: Array
    P: Array
    optimum: Array
    units: Array
    m: float = 0.0

    @property
    def n_losses(self) -> int:
        return self.c.size

    @property
    def n_params(self) -> int:
        return self.optimum.size

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        x = (w - self.optimum) / self.units
        value, slope, _ = PIECES[self.psi](self.P @ x)
        f = self.c + self.b @ x + self.a @ value + 0.5 * self.m * float(x @ x)
        return f, (self.b + (self.a * slope) @ self.P + self.m * x) / self.units

    def weighted_hessian(self, w: Array, lam: Array) -> Array:
        """sum_j lam_j Hessian f_j(w)."""
        _, _, second = PIECES[self.psi](self.P @ ((w - self.optimum) / self.units))
        H = (self.P.T * ((lam @ self.a) * second)) @ self.P + lam.sum() * self.m * np.eye(self.n_params)
        return H / np.outer(self.units, self.units)

    def nearest_minimizer(self, w: Array) -> Array:
        """The point nearest to w with the same losses as the optimum: some directions may have no effect on them."""
        seen = np.vstack([self.P, self.b])
        if self.m > 0 or np.linalg.matrix_rank(seen) == self.n_params:
            return self.optimum
        _, s, V = np.linalg.svd(seen)
        rank = int((s > 1e-12 * s[0]).sum()) if s.size else 0
        flat = self.units[:, None] * V[rank:].T
        t = np.linalg.lstsq(flat, w - self.optimum, rcond=None)[0]
        nearest: Array = self.optimum + flat @ t
        return nearest


class WithStrength:
    """The same losses with their ``strong_convexity``."""

    def __init__(self, losses: Pieces) -> None:
        self.losses = losses
        self.n_losses, self.n_params = losses.n_losses, losses.n_params
        self.strong_convexity: Array = losses.m / losses.units**2

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.losses.evaluate(w)


class WithHessian(WithStrength):
    """And with their Hessian."""

    def hessian(self, w: Array, lam: Array) -> Array:
        return self.losses.weighted_hessian(w, lam)
