"""Directions in which g may fall for ever, from the slopes of its minorants."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.linalg.blas import dnrm2

from .._types import EPS, Matrix, Vector
from ..dual_sets import DualSet
from .evaluation import Evaluation, row_norms

# A sum of slopes that is shorter than this part of its terms counts as zero: its digits have canceled.
CANCELED = 100 * EPS
# Slopes that are so much shorter than the longest cannot be told from zero.
VANISHED = 1e-100
# So many Jacobians are remembered: the slopes of other lam cost no evaluation, but a Jacobian may be large.
REMEMBERED = 8
# So often are they asked for a slope that a direction has overlooked.
CORRECTIONS = 50


class Slopes:
    """Slopes G(v)' lam of minorants of g, and the direction in which all of them fall.

    Far along u, g changes at the rate sup <G(v)' lam, u> over all v and all lam in Lambda: its recession function.
    Among the u of one length, the rate is least for the u against the shortest average of all slopes (von Neumann's
    minimax theorem). Where that average is zero, an average of minorants is a constant, and g is bounded below.
    Each coordinate counts in units of its largest slope, so that units of parameters do not matter. Where ``flat`` is
    False g is strongly convex along a coordinate and cannot fall for ever along it: u is zero there.
    """

    def __init__(self, dual_set: DualSet, flat: NDArray[np.bool_], work: float = np.inf) -> None:
        self._dual_set, self._flat = dual_set, flat
        self._left = work
        self._known: deque[Evaluation] = deque(maxlen=REMEMBERED)
        # Keyed by their bytes: one that is known already cannot change a direction.
        self._slopes: dict[bytes, Vector] = {}
        self.unit = np.ones(flat.size)
        """The largest |slope| along each coordinate."""

    @property
    def exhausted(self) -> bool:
        """Whether the multiplications that were granted, ``work``, are spent."""
        return self._left <= 0.0

    def add(self, slope: Vector) -> None:
        self._slopes[slope.tobytes()] = slope

    def learn(self, at: Evaluation) -> bool:
        """Add the slope of the best response, if it is new, and remember the Jacobian for the slopes of other lam."""
        known = len(self._slopes)
        self.add(at.lam @ at.G)
        if len(self._slopes) > known:
            self._known.append(at)
        return len(self._slopes) > known

    def descent(self) -> Vector | None:
        """u along which every known slope falls at the rate one or faster; None where an average of slopes is zero."""
        for _ in range(CORRECTIONS):
            u = self._descent()
            if u is None:
                return None
            known = len(self._slopes)
            for at in self._known:
                # The slope that makes the linearization there fall least.
                slope = self._dual_set.support(at.G @ u)[1] @ at.G
                if slope @ u + 0.5 > CANCELED * dnrm2(slope / self.unit) * dnrm2(self.unit * u):
                    self.add(slope)
            if len(self._slopes) == known or self.exhausted:
                break
        return u

    def _descent(self) -> Vector | None:
        S = np.array(list(self._slopes.values()))
        n, d = S.shape
        # One factorization of all slopes, and about n of some of them.
        self._left -= d * n**2 + n**4 / 4
        self.unit = np.abs(S).max(axis=0)
        self.unit[self.unit == 0.0] = 1.0
        S = np.where(self._flat, S / self.unit, 0.0)
        if row_norms(S).min() <= VANISHED:
            return None
        weights = shortest_average(S)
        if not dnrm2(weights @ S) > CANCELED * dnrm2(weights @ np.abs(S)):
            return None
        # -a/|a|^2 for the average a, but from the equations S u = -1 of its slopes: each of them then holds to its own
        # rounding errors, while those of the longest slopes would drown a.
        S = S[weights > 0.0]
        lengths = row_norms(S)
        u: Vector = np.linalg.lstsq(S / lengths[:, None], -1.0 / lengths, rcond=None)[0] / self.unit
        return u


def shortest_average(slopes: Matrix) -> Vector:
    """Weights y >= 0 of sum one for which |slopes' y| is least: the point of a hull nearest to zero (Wolfe 1976).

    Found by non-negative least squares, min over x >= 0 of |slopes' x|^2 + (1 - sum x)^2 with y = x / sum x, by the
    active sets of Lawson and Hanson (1974, chapter 23). Only the slopes themselves are factored: in products with each
    other those of size one would drown beside those of size 1e11.
    """
    lengths = row_norms(slopes)
    n = len(slopes)
    columns = slopes.T / lengths.min()
    if len(columns) > n:
        columns = qr(columns, mode="r")[0][:n]
    A = np.vstack((columns, np.ones(n)))
    norms = row_norms(A.T)
    A /= norms
    target = np.zeros(len(A))
    target[-1] = 1.0
    x, active = np.zeros(n), np.zeros(n, dtype=np.bool_)
    for _ in range(3 * n):
        residual = target - A @ x
        pull = np.where(active, -np.inf, A.T @ residual)
        j = int(pull.argmax())
        if not pull[j] > 16 * EPS * dnrm2(residual):
            break
        active[j] = True
        while True:
            z = np.zeros(n)
            z[active] = np.linalg.lstsq(A[:, active], target, rcond=None)[0]
            leaving = active & (z <= 0.0)
            if not leaving.any():
                break
            # As far towards z as all weights stay positive; those that end at zero leave.
            x += (x[leaving] / (x[leaving] - z[leaving])).min() * (z - x)
            active &= x > EPS * x.max()
            x[~active] = 0.0
        x = z
        if not active[j]:
            # Nothing but rounding pulled.
            break
    x /= norms
    return x / x.sum()
