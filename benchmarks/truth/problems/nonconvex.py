"""Seven families of losses that are not convex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Random = np.random.Generator

# The share of problems with round numbers, as in textbooks.
ROUND = 0.4
# The share of problems with one parameter.
LINE = 0.3


@dataclass(frozen=True, eq=False)
class Family:
    """J losses of d parameters, with their known special points."""

    pair: Callable[[Array], tuple[Array, Array]]
    """w -> f, G."""
    d: int
    spread: float = 2.0
    """The standard deviation of random starts."""
    stationary: list[Array] = field(default_factory=list)
    """Points where the gradients vanish that are not minima of all losses."""
    lows: list[Array] = field(default_factory=list)
    """Points with low losses."""
    round_starts: bool = False
    """Whether starts are integers, from which steps hit stationary points exactly more often."""


def double_wells(rng: Random) -> Family:
    """sum_i a_i ((w_i - s_i)^2 - b_i^2)^2 + <tilt, w>, one center s for all losses or one for each."""
    J, d = _sizes(rng, 5)
    round_ = rng.random() < ROUND
    s = np.zeros((J, d)) if rng.random() < 0.5 else 0.5 * rng.standard_normal((J, d))
    a, b = (np.ones((2, J, d))) if round_ else rng.uniform((0.2, 0.5), (2.0, 1.5), (J, d, 2)).transpose(2, 0, 1)
    tilt = np.zeros((J, d)) if rng.random() < 0.5 else 0.2 * rng.standard_normal((J, d))

    def pair(w: Array) -> tuple[Array, Array]:
        x = w - s
        q = x * x - b * b
        return (a * q * q).sum(axis=1) + tilt @ w, 4 * a * q * x + tilt

    lows = [s[j] + sign * b[j] for j in range(J) for sign in (-1.0, 1.0)]
    return Family(pair, d, 2.0, [s[0].copy()], lows, round_)


def saddles(rng: Random) -> Family:
    """1/2 w'A w + c |w|^4/4 with indefinite A: a saddle at 0, minima along negative directions."""
    J, d = _sizes(rng, 6)
    round_ = rng.random() < ROUND
    values = np.ones((J, d)) if round_ else rng.uniform(0.2, 2.0, (J, d))
    values *= np.where(rng.random((J, d)) < 0.3, -1.0, 1.0)
    values[:, 0] = -np.abs(values[:, 0])
    Q = np.eye(d) if round_ else np.linalg.qr(rng.standard_normal((d, d)))[0]
    A = np.array([(Q * v) @ Q.T for v in values])
    c = rng.uniform(0.0, 0.5, J) + 0.02

    def pair(w: Array) -> tuple[Array, Array]:
        Aw, r = A @ w, float(w @ w)
        return 0.5 * Aw @ w + 0.25 * c * r * r, Aw + np.outer(c * r, w)

    reach = float(np.sqrt(np.abs(values[:, 0] / c).mean()))
    # Starts in the subspace of positive eigenvalues lead to the saddle.
    into = Q[:, 1:] @ rng.standard_normal(d - 1) if d > 1 else np.zeros(d)
    return Family(pair, d, 1.0, [np.zeros(d), into], [reach * Q[:, 0], -reach * Q[:, 0]], round_)


def ripples(rng: Random) -> Family:
    """A convex quadratic plus sines."""
    J, d = _sizes(rng, 6)
    center, omega = rng.standard_normal((J, d)), rng.uniform(1.0, 8.0, (J, d))
    height, bowl, phase = rng.uniform(0.05, 1.5, J), rng.uniform(0.05, 1.0, J), rng.uniform(0, 2 * np.pi, (J, d))

    def pair(w: Array) -> tuple[Array, Array]:
        x, angle = w - center, omega * w + phase
        f = 0.5 * bowl * (x * x).sum(axis=1) + height * np.sin(angle).sum(axis=1)
        return f, bowl[:, None] * x + height[:, None] * omega * np.cos(angle)

    return Family(pair, d, 4.0, [], list(center))


