"""The baselines against their formulas, written out here (paper, appendix on simulations)."""

from __future__ import annotations

import numpy as np
import pytest
from problems import Convex, oracle_of, paper_logistic, quadratics, random_quadratics
from scipy.optimize import brentq, minimize
from scipy.special import logsumexp, softmax
from theory.tolerances import ROUNDING

import saddleback as sb
from saddleback.methods import APGD, LBFGSB, Extragradient, Optimistic, ProxLinear
from saddleback.methods.saddle import local_smoothness

GAMMA = 0.3
N_STEPS = 6
# Each step is a short formula; N_STEPS of them amplify its rounding a little.
CLOSE = {"rtol": 0.0, "atol": 100 * ROUNDING}


def project(x: np.ndarray) -> np.ndarray:
    """Projection on the simplex by bisection on its threshold: another algorithm than the library's."""
    theta = brentq(lambda t: np.maximum(x - t, 0).sum() - 1, x.min() - 1, x.max(), xtol=1e-15, rtol=1e-15)
    return np.maximum(x - theta, 0)


@pytest.fixture(params=["quadratics", "logistic"])
def losses(request: pytest.FixtureRequest) -> Convex:
    if request.param == "quadratics":
        return random_quadratics(seed=11, J=3, d=4, condition=4.0)
    return paper_logistic(seed=3, d=10, J=4, N=20)


def drive(method, losses: Convex, R, n_steps: int = N_STEPS):
    oracle = oracle_of(losses, R)
    state = method.init(oracle, oracle.w0)
    for _ in range(n_steps):
        state = method.step(oracle, state)
        yield state


def spectral(G: np.ndarray) -> float:
    return float(np.linalg.svd(G, compute_uv=False)[0])


def test_apgd(losses: Convex) -> None:
    """lam = Pi(1 + f(y)/gamma), L_local = L + |G|^2/gamma, w = y - G'lam/L_local, Nesterov's momentum."""
    w = y = np.zeros(losses.n_params)
    tau = 1.0
    for state in drive(APGD(smoothness=losses.L), losses, sb.Quadratic(GAMMA)):
        f, G = losses.evaluate(y)
        lam = project(1 + f / GAMMA)
        w_new = y - lam @ G / (losses.L + spectral(G) ** 2 / GAMMA)
        tau_new = (1 + np.sqrt(1 + 4 * tau**2)) / 2
        y = w_new + (tau - 1) / tau_new * (w_new - w)
        w, tau = w_new, tau_new
        np.testing.assert_allclose(state.lam, lam, **CLOSE)
        np.testing.assert_allclose(state.point.w, w, **CLOSE)
        np.testing.assert_allclose(state.y, y, **CLOSE)


def test_apgd_with_an_entropy(losses: Convex) -> None:
    """The same with lam = softmax(f(y)/gamma)."""
    y = np.zeros(losses.n_params)
    state = next(drive(APGD(smoothness=losses.L), losses, sb.Entropy(GAMMA)))
    f, G = losses.evaluate(y)
    w = y - softmax(f / GAMMA) @ G / (losses.L + spectral(G) ** 2 / GAMMA)
    np.testing.assert_allclose(state.point.w, w, **CLOSE)


@pytest.mark.parametrize("gamma", [0.0, GAMMA, 50.0])
def test_extragradient(losses: Convex, gamma: float) -> None:
    """eta = 1/(max(L, gamma) + |G|), a half step to the middle, a step with the middle's gradients."""
    J = losses.n_losses
    w, lam = np.zeros(losses.n_params), np.full(J, 1 / J)
    for state in drive(Extragradient(smoothness=losses.L), losses, sb.Quadratic(gamma)):
        f, G = losses.evaluate(w)
        eta = 1 / (max(losses.L, gamma) + spectral(G))
        w_mid = w - eta * (lam @ G)
        lam_mid = project(lam + eta * (f - gamma * (lam - 1 / J)))
        f_mid, G_mid = losses.evaluate(w_mid)
        w = w - eta * (lam_mid @ G_mid)
        lam = project(lam + eta * (f_mid - gamma * (lam_mid - 1 / J)))
        np.testing.assert_allclose(state.point.w, w, **CLOSE)
        np.testing.assert_allclose(state.lam, lam, **CLOSE)


def mirror_step(lam: np.ndarray, z: np.ndarray, eta: float, prior: np.ndarray) -> np.ndarray:
    """argmax over mu of eta (<mu, z> - gamma KL(mu, prior)) - KL(mu, lam), by its stationarity condition."""
    return softmax((np.log(lam) + eta * z + eta * GAMMA * np.log(prior)) / (1 + eta * GAMMA))


