"""Losses, sets and regularizers of which each method must find the saddle point, and the same in CVXPY."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

import saddleback as sb
from saddleback.dual_sets import DualSet
from saddleback.linalg import svec
from saddleback.regularizers import Regularizer

# What Clarabel may miss.
REFERENCE = 1e-6
P = np.array([0.4, 0.3, 0.2, 0.1])
J, D, K = 4, 3, 3


# --- losses -----------------------------------------------------------------------------------------------------------


class Quadratics:
    """1/2 w'H_j w + b_j'w + c_j with eigenvalues of H_j in [1, 2], or zero for losses with weights of any sign."""

    def __init__(self, curved: int = J) -> None:
        rng = np.random.default_rng(8)
        U = np.linalg.qr(rng.standard_normal((J, D, D)))[0]
        self.H = (U * rng.uniform(1.0, 2.0, (J, 1, D))) @ U.transpose(0, 2, 1)
        self.H[curved:] = 0.0
        self.b, self.c = rng.standard_normal((J, D)), rng.standard_normal(J)
        self.n_losses, self.n_params = J, D
        if curved == J:
            self.strong_convexity = 1.0

    def smoothness(self) -> float:
        return 2.0

    def evaluate(self, w):
        Hw = self.H @ w
        return 0.5 * Hw @ w + self.b @ w + self.c, Hw + self.b

    def hessian(self, w, lam):
        return np.einsum("j,jab->ab", lam, self.H)

    def constraints(self, w: cp.Variable, z: cp.Expression) -> list[cp.Constraint]:
        """f(w) <= z, and equal to z where f is affine."""
        rows = []
        for j in range(J):
            affine = self.b[j] @ w + self.c[j]
            curved = self.H[j].any()
            rows.append(0.5 * cp.quad_form(w, cp.psd_wrap(self.H[j])) + affine <= z[j] if curved else affine == z[j])
        return rows


class Matrices:
    """F(w) = sum_i w_i^2 A_i + w_i B_i + C, A_i with eigenvalues in [1/2, 1]: <Lam, F> is 1-strongly convex."""

    matrix_size, strong_convexity = K, 1.0
    n_losses, n_params = svec.length(K), D

    def __init__(self) -> None:
        rng = np.random.default_rng(9)
        U = np.linalg.qr(rng.standard_normal((D, K, K)))[0]
        self.A = (U * rng.uniform(0.5, 1.0, (D, 1, K))) @ U.transpose(0, 2, 1)
        B = rng.standard_normal((D, K, K))
        self.B, self.C = B + B.transpose(0, 2, 1), np.diag(rng.standard_normal(K))

    def smoothness(self) -> float:
        return 2.0

    def evaluate(self, w):
        F = np.einsum("i,iab->ab", w**2, self.A) + np.einsum("i,iab->ab", w, self.B) + self.C
        return svec.pack(F), svec.pack(2 * w[:, None, None] * self.A + self.B).T

    def hessian(self, w, lam):
        return np.diag(2 * np.einsum("ab,iab->i", svec.unpack(lam), self.A))

    def constraints(self, w: cp.Variable, Z: cp.Expression) -> list[cp.Constraint]:
        squares = cp.Variable(D)
        F = sum(squares[i] * self.A[i] + w[i] * self.B[i] for i in range(D)) + self.C
        slack = cp.Variable((K, K), PSD=True)
        return [squares >= cp.square(w), slack == Z - F]


# --- the adversary in CVXPY: h(z) = min over y of sigma(y) + R*(z - y) ------------------------------------------------

Support = Callable[[cp.Variable], tuple[cp.Expression, list[cp.Constraint]]]


def capped(p: np.ndarray, alpha: float) -> Support:
    def support(y):
        t = cp.Variable()
        return t + p @ cp.pos(y - t) / alpha, []

    return support


def chi2(y):
    """The mean and sqrt(rho) deviations, of losses that may be larger: what lam >= 0 leaves out."""
    s = cp.Variable(J, nonneg=True)
    mean = P @ (y + s)
    return mean + np.sqrt(0.5) * cp.norm(cp.multiply(np.sqrt(P), y + s - mean)), []


def tv(y):
    s = cp.Variable(J, nonneg=True)
    return cp.sum(y + s) / J + 0.3 * (cp.max(y + s) - cp.min(y + s)), []


def kl(y):
    """min over nu and theta of nu + theta (rho - 1) + sum p theta exp((y - nu)/theta)."""
    nu, theta, e = cp.Variable(), cp.Variable(nonneg=True), cp.Variable(J)
    return nu + theta * (0.2 - 1) + P @ e, [cp.constraints.ExpCone(y - nu, theta * np.ones(J), e)]


def polytope(y):
    mu, nu = cp.Variable(len(ROWS), nonneg=True), cp.Variable()
    return BOUNDS @ mu + nu, [ROWS.T @ mu + nu * np.ones(J) == y]


def product(y):
    t = cp.Variable()
    return cp.max(y[:2]) + t + 0.5 * cp.sum(cp.pos(y[2:] - t)) / 0.6, []


ROWS = np.vstack((-np.eye(J), [[1.0, -1.0, 0.5, 0.0], [0.0, 1.0, 1.0, -1.0]]))
BOUNDS = np.array([0.0, 0.0, 0.0, 0.0, 0.2, 0.5])


@dataclass(frozen=True, eq=False)
class Geometry:
    """A set, its support function in CVXPY, and losses that are convex for its weights."""

    dual_set: DualSet
    support: Support
    losses: Callable[[], object] = Quadratics
    regularizers: tuple[str, ...] = ("zero", "quadratic", "entropy")


SIGNED = ("zero", "quadratic")
GEOMETRIES = {
    "simplex": Geometry(sb.Simplex(), lambda y: (cp.max(y), [])),
    "capped simplex": Geometry(sb.CappedSimplex(0.5, P), capped(P, 0.5)),
    "contamination": Geometry(sb.Contamination(0.6, P), lambda y: (0.4 * P @ y + 0.6 * cp.max(y), [])),
    "chi2 ball": Geometry(sb.Chi2Ball(0.5, P), chi2),
    "TV ball": Geometry(sb.TVBall(0.3), tv),
    "KL ball": Geometry(sb.KLBall(0.2, P), kl),
    "box": Geometry(sb.Box(0.1, 1.0), lambda y: (cp.sum(cp.maximum(0.1 * y, y)), [])),
    "ball": Geometry(sb.Ball(1.0, 0.8), lambda y: (cp.sum(y) + 0.8 * cp.norm(y), [])),
    "polytope": Geometry(sb.Polytope(ROWS, BOUNDS, np.ones((1, J)), [1.0]), polytope),
    "product": Geometry(sb.Product([sb.Simplex(), sb.CappedSimplex(0.6)], [2, 2]), product),
    "absolute values": Geometry(
        sb.Box([1.0, -1.0, -1.0, -1.0], 1.0 + 0 * P),
        lambda y: (y[0] + cp.norm1(y[1:]), []),
        lambda: Quadratics(curved=1),
        SIGNED,
    ),
    "norm": Geometry(
        sb.Product([sb.Simplex(), sb.Ball(0.0, 1.0)], [1, 3]),
        lambda y: (y[0] + cp.norm(y[1:]), []),
        lambda: Quadratics(curved=1),
        SIGNED,
    ),
    "spectrahedron": Geometry(
        sb.Spectrahedron(), lambda Y: (cp.lambda_max(Y), []), Matrices, ("zero", "quadratic", "von Neumann")
    ),
}
REGULARIZERS = {
    "zero": sb.Zero(),
    "quadratic": sb.Quadratic(0.5),
    "entropy": sb.Entropy(0.3, P),
    "von Neumann": sb.VonNeumann(0.3),
}
PAIRS = [(s, r) for s, geometry in GEOMETRIES.items() for r in geometry.regularizers]


def conjugate(R: Regularizer, dual_set: DualSet, u: cp.Expression) -> cp.Expression:
    """R*(u), over all lam (Entropy: over lam >= 0)."""
    if isinstance(R, sb.Entropy):
        return R.gamma * P @ cp.exp(u / R.gamma - 1)
    center = dual_set.to_user(dual_set.center(svec.length(K) if u.ndim == 2 else J))
    return cp.sum(cp.multiply(center, u)) + cp.sum_squares(u) / (2 * R.gamma)


def minimum(losses, objective: cp.Expression, constraints: list[cp.Constraint], z: cp.Expression) -> float:
    model = cp.Problem(cp.Minimize(objective), [*constraints, *losses.constraints(cp.Variable(D), z)])
    with warnings.catch_warnings():
        # Clarabel may miss 1e-10 and say so; the comparison is to REFERENCE.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        model.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    assert model.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
    return float(model.value)
