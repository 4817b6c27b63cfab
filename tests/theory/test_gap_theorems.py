"""Theorem "Cross-evaluation gap" of the paper, and its general form for couplings that are not affine in lam."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import Convex, group_logistic, log_sum_exp, quadratics, random_quadratics

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.subproblem import DualSubproblem

from .tolerances import ROUNDING

seeds = st.integers(0, 2**32 - 1)
thorough = settings(derandomize=True, deadline=None, max_examples=60)

FAMILIES = ("quadratics", "logistic", "log-sum-exp")
REGULARIZERS = ("zero", "quadratic", "entropy")


def random_losses(rng: np.random.Generator, family: str) -> Convex:
    J, d, n = (int(k) for k in rng.integers((1, 1, 2), (7, 9, 9)))
    if family == "quadratics":
        return random_quadratics(int(rng.integers(2**31)), J, d, condition=10 ** rng.uniform(0, 3))
    A = rng.standard_normal((J, n, d)) * 10 ** rng.uniform(-1, 1)
    if family == "logistic":
        return group_logistic(A, rng.choice([-1.0, 1.0], (J, n)))
    return log_sum_exp(A, rng.standard_normal((J, n)), rho=10 ** rng.uniform(-1, 1))


def random_regularizer(rng: np.random.Generator, name: str, J: int) -> sb.Zero | sb.Quadratic | sb.Entropy:
    gamma = 10 ** rng.uniform(-3, 1)
    if name == "quadratic":
        return sb.Quadratic(gamma, rng.dirichlet(np.ones(J)))
    if name == "entropy":
        return sb.Entropy(gamma, rng.dirichlet(np.full(J, 3.0)))
    return sb.Zero()


@pytest.mark.parametrize("name", REGULARIZERS)
@pytest.mark.parametrize("family", FAMILIES)
@given(seed=seeds)
@thorough
def test_cross_evaluation_gap(family: str, name: str, seed: int) -> None:
    """Phi(mu, ag) - Phi(lam, ag) <= eps_t(lam, mu) + L/2 |ag - md|^2, and the maximum over mu of the right side."""
    rng = np.random.default_rng(seed)
    losses = random_losses(rng, family)
    J, d = losses.n_losses, losses.n_params
    R = random_regularizer(rng, name, J)
    eta = 10 ** rng.uniform(-2, 1) / losses.L
    md = rng.standard_normal(d) * 10 ** rng.uniform(-1, 1)
    lam, mu = rng.dirichlet(np.full(J, 0.5), 2) if J > 1 else np.ones((2, 1))

    f, G = losses.evaluate(md)
    ag = md - eta * (lam @ G)
    f_ag = losses.evaluate(ag)[0]
    gradient_S = eta * G @ (lam @ G) - f
    epsilon = gradient_S @ (lam - mu) + R.value(lam) - R.value(mu)
    slack = 0.5 * losses.L * ((ag - md) @ (ag - md))
    size = np.abs(f).max() + np.abs(f_ag).max() + slack + R.value(lam) + R.value(mu) + np.abs(gradient_S).max()

    assert (mu - lam) @ f_ag + R.value(lam) - R.value(mu) <= epsilon + slack + ROUNDING * size

    adversary = Adversary(sb.Simplex(), R, J)
    largest = DualSubproblem(eta * G @ G.T, f, adversary).cross_evaluation_gap(lam)
    assert epsilon <= largest + ROUNDING * size
    assert adversary.value(f_ag) - (lam @ f_ag - R.value(lam)) <= largest + slack + ROUNDING * size


@given(seed=seeds)
@thorough
def test_cross_evaluation_gap_is_attained_by_its_maximizer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    J = int(rng.integers(2, 7))
    R = random_regularizer(rng, str(rng.choice(REGULARIZERS)), J)
    M = rng.standard_normal((J, J))
    D = DualSubproblem(M @ M.T, rng.standard_normal(J), Adversary(sb.Simplex(), R, J))
    lam = rng.dirichlet(np.ones(J))
    mu = D.adversary.best_response(D.c - D.product(lam)).lam
    epsilon = (D.Q @ lam - D.c) @ (lam - mu) + R.value(lam) - R.value(mu)
    size = np.abs(D.Q).max() + np.abs(D.c).max() + R.value(lam) + R.value(mu)
    assert D.cross_evaluation_gap(lam) == pytest.approx(epsilon, abs=ROUNDING * size)


def test_cross_evaluation_gap_is_sharp() -> None:
    """Equality where the adversary's loss has curvature L and the player's has none: no smaller L/2 would do."""
    L, eta = 3.0, 0.4
    losses = quadratics(np.array([np.zeros((2, 2)), L * np.eye(2)]), np.array([[1.0, -2.0], [0.5, 0.0]]), np.zeros(2))
    lam, mu = np.eye(2)
    md = np.array([0.3, -1.0])
    f, G = losses.evaluate(md)
    ag = md - eta * (lam @ G)
    left = (mu - lam) @ losses.evaluate(ag)[0]
    epsilon = (eta * G @ (lam @ G) - f) @ (lam - mu)
    assert left == pytest.approx(epsilon + L / 2 * ((ag - md) @ (ag - md)), rel=ROUNDING)
    assert left > epsilon


class ConcaveCoupling:
    """Phi(lam, w) = sum_j phi_j(lam_j) q_j(w) + lam'B w, phi_j concave and >= 0 on [0, 1], q_j >= 0 and convex.

    phi_j(x) = a_j x - b_j x^2/2 with a_j >= b_j >= 0 and q_j(w) = 1/2 w'H_j w. L = max over j (affine in the
    phi_j, each at most a_j - b_j/2) of sum_j phi_j(1) |H_j|.
    """

    def __init__(self, rng: np.random.Generator, J: int, d: int) -> None:
        M = rng.standard_normal((J, d, d))
        self.H = M @ M.transpose(0, 2, 1)
        self.B = rng.standard_normal((J, d))
        self.b = rng.uniform(0.5, 3.0, J)
        self.a = self.b + rng.uniform(0.0, 2.0, J)
        self.L = float((self.a - self.b / 2) @ np.linalg.eigvalsh(self.H)[:, -1])

    def phi(self, lam: np.ndarray) -> np.ndarray:
        return self.a * lam - 0.5 * self.b * lam**2

    def value(self, lam: np.ndarray, w: np.ndarray) -> float:
        return float(self.phi(lam) @ (0.5 * (self.H @ w) @ w) + lam @ self.B @ w)

    def gradient(self, lam: np.ndarray, w: np.ndarray) -> np.ndarray:
        return self.phi(lam) @ (self.H @ w) + lam @ self.B


@given(seed=seeds)
@thorough
def test_general_bound_for_couplings_not_affine_in_lam(seed: int) -> None:
    """Theorem "ht-general": h(lam) - h(mu) + eta/2 |V(mu) - V(lam)|^2 + L eta^2/2 |V(lam)|^2 bounds the gap."""
    rng = np.random.default_rng(seed)
    J, d = (int(k) for k in rng.integers((2, 1), (7, 7)))
    Phi = ConcaveCoupling(rng, J, d)
    eta = 10 ** rng.uniform(-2, 1) / Phi.L
    md = rng.standard_normal(d)
    lam, mu = rng.dirichlet(np.full(J, 0.5), 2)

    def h(x: np.ndarray) -> float:
        V = Phi.gradient(x, md)
        return 0.5 * eta * float(V @ V) - Phi.value(x, md)

    V_lam, V_mu = Phi.gradient(lam, md), Phi.gradient(mu, md)
    ag = md - eta * V_lam
    left = Phi.value(mu, ag) - Phi.value(lam, ag)
    bound = h(lam) - h(mu) + 0.5 * eta * ((V_mu - V_lam) @ (V_mu - V_lam)) + 0.5 * Phi.L * eta**2 * (V_lam @ V_lam)
    size = sum(abs(x) for x in (Phi.value(lam, md), Phi.value(mu, md), Phi.value(mu, ag), Phi.value(lam, ag), bound))
    size += eta * (V_lam @ V_lam + V_mu @ V_mu)
    assert left <= bound + ROUNDING * size
    # The coupling is one that the affine theorem does not treat: V is not linear along a segment.
    middle = Phi.gradient(0.5 * (lam + mu), md)
    if np.abs(lam - mu).max() > 0.1 and np.abs(md).max() > 0.1:
        assert np.abs(middle - 0.5 * (V_lam + V_mu)).max() > 1e-6


def test_general_bound_is_sharp() -> None:
    """Equality for Phi = phi(mu) L/2 |w|^2 + <B'lam, w> with phi(lam) = 0 and phi(mu) = 1."""
    L, eta, md = 2.0, 0.7, np.array([0.4, -0.2])
    B = np.array([[1.0, 0.5], [-2.0, 1.0]])

    def V(j: int, w: np.ndarray) -> np.ndarray:
        return j * L * w + B[j]

    def Phi(j: int, w: np.ndarray) -> float:
        return float(j * L / 2 * w @ w + B[j] @ w)

    ag = md - eta * V(0, md)
    h = [0.5 * eta * V(j, md) @ V(j, md) - Phi(j, md) for j in (0, 1)]
    change = V(1, md) - V(0, md)
    bound = h[0] - h[1] + 0.5 * eta * change @ change + 0.5 * L * eta**2 * V(0, md) @ V(0, md)
    assert Phi(1, ag) - Phi(0, ag) == pytest.approx(bound, rel=ROUNDING)
