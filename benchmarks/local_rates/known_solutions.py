"""Losses with a solution (w*, lam*) that is known to the last digit, with or without what the theorems assume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import saddleback as sb
from saddleback.losses import Losses
from saddleback.regularizers import Regularizer

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
NO_REGULARIZER = sb.Zero()


@dataclass(frozen=True, eq=False)
class Solution:
    """A problem on the simplex and its solution; lam* is the only multiplier where the assumptions hold."""

    losses: Losses
    w: Array
    lam: Array
    regularizer: Regularizer = NO_REGULARIZER


@dataclass(frozen=True, eq=False)
class Exponentials:
    """f_j(w) = c_j + <g_j, x> + sum_i (exp(<a_ji, x>) - 1 - <a_ji, x>) + l2/2 |x|^2 with x = w - w*.

    The sum and its gradient vanish at w*, so that f_j(w*) = c_j and grad f_j(w*) = g_j are chosen freely. Third
    derivatives do not vanish there, so that no method converges faster than its theorem by luck.
    """

    center: Array
    """w*."""
    c: Array
    g: Array
    a: Array
    """(J, m, d)."""
    l2: float

    @property
    def n_losses(self) -> int:
        return len(self.c)

    @property
    def n_params(self) -> int:
        return self.center.size

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        x = w - self.center
        t = self.a @ x
        e = np.expm1(t)
        f = self.c + self.g @ x + (e - t).sum(axis=1) + 0.5 * self.l2 * (x @ x)
        return f, self.g + (e[:, None, :] @ self.a)[:, 0] + self.l2 * x

    def loss_hessians(self, w: Array, which: Indices) -> Array:
        a = self.a[which]
        weights = np.exp(a @ (w - self.center))
        return a.transpose(0, 2, 1) @ (weights[:, :, None] * a) + self.l2 * np.eye(self.n_params)

    def hessian(self, w: Array, lam: Array) -> Array:
        return _sum(lam, self.loss_hessians(w, np.arange(self.n_losses)))


def solved(
    seed: int,
    d: int,
    weights: Sequence[float] | Array,
    slack: Sequence[float] | Array = (),
    regularizer: Regularizer = NO_REGULARIZER,
    l2: float = 0.1,
) -> Solution:
    """Random losses with the multiplier lam* = (weights, 0): sum_j lam_j g_j = 0, and f_j(w*) as R wants it.

    ``slack`` has one entry for each loss without weight. Without a regularizer f_j(w*) = -slack_j, and zero for losses
    with a weight: a slack of zero is a tie. With one, f(w*) is the gradient of R at lam*, so that lam* is the best
    response to it.
    """
    rng = np.random.default_rng(seed)
    lam = np.concatenate((weights, np.zeros(len(slack))))
    g = rng.standard_normal((lam.size, d))
    heaviest = int(np.argmax(lam))
    g[heaviest] -= lam @ g / lam[heaviest]
    if isinstance(regularizer, sb.Zero):
        c = -np.concatenate((np.zeros(len(weights)), slack))
    else:
        c = regularizer.resolve(sb.Simplex(), lam.size).gradient(lam)
    a = rng.standard_normal((lam.size, 2, d)) / np.sqrt(d)
    w = rng.standard_normal(d)
    return Solution(Exponentials(w, c, g, a, l2), w, lam, regularizer)


def flat(seed: int) -> Solution:
    """Along w_1 the two losses with a weight have nothing but the penalty; the third, without weight, is curved."""
    rng = np.random.default_rng(seed)
    g = np.array([[0.0, 1.0, 0.5, 0.0], [0.0, -1.0, -0.5, 0.0], [0.2, 0.3, 0.0, 1.0]])
    a = 0.5 * rng.standard_normal((3, 2, 4))
    a[:2, :, 0] = 0.0
    a[2, 0, 0] = 4.0
    w = rng.standard_normal(4)
    return Solution(Exponentials(w, np.array([0.0, 0.0, -1.0]), g, a, 0.01), w, np.array([0.5, 0.5, 0.0]))


@dataclass(frozen=True, eq=False)
class Quartic:
    """x_1^4 + x_2^2 + x_2 and x_1^4 + x_2^2 - x_2 with x = w - w*: no second-order growth along w_1."""

    center: Array
    n_losses: int = 2
    n_params: int = 2

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        x, y = w - self.center
        return np.array([x**4 + y**2 + y, x**4 + y**2 - y]), np.array([[4 * x**3, 2 * y + 1], [4 * x**3, 2 * y - 1]])

    def loss_hessians(self, w: Array, which: Indices) -> Array:
        H = np.diag([12.0 * (w[0] - self.center[0]) ** 2, 2.0])
        return np.tile(H, (len(which), 1, 1))

    def hessian(self, w: Array, lam: Array) -> Array:
        return _sum(lam, self.loss_hessians(w, np.arange(2)))


def quartic() -> Solution:
    w = np.array([0.3, -0.7])
    return Solution(Quartic(w), w, np.full(2, 0.5))


@dataclass(frozen=True, eq=False)
class Dependent:
    """x_1, -x_1 + phi(t) and -x_1/2 with phi(t) = exp(t) - 1 - t, t = x_2 + 0.3 x_1 and x = w - w*.

    The three losses tie at w*, and their gradients lie on one line: (1/2, 1/2, 0) is one multiplier and (1/3, 0, 2/3)
    another, for which sum_j lam_j H_j = 0. g grows as fast as |x|^2.
    """

    center: Array
    n_losses: int = 3
    n_params: int = 2

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        x, y = w - self.center
        t = y + 0.3 * x
        e = float(np.expm1(t))
        return np.array([x, -x + e - t, -0.5 * x]), np.array([[1.0, 0.0], [-1.0 + 0.3 * e, e], [-0.5, 0.0]])

    def loss_hessians(self, w: Array, which: Indices) -> Array:
        v = np.array([0.3, 1.0])
        H = np.zeros((3, 2, 2))
        H[1] = np.exp(v @ (w - self.center)) * np.outer(v, v)
        return H[which]

    def hessian(self, w: Array, lam: Array) -> Array:
        return _sum(lam, self.loss_hessians(w, np.arange(3)))


def dependent() -> Solution:
    w = np.array([0.3, -0.7])
    return Solution(Dependent(w), w, np.array([0.5, 0.5, 0.0]))


@dataclass(frozen=True, eq=False)
class Summed:
    """The same losses with the Hessian of <lam, f> only, from which Newton's method builds no composite model."""

    losses: Exponentials | Dependent

    @property
    def n_losses(self) -> int:
        return self.losses.n_losses

    @property
    def n_params(self) -> int:
        return self.losses.n_params

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.losses.evaluate(w)

    def hessian(self, w: Array, lam: Array) -> Array:
        return self.losses.hessian(w, lam)


def summed(solution: Solution) -> Solution:
    assert isinstance(solution.losses, Exponentials | Dependent)
    return replace(solution, losses=Summed(solution.losses))


def _sum(lam: Array, H: Array) -> Array:
    return np.asarray(np.tensordot(lam, H, 1), dtype=np.float64)
