"""The Hessian model of affine losses: the smallest proximal term that rounding errors allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._types import Matrix, Params
from ..engine.evaluation import Evaluation, row_norms
from ..engine.oracle import Oracle
from ..linalg.hessian_models import SMALLEST_SHIFT_RATIO, SolvedSystem
from .smoothness import CONTROL as SMOOTHNESS


@dataclass(frozen=True)
class AffineControl:
    """The tuned numbers of the proximal term of affine losses (docs/mathematics.md, 6)."""

    rounding_units: float = 8.0
    """The smallest gap of (D) that can be reached, in units in the last place of the largest entry of Q."""
    tolerance_share: float = 0.5
    """The share of the tolerance that this gap may take."""
    relative_tolerance: float = 1e-10
    """Smaller tolerances relative to |g| cannot be reached; LARGEST_RELATIVE_TOLERANCE of engine/stopping.py."""
    step_range: float = 1e4
    """Steps are at most this many times longer or shorter than the longest steps on losses that are not known to be
    affine, so that with extreme tolerances Q neither overflows nor is negligible against c."""


CONTROL = AffineControl()


@final
@dataclass(frozen=True, eq=False)
class AffineModel:
    """B = delta diag(weights), with the squared columns of G as weights: steps do not depend on the parameters' scales.

    The linearization of affine losses is exact and their Hessian is zero, so that any delta > 0 gives a proximal-point
    method. A small delta needs few steps.
    """

    delta: float
    weights: Params

    @staticmethod
    def start(oracle: Oracle, at: Evaluation) -> AffineModel:
        """The delta for which the rounding errors of Q = G B^-1 G' in (D) take half of the tolerance.

        The error of the certificate is the gap of (D) times delta, so that a small delta does not make it worse.
        """
        columns = (at.largest_weight * at.column_norms()) ** 2
        largest = float(columns.max()) or 1.0
        # A parameter on which no loss depends does not move, with any positive weight.
        weights = np.where(columns > 0, columns / largest, 1.0)
        steepest = (at.largest_weight * float(row_norms(at.G / np.sqrt(weights)).max())) ** 2 or 1.0
        tol = max(oracle.tol, CONTROL.relative_tolerance * abs(at.value))
        rounding = CONTROL.rounding_units * oracle.precision * oracle.adversary.rounding_growth
        delta = steepest * rounding / (CONTROL.tolerance_share * tol)
        usual = steepest / (at.magnitude or 1.0) / SMOOTHNESS.longest_step
        return AffineModel(min(max(delta, usual / CONTROL.step_range), usual * CONTROL.step_range), weights)

    @property
    def smallest_shift(self) -> float:
        return SMALLEST_SHIFT_RATIO * self.delta

    def system(self, G: Matrix, sigma: float) -> SolvedSystem:
        a = (self.delta + sigma) * self.weights
        V = G / a
        if G.shape[1] < G.shape[0]:
            return SolvedSystem(V, factor=G / np.sqrt(a))
        Q = V @ G.T
        return SolvedSystem(V, 0.5 * (Q + Q.T))
