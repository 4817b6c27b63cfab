"""Pointwise losses as users write them, and their plain formulas for autograd."""

from __future__ import annotations

import autograd.numpy as anp
import numpy as np

from saddleback.losses import PointwiseLoss
from saddleback.losses.grouped.pointwise_losses import LOSSES


class Foreign:
    """One of our losses, wrapped in a class that the library does not know."""

    def __init__(self, name):
        self.ours = LOSSES[name]
        self.response, self.convex, self.curvature_bound = self.ours.response, True, self.ours.curvature_bound

    def value_and_slope(self, eta, y):
        return self.ours.value_and_slope(eta, y)

    def curvature(self, eta, y):
        return self.ours.curvature(eta, y)


class LogCosh(PointwiseLoss):
    """log cosh(eta - y), a convex loss that the library does not have."""

    convex = True
    largest_curvature = 1.0

    def value_and_slope(self, eta, y):
        r = eta - y
        return np.logaddexp(r, -r) - np.log(2.0), np.tanh(r)

    def curvature(self, eta, y):
        return 1.0 - np.tanh(eta - y) ** 2


class Cauchy:
    """log(1 + r^2), which is not convex."""

    def value_and_slope(self, eta, y):
        r = eta - y
        return np.log1p(r * r), 2 * r / (1 + r * r)

    def curvature(self, eta, y):
        s = (eta - y) ** 2
        return 2 * (1 - s) / (1 + s) ** 2


def logcosh(eta, y):
    return anp.logaddexp(eta - y, y - eta) - np.log(2.0)


def cauchy(eta, y):
    return anp.log(1.0 + (eta - y) ** 2)


OWN = {"logcosh": (LogCosh(), logcosh), "cauchy": (Cauchy(), cauchy)}
