"""Small minimax problems as plain functions: published ones with d, J <= 20, more classics, and others like them.

Classics that `tests/references/published.py` does not have: Luksan and Vlcek, "Test problems for nonsmooth
unconstrained and linearly constrained optimization" (ICS report 798, 2000); Haarala, Miettinen and Makela (2004) for
chained CB3; Hock and Schittkowski (1981), problem 100, for Wong 1. The losses of NOT_CONVEX are not convex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .published import published
from .recorder import Array

Pair = Callable[[Array], tuple[Array, Array]]

LARGEST = 20
"""The largest d and J."""
NOT_CONVEX = ("EVD52", "Polak 6", "Madsen", "Crescent", "WF", "Hald-Madsen 1")


@dataclass(frozen=True, eq=False)
class Small:
    """max_j f_j(x) with its start; pair(x) returns the losses and their Jacobian."""

    pair: Pair
    start: Array

    def in_units(self, units: Array) -> Small:
        """The same problem for v = units x."""

        def pair(v: Array) -> tuple[Array, Array]:
            f, G = self.pair(v / units)
            return f, G / units

        return Small(pair, units * self.start)


def small_problems() -> dict[str, Small]:
    """Name: problem; 38 in all."""
    known = {name: Small(p.pair, p.start) for name, p in published().items() if _is_small(p.jac(p.start))}
    return {**known, **_classics(), **_families()}


def _is_small(jacobian: Array) -> bool:
    return max(jacobian.shape) <= LARGEST


def _classics() -> dict[str, Small]:
    return {
        "Polak 2": Small(_polak2, np.array([100.0, *[0.1] * 9])),
        "Polak 3": Small(_polak3, np.ones(11)),
        "Wong 1": Small(_wong1, np.array([1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0])),
        "Chained CB3 (d = 4)": Small(_chained_cb3, np.full(4, 2.0)),
        "Chained CB3 (d = 20)": Small(_chained_cb3, np.full(20, 2.0)),
        "EVD52": Small(_evd52, np.ones(3)),
        "Polak 6": Small(_polak6, np.zeros(4)),
        "Madsen": Small(_madsen, np.array([3.0, 1.0])),
        "Crescent": Small(_crescent, np.array([-1.5, 2.0])),
        "WF": Small(_wf, np.array([3.0, 1.0])),
        "Hald-Madsen 1": Small(_hald_madsen, np.array([-1.2, 1.0])),
    }


def _families() -> dict[str, Small]:
    problems = {}
    for d, J in ((3, 5), (10, 4), (10, 20), (20, 10)):
        problems[f"quadratics (d = {d}, J = {J})"] = Small(_quadratics(d, J), np.ones(d))
    for d, J in ((2, 6), (5, 12)):
        problems[f"enclosing ball (d = {d}, J = {J})"] = Small(_ball(d, J), np.zeros(d))
    for d in (2, 5):
        problems[f"Chebyshev polynomial (d = {d}, J = 20)"] = Small(_chebyshev(d, 10), np.zeros(d))
    for d, J in ((4, 6), (12, 8)):
        problems[f"exponentials (d = {d}, J = {J})"] = Small(_exponentials(d, J), np.zeros(d))
    for d, J in ((5, 3), (15, 5)):
        problems[f"logistic groups (d = {d}, J = {J})"] = Small(_logistic(d, J), np.zeros(d))
    problems["quartics (d = 6, J = 6)"] = Small(_quartics(6, 6), np.ones(6))
    problems["one quadratic (d = 8)"] = Small(_quadratics(8, 1), np.ones(8))
    return problems


def _polak2(x: Array) -> tuple[Array, Array]:
    weights, centers = np.array([1e-8, 1.0, 1.0, 4.0, *[1.0] * 6]), np.zeros((2, 10))
    centers[:, 1] = -2.0, 2.0
    r = x - centers
    f = np.exp((weights * r * r).sum(axis=1))
    return f, f[:, None] * (2 * weights * r)


_POLAK3_I, _POLAK3_J = np.arange(11.0), np.arange(1.0, 11.0)[:, None]
_POLAK3_CENTERS = np.sin(_POLAK3_I + 2 * _POLAK3_J)
_POLAK3_WEIGHTS = 1.0 / (_POLAK3_I + 1.0 + _POLAK3_J)


def _polak3(x: Array) -> tuple[Array, Array]:
    r = x - _POLAK3_CENTERS
    terms = _POLAK3_WEIGHTS * np.exp(r * r)
    return terms.sum(axis=1), 2 * r * terms


def _wong1(x: Array) -> tuple[Array, Array]:
    a, b, c, d, e, g, h = x
    f = (
        (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6 + 7 * g**2 + h**4
    ) - 4 * g * h - 10 * g - 8 * h  # fmt: skip
    slope = np.array(
        [2 * (a - 10), 10 * (b - 12), 4 * c**3, 6 * (d - 11), 60 * e**5, 14 * g - 4 * h - 10, 4 * h**3 - 4 * g - 8]
    )
    constraints = np.array(
        [
            2 * a**2 + 3 * b**4 + c + 4 * d**2 + 5 * e - 127,
            7 * a + 3 * b + 10 * c**2 + d - e - 282,
            23 * a + b**2 + 6 * g**2 - 8 * h - 196,
            4 * a**2 + b**2 - 3 * a * b + 2 * c**2 + 5 * g - 11 * h,
        ]
    )
    C = np.array(
        [
            [4 * a, 12 * b**3, 1, 8 * d, 5, 0, 0],
            [7, 3, 20 * c, 1, -1, 0, 0],
            [23, 2 * b, 0, 0, 0, 12 * g, -8],
            [8 * a - 3 * b, 2 * b - 3 * a, 4 * c, 0, 0, 5, -11],
        ]
    )
    return np.append(f, f + 10 * constraints), np.vstack((slope, slope + 10 * C))


def _chained_cb3(x: Array) -> tuple[Array, Array]:
    a, b, G = x[:-1], x[1:], np.zeros((3, x.size))
    e = 2 * np.exp(b - a)
    f = np.array([(a**4 + b**2).sum(), ((2 - a) ** 2 + (2 - b) ** 2).sum(), e.sum()])
    G[0, :-1] += 4 * a**3
    G[0, 1:] += 2 * b
    G[1, :-1] += 2 * a - 4
    G[1, 1:] += 2 * b - 4
    G[2, :-1] -= e
    G[2, 1:] += e
    return f, G


def _evd52(x: Array) -> tuple[Array, Array]:
    a, b, c = x
    q, r = a * a + b * b, 5 * c - a + 1
    f = [q + c * c - 1, q + (c - 2) ** 2, a + b + c - 1, a + b - c + 1, 2 * a**3 + 6 * b * b + 2 * r * r, a * a - 9 * c]
    G = [
        [2 * a, 2 * b, 2 * c],
        [2 * a, 2 * b, 2 * c - 4],
        [1, 1, 1],
        [1, 1, -1],
        [6 * a * a - 4 * r, 12 * b, 20 * r],
        [2 * a, 0, -9],
    ]
    return np.array(f), np.array(G, dtype=float)


def _polak6(x: Array) -> tuple[Array, Array]:
    """Rosen and Suzuki's problem in other coordinates: u = x_1 - (x_4 + 1)^4, v = x_2 - u^4."""
    p = x[3] + 1
    u = x[0] - p**4
    v = x[1] - u**4
    f, G = published()["Rosen-Suzuki"].pair(np.array([u, v, x[2], x[3]]))
    T = np.eye(4)
    T[0, 3] = -4 * p**3
    T[1, 0], T[1, 3] = -4 * u**3, 16 * u**3 * p**3
    return f, G @ T


