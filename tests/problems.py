"""Problems with known optima or constants, shared by tests of theory, methods and references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp, softmax

import saddleback as sb
from saddleback.engine.oracle import Oracle
from saddleback.losses.differences import central_differences
from saddleback.subproblem import InnerSolver, resolve_inner

Array = NDArray[np.float64]
Pair = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Convex:
    """Losses with the constants of the theorems. They do not offer L as a capability: methods get it as an option."""

    pair: Pair
    n_losses: int
    n_params: int
    L: float
    strong_convexity: float = 0.0

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.pair(w)


@dataclass(frozen=True, eq=False)
class WithHessian(Convex):
    """The same losses with a Hessian by central differences of the Jacobian, accurate enough for a Hessian model."""

    @staticmethod
    def of(losses: Convex) -> WithHessian:
        return WithHessian(losses.pair, losses.n_losses, losses.n_params, losses.L, losses.strong_convexity)

    def hessian(self, w: Array, lam: Array) -> Array:
        H = central_differences(lambda v: lam @ self.pair(v)[1], w)
        return 0.5 * (H + H.T)


class Scaled:
    """factor f(s w), for losses f: other units of the losses and of the parameters."""

    def __init__(self, losses: Convex, factor: float = 1.0, s: float = 1.0) -> None:
        self.losses, self.factor, self.s = losses, factor, s
        self.n_losses, self.n_params = losses.n_losses, losses.n_params
        self.strong_convexity = factor * s**2 * losses.strong_convexity
        if isinstance(losses, WithHessian):
            self.hessian = lambda w, lam: factor * s**2 * losses.hessian(s * w, lam)

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        f, G = self.losses.evaluate(self.s * w)
        return self.factor * f, (self.factor * self.s) * G


def scaled_regularizer(R: sb.Zero | sb.Quadratic | sb.Entropy, factor: float) -> sb.Zero | sb.Quadratic | sb.Entropy:
    """factor R."""
    if isinstance(R, sb.Quadratic):
        return sb.Quadratic(factor * R.gamma, R.center)
    if isinstance(R, sb.Entropy):
        return sb.Entropy(factor * R.gamma, R.prior)
    return R


def oracle_of(
    losses: Convex,
    regularizer: sb.Zero | sb.Quadratic | sb.Entropy | None = None,
    *,
    w0: Array | None = None,
    inner: str | InnerSolver = "auto",
    tol: float = 1e-9,
) -> Oracle:
    """The oracle that ``solve`` would hand to a method, to drive a method by hand."""
    problem = sb.Problem(losses, regularizer=sb.Zero() if regularizer is None else regularizer)
    start = np.zeros(losses.n_params) if w0 is None else w0
    return Oracle(problem, resolve_inner(inner, problem.adversary), start, tol)


# Families


def quadratics(H: Array, b: Array, c: Array) -> Convex:
    """f_j(w) = 1/2 w'H_j w + b_j'w + c_j, with H of shape (J, d, d)."""

    def pair(w: Array) -> tuple[Array, Array]:
        Hw = H @ w
        return 0.5 * Hw @ w + b @ w + c, Hw + b

    eigenvalues = np.linalg.eigvalsh(H)
    m = max(0.0, float(eigenvalues.min()))
    return Convex(pair, len(b), b.shape[1], float(eigenvalues.max()), m if m > 1e-12 else 0.0)


def random_quadratics(seed: int, J: int, d: int, condition: float = 10.0) -> Convex:
    """Quadratics with eigenvalues in [1, condition], random axes, centers and heights."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((J, d, d)))[0]
    H = (U * rng.uniform(1.0, condition, (J, 1, d))) @ U.transpose(0, 2, 1)
    return quadratics(0.5 * (H + H.transpose(0, 2, 1)), rng.standard_normal((J, d)), rng.standard_normal(J))


def least_squares(X: Array, y: Array, l2: float = 0.0) -> Convex:
    """f_j(w) = mean_i (x_ji'w - y_ji)^2 + l2/2 |w|^2, with X of shape (J, N, d)."""
    N, d = X.shape[1:]
    H = 2.0 * X.transpose(0, 2, 1) @ X / N + l2 * np.eye(d)
    return quadratics(H, -2.0 * np.einsum("jni,jn->ji", X, y) / N, (y**2).mean(axis=1))


def group_logistic(X: Array, y: Array, l2: float = 0.0) -> Convex:
    """f_j(w) = mean_i log(1 + exp(-y_ji x_ji'w)) + l2/2 |w|^2; L = max_j |X_j'X_j|/(4N) + l2 (paper, appendix)."""
    N, d = X.shape[1:]

    def pair(w: Array) -> tuple[Array, Array]:
        margin = y * (X @ w)
        f = np.logaddexp(0.0, -margin).mean(axis=1) + 0.5 * l2 * w @ w
        G = -np.einsum("jn,jni->ji", y * expit(-margin), X) / N + l2 * w
        return f, G

    L = max(np.linalg.norm(X_j, 2) ** 2 for X_j in X) / (4 * N) + l2
    return Convex(pair, len(X), d, float(L), l2)


