"""ell(eta, y): the loss of one row with margin eta = x'w and response y."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from ..._types import Matrix, Vector
from ..._validation import lookup, number
from ...errors import ProblemError
from .kernels.ids import HUBER, LOGISTIC, POISSON, QUANTILE, SOFTMAX, SQUARED, SQUARED_HINGE


@dataclass(frozen=True)
class PointwiseLoss:
    """A convex function of the margin; ``response`` says what y must be."""

    kernel: ClassVar[int]
    response: ClassVar[str]
    largest_curvature: ClassVar[float | None] = None

    @property
    def options(self) -> tuple[float, float]:
        """What the kernel must know besides margin and response."""
        return (0.0, 0.0)

    @property
    def curvature_bound(self) -> float | None:
        """The largest second derivative in eta; None where there is no bound."""
        return self.largest_curvature

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        """The second derivative in eta; at a kink of the slope, that of one side."""
        raise NotImplementedError


@dataclass(frozen=True)
class Logistic(PointwiseLoss):
    """log(1 + exp(-y eta)), y = -1 or 1."""

    kernel = LOGISTIC
    response = "binary"
    largest_curvature = 0.25

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        p: Vector = expit(-np.abs(eta))
        return p * (1.0 - p)


@dataclass(frozen=True)
class Squared(PointwiseLoss):
    """(eta - y)^2, without 1/2."""

    kernel = SQUARED
    response = "real"
    largest_curvature = 2.0

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return np.full(eta.shape, 2.0)


@dataclass(frozen=True)
class Huber(PointwiseLoss):
    """r^2/2 for |r| <= delta, else delta |r| - delta^2/2, with r = eta - y (Huber 1964)."""

    delta: float = 1.0
    kernel = HUBER
    response = "real"
    largest_curvature = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", number(self.delta, "delta", minimum=0.0, strict=True))

    @property
    def options(self) -> tuple[float, float]:
        return (self.delta, 0.0)

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return (np.abs(eta - y) <= self.delta).astype(np.float64)


@dataclass(frozen=True)
class SquaredHinge(PointwiseLoss):
    """max(0, 1 - y eta)^2, y = -1 or 1."""

    kernel = SQUARED_HINGE
    response = "binary"
    largest_curvature = 2.0

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return np.where(y * eta < 1.0, 2.0, 0.0)


@dataclass(frozen=True)
class Poisson(PointwiseLoss):
    """exp(eta) - y eta, y >= 0: the negative log likelihood of counts with mean exp(eta), up to a constant.

    Its curvature exp(eta) has no bound, so there is no smoothness constant; methods search for one along the way.
    """

    kernel = POISSON
    response = "count"

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        with np.errstate(over="ignore"):
            return np.exp(eta)


@dataclass(frozen=True)
class Quantile(PointwiseLoss):
    """The pinball loss max(q r, (q - 1) r), r = y - eta, smoothed by its Moreau envelope (Moreau 1965).

    max over q - 1 <= u <= q of u r - smoothing u^2/2: below the pinball loss by at most smoothing/2 max(q, 1 - q)^2,
    equal in slope where r is outside [(q - 1) smoothing, q smoothing]. ``smoothing`` is in the units of y.
    """

    q: float = 0.5
    smoothing: float = 0.1
    kernel = QUANTILE
    response = "real"

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

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        r = y - eta
        inside = ((self.q - 1.0) * self.smoothing <= r) & (r <= self.q * self.smoothing)
        return np.where(inside, 1.0 / self.smoothing, 0.0)


@dataclass(frozen=True)
class Softmax(PointwiseLoss):
    """log sum_c exp(eta_c) - eta_y, one margin per class, y = 0, ..., K - 1."""

    kernel = SOFTMAX
    response = "classes"
    # diag(p) - pp' has eigenvalues up to 1/2, reached at two classes of probability 1/2 (Boehning 1992).
    largest_curvature = 0.5

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


def find_loss(loss: Any) -> PointwiseLoss:
    return loss if isinstance(loss, PointwiseLoss) else lookup(LOSSES, loss, "loss")