def test_extragradient_with_an_entropy(losses: Convex) -> None:
    J = losses.n_losses
    prior = np.arange(1, J + 1) / (J * (J + 1) / 2)
    w, lam = np.zeros(losses.n_params), np.full(J, 1 / J)
    for state in drive(Extragradient(smoothness=losses.L), losses, sb.Entropy(GAMMA, prior)):
        f, G = losses.evaluate(w)
        eta = 1 / (max(losses.L, GAMMA) + spectral(G))
        f_mid, G_mid = losses.evaluate(w - eta * (lam @ G))
        w = w - eta * (mirror_step(lam, f, eta, prior) @ G_mid)
        lam = mirror_step(lam, f_mid, eta, prior)
        np.testing.assert_allclose(state.point.w, w, **CLOSE)
        np.testing.assert_allclose(state.lam, lam, **CLOSE)


@pytest.mark.parametrize("gamma", [0.0, GAMMA])
def test_optimistic(losses: Convex, gamma: float) -> None:
    """Popov: the half step takes the last middle's gradient; eta = 1/(2 (max(L, gamma) + |G|))."""
    J = losses.n_losses
    w, z = np.zeros(losses.n_params), np.full(J, 1 / J)
    mid, lam = w, z
    for state in drive(Optimistic(smoothness=losses.L), losses, sb.Quadratic(gamma)):
        f, G = losses.evaluate(mid)
        eta = 0.5 / (max(losses.L, gamma) + spectral(G))
        mid, lam = w - eta * (lam @ G), project(z + eta * (f - gamma * (lam - 1 / J)))
        f, G = losses.evaluate(mid)
        w, z = w - eta * (lam @ G), project(z + eta * (f - gamma * (lam - 1 / J)))
        np.testing.assert_allclose(state.point.w, mid, **CLOSE)
        np.testing.assert_allclose(state.lam, lam, **CLOSE)
        np.testing.assert_allclose(state.w, w, **CLOSE)


@pytest.mark.parametrize("method", [Extragradient, Optimistic])
def test_the_average_of_the_certificate_has_the_step_sizes_as_weights(losses: Convex, method) -> None:
    """The ergodic average of the theory: sum of eta_t times the linearization at the middle of t, over the sum."""
    steps, cuts, before = [], [], 0.0
    for state in drive(method(smoothness=losses.L), losses, sb.Quadratic(GAMMA)):
        steps.append(state.weight - before)
        cuts.append(state.minorants[0])
        before = state.weight
        v = np.linspace(-1.0, 1.0, losses.n_params)
        assert state.average.at(v) == pytest.approx(np.average([cut.at(v) for cut in cuts], weights=steps))
        np.testing.assert_allclose(
            state.average.lam, np.average([cut.lam for cut in cuts], axis=0, weights=steps), **CLOSE
        )
    assert np.ptp(steps) > 0.0


def test_the_smoothness_of_a_pair_of_points_is_that_of_a_quadratic() -> None:
    """|(G(u) - G(v))'lam| / |u - v| is c for c/2 |w|^2, at any distance."""
    for c in (0.25, 8.0):
        oracle = oracle_of(quadratics(c * np.eye(2)[None], np.ones((1, 2)), np.zeros(1)))
        for distance in (1e-2, 3.0):
            there = oracle.evaluate(oracle.w0 + distance * np.array([0.6, 0.8]))
            assert local_smoothness(oracle.evaluate(oracle.w0), there, np.ones(1)) == pytest.approx(c)


@pytest.mark.parametrize("seed", range(5))
def test_prox_linear_with_two_losses(seed: int) -> None:
    """lam = (p, 1 - p) with p the clipped minimizer of |G'lam|^2/(2L) - <lam, f>, and w+ = w - G'lam/L."""
    losses = random_quadratics(seed, J=2, d=3, condition=4.0)
    w = np.zeros(3)
    for state in drive(ProxLinear(smoothness=losses.L), losses, sb.Zero()):
        f, G = losses.evaluate(w)
        change = G[0] - G[1]
        p = np.clip((losses.L * (f[0] - f[1]) - change @ G[1]) / (change @ change), 0, 1)
        w = w - (p * G[0] + (1 - p) * G[1]) / losses.L
        np.testing.assert_allclose(state.point.w, w, atol=1e-9)


@pytest.mark.parametrize("R", [sb.Zero(), sb.Quadratic(GAMMA), sb.Entropy(GAMMA)], ids=["zero", "quadratic", "entropy"])
def test_prox_linear_minimizes_its_primal_model(losses: Convex, R) -> None:
    """w+ minimizes h(f + G (v - w)) + L/2 |v - w|^2: no random neighbor is better."""
    problem = sb.Problem(losses, regularizer=R)
    rng = np.random.default_rng(0)
    w = np.zeros(losses.n_params)
    for state in drive(ProxLinear(smoothness=losses.L), losses, R, 3):
        f, G = losses.evaluate(w)

        def model(v: np.ndarray, w=w, f=f, G=G) -> float:
            return problem.best_response(f + G @ (v - w)).value + losses.L / 2 * ((v - w) @ (v - w))

        reached = model(state.point.w)
        scale = np.linalg.norm(state.point.w - w)
        for direction in rng.standard_normal((100, w.size)):
            for length in (1e-3, 1e-1, 1.0):
                assert reached <= model(state.point.w + length * scale * direction) + 1e-11
        w = state.point.w


