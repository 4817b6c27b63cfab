"""The theory behind path following, measured: barriers, Newton steps, and the theorem on the inner problem."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback._types import EPS
from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex, Spectrahedron
from saddleback.linalg import svec
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import DualSubproblem
from saddleback.subproblem.path_following.central_path import CentralPath
from saddleback.subproblem.path_following.newton_system import DenseSystem

from ..instances import instance, rounding
from ..sets import UnitBall, UnitBox

SETS = (Simplex(), UnitBox(), UnitBall())


def interior(rng, dual_set, n):
    """A random point of the relative interior: near the boundary as often as not."""
    blend = 10 ** rng.uniform(-6, 0)
    if isinstance(dual_set, Simplex):
        edge = rng.dirichlet(np.full(n, 0.3))
    else:
        edge = dual_set.restore(2 * rng.standard_normal(n))
    return (1 - blend) * edge + blend * dual_set.center(n)


def omega(delta):
    return delta - np.log1p(delta)


def omega_star(beta):
    return -beta - np.log1p(-beta)


@pytest.mark.parametrize("dual_set", SETS, ids=lambda s: type(s).__name__)
def test_barrier_lemma(dual_set):
    """<grad B(mu), lam - mu> <= nu for all lam in Lambda, and the local dual norm of grad B is at most sqrt(nu)."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(1, 30))
        mu = interior(rng, dual_set, n)
        slope = dual_set.barrier_gradient(mu)
        nu = dual_set.barrier_parameter(n)
        assert dual_set.support(slope)[0] - slope @ mu <= nu * (1 + 1e-9)
        path = CentralPath(DualSubproblem(np.zeros((n, n)), np.zeros(n), Adversary(dual_set, Zero(), n)))
        assert path.local_products(mu, 0.0, slope)[0, 0] <= nu * (1 + 1e-9)


