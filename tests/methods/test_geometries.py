"""Every outer method on every set: values agree with CVXPY, certificates hold, and what does not apply is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import cvxpy as cp
import numpy as np
import pytest

import saddleback as sb
from saddleback import svec
from saddleback.dual_sets import DUAL_SETS, DualSet
from saddleback.methods import METHODS
from saddleback.regularizers import Regularizer
from saddleback.testing import check_dual_set, check_regularizer

TOL = 1e-5
# References rather than contenders: what they cost for each digit is spent elsewhere.
LOOSE = {"fixed-point": 1e-3, "apgd": 1e-3}
OPTIONS = {"fixed-point": sb.FixedPoint(accuracy=1e-6)}
# What Clarabel may miss.
REFERENCE = 1e-6
MAX_ITER = 5000
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
    center = dual_set.present(dual_set.center(svec.length(K) if u.ndim == 2 else J))
    return cp.sum(cp.multiply(center, u)) + cp.sum_squares(u) / (2 * R.gamma)


def minimum(losses, objective: cp.Expression, constraints: list[cp.Constraint], z: cp.Expression) -> float:
    model = cp.Problem(cp.Minimize(objective), [*constraints, *losses.constraints(cp.Variable(D), z)])
    with warnings.catch_warnings():
        # Clarabel may miss 1e-10 and say so; the comparison is to REFERENCE.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        model.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    assert model.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
    return float(model.value)


@cache
def reference(set_name: str, regularizer_name: str) -> float:
    """The optimal value by Clarabel; the von Neumann entropy, which it lacks, from a run with the tightest gap."""
    geometry, R = GEOMETRIES[set_name], REGULARIZERS[regularizer_name]
    losses = geometry.losses()
    if regularizer_name == "von Neumann":
        result = sb.solve(sb.Problem(losses, geometry.dual_set, R), method="newton", tol=1e-10)
        assert result.gap <= 1e-10
        return result.value
    y = cp.Variable((K, K), symmetric=True) if isinstance(losses, Matrices) else cp.Variable(J)
    value, constraints = geometry.support(y)
    if regularizer_name == "zero":
        return minimum(losses, value, constraints, y)
    u = cp.Variable((K, K), symmetric=True) if isinstance(losses, Matrices) else cp.Variable(J)
    return minimum(losses, value + conjugate(R, geometry.dual_set, u), constraints, y + u)


def applies(method: str, set_name: str, regularizer_name: str) -> bool:
    """Gradient methods on g need a strongly convex R; saddle-point methods a projection, or a mirror step."""
    if method in ("apgd", "lbfgsb"):
        return regularizer_name != "zero"
    if method in ("extragradient", "optimistic"):
        return set_name != "polytope" and (set_name, regularizer_name) != ("ball", "entropy")
    return True


def test_every_set_is_here():
    assert {type(geometry.dual_set) for geometry in GEOMETRIES.values()} == set(DUAL_SETS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_methods_agree_with_the_reference(pair, method):
    geometry, R = GEOMETRIES[pair[0]], REGULARIZERS[pair[1]]
    losses = geometry.losses()
    problem = sb.Problem(losses, geometry.dual_set, R)
    if not applies(method, *pair):
        n_evals = []
        evaluate = losses.evaluate
        losses.evaluate = lambda w: n_evals.append(w) or evaluate(w)
        with pytest.raises(sb.IncompatibleError, match=method):
            sb.solve(problem, method=method)
        assert not n_evals
        return
    truth, tol = reference(*pair), LOOSE.get(method, TOL)
    result = sb.solve(problem, method=OPTIONS.get(method, method), tol=tol, max_iter=MAX_ITER, radius=5.0)
    assert result.success, result.message
    assert result.value >= truth - REFERENCE
    assert result.lower_bound <= truth + REFERENCE
    assert result.value == pytest.approx(truth, abs=tol + REFERENCE)
    assert result.value == pytest.approx(problem.value(result.w), rel=1e-12, abs=1e-12)
    n = problem.n_losses
    assert geometry.dual_set.contains(geometry.dual_set.coordinates(result.dual, "dual", n), 1e-10)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_newton_is_refused_without_a_hessian(name):
    geometry = GEOMETRIES[name]
    full = geometry.losses()

    class Bare:
        n_losses, n_params = full.n_losses, full.n_params
        if isinstance(full, Matrices):
            matrix_size = K

        def evaluate(self, w):
            pytest.fail("the losses were evaluated")

    with pytest.raises(sb.IncompatibleError, match="newton needs losses that offer hessian"):
        sb.solve(sb.Problem(Bare(), geometry.dual_set), method="newton")


# --- what users bring -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Correlated(Regularizer):
    """1/2 lam'H lam + q'lam with a full H: nothing but the four methods that must be there."""

    n: int = J

    @property
    def H(self):
        return 0.4 * np.eye(self.n) + 0.2

    @property
    def q(self):
        return np.linspace(-0.2, 0.3, self.n)

    @property
    def strong_convexity(self):
        return 0.4

    def value(self, lam):
        return float(0.5 * lam @ self.H @ lam + self.q @ lam)

    def gradient(self, lam):
        return self.H @ lam + self.q

    def hessian(self, lam):
        return self.H


@dataclass(frozen=True)
class Burg(Regularizer):
    """-gamma sum log lam, which keeps every weight positive; gamma-strongly convex where weights are at most one."""

    gamma: float = 0.05

    @property
    def strong_convexity(self):
        return self.gamma

    def value(self, lam):
        with np.errstate(divide="ignore"):
            return -self.gamma * float(np.log(lam).sum())

    def gradient(self, lam):
        with np.errstate(divide="ignore"):
            return -self.gamma / lam

    def hessian(self, lam):
        return self.gamma / lam**2


def correlated_conjugate(u):
    R = Correlated()
    return cp.quad_form(u - R.q, cp.psd_wrap(np.linalg.inv(R.H))) / 2


def burg_conjugate(u):
    gamma = Burg().gamma
    return gamma * J * (np.log(gamma) - 1) - gamma * cp.sum(cp.log(-u))


OWN_REGULARIZERS = {"correlated": (Correlated(), correlated_conjugate), "Burg": (Burg(), burg_conjugate)}
ON = ["simplex", "capped simplex", "chi2 ball", "polytope", "product"]


@pytest.mark.parametrize("set_name", ["simplex", "chi2 ball"])
def test_own_regularizers_keep_the_contract(set_name):
    check_regularizer(Correlated(), GEOMETRIES[set_name].dual_set, J, n_points=3)


@pytest.mark.parametrize("set_name", ON)
@pytest.mark.parametrize("name", OWN_REGULARIZERS)
def test_own_regularizers_are_solved(name, set_name):
    R, own_conjugate = OWN_REGULARIZERS[name]
    geometry, losses = GEOMETRIES[set_name], Quadratics()
    y, u = cp.Variable(J), cp.Variable(J)
    value, constraints = geometry.support(y)
    truth = minimum(losses, value + own_conjugate(u), constraints, y + u)
    for method in ("auto", "accelerated", "lbfgsb"):
        result = sb.solve(sb.Problem(losses, geometry.dual_set, R), method=method, tol=1e-6)
        assert result.success, result.message
        assert result.value == pytest.approx(truth, abs=2e-6)
        assert result.lower_bound <= truth + REFERENCE
        assert geometry.dual_set.contains(result.dual)


@dataclass(frozen=True, eq=False)
class Ellipsoid(DualSet):
    """{(lam - middle)' M (lam - middle) <= 1}: no projection, no tilt, no polyhedron."""

    middle: np.ndarray
    M: np.ndarray

    def _slack(self, lam):
        x = lam - self.middle
        return 1.0 - x @ self.M @ x

    @property
    def size(self):
        return self.middle.size

    def validate(self, n):
        if n != self.size:
            raise sb.ProblemError(f"the ellipsoid lies in R^{self.size}; got {n} losses.")

    def barrier_parameter(self, n):
        return 1.0

    def barrier(self, lam):
        slack = self._slack(lam)
        return -float(np.log(slack)) if slack > 0 else np.inf

    def barrier_gradient(self, lam):
        return 2.0 * self.M @ (lam - self.middle) / self._slack(lam)

    def barrier_hessian(self, lam):
        slack, v = self._slack(lam), 2.0 * self.M @ (lam - self.middle)
        return 2.0 * self.M / slack + np.outer(v, v) / slack**2

    def affine_hull(self, n):
        return np.zeros((0, n)), np.zeros(0)

    def center(self, n):
        return self.middle.copy()

    def support(self, z):
        direction = np.linalg.solve(self.M, z)
        length = float(np.sqrt(max(0.0, z @ direction)))
        if length == 0.0:
            return float(self.middle @ z), self.middle.copy()
        return float(self.middle @ z) + length, self.middle + direction / length

    def contains(self, lam, tol=1e-12):
        return bool(self._slack(lam) >= -4 * tol)

    def restore(self, lam):
        x = lam - self.middle
        length = np.sqrt(x @ self.M @ x)
        return self.middle + x / max(1.0, length)


MATRIX = np.diag([2.0, 3.0, 4.0, 2.0]) + 0.5
ELLIPSOID = Ellipsoid(np.ones(J), MATRIX)


def test_own_sets_keep_the_contract():
    check_dual_set(ELLIPSOID, J)
    for R in (sb.Quadratic(0.3), sb.Entropy(0.2), Correlated()):
        check_regularizer(R, ELLIPSOID, J, n_points=3)


@pytest.mark.parametrize("name", ["zero", "quadratic", "entropy"])
def test_own_sets_are_solved(name):
    R, losses = REGULARIZERS[name], Quadratics()
    y, u = cp.Variable(J), cp.Variable(J)
    value = cp.sum(y) + cp.norm(np.linalg.cholesky(np.linalg.inv(MATRIX)).T @ y)
    if name == "zero":
        truth = minimum(losses, value, [], y)
    else:
        truth = minimum(losses, value + conjugate(R, ELLIPSOID, u), [], y + u)
    problem = sb.Problem(losses, ELLIPSOID, R)
    for method in ("auto", "quasi-newton", "accelerated"):
        result = sb.solve(problem, method=method, tol=1e-6)
        assert result.success, result.message
        assert result.value == pytest.approx(truth, abs=2e-6)
        assert result.lower_bound <= truth + REFERENCE
        assert ELLIPSOID.contains(result.dual)
    for method in ("extragradient", "optimistic"):
        with pytest.raises(sb.IncompatibleError, match=method):
            sb.solve(problem, method=method)


@pytest.mark.parametrize("method", ["quasi-newton", "accelerated"])
@pytest.mark.parametrize("dual_set", [lambda r: sb.Ball(0, r), lambda r: sb.Box(-r, r)], ids=["ball", "box"])
def test_the_unit_of_the_weights_does_not_matter(dual_set, method: str) -> None:
    """r Lambda makes r g of g: the same steps, whatever r is."""
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((6, 3)), rng.standard_normal(6)

    def run(r: float) -> sb.Result:
        return sb.minimax(
            lambda w: (A @ w - b, A), np.zeros(3), jac=True, dual_set=dual_set(r), method=method, tol=1e-7 * r
        )

    plain = run(1.0)
    assert plain.success
    for r in (1e-6, 1e-3, 1e3, 1e6):
        result = run(r)
        assert result.success
        assert abs(result.n_iter - plain.n_iter) <= 1
        assert result.value / r == pytest.approx(plain.value, rel=1e-6)