def _madsen(x: Array) -> tuple[Array, Array]:
    f = np.array([x[0] ** 2 + x[1] ** 2 + x[0] * x[1], np.sin(x[0]), np.cos(x[1])])
    G = np.array([[2 * x[0] + x[1], 2 * x[1] + x[0]], [np.cos(x[0]), 0.0], [0.0, -np.sin(x[1])]])
    return np.append(f, -f), np.vstack((G, -G))


def _crescent(x: Array) -> tuple[Array, Array]:
    q, slope, up = x[0] ** 2 + (x[1] - 1) ** 2, np.array([2 * x[0], 2 * x[1] - 2]), np.array([0.0, 1.0])
    return np.array([q + x[1] - 1, -q + x[1] + 1]), np.array([up + slope, up - slope])


def _wf(x: Array) -> tuple[Array, Array]:
    q, slope = 10 * x[0] / (x[0] + 0.1), 1.0 / (x[0] + 0.1) ** 2
    f = 0.5 * np.array([x[0] + q, q - x[0], x[0] - q]) + x[1] ** 2
    return f, np.column_stack((0.5 * np.array([1 + slope, slope - 1, 1 - slope]), np.full(3, 2 * x[1])))


def _hald_madsen(x: Array) -> tuple[Array, Array]:
    f, G = np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]), np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])
    return np.append(f, -f), np.vstack((G, -G))