@pytest.mark.parametrize("dual_set", [Simplex(), Spectrahedron()], ids=str)
def test_normals_of_the_hull_do_not_change_local_products(dual_set):
    """A normal that is added to a gradient changes nothing, even where its square is 1e16 times larger."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        n = svec.length(int(rng.integers(2, 7)))
        path = CentralPath(DualSubproblem(np.zeros((n, n)), np.zeros(n), Adversary(dual_set, Zero(), n)))
        plain = rng.standard_normal((2, n))
        expected = path.local_products(path.center, 0.0, *plain)
        for size in (1e6, 1e8):
            got = path.local_products(path.center, 0.0, *(plain + size * path.E[0]))
            np.testing.assert_allclose(got, expected, rtol=0, atol=100 * size * EPS * np.abs(expected).max())


PAIRS = [(s, r) for s in SETS for r in (Zero(), Quadratic(0.7))] + [(Simplex(), Entropy(0.7))]


@pytest.mark.parametrize(("dual_set", "regularizer"), PAIRS, ids=lambda x: type(x).__name__)
def test_compatible_regularizers_leave_the_barrier_self_concordant(dual_set, regularizer):
    """|phi'''| <= 2 phi''^(3/2) along random lines for tau (S + R) + B, for tau from 1e-4 to 1e8."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(2, 12))
        x, v, tau = interior(rng, dual_set, n), rng.standard_normal(n), 10 ** rng.uniform(-4, 8)
        v = v - v.mean() if isinstance(dual_set, Simplex) else v
        v = v * rng.choice([np.ones(n), x])
        G = rng.standard_normal((n, 2)) * rng.integers(0, 2)

        def second_derivative(t, x=x, v=v, tau=tau, G=G):
            """phi''(t) from the library's Hessians."""
            total = tau * np.sum((G.T @ v) ** 2)
            for H in (tau * regularizer.hessian(x + t * v), dual_set.barrier_hessian(x + t * v)):
                total += np.sum(H * v**2) if H.ndim == 1 else v @ H @ v
            return total

        h = 1e-4 / np.sqrt(second_derivative(0.0))
        third = (second_derivative(h) - second_derivative(-h)) / (2 * h)
        assert abs(third) <= 2 * second_derivative(0.0) ** 1.5 * (1 + 1e-5)


def test_entropy_and_burg_in_closed_form():
    """phi'' = sum v^2/x^2 + c sum v^2/x, phi''' = -2 sum v^3/x^3 - c sum v^3/x^2 (paper, lemma on the entropy)."""
    rng = np.random.default_rng(3)
    worst = 0.0
    for _ in range(5000):
        n = int(rng.integers(1, 20))
        x, v, c = (
            10 ** rng.uniform(-8, 0, n),
            rng.standard_normal(n) * 10 ** rng.uniform(-8, 0, n),
            10 ** rng.uniform(-8, 8),
        )
        second = np.sum(v**2 / x**2) + c * np.sum(v**2 / x)
        third = -2 * np.sum(v**3 / x**3) - c * np.sum(v**3 / x**2)
        worst = max(worst, abs(third) / (2 * second**1.5))
    assert 0.5 < worst <= 1 + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_newton_system_solves_the_kkt_block(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(0, 3))
    k = min(k, n - 1)
    # Second derivatives from 1 to 1e16, as barriers have them.
    D = np.diag(10 ** rng.uniform(0, 8, n))
    G = rng.standard_normal((n, n + 2))
    H, E, r = D @ (G @ G.T / n + np.eye(n)) @ D, rng.standard_normal((k, n)), rng.standard_normal(n)
    d = DenseSystem(H.copy(), E).solve(r)
    scaled = np.linalg.inv(D) @ (H @ d - r)
    normals = np.linalg.inv(D) @ E.T
    residual = scaled - normals @ np.linalg.lstsq(normals, scaled, rcond=None)[0] if k else scaled
    assert np.abs(residual).max() <= 1e-9 * np.linalg.norm(np.linalg.inv(D) @ r)
    assert np.abs(E @ d).max(initial=0.0) <= 1e-12 * np.abs(E).max(initial=0.0) * np.abs(d).sum()


def test_newton_system_of_a_matrix_that_is_singular_to_rounding():
    v = np.array([1.0, 1.0 + 1e-16, 2.0])
    d = DenseSystem(np.outer(v, v), np.zeros((0, 3))).solve(v)
    assert np.isfinite(d).all()


def path_problem(seed, dual_set):
    """A problem with G explicit, and the constant 2 G alpha / sqrt(A) of the theorem: |G'(mu - lam)|_Q <= this."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    G = rng.standard_normal((n, int(rng.integers(1, n + 4)))) * 10 ** rng.uniform(-1, 1)
    c, weight = rng.standard_normal(n) * 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-2, 2)
    R = [Zero(), Quadratic(0.3), Entropy(0.3)][seed % (3 if isinstance(dual_set, Simplex) else 2)]
    problem = DualSubproblem(weight * G @ G.T, c, Adversary(dual_set, R, n))
    # max |G' lam| is the largest row norm on the simplex, and at most the sum or the norm of them on box and ball.
    rows = np.linalg.norm(G, axis=1)
    largest = {Simplex: rows.max(), UnitBox: rows.sum(), UnitBall: np.linalg.norm(G, 2)}[type(dual_set)]
    return problem, 2 * largest * np.sqrt(weight)


@pytest.mark.parametrize("dual_set", SETS, ids=lambda s: type(s).__name__)
def test_newton_steps_obey_self_concordance(dual_set):
    """A damped step decreases F by omega(delta); a full one leaves (delta/(1 - delta))^2 at most; both stay inside."""
    steps = {"damped": 0, "full": 0}
    for seed in range(30):
        problem, _ = path_problem(seed, dual_set)
        path = CentralPath(problem)
        rng = np.random.default_rng(seed)
        lam, tau = interior(rng, dual_set, problem.c.size), 10 ** rng.uniform(-1, 3) / problem.scale
        for _ in range(60):
            direction, delta = path.newton_step(lam, tau)
            if delta < 1e-3:  # below, rounding shows in the square root
                break
            if delta < 1:
                full = lam + direction
                assert path.dual_set.barrier(full) < np.inf
                assert path.newton_step(full, tau)[1] <= (delta / (1 - delta)) ** 2 * (1 + 1e-6) + 1e-7
                steps["full"] += 1
            damped = lam + direction / (1 + delta)
            before = path.value(lam, tau)
            assert path.value(damped, tau) <= before - omega(delta) + 1e-12 * max(1.0, abs(before), tau * problem.scale)
            steps["damped"] += 1
            lam = damped
    assert min(steps.values()) > 40


