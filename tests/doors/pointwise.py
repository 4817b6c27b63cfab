"""Pointwise losses as users write them, in at most 15 lines each."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr


class Probit:
    """-log Phi(y eta), y = -1 or 1."""

    response, convex, bounded_below, curvature_bound = "binary", True, True, 1.0

    def _ratio(self, m):
        return np.exp(-0.5 * m * m - 0.5 * np.log(2 * np.pi) - log_ndtr(m))

    def value_and_slope(self, eta, y):
        return -log_ndtr(y * eta), -y * self._ratio(y * eta)

    def curvature(self, eta, y):
        r = self._ratio(y * eta)
        return r * (r + y * eta)


class Tweedie:
    """The deviance of power 1 < p < 2 for means exp(eta), up to a constant and a factor."""

    response, convex, bounded_below = "count", True, True

    def __init__(self, p=1.5):
        self.p = p

    def value_and_slope(self, eta, y):
        a, b = np.exp((2 - self.p) * eta), y * np.exp((1 - self.p) * eta)
        return a / (2 - self.p) + b / (self.p - 1), a - b

    def curvature(self, eta, y):
        return (2 - self.p) * np.exp((2 - self.p) * eta) + (self.p - 1) * y * np.exp((1 - self.p) * eta)