def _quadratics(d: int, J: int) -> Pair:
    """1/2 (x - c_j)'A_j (x - c_j) with condition numbers of about a hundred."""
    rng = np.random.default_rng([d, J])
    A = np.empty((J, d, d))
    for j in range(J):
        V = np.linalg.qr(rng.standard_normal((d, d)))[0]
        A[j] = V * 10.0 ** rng.uniform(-1, 1, d) @ V.T
    centers = rng.standard_normal((J, d))

    def pair(x: Array) -> tuple[Array, Array]:
        r = x - centers
        G = (A @ r[:, :, None])[:, :, 0]
        return 0.5 * (r * G).sum(axis=1), G

    return pair


def _ball(d: int, J: int) -> Pair:
    """Squared distances to points."""
    points = np.random.default_rng([d, J]).standard_normal((J, d))

    def pair(x: Array) -> tuple[Array, Array]:
        r = x - points
        return (r * r).sum(axis=1), 2 * r

    return pair


def _chebyshev(d: int, n: int) -> Pair:
    """The best uniform approximation of exp by a polynomial of d coefficients in n points: + and - residuals."""
    t = np.linspace(0, 1, n)
    V = np.vander(t, d, increasing=True)
    G, c = np.vstack((V, -V)), np.append(-np.exp(t), np.exp(t))
    return lambda x: (G @ x + c, G.copy())


def _exponentials(d: int, J: int) -> Pair:
    """Sums of exponentials of affine functions, one per loss."""
    rng = np.random.default_rng([d, J])
    rows = rng.standard_normal((J, 3 * d, d)) / np.sqrt(d)

    def pair(x: Array) -> tuple[Array, Array]:
        e = np.exp(rows @ x) / (3 * d)
        return e.sum(axis=1), (e[:, None, :] @ rows)[:, 0]

    return pair


def _logistic(d: int, J: int) -> Pair:
    """Mean logistic losses of J groups of 40 rows, with a small penalty."""
    rng = np.random.default_rng([d, J])
    rows = rng.standard_normal((J, 40, d))
    signs = np.sign(rows @ rng.standard_normal(d) + 2 * rng.standard_normal((J, 40)))
    rows = rows * signs[:, :, None]

    def pair(x: Array) -> tuple[Array, Array]:
        margins = rows @ x
        f = np.logaddexp(0.0, -margins).mean(axis=1) + 0.005 * (x @ x)
        slopes = -1.0 / (1.0 + np.exp(margins)) / 40
        return f, (slopes[:, None, :] @ rows)[:, 0] + 0.01 * x

    return pair


def _quartics(d: int, J: int) -> Pair:
    """sum_i a_ji (x_i - c_ji)^4 + (x_i - c_ji)^2/10."""
    rng = np.random.default_rng([d, J])
    a, centers = rng.uniform(0.1, 1.0, (J, d)), rng.standard_normal((J, d))

    def pair(x: Array) -> tuple[Array, Array]:
        r = x - centers
        return (a * r**4 + 0.1 * r * r).sum(axis=1), 4 * a * r**3 + 0.2 * r

    return pair