def log_sum_exp(A: Array, b: Array, rho: float = 1.0, l2: float = 0.0) -> Convex:
    """f_j(w) = rho log sum_i exp((a_ji'w + b_ji)/rho) + l2/2 |w|^2, with A of shape (J, n, d)."""

    def pair(w: Array) -> tuple[Array, Array]:
        z = (A @ w + b) / rho
        f = rho * logsumexp(z, axis=1) + 0.5 * l2 * w @ w
        return f, np.einsum("jn,jni->ji", softmax(z, axis=1), A) + l2 * w

    L = max(np.linalg.norm(A_j, 2) ** 2 for A_j in A) / rho + l2
    return Convex(pair, len(A), A.shape[2], float(L), l2)


def duplicated(losses: Convex, times: int) -> Convex:
    """Every loss ``times`` times: the same g without R, a singular (D)."""

    def pair(w: Array) -> tuple[Array, Array]:
        f, G = losses.evaluate(w)
        return np.tile(f, times), np.tile(G, (times, 1))

    return Convex(pair, times * losses.n_losses, losses.n_params, losses.L, losses.strong_convexity)


# Instances


@dataclass(frozen=True, eq=False)
class Solved:
    """Losses whose minimizer and optimal value are known in closed form, for R = 0 and every R centered uniformly."""

    losses: Convex
    w: Array
    value: float


def nesterov_split(J: int, d: int) -> Solved:
    """Nesterov's worst case F(w) = 1/8 (w_1^2 + sum (w_i - w_{i+1})^2 + w_d^2) - w_1/4, its terms dealt to J groups.

    Group j gets J times its terms, shifted by a constant so that all groups are equal at the minimizer
    w*_i = 1 - i/(d + 1) of F. Their mean is F, so that w* with uniform lam is a saddle point, for R = 0 and for
    every R that is least at uniform lam. A gradient method learns one coordinate per step (Nesterov, Lectures on
    Convex Optimization, 2.1.2), and g >= F: no first-order method is faster than F's 3 L |w*|^2/(32 (T + 1)^2).
    Terms of one group share no coordinate (J >= 2), hence L = J/8 times 2 times |(1, -1)|^2 = J/2.
    """
    D = np.zeros((d + 1, d))
    D[np.arange(d), np.arange(d)] = 1.0
    D[np.arange(1, d + 1), np.arange(d)] = -1.0
    group = np.arange(d + 1) % J
    member = (group == np.arange(J)[:, None]).astype(float)
    w_star = 1.0 - np.arange(1, d + 1) / (d + 1.0)
    optimum = -0.125 * d / (d + 1.0)
    shift = optimum - (J / 8.0 * member @ (D @ w_star) ** 2 - 0.25 * w_star[0])

    def pair(w: Array) -> tuple[Array, Array]:
        u = np.empty(d + 1)
        u[0], u[1:-1], u[-1] = w[0], w[1:] - w[:-1], -w[-1]
        U = J / 4.0 * member * u
        G = U[:, :-1] - U[:, 1:]
        G[:, 0] -= 0.25
        return J / 8.0 * member @ u**2 - 0.25 * w[0] + shift, G

    return Solved(Convex(pair, J, d, J / 2.0), w_star, float(optimum))


def enclosing_ball(seed: int = 0, J: int = 8, d: int = 3) -> Solved:
    """f_j(w) = |w - p_j|^2: two antipodal points on a sphere of radius 3/2 around w*, the others inside it."""
    rng = np.random.default_rng(seed)
    center = rng.standard_normal(d)
    directions = rng.standard_normal((J, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = np.concatenate(([1.5, 1.5], rng.uniform(0.1, 1.4, J - 2)))
    directions[1] = -directions[0]
    points = center + lengths[:, None] * directions
    losses = quadratics(np.broadcast_to(2 * np.eye(d), (J, d, d)), -2 * points, (points**2).sum(axis=1))
    return Solved(losses, center, 2.25)


def paper_logistic(seed: int, d: int, J: int, N: int, l2: float = 0.0) -> Convex:
    """The data recipe of the paper's appendix on simulations."""
    rng = np.random.default_rng(seed)
    w_true = rng.normal(0.0, np.sqrt(20.0 / d), d)
    mu = rng.normal(0.0, np.sqrt(1.0 / d), (J, 1, d))
    X = rng.normal(0.0, np.sqrt(1.0 / d), (J, N, d)) + 0.1 * mu
    y = np.sign(X @ w_true + rng.normal(0.0, 1.0, (J, N)))
    return group_logistic(X, y, l2)
