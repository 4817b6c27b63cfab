"""Directions of recession: directions in which all known slopes of g fall."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.linalg.blas import dnrm2

from .._types import EPS, Matrix, Vector
from ..dual_sets import DualSet
from .evaluation import Evaluation, row_norms

# An average of slopes shorter than this share of its terms counts as zero: it consists of rounding errors.
ZERO_AVERAGE = 100 * EPS
# Scaled slopes shorter than this count as zero.
ZERO_SLOPE = 1e-100
# The number of Jacobians that are kept. They give slopes for other lam without an evaluation, but may be large.
N_KEPT = 8
# How often a direction is corrected by slopes of the kept Jacobians.
MOST_CORRECTIONS = 50


class Slopes:
    """Slopes G(v)' lam of minorants of g, and the direction in which all of them fall.

    Far along u, g changes at the rate sup <G(v)' lam, u> over all v and all lam in Lambda: its recession function.
    Among the u of one length, the rate is least for the u against the shortest average of all slopes (von Neumann's
    minimax theorem). Where that average is zero, an average of minorants is a constant, and g is bounded below.
    Each coordinate is divided by its largest slope, so that the result does not depend on the units of the parameters.
    Along coordinates where ``flat`` is False, g is strongly convex and cannot fall without bound: u is zero there.
    ``work`` is the number of multiplications that computing directions may take.
    """

    def __init__(self, dual_set: DualSet, flat: NDArray[np.bool_], work: float = np.inf) -> None:
        self._dual_set, self._flat = dual_set, flat
        self._left = work
        self._known: deque[Evaluation] = deque(maxlen=N_KEPT)
        # Keyed by their bytes, so that each is there once.
        self._slopes: dict[bytes, Vector] = {}
        self.largest = np.ones(flat.size)
        """The largest |slope| along each coordinate."""

    @property
    def exhausted(self) -> bool:
        """Whether ``work`` is used up."""
        return self._left <= 0.0

    def add(self, slope: Vector) -> None:
        self._slopes[slope.tobytes()] = slope

    def learn(self, at: Evaluation) -> bool:
        """Add the slope of the best response; where it is new, return True and keep the Jacobian for other lam."""
        known = len(self._slopes)
        self.add(at.slope(at.lam))
        if len(self._slopes) > known:
            self._known.append(at)
        return len(self._slopes) > known

    def descent(self) -> Vector | None:
        """u along which every known slope falls at the rate one or faster; None where an average of slopes is zero."""
        for _ in range(MOST_CORRECTIONS):
            u = self._descent()
            if u is None:
                return None
            known = len(self._slopes)
            for at in self._known:
                # The lam with which the linearization there falls least along u.
                slope = at.slope(self._dual_set.support(at.change(u))[1])
                if slope @ u + 0.5 > ZERO_AVERAGE * dnrm2(slope / self.largest) * dnrm2(self.largest * u):
                    self.add(slope)
            if len(self._slopes) == known or self.exhausted:
                break
        return u

    def _descent(self) -> Vector | None:
        S = np.array(list(self._slopes.values()))
        n, d = S.shape
        # One factorization of all slopes, and about n of some of them.
        self._left -= d * n**2 + n**4 / 4
        self.largest = np.abs(S).max(axis=0)
        self.largest[self.largest == 0.0] = 1.0
        S = np.where(self._flat, S / self.largest, 0.0)
        if row_norms(S).min() <= ZERO_SLOPE:
            return None
        weights = shortest_average(S)
        if not dnrm2(weights @ S) > ZERO_AVERAGE * dnrm2(weights @ np.abs(S)):
            return None
        # u = -a/|a|^2 for the average a. It is computed from the equations S u = -1 of the slopes in a, so that each
        # equation holds up to its own rounding errors; in a itself those of the longest slopes dominate.
        S = S[weights > 0.0]
        lengths = row_norms(S)
        u: Vector = np.linalg.lstsq(S / lengths[:, None], -1.0 / lengths, rcond=None)[0] / self.largest
        return u


def shortest_average(slopes: Matrix) -> Vector:
    """Weights y >= 0 of sum one for which |slopes' y| is least: the point of a hull nearest to zero (Wolfe 1976).

    Found by non-negative least squares, min over x >= 0 of |slopes' x|^2 + (1 - sum x)^2 with y = x / sum x, by the
    active sets of Lawson and Hanson (1974, chapter 23). The slopes themselves are factored, not their inner products,
    in which slopes of length 1 would be lost beside those of length 1e11.
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
        gradient = np.where(active, -np.inf, A.T @ residual)
        j = int(gradient.argmax())
        if not gradient[j] > 16 * EPS * dnrm2(residual):
            break
        active[j] = True
        while True:
            z = np.zeros(n)
            z[active] = np.linalg.lstsq(A[:, active], target, rcond=None)[0]
            leaving = active & (z <= 0.0)
            if not leaving.any():
                break
            # The longest step towards z that keeps all weights nonnegative; weights that become zero leave the active
            # set.
            x += (x[leaving] / (x[leaving] - z[leaving])).min() * (z - x)
            active &= x > EPS * x.max()
            x[~active] = 0.0
        x = z
        if not active[j]:
            # The gradient of weight j was a rounding error.
            break
    x /= norms
    return x / x.sum()
