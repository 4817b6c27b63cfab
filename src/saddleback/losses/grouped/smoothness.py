"""The smoothness constant: an upper bound on the largest eigenvalue of X_j'M_jX_j of all groups, by Lanczos iterations.

The bound is that of Hochstenbach (2013, Probabilistic upper bounds for the matrix two-norm, section 3): the Lanczos
vector after k steps is p_k(M) v with |p_k(M) v| = 1, so |p_k(lambda_max)| <= 1/|<v, u>| for the top eigenvector u; and
p_k grows beyond its largest zero, the Ritz value theta. A random unit vector v of R^p has |<v, u>| >= delta except
with probability sqrt(2p/pi) delta. So the point x > theta where p_k(x) = 1/delta is above lambda_max. It is never worse
than the a-priori bound of Kuczynski and Wozniakowski (1992, theorem 3.2), and sharper where the spectrum has a gap.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..._types import EPS, Matrix, Vector

FAILURE = 1e-10
"""The probability that one of the bounds is below its eigenvalue."""

SLACK = 1.1
"""The largest ratio of the bound to the truth, unless the caller gives another."""

MAX_STEPS = 64
"""The most Lanczos steps, each of which reads X once; the bound after them is valid but may exceed the ratio."""

STEPS_PER_BOUND = 3
"""Lanczos steps between two computations of the bound."""

BISECTIONS = 30
"""Bisections for the bound: they make its relative error 2^-30."""

MAX_DOUBLINGS = 2100
"""The number of powers of two in float64."""

ROUNDING_MARGIN = 1e-10
"""Relative margin for rounding errors of the products, which are far smaller."""


def largest_eigenvalue_bound(
    apply: Callable[[Matrix], Matrix], n_groups: int, size: int, slack: float = SLACK
) -> float:
    """A number above max_j lambda_max(M_j), at most ``slack`` times it unless 64 steps are not enough for that.

    ``apply`` takes (n_groups, size) to the same shape, row j to M_j times row j, M_j symmetric and >= 0. One step of
    all groups is one call: one read of X. The start is random with a fixed seed, so that the bound is reproducible.
    """
    v = np.random.default_rng(0).standard_normal((n_groups, size))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    log_growth = float(np.log(np.sqrt(2 * size / np.pi) * n_groups / FAILURE))
    previous, beta = np.zeros_like(v), np.zeros(n_groups)
    alphas: list[Vector] = []
    betas: list[Vector] = []
    upper = np.full(n_groups, np.inf)
    magnitude = 1.0
    for step in range(1, MAX_STEPS + 1):
        u = apply(v)
        if step == 1:
            # All products are divided by this, so that no square overflows or underflows.
            magnitude = float(np.abs(u).max())
            if magnitude == 0.0:
                return 0.0
            if not np.isfinite(magnitude):
                return np.inf
        u /= magnitude
        u -= beta[:, None] * previous
        alpha = np.einsum("jk,jk->j", u, v)
        u -= alpha[:, None] * v
        beta = np.linalg.norm(u, axis=1)
        alphas.append(alpha)
        betas.append(beta)
        if step % STEPS_PER_BOUND == 0 or step >= size:
            theta, bound = _ritz_and_bound(np.array(alphas), np.array(betas), log_growth)
            upper = np.minimum(upper, bound)
            if upper.max() <= slack * theta.max():
                break
        previous, v = v, u / np.where(beta > 0.0, beta, 1.0)[:, None]
    return magnitude * float(upper.max()) * (1.0 + ROUNDING_MARGIN)


def _ritz_and_bound(alpha: Matrix, beta: Matrix, log_growth: float) -> tuple[Vector, Vector]:
    """Per group theta, the largest eigenvalue of its tridiagonal matrix, and x > theta with log p_k(x) as given."""
    k, n_groups = alpha.shape
    T = np.zeros((n_groups, k, k))
    diagonal = np.arange(k)
    T[:, diagonal, diagonal] = alpha.T
    T[:, diagonal[1:], diagonal[:-1]] = beta[:-1].T
    theta: Vector = np.linalg.eigvalsh(T, UPLO="L")[:, -1].astype(np.float64)
    # An invariant Krylov space contains every eigenvector on which the start has a component: the bound is theta.
    invariant = beta[-1] <= EPS * theta
    low, high = theta, 2.0 * theta
    for _ in range(MAX_DOUBLINGS):
        short = (_log_polynomial(high, alpha, beta) < log_growth) & ~invariant
        if not short.any():
            break
        low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        short = _log_polynomial(middle, alpha, beta) < log_growth
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return theta, np.where(invariant, theta, high)


def _log_polynomial(x: Vector, alpha: Matrix, beta: Matrix) -> Vector:
    """log p_k(x) by the ratios of the three-term recurrence, which are positive for x > theta; -inf for smaller x."""
    total, ratio = np.zeros(x.size), np.full(x.size, np.inf)
    last = np.zeros(x.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        for a, b in zip(alpha, beta, strict=True):
            ratio = (x - a - last / ratio) / b
            total += np.log(np.maximum(ratio, 0.0))
            last = b
    return np.where(np.isnan(total), -np.inf, total)