@pytest.mark.parametrize("dual_set", SETS, ids=lambda s: type(s).__name__)
def test_theorem_on_the_inner_problem(dual_set):
    """Near the path the measured gap is at most the paper's bound with beta = delta, where the paper has beta^2."""
    points, tightest = 0, 0.0
    for seed in range(40):
        problem, diameter = path_problem(seed, dual_set)
        path, nu = CentralPath(problem), dual_set.barrier_parameter(problem.c.size)
        rng = np.random.default_rng(seed)
        lam = interior(rng, dual_set, problem.c.size)
        for tau in (1.0, 10.0, 1e3, 1e5):
            for _ in range(200):
                direction, delta = path.newton_step(lam, tau)
                if delta < 1:
                    gap = problem.cross_evaluation_gap(lam)
                    ratio = delta / (1 - delta)
                    bound = nu / tau + np.sqrt(nu) / tau * ratio + omega_star(delta) / tau
                    bound += ratio * diameter / np.sqrt(tau)
                    assert gap <= bound + rounding(problem)
                    points, tightest = points + 1, max(tightest, gap / bound)
                if delta < 1e-4:
                    break
                lam = lam + direction / (1 + delta)
    assert points > 300
    assert tightest > 0.2  # the bound is not vacuous


def minimizer(path, lam, tau):
    for _ in range(200):
        direction, delta = path.newton_step(lam, tau)
        if delta < 1e-9:
            break
        lam = lam + direction / (1 + delta if delta > 0.25 else 1)
    return lam


@pytest.mark.parametrize("dual_set", SETS, ids=lambda s: type(s).__name__)
def test_distance_from_the_path_by_the_decrement(dual_set):
    """|mu - mu*| <= 4 - delta - 4 sqrt(1 - delta) <= delta/(1 - delta) in the norm at mu* (docs/mathematics.md, 8)."""
    largest, count = 0.0, 0
    for seed in range(60):
        problem, _ = path_problem(seed, dual_set)
        path, rng, n = CentralPath(problem), np.random.default_rng(seed), problem.c.size
        tau = 10 ** rng.uniform(-1, 3) / problem.scale
        best = minimizer(path, path.center, tau)
        H = path.hessian_without_Q(best, tau).dense() + tau * problem.Q
        for _ in range(8):
            h = rng.standard_normal(n) * rng.choice([np.ones(n), best])
            h = h - h.mean() if isinstance(dual_set, Simplex) else h
            mu = best + rng.uniform(0, 2) * h / np.sqrt(h @ H @ h)
            delta = path.newton_step(mu, tau)[1] if np.isfinite(dual_set.barrier(mu)) else np.inf
            if 1e-3 <= delta < 1:
                distance = np.sqrt((mu - best) @ H @ (mu - best))
                sharp = 4 - delta - 4 * np.sqrt(1 - delta)
                assert distance <= sharp * (1 + 1e-6) + 1e-8
                assert sharp <= delta / (1 - delta)
                largest, count = max(largest, distance / sharp), count + 1
    assert count > 100
    assert largest > 0.9


@pytest.mark.parametrize("delta", [0.01, 0.25, 0.7, 0.99])
def test_the_distance_is_attained_by_a_tent(delta):
    """phi'' = psi^-2 with psi = min(1 + t, q + r - t), the steepest that self-concordance allows, ends at delta."""
    r = 4 - delta - 4 * np.sqrt(1 - delta)
    x = np.sqrt(1 + r)
    q = x * (2 - x)
    t = np.linspace(0.0, r, 200_001)
    psi = np.minimum(1 + t, q + r - t)
    slope = np.sum(0.5 * (psi[1:] ** -2 + psi[:-1] ** -2)) * (t[1] - t[0])
    # Newton's decrement at the end, phi'/sqrt(phi''): the trapezoidal rule errs by a multiple of the step squared.
    assert slope * q == pytest.approx(delta, rel=1e-5)
    for other in (0.9 * q, 1.1 * q):
        psi = np.minimum(1 + t, other + r - t)
        assert np.sum(0.5 * (psi[1:] ** -2 + psi[:-1] ** -2)) * (t[1] - t[0]) * other > delta


def test_distance_bounds_the_decrement():
    for seed in range(60):
        problem = instance(seed, n=2 + seed % 20, kind=("full", "rank-one", "zero")[seed % 3]).subproblem
        path, rng = CentralPath(problem), np.random.default_rng(seed)
        lam, tau = interior(rng, Simplex(), problem.c.size), 10 ** rng.uniform(-2, 4) / problem.scale
        assert path.newton_step(lam, tau)[1] <= path.distance(lam, tau) * (1 + 1e-7) + 1e-9
    assert path.distance(-lam, tau) == np.inf