def bounded(rng: Random) -> Family:
    """log(1 + q), q/(1 + q) or 1 - exp(-q) of q = |w - center|^2/width, two centers each: convex only near them."""
    J, d = _sizes(rng, 8)
    centers, width = 2.0 * rng.standard_normal((2, J, d)), rng.uniform(0.3, 3.0, (2, J))
    which = int(rng.integers(3))

    def bend(q: Array) -> tuple[Array, Array]:
        if which == 0:
            return np.log1p(q), 1.0 / (1.0 + q)
        if which == 1:
            return q / (1.0 + q), 1.0 / (1.0 + q) ** 2
        return -np.expm1(-q), np.exp(-q)

    def pair(w: Array) -> tuple[Array, Array]:
        x = w - centers
        value, slope = bend((x * x).sum(axis=2) / width)
        return value.sum(axis=0), ((2.0 * slope / width)[:, :, None] * x).sum(axis=0)

    return Family(pair, d, 3.0, [], [c for both in centers for c in both])


def products(rng: Random) -> Family:
    """mean over entries (i, k) of a group of (u_i v_k - M_ik)^2, w = (u, v): zero is a saddle, minima come in pairs."""
    p, q = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    J = int(rng.integers(1, min(4, p * q) + 1))
    M = np.outer(rng.standard_normal(p), rng.standard_normal(q)) + 0.2 * rng.standard_normal((p, q))
    weights = rng.dirichlet(np.ones(p * q), J).reshape(J, p, q)

    def pair(w: Array) -> tuple[Array, Array]:
        u, v = w[:p], w[p:]
        residual = np.outer(u, v) - M
        weighted = 2.0 * weights * residual
        return (weights * residual**2).sum(axis=(1, 2)), np.hstack([weighted @ v, np.swapaxes(weighted, 1, 2) @ u])

    left, size, right = np.linalg.svd(M)
    best = np.sqrt(size[0]) * np.concatenate([left[:, 0], right[0]])
    return Family(pair, p + q, 1.5, [np.zeros(p + q)], [best, -best])


def nets(rng: Random) -> Family:
    """mean over the rows of a group of (a'tanh(W x) - y)^2, w = (a, W), two hidden units."""
    h, p, J = 2, int(rng.integers(1, 5)), int(rng.integers(1, 5))
    n = 12 * J
    X, groups = rng.standard_normal((n, p)), np.arange(n) % J
    y = np.tanh(X @ rng.standard_normal((p, h))) @ rng.standard_normal(h) + 0.1 * rng.standard_normal(n)
    share = (groups == np.arange(J)[:, None]) / 12.0

    def pair(w: Array) -> tuple[Array, Array]:
        a, W = w[:h], w[h:].reshape(h, p)
        T = np.tanh(X @ W.T)
        residual = T @ a - y
        hidden = (1.0 - T * T) * a
        rows = 2.0 * residual[:, None] * np.hstack([T, (hidden[:, :, None] * X[:, None, :]).reshape(n, h * p)])
        return share @ residual**2, share @ rows

    return Family(pair, h + h * p, 1.0, [np.zeros(h + h * p)], [])


def differences(rng: Random) -> Family:
    """sqrt(1 + |A w - a|^2) - sqrt(1 + |B w - b|^2) + m/2 |w|^2: a difference of convex functions."""
    J, d = _sizes(rng, 10)
    A, B = rng.standard_normal((2, J, d, d)) / np.sqrt(d)
    a, b = rng.standard_normal((2, J, d))
    B = B * rng.uniform(0.5, 1.5)
    m = 0.1 if rng.random() < 0.5 else 0.01

    def pair(w: Array) -> tuple[Array, Array]:
        x, y = A @ w - a, B @ w - b
        f, g = np.sqrt(1.0 + (x * x).sum(axis=1)), np.sqrt(1.0 + (y * y).sum(axis=1))
        slope = np.einsum("jik,ji->jk", A, x / f[:, None]) - np.einsum("jik,ji->jk", B, y / g[:, None])
        return f - g + 0.5 * m * float(w @ w), slope + m * w

    return Family(pair, d, 3.0, [], [])


FAMILIES: dict[str, Callable[[Random], Family]] = {
    "double wells": double_wells,
    "saddles": saddles,
    "ripples": ripples,
    "bounded losses": bounded,
    "products": products,
    "small nets": nets,
    "differences of convex functions": differences,
}


def _sizes(rng: Random, most: int) -> tuple[int, int]:
    """J and d."""
    return int(rng.integers(1, 5)), 1 if rng.random() < LINE else int(rng.integers(1, most + 1))
