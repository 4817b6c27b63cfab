"""ell(eta, y): the loss of one row with margin eta = x'w and response y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ..._types import Matrix, Vector

RESPONSES = ("real", "count", "binary")
"""The kinds of response that a loss with one margin per row may have."""


class PointwiseFunctions(Protocol):
    """The only required member of a pointwise loss; `PointwiseLoss` lists the optional ones."""

    def value_and_slope(self, eta: Any, y: Any) -> Any: ...


@dataclass(frozen=True)
class PointwiseLoss:
    """ell(eta, y), the loss of one row as a function of its margin.

    Your own loss is any object, of this class or not, with two functions of NumPy arrays: ``value_and_slope(eta, y)``
    and ``curvature(eta, y)``. They are called with the margins and responses of some rows, from several threads, and
    return NaN or inf for a margin outside of the domain. Without ``curvature`` there is no Hessian, and quasi-Newton
    works but Newton does not. `saddleback.testing.check_pointwise_loss` tests such an object. Optional attributes:

    ``response``
        What y must be: "real" (numbers, the default), "count" (numbers >= 0) or "binary" (two labels of any kind,
        which become -1 and 1).
    ``curvature_bound``
        The largest absolute second derivative, which gives ``GroupedLinear.smoothness``.
    ``convex``
        True where ell is convex in eta. Without it convexity is checked during the run, and the penalty l2 does not
        count as strong convexity.
    ``bounded_below``
        True where ell is bounded below in eta, for every y. Without it a run checks whether the problem is unbounded.
    ``compiled``
        A function ``compiled(eta, y) -> (value, slope)`` of two floats, compiled with ``numba.njit``. It must agree
        with ``value_and_slope``. Evaluations then use it instead, and read X once instead of twice.

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
    """The number of the compiled form of this loss; your own loss has none."""
    response: ClassVar[str] = "real"
    largest_curvature: ClassVar[float | None] = None
    convex: ClassVar[bool] = False
    curved: ClassVar[bool] = False
    """Whether the second derivative is positive everywhere."""
    bounded_below: ClassVar[bool] = False
    """Whether ell is bounded below in eta, for every y: true of all losses here."""
    has_curvature: ClassVar[bool] = True
    """Whether there are second derivatives."""

    @property
    def options(self) -> tuple[float, float]:
        """Parameters of the loss, for the kernel."""
        return (0.0, 0.0)

    @property
    def curvature_bound(self) -> float | None:
        """The largest second derivative in eta; None where it is unbounded."""
        return self.largest_curvature

    def absorb(self, y: Vector, offset: Matrix | None) -> tuple[Vector, Matrix | None]:
        """y and offset (n, K) of the same losses in smaller numbers, so that a large offset does not round margins."""
        return y, offset

    def value_and_slope(self, eta: Vector, y: Vector) -> tuple[Vector, Vector]:
        """ell and its derivative in eta, one number per row each."""
        raise NotImplementedError

    def curvature(self, eta: Vector, y: Vector) -> Vector:
        """The second derivative in eta; where the slope has a kink, that of one side."""
        raise NotImplementedError
