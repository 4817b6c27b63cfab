"""Functions that count their calls, and small problems with known answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import saddleback as sb

Array = NDArray[np.float64]

ALL_METHODS = (
    "quasi-newton",
    "accelerated",
    "fixed-point",
    "prox-linear",
    "apgd",
    "extragradient",
    "optimistic",
    "lbfgsb",
)
# The methods that need a strongly convex R.
SMOOTHED = ("apgd", "lbfgsb")

# min over w of the largest of |w - a_j|^2 / 2: half the squared radius of the smallest enclosing circle of the a_j.
CENTERS = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -2.0]])
CIRCLE = 0.5 * 2.5


def quadratics(w: Array) -> tuple[Array, Array]:
    """Three quadratic losses and their Jacobian."""
    return 0.5 * ((w - CENTERS) ** 2).sum(axis=1), w - CENTERS


def parabola(w: Array) -> tuple[list[float], list[Array]]:
    """|w|^2 and |w - 1|^2: in one dimension the optimum is 1/4, at 1/2."""
    return [w @ w, (w - 1) @ (w - 1)], [2 * w, 2 * w - 2]


def cb2(w: Array) -> tuple[Array, Array]:
    """Problem CB2 of Charalambous and Bandler: three curved losses of two parameters, optimum 1.9522245."""
    x, y = w
    e = 2 * np.exp(y - x)
    return np.array([x**2 + y**4, (2 - x) ** 2 + (2 - y) ** 2, e]), np.array(
        [[2 * x, 4 * y**3], [2 * x - 4, 2 * y - 4], [-e, e]]
    )


# A start of MAXQ from which no method reaches the optimum, zero, exactly within dozens of evaluations.
FAR_FROM_ZERO = np.where(np.arange(20) < 10, 1.0, -1.0) * np.arange(1.0, 21.0)


def maxq(w: Array) -> tuple[Array, Array]:
    """Problem MAXQ of Makela and Neittaanmaki: the squares of all parameters."""
    return w**2, np.diag(2 * w)


class Calls:
    """A function that records the points of its calls."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self._fun = fun
        self.points: list[Array] = []

    def __call__(self, w: Array) -> Any:
        self.points.append(w.copy())
        return self._fun(w)

    @property
    def n(self) -> int:
        return len(self.points)


class Later(Calls):
    """A function that is replaced by another from its ``nth`` call on."""

    def __init__(self, fun: Callable[..., Any], nth: int, then: Callable[[Array], Any]) -> None:
        super().__init__(fun)
        self._nth, self._then = nth, then

    def __call__(self, w: Array) -> Any:
        answer = super().__call__(w)
        return self._then(w) if self.n >= self._nth else answer


def raising(error: BaseException) -> Callable[[Array], Any]:
    """A function that raises the given exception object."""

    def fun(w: Array) -> Any:
        raise error

    return fun


def regularizer_for(method: str) -> sb.Zero | sb.Quadratic:
    """The least regularizer that the method accepts."""
    return sb.Quadratic(0.1) if method in SMOOTHED else sb.Zero()


def quietly(fun: Callable[..., Array], w0: Any, **options: Any) -> sb.Result:
    """`minimax` without warnings about convergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.minimax(fun, w0, **options)
