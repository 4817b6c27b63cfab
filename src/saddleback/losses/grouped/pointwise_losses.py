"""The pointwise losses that have a compiled kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp, softmax

from ..._types import Matrix, Vector
from ..._validation import number
from ...errors import ProblemError
from .kernels.arguments import HUBER, LOGISTIC, POISSON, QUANTILE, SOFTMAX, SQUARED, SQUARED_HINGE
from .pointwise_loss import PointwiseLoss


@dataclass(frozen=True)
class Logistic(PointwiseLoss):
    """log(1 + exp(-y eta)), y = -1 or 1."""

    kernel = LOGISTIC
    response = "binary"
    largest_curvature = 0.25
    convex = curved = bounded_below = True

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        return np.logaddexp(0.0, -y * eta), -y * expit(-y * eta)

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        p: Vector = expit(-np.abs(eta))
        return p * (1.0 - p)


@dataclass(frozen=True)
class ResidualLoss(PointwiseLoss):
    """A function of eta - y."""

    response = "real"
    convex = bounded_below = True

    def absorb(self, y: Vector, offset: Matrix | None) -> tuple[Vector, Matrix | None]:
        """(offset + x'w) - y = x'w - (y - offset)."""
        return (y, None) if offset is None else (y - offset[:, 0], None)


@dataclass(frozen=True)
class Squared(ResidualLoss):
    """(eta - y)^2, without 1/2."""

    kernel = SQUARED
    curved = True
    largest_curvature = 2.0

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        r = eta - y
        return r * r, 2.0 * r

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return np.full(eta.shape, 2.0)


@dataclass(frozen=True)
class Huber(ResidualLoss):
    """r^2/2 for |r| <= delta, else delta |r| - delta^2/2, with r = eta - y (Huber 1964)."""

    delta: float = 1.0
    kernel = HUBER
    largest_curvature = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", number(self.delta, "delta", minimum=0.0, strict=True))

    @property
    def options(self) -> tuple[float, float]:
        return (self.delta, 0.0)

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        r = eta - y
        clipped = np.clip(r, -self.delta, self.delta)
        return clipped * (r - 0.5 * clipped), clipped

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return (np.abs(eta - y) <= self.delta).astype(np.float64)


@dataclass(frozen=True)
class SquaredHinge(PointwiseLoss):
    """max(0, 1 - y eta)^2, y = -1 or 1."""

    kernel = SQUARED_HINGE
    response = "binary"
    convex = bounded_below = True
    largest_curvature = 2.0

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        short = np.maximum(1.0 - y * eta, 0.0)
        return short * short, -2.0 * y * short

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return np.where(y * eta < 1.0, 2.0, 0.0)


@dataclass(frozen=True)
class Poisson(PointwiseLoss):
    """exp(eta) - y eta, y >= 0: the negative log likelihood of counts with mean exp(eta), up to a constant.

    Its curvature exp(eta) is unbounded, so that there is no smoothness constant; methods estimate one by backtracking.
    """

    kernel = POISSON
    response = "count"
    convex = curved = bounded_below = True

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        with np.errstate(over="ignore"):
            mean = np.exp(eta)
        return mean - y * eta, mean - y

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        with np.errstate(over="ignore"):
            return np.exp(eta)


@dataclass(frozen=True)
class Quantile(ResidualLoss):
    """The pinball loss max(q r, (q - 1) r), r = y - eta, smoothed by its Moreau envelope (Moreau 1965).

    max over q - 1 <= u <= q of u r - smoothing u^2/2: below the pinball loss by at most smoothing/2 max(q, 1 - q)^2,
    equal in slope where r is outside [(q - 1) smoothing, q smoothing]. ``smoothing`` is in the units of y.
    """

    q: float = 0.5
    smoothing: float = 0.1
    kernel = QUANTILE

    def __post_init__(self) -> None:
        q = number(self.q, "q")
        if not 0.0 < q < 1.0:
            raise ProblemError(f"q must be a quantile between 0 and 1; got {q:g}.")
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "smoothing", number(self.smoothing, "smoothing", minimum=0.0, strict=True))

    @property
    def options(self) -> tuple[float, float]:
        return (self.q, self.smoothing)

    @property
    def curvature_bound(self) -> float:
        return 1.0 / self.smoothing

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        r = y - eta
        u = np.clip(r / self.smoothing, self.q - 1.0, self.q)
        return u * (r - 0.5 * self.smoothing * u), -u

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        r = y - eta
        inside = ((self.q - 1.0) * self.smoothing <= r) & (r <= self.q * self.smoothing)
        return np.where(inside, 1.0 / self.smoothing, 0.0)


@dataclass(frozen=True)
class Softmax(PointwiseLoss):
    """log sum_c exp(eta_c) - eta_y, one margin per class, y = 0, ..., K - 1."""

    kernel = SOFTMAX
    response = "classes"
    convex = curved = bounded_below = True
    # diag(p) - pp' has eigenvalues up to 1/2, reached at two classes of probability 1/2 (Boehning 1992).
    largest_curvature = 0.5

    def absorb(self, y: Vector, offset: Matrix | None) -> tuple[Vector, Matrix | None]:
        """A number added to all margins of a row changes nothing: the largest offset of each row becomes 0."""
        return y, None if offset is None else offset - offset.max(axis=1, keepdims=True)

    def value_and_slope(self, eta: Matrix, y: Vector) -> tuple[Vector, Matrix]:
        """For margins and slopes of shape (n, K)."""
        rows, own = np.arange(len(eta)), y.astype(np.intp)
        slope = self.probabilities(eta)
        slope[rows, own] -= 1.0
        return np.asarray(logsumexp(eta, axis=1)) - eta[rows, own], slope

    @staticmethod
    def probabilities(eta: Matrix) -> Matrix:
        """p of shape (n, K), for margins of that shape."""
        return np.asarray(softmax(eta, axis=1))


LOSSES: Mapping[str, PointwiseLoss] = {
    "logistic": Logistic(),
    "squared": Squared(),
    "huber": Huber(),
    "squared_hinge": SquaredHinge(),
    "poisson": Poisson(),
    "quantile": Quantile(),
    "softmax": Softmax(),
}
