"""Named problems that an earlier version answered wrongly, and variants of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

import saddleback as sb

from .ill_tables import draw
from .reference import least_worst_loss
from .table import Table

Array = NDArray[np.float64]
Pair = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Named:
    """A problem, its start and its known minima."""

    make: Callable[[], sb.Losses]
    optimum: float
    """The global infimum."""
    w0: Array | None = None
    method: str = "auto"
    convex: bool = True
    lows: tuple[Array, ...] = ()
    """Known global minimizers."""


def _functions(pair: Pair, w0: Array) -> Callable[[], sb.Losses]:
    return lambda: sb.from_functions(pair, w0, jac=True)


def polak(flat: float, distance: float, method: str = "auto") -> Named:
    """Polak 2 of Luksan and Vlcek (2000): exp of flat w_1^2 + (w_2 +- 2)^2 + w_3^2 + 4 w_4^2 + w_5^2 + ... + w_10^2.

    Published with flat = 1e-8 and a start 100 units away; the optimum is e^4, at zero.
    """
    curvature = np.ones(10)
    curvature[0], curvature[3] = flat, 4.0
    centers = np.zeros((2, 10))
    centers[:, 1] = -2.0, 2.0

    def pair(w: Array) -> tuple[Array, Array]:
        x = w - centers
        f = np.exp((curvature * x * x).sum(axis=1))
        return f, f[:, None] * (2 * curvature * x)

    w0 = np.full(10, 0.1)
    w0[0] = distance
    return Named(_functions(pair, w0), float(np.exp(4.0)), w0, method, True, (np.zeros(10),))


def well(start: float, method: str = "auto") -> Named:
    """(w^2 - 1)^2: a local maximum at 0, minima at -1 and 1."""

    def pair(w: Array) -> tuple[Array, Array]:
        q = w[0] ** 2 - 1.0
        return np.array([q * q]), np.array([[4.0 * q * w[0]]])

    w0 = np.array([start])
    return Named(_functions(pair, w0), 0.0, w0, method, False, (np.array([-1.0]), np.array([1.0])))


def saddle(start: tuple[float, float], method: str = "auto") -> Named:
    """x^2 - y^2 + y^4/2: a saddle at 0, minima of -1/2 at y = -1 and 1."""

    def pair(w: Array) -> tuple[Array, Array]:
        x, y = w
        return np.array([x * x - y * y + 0.5 * y**4]), np.array([[2 * x, -2 * y + 2 * y**3]])

    w0 = np.array(start)
    return Named(_functions(pair, w0), -0.5, w0, method, False, (np.array([0.0, -1.0]), np.array([0.0, 1.0])))


def one_small_feature(size: float, loss: str = "squared", method: str = "auto") -> Named:
    """300 rows of one feature near ``size``, y = 3 x/size; the residuals vanish at w = 3/size."""
    rng = np.random.default_rng(5)
    x = size * (1.0 + 0.1 * rng.standard_normal(300))
    groups = np.arange(300) % 3
    if loss == "squared":
        table = Table("one feature", x[:, None], 3.0 * x / size, groups, "squared")
        optimum = 0.0
    else:
        y = np.where(rng.random(300) < 0.7, 1.0, -1.0)
        table = Table("one feature", x[:, None], y, groups, "logistic")
        optimum = least_worst_loss(table)
    return Named(table.losses, optimum, None, method)


def table(kind: str, seed: int, method: str) -> Named:
    """A table of one of the kinds, whose optimum is found by the barrier method."""
    made = draw(np.random.default_rng([12, seed]), kind, "logistic" if seed % 2 else "squared")
    return Named(made.losses, least_worst_loss(made), None, method)


NAMED: dict[str, Callable[[], Named]] = {
    "two exponentials, published": lambda: polak(1e-8, 100.0),
    "two exponentials, quasi-newton": lambda: polak(1e-8, 100.0, "quasi-newton"),
    "two exponentials, flat 1e-12": lambda: polak(1e-12, 1e4),
    "two exponentials, start 1e4": lambda: polak(1e-8, 1e4),
    "two exponentials, flat 1e-4": lambda: polak(1e-4, 100.0),
    "two exponentials, start 1": lambda: polak(1e-8, 1.0),
    "two wells from -2": lambda: well(-2.0),
    "two wells from 2": lambda: well(2.0),
    "two wells from -4": lambda: well(-4.0),
    "two wells from 0": lambda: well(0.0),
    "two wells from 1.5, accelerated": lambda: well(1.5, "accelerated"),
    "two wells from -2, prox-linear": lambda: well(-2.0, "prox-linear"),
    "saddle from (1, 0)": lambda: saddle((1.0, 0.0)),
    "saddle from (0, 0)": lambda: saddle((0.0, 0.0)),
    "saddle from (3, 0), accelerated": lambda: saddle((3.0, 0.0), "accelerated"),
    "one feature near 1e-7": lambda: one_small_feature(1e-7),
    "one feature near 1e-7, quasi-newton": lambda: one_small_feature(1e-7, method="quasi-newton"),
    "one feature near 1e-7, accelerated": lambda: one_small_feature(1e-7, method="accelerated"),
    "one feature near 1e-7, logistic": lambda: one_small_feature(1e-7, "logistic"),
    "one feature near 1e-7, logistic, quasi-newton": lambda: one_small_feature(1e-7, "logistic", "quasi-newton"),
    "one feature near 1e-12": lambda: one_small_feature(1e-12),
    "one feature near 1e7": lambda: one_small_feature(1e7),
    "one feature near 1e7, quasi-newton": lambda: one_small_feature(1e7, method="quasi-newton"),
    **{
        f"{kind} {seed}, {method}": partial(table, kind, seed, method)
        for kind in ("near-collinear", "polynomial", "rare categories")
        for seed in range(2)
        for method in ("auto", "quasi-newton")
    },
}
