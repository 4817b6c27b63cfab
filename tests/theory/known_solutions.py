"""Losses whose solution (w*, lam*) is known to the last digit, with or without the assumptions of the local theorems.

f_j(w) = c_j + <g_j, x> + sum_i (exp(<a_ji, x>) - 1 - <a_ji, x>) + l2/2 |x|^2 with x = w - w*. The sum and its gradient
vanish at w*, so that f_j(w*) = c_j and grad f_j(w*) = g_j are chosen freely; third derivatives do not vanish, so that no
method converges faster than its theorem by luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import saddleback as sb
from saddleback.losses import Losses
from saddleback.regularizers import Regularizer

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Exponentials:
    """The losses above, with the Hessian of each."""

    center: Array
    """w*."""
    c: Array
    g: Array
    a: Array
    """(J, m, d)."""
    l2: float = 0.0

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
        return f, self.g + np.einsum("ji,jid->jd", e, self.a) + self.l2 * x

    def loss_hessians(self, w: Array, which: Array) -> Array:
        a = self.a[which]
        weights = np.exp(a @ (w - self.center))
        return np.einsum("ji,jid,jie->jde", weights, a, a) + self.l2 * np.eye(self.n_params)

    def hessian(self, w: Array, lam: Array) -> Array:
        return np.einsum("j,jde->de", lam, self.loss_hessians(w, np.arange(self.n_losses)))


class KnownMinimizer(Losses, Protocol):
    """Losses that know w*."""

    @property
    def center(self) -> Array: ...


@dataclass(frozen=True, eq=False)
class Solution:
    """A problem and its only solution."""

    losses: KnownMinimizer
    lam: Array
    regularizer: Regularizer = sb.Zero()

    @property
    def w(self) -> Array:
        return self.losses.center


def solved(
    seed: int,
    d: int,
    weights: Sequence[float],
    slack: Sequence[float] = (),
    regularizer: Regularizer | None = None,
    l2: float = 0.1,
) -> Solution:
    """Random losses with the multiplier lam* = (weights, 0): sum_j lam_j g_j = 0, and f_j(w*) as R wants it.

    ``slack`` has one entry for each loss without weight. Without a regularizer f_j(w*) = -slack_j, and zero for losses
    with a weight: a slack of zero is a tie. With one, f(w*) is the gradient of R at lam*, so that lam* is the best
    response to it.
    """
    rng = np.random.default_rng(seed)
    lam = np.concatenate((weights, np.zeros(len(slack))))
    J, R = lam.size, sb.Zero() if regularizer is None else regularizer
    g = rng.standard_normal((J, d))
    heaviest = int(np.argmax(lam))
    g[heaviest] -= lam @ g / lam[heaviest]
    below = np.concatenate((np.zeros(len(weights)), slack))
    c = -below if isinstance(R, sb.Zero) else R.resolve(sb.Simplex(), J).gradient(lam)
    a = rng.standard_normal((J, 2, d)) / np.sqrt(d)
    return Solution(Exponentials(rng.standard_normal(d), c, g, a, l2), lam, R)


def flat(seed: int) -> Solution:
    """Along w_1 the two losses with a weight have nothing but the penalty; the third, without weight, is curved."""
    rng = np.random.default_rng(seed)
    g = np.array([[0.0, 1.0, 0.5, 0.0], [0.0, -1.0, -0.5, 0.0], [0.2, 0.3, 0.0, 1.0]])
    a = 0.5 * rng.standard_normal((3, 2, 4))
    a[:2, :, 0] = 0.0
    a[2, 0, 0] = 4.0
    return Solution(
        Exponentials(rng.standard_normal(4), np.array([0.0, 0.0, -1.0]), g, a, 0.01), np.array([0.5, 0.5, 0])
    )


@dataclass(frozen=True, eq=False)
class Summed:
    """The same losses, which offer the Hessian of <lam, f> only: Newton's method takes it instead of the composite
    model."""

    losses: Exponentials

    @property
    def n_losses(self) -> int:
        return self.losses.n_losses

    @property
    def n_params(self) -> int:
        return self.losses.n_params

    @property
    def center(self) -> Array:
        return self.losses.center

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.losses.evaluate(w)

    def hessian(self, w: Array, lam: Array) -> Array:
        return self.losses.hessian(w, lam)


@dataclass(frozen=True, eq=False)
class Quartic:
    """(w_1 - w*_1)^4 + (w_2 - w*_2)^2 +- (w_2 - w*_2): no second-order growth along w_1."""

    center: Array
    n_losses: int = 2
    n_params: int = 2

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        x, y = w - self.center
        return np.array([x**4 + y**2 + y, x**4 + y**2 - y]), np.array([[4 * x**3, 2 * y + 1], [4 * x**3, 2 * y - 1]])

    def loss_hessians(self, w: Array, which: Array) -> Array:
        return np.tile(np.diag([12 * (w[0] - self.center[0]) ** 2, 2.0]), (len(which), 1, 1))

    def hessian(self, w: Array, lam: Array) -> Array:
        return float(lam.sum()) * self.loss_hessians(w, np.arange(1))[0]