@pytest.mark.parametrize("R", [sb.Quadratic(GAMMA), sb.Entropy(GAMMA)], ids=["quadratic", "entropy"])
def test_lbfgsb_is_scipy_on_g(losses: Convex, R) -> None:
    def g(w: np.ndarray) -> tuple[float, np.ndarray]:
        f, G = losses.evaluate(w)
        J = len(f)
        if isinstance(R, sb.Entropy):
            return GAMMA * (logsumexp(f / GAMMA) - np.log(J)), softmax(f / GAMMA) @ G
        lam = project(1 / J + f / GAMMA)
        return lam @ f - GAMMA / 2 * ((lam - 1 / J) @ (lam - 1 / J)), lam @ G

    values: list[float] = []
    options = {"maxcor": 10, "ftol": 0.0, "gtol": 0.0, "maxiter": 6}
    minimize(
        g,
        np.zeros(losses.n_params),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=lambda intermediate_result: values.append(intermediate_result.fun),
    )
    with pytest.warns(sb.ConvergenceWarning):
        result = sb.solve(sb.Problem(losses, regularizer=R), method=LBFGSB(), tol=0.0, max_iter=6)
    np.testing.assert_allclose(result.history.value[1:], values, rtol=1e-9)


@pytest.mark.parametrize("steps", ["sharp", "paper"])
def test_accelerated_method_with_one_loss_is_nesterovs(steps: str) -> None:
    """J = 1: Algorithm 1 written out, whose dual subproblem is trivial, for losses that state no strong convexity."""
    losses = quadratics(np.array([np.diag([0.0, 10.0])]), np.array([[0.0, -2.0]]), np.zeros(1))
    L, w, ag, A = losses.L, np.ones(2), np.ones(2), 0.0
    # The sharp steps are shorter by kappa = 1 %.
    c, kappa = (4, 0.0) if steps == "paper" else (2, 0.01)
    method = sb.Accelerated(steps=steps, smoothness=L, restart=False)
    oracle = oracle_of(losses, w0=np.ones(2))
    state = method.init(oracle, oracle.w0)
    for _ in range(20):
        state = method.step(oracle, state)
        L_ = L / (1 - kappa)
        alpha = (1 + np.sqrt(1 + 4 * L_ * A)) / (c * L_)
        md = (A * ag + alpha * w) / (A + alpha)
        G = losses.evaluate(md)[1][0]
        w_new = w - alpha * G
        ag = (A * ag + alpha * w_new) / (A + alpha)
        w, A = w_new, A + alpha
        np.testing.assert_allclose(state.w, w, **CLOSE)
        np.testing.assert_allclose(state.point.w, ag, **CLOSE)
        assert pytest.approx(A) == state.A


@pytest.mark.parametrize("m", [1e-3, 1.0])
def test_accelerated_method_with_a_known_modulus(m: float) -> None:
    """J = 1 with m: w+ minimizes alpha (<G, v> + m/2 |v - md|^2) + (1 + m A_-)/2 |v - w|^2 at the md with
    A md = A_- ag + alpha (the same minimizer for G = 0), and ag+ is the average of ag and w+."""
    losses = quadratics(np.array([np.diag([m, 10.0])]), np.array([[1.0, -2.0]]), np.zeros(1))
    L, w, ag, A = 10.0 / 0.99, np.ones(2), np.ones(2), 0.0
    method = sb.Accelerated(smoothness=10.0, restart=False)
    oracle = oracle_of(losses, w0=np.ones(2))
    state = method.init(oracle, oracle.w0)
    for _ in range(20):
        state = method.step(oracle, state)
        # L alpha^2 = (A + alpha) (1 + m (A + alpha)).
        alpha = max(np.roots([L - m, -(1 + 2 * m * A), -A * (1 + m * A)]).real)
        after = A + alpha
        # md = (A ag + alpha u)/after with u (1 + m after) = alpha m md + (1 + m A) w.
        md = (A * ag + alpha * (1 + m * A) / (1 + m * after) * w) / (after - alpha**2 * m / (1 + m * after))
        G = losses.evaluate(md)[1][0]
        w = (alpha * m * md + (1 + m * A) * w - alpha * G) / (1 + m * after)
        ag, A = (A * ag + alpha * w) / after, after
        np.testing.assert_allclose(state.w, w, **CLOSE)
        np.testing.assert_allclose(state.point.w, ag, **CLOSE)
        assert pytest.approx(A) == state.A
