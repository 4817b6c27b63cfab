"""ell(eta, y): the loss of one row with margin eta = x'w and response y."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, logsumexp, softmax

from ..._types import Matrix, Vector
from ..._validation import number
from ...errors import ProblemError
from .kernels.ids import HUBER, LOGISTIC, POISSON, QUANTILE, SOFTMAX, SQUARED, SQUARED_HINGE


@dataclass(frozen=True)
class PointwiseLoss:
    """ell(eta, y), the loss of one row as a function of its margin.

    A loss of one's own is any object, of this class or not, with two functions of NumPy arrays:
    ``value_and_slope(eta, y)`` and ``curvature(eta, y)``. They are called with the margins and responses of some rows,
    from several threads, and NaN or inf says that a margin is outside of the domain. What else it says is optional:

    ``response``
        What y must be: "real" (numbers, the default), "count" (numbers >= 0) or "binary" (two labels of any kind,
        which become -1 and 1).
    ``curvature_bound``
        The largest absolute second derivative, which gives ``GroupedLinear.smoothness``.
    ``convex``
        True where ell is convex in eta. Without it certificates watch for signs of the contrary, and the penalty l2
        does not count as strong convexity.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> class LogCosh:
    ...     convex, curvature_bound = True, 1.0
    ...     def value_and_slope(self, eta, y):
    ...         r = eta - y
    ...         return np.logaddexp(r, -r) - np.log(2), np.tanh(r)
    ...     def curvature(self, eta, y):
    ...         return 1 - np.tanh(eta - y) ** 2
    >>> X, y, city = [[1.0], [2.0], [3.0]], [1.0, 2.0, 6.0], ["Ann Arbor", "Ann Arbor", "Cork"]
    >>> losses = sb.GroupedLinear(X, y, city, loss=LogCosh(), fit_intercept=False)
    >>> sb.solve(sb.Problem(losses)).losses.round(4).tolist()
    [0.4495, 0.4495]
    """

    kernel: ClassVar[int | None] = None
    """The number of the compiled form of this loss; a loss of one's own has none."""
    response: ClassVar[str] = "real"
    largest_curvature: ClassVar[float | None] = None
    convex: ClassVar[bool] = False
    bounded_below: ClassVar[bool] = False
    """Whether ell is bounded below in eta, whatever y: true of all losses here."""

    @property
    def options(self) -> tuple[float, float]:
        """What the kernel must know besides margin and response."""
        return (0.0, 0.0)

    @property
    def curvature_bound(self) -> float | None:
        """The largest second derivative in eta; None where there is no bound."""
        return self.largest_curvature

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        """ell and its derivative in eta, one number per row each."""
        raise NotImplementedError

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        """The second derivative in eta; at a kink of the slope, that of one side."""
        raise NotImplementedError


@dataclass(frozen=True)
class Logistic(PointwiseLoss):
    """log(1 + exp(-y eta)), y = -1 or 1."""

    kernel = LOGISTIC
    response = "binary"
    largest_curvature = 0.25
    convex = bounded_below = True

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        return np.logaddexp(0.0, -y * eta), -y * expit(-y * eta)

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        p: Vector = expit(-np.abs(eta))
        return p * (1.0 - p)


@dataclass(frozen=True)
class Squared(PointwiseLoss):
    """(eta - y)^2, without 1/2."""

    kernel = SQUARED
    response = "real"
    convex = bounded_below = True
    largest_curvature = 2.0

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        r = eta - y
        return r * r, 2.0 * r

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        return np.full(eta.shape, 2.0)


@dataclass(frozen=True)
class Huber(PointwiseLoss):
    """r^2/2 for |r| <= delta, else delta |r| - delta^2/2, with r = eta - y (Huber 1964)."""

    delta: float = 1.0
    kernel = HUBER
    response = "real"
    convex = bounded_below = True
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

    Its curvature exp(eta) has no bound, so there is no smoothness constant; methods search for one along the way.
    """

    kernel = POISSON
    response = "count"
    convex = bounded_below = True

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        with np.errstate(over="ignore"):
            mean = np.exp(eta)
        return mean - y * eta, mean - y

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
    convex = bounded_below = True

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
    convex = bounded_below = True
    # diag(p) - pp' has eigenvalues up to 1/2, reached at two classes of probability 1/2 (Boehning 1992).
    largest_curvature = 0.5

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
