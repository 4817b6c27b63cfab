"""Convex minimax problems of the literature, with their published starts and optima.

Definitions: Luksan and Vlcek, "Test problems for nonsmooth unconstrained and linearly constrained optimization"
(ICS report 798, 2000); Lemarechal and Mifflin, "Nonsmooth Optimization" (1978) for MAXQUAD; Hock and
Schittkowski (1981), problem 113, for Wong 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Published:
    """max_j f_j(x) with its start and optimal value; pair(x) returns the losses and their Jacobian."""

    pair: Callable[[Array], tuple[Array, Array]]
    start: Array
    optimum: float
    printed: float = 1e-12
    """Half a unit of the last digit that is published; closed forms are exact."""

    def fun(self, x: Array) -> Array:
        return self.pair(x)[0]

    def jac(self, x: Array) -> Array:
        return self.pair(x)[1]


def _cb(first_power: int, second_power: int):
    def pair(x: Array) -> tuple[Array, Array]:
        p, q = first_power, second_power
        e = 2 * np.exp(x[1] - x[0])
        f = np.array([x[0] ** p + x[1] ** q, (2 - x[0]) ** 2 + (2 - x[1]) ** 2, e])
        G = [[p * x[0] ** (p - 1), q * x[1] ** (q - 1)], [2 * x[0] - 4, 2 * x[1] - 4], [-e, e]]
        return f, np.array(G)

    return pair


def _dem(x: Array) -> tuple[Array, Array]:
    f = np.array([5 * x[0] + x[1], -5 * x[0] + x[1], x @ x + 4 * x[1]])
    return f, np.array([[5.0, 1.0], [-5.0, 1.0], [2 * x[0], 2 * x[1] + 4]])


def _ql(x: Array) -> tuple[Array, Array]:
    q = x @ x
    f = np.array([q, q + 10 * (-4 * x[0] - x[1] + 4), q + 10 * (-x[0] - 2 * x[1] + 6)])
    return f, 2 * x + np.array([[0.0, 0.0], [-40.0, -10.0], [-10.0, -20.0]])


def _lq(x: Array) -> tuple[Array, Array]:
    s = -x[0] - x[1]
    return np.array([s, s + x @ x - 1]), np.array([[-1.0, -1.0], 2 * x - 1])


def _mifflin(low: float, high: float):
    """-x_1 + low q and -x_1 + high q with q = |x|^2 - 1."""

    def pair(x: Array) -> tuple[Array, Array]:
        q, e = x @ x - 1, np.array([-1.0, 0.0])
        return np.array([-x[0] + low * q, -x[0] + high * q]), np.array([e + 2 * low * x, e + 2 * high * x])

    return pair


def _polak1(x: Array) -> tuple[Array, Array]:
    f = np.exp(x[0] ** 2 / 1000 + (x[1] + np.array([-1.0, 1.0])) ** 2)
    G = f[:, None] * np.array([[x[0] / 500, 2 * (x[1] - 1)], [x[0] / 500, 2 * (x[1] + 1)]])
    return f, G


def _penalized(objective, constraints, weight: float = 10.0):
    """f_1 = objective, f_{i+1} = objective + weight c_i: an exact penalty function as a maximum."""

    def pair(x: Array) -> tuple[Array, Array]:
        f, g = objective(x)
        c, C = constraints(x)
        return np.concatenate(([f], f + weight * c)), np.vstack((g, g + weight * C))

    return pair


def _rosen_suzuki():
    a = np.array([-5.0, -5.0, -21.0, 7.0])
    h = np.array([1.0, 1.0, 2.0, 1.0])
    H = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 2.0], [2.0, 1.0, 1.0, 0.0]])
    B = np.array([[1.0, -1.0, 1.0, -1.0], [-1.0, 0.0, 0.0, -1.0], [2.0, -1.0, 0.0, -1.0]])
    d = np.array([8.0, 10.0, 5.0])
    return _penalized(
        lambda x: (h @ x**2 + a @ x, 2 * h * x + a),
        lambda x: (H @ x**2 + B @ x - d, 2 * H * x + B),
    )


SHOR_WEIGHTS = np.array([1, 5, 10, 2, 4, 3, 1.7, 2.5, 6, 3.5])
SHOR_CENTERS = np.array(
    [
        [0, 0, 0, 0, 0],
        [2, 1, 1, 1, 3],
        [1, 2, 1, 1, 2],
        [1, 4, 1, 2, 2],
        [3, 2, 1, 0, 1],
        [0, 2, 1, 0, 1],
        [1, 1, 1, 1, 1],
        [1, 0, 1, 2, 1],
        [0, 0, 2, 1, 0],
        [1, 1, 2, 0, 0],
    ],
    dtype=float,
)


def _shor(x: Array) -> tuple[Array, Array]:
    r = x - SHOR_CENTERS
    return SHOR_WEIGHTS * (r**2).sum(axis=1), 2 * SHOR_WEIGHTS[:, None] * r


def maxquad_data() -> tuple[Array, Array]:
    """(A, b) of f_k(x) = x'A_k x - b_k'x: 5 quadratics in 10 variables."""
    i, j, k = np.arange(1, 11)[:, None], np.arange(1, 11)[None, :], np.arange(1, 6)[:, None, None]
    upper = np.where(i < j, np.exp(np.minimum(i, j) / np.maximum(i, j)) * np.cos(i * j), 0.0)
    A = (upper + upper.T) * np.sin(k)
    diagonal = np.arange(1, 11) / 10 * np.abs(np.sin(k[:, 0])) + np.abs(A).sum(axis=2)
    A[:, np.arange(10), np.arange(10)] = diagonal
    b = np.exp(np.arange(1, 11) / k[:, 0]) * np.sin(np.arange(1, 11) * k[:, 0])
    return A, b


MAXQUAD_A, MAXQUAD_B = maxquad_data()


def _maxquad(x: Array) -> tuple[Array, Array]:
    Ax = MAXQUAD_A @ x
    return Ax @ x - MAXQUAD_B @ x, 2 * Ax - MAXQUAD_B


def _maxq(x: Array) -> tuple[Array, Array]:
    return x**2, np.diag(2 * x)


def _maxl(x: Array) -> tuple[Array, Array]:
    eye = np.eye(x.size)
    return np.concatenate((x, -x)), np.vstack((eye, -eye))


def _goffin(x: Array) -> tuple[Array, Array]:
    G = x.size * np.eye(x.size) - 1.0
    return G @ x, G


def _wong2():
    def objective(x: Array) -> tuple[float, Array]:
        a = np.array([1, 4, 1, 2, 5, 7, 2, 1.0])
        r = x[2:] - np.array([10, 5, 3, 1, 0, 11, 10, 7.0])
        f = x[0] ** 2 + x[1] ** 2 + x[0] * x[1] - 14 * x[0] - 16 * x[1] + a @ r**2 + 45
        return f, np.concatenate(([2 * x[0] + x[1] - 14, 2 * x[1] + x[0] - 16], 2 * a * r))

    def constraints(x: Array) -> tuple[Array, Array]:
        c = [
            3 * (x[0] - 2) ** 2 + 4 * (x[1] - 3) ** 2 + 2 * x[2] ** 2 - 7 * x[3] - 120,
            5 * x[0] ** 2 + 8 * x[1] + (x[2] - 6) ** 2 - 2 * x[3] - 40,
            0.5 * (x[0] - 8) ** 2 + 2 * (x[1] - 4) ** 2 + 3 * x[4] ** 2 - x[5] - 30,
            x[0] ** 2 + 2 * (x[1] - 2) ** 2 - 2 * x[0] * x[1] + 14 * x[4] - 6 * x[5],
            4 * x[0] + 5 * x[1] - 3 * x[6] + 9 * x[7] - 105,
            10 * x[0] - 8 * x[1] - 17 * x[6] + 2 * x[7],
            -3 * x[0] + 6 * x[1] + 12 * (x[8] - 8) ** 2 - 7 * x[9],
            -8 * x[0] + 2 * x[1] + 5 * x[8] - 2 * x[9] - 12,
        ]
        C = np.zeros((8, 10))
        C[0, :4] = 6 * (x[0] - 2), 8 * (x[1] - 3), 4 * x[2], -7
        C[1, :4] = 10 * x[0], 8, 2 * (x[2] - 6), -2
        C[2, [0, 1, 4, 5]] = x[0] - 8, 4 * (x[1] - 4), 6 * x[4], -1
        C[3, [0, 1, 4, 5]] = 2 * x[0] - 2 * x[1], 4 * (x[1] - 2) - 2 * x[0], 14, -6
        C[4, [0, 1, 6, 7]] = 4, 5, -3, 9
        C[5, [0, 1, 6, 7]] = 10, -8, -17, 2
        C[6, [0, 1, 8, 9]] = -3, 6, 24 * (x[8] - 8), -7
        C[7, [0, 1, 8, 9]] = -8, 2, 5, -2
        return np.array(c), C

    return _penalized(objective, constraints)


_staircase = np.concatenate((np.arange(1.0, 11.0), -np.arange(11.0, 21.0)))

PUBLISHED: dict[str, Published] = {
    "CB2": Published(_cb(2, 4), np.array([1.0, -0.1]), 1.9522245, printed=5e-8),
    "CB3": Published(_cb(4, 2), np.array([2.0, 2.0]), 2.0),
    "DEM": Published(_dem, np.array([1.0, 1.0]), -3.0),
    "QL": Published(_ql, np.array([-1.0, 5.0]), 7.2),
    "LQ": Published(_lq, np.array([-0.5, -0.5]), -np.sqrt(2.0)),
    "Mifflin 1": Published(_mifflin(0.0, 20.0), np.array([0.8, 0.6]), -1.0),
    "Mifflin 2": Published(_mifflin(0.25, 3.75), np.array([-1.0, -1.0]), -1.0),
    "Rosen-Suzuki": Published(_rosen_suzuki(), np.zeros(4), -44.0),
    "Shor": Published(_shor, np.array([0.0, 0.0, 0.0, 0.0, 1.0]), 22.600162, printed=5e-7),
    "MAXQUAD": Published(_maxquad, np.ones(10), -0.8414083, printed=5e-8),
    "MAXQ": Published(_maxq, _staircase, 0.0),
    "MAXL": Published(_maxl, _staircase, 0.0),
    "Goffin": Published(_goffin, np.arange(1.0, 51.0) - 25.5, 0.0),
    "Polak 1": Published(_polak1, np.array([50.0, 0.05]), np.e),
    "Wong 2": Published(_wong2(), np.array([2.0, 3, 5, 5, 1, 2, 7, 3, 6, 10]), 24.306209, printed=5e-7),
}
