"""The metric of affine losses: a proximal term, as weak as rounding allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import Matrix, Params
from ..engine.evaluation import Evaluation, row_norms
from ..engine.oracle import Oracle
from ..linalg.hessian_models import SolvedSystem
from .smoothness import LONGEST

# The gap of (D) in units in the last place of Q, and the share of the tolerance that it may take.
UNITS, FINE = 8, 0.5
# Beside values of this size over the tolerance, the tolerance is out of reach (see stopping.py).
RELATIVE = 1e-10
# Steps are as many times longer, or shorter, than those of losses whose curvature is not known to be zero.
RANGE = 1e4


@dataclass(frozen=True, eq=False)
class AffineMetric:
    """B = delta diag(weights), the weights the squared columns of G: the same steps whatever the parameters' units.

    Affine losses have no curvature to learn, and their linearization is exact: proximal-point steps, of which a few
    long ones suffice.
    """

    delta: float
    weights: Params

    @staticmethod
    def start(oracle: Oracle, at: Evaluation) -> AffineMetric:
        """The delta for which the rounding errors of Q = G B^-1 G' in (D) take half of the tolerance.

        Longer steps are fewer, and the certificate does not suffer: it is the gap of (D) times delta that limits it.
        """
        columns = (at.reach * row_norms(at.G.T)) ** 2
        largest = float(columns.max()) or 1.0
        # A parameter that no loss depends on stays where it is.
        weights = np.where(columns > 0, columns / largest, 1.0)
        steepest = (at.reach * float(row_norms(at.G / np.sqrt(weights)).max())) ** 2 or 1.0
        delta = steepest * UNITS * oracle.precision / (FINE * max(oracle.tol, RELATIVE * abs(at.value)))
        usual = steepest / (at.magnitude or 1.0) / LONGEST
        return AffineMetric(min(max(delta, usual / RANGE), usual * RANGE), weights)

    @property
    def least_shift(self) -> float:
        return 1e-12 * self.delta

    def system(self, G: Matrix, sigma: float) -> SolvedSystem:
        a = (self.delta + sigma) * self.weights
        V = G / a
        if G.shape[1] < G.shape[0]:
            return SolvedSystem(V, factor=G / np.sqrt(a))
        Q = V @ G.T
        return SolvedSystem(V, 0.5 * (Q + Q.T))
