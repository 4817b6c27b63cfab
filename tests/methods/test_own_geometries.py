"""Sets and regularizers that users bring are solved like those of the library."""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import pytest

import saddleback as sb
from saddleback.dual_sets import DualSet
from saddleback.regularizers import Regularizer
from saddleback.testing import check_dual_set, check_regularizer

from .geometries import GEOMETRIES, REFERENCE, REGULARIZERS, J, Quadratics, conjugate, minimum


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


@pytest.mark.slow
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
