"""docs/errata.md: where a formula as printed fails, and that its correction holds, in numbers."""

from __future__ import annotations

from math import log1p, sqrt

import numpy as np
import pytest

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.methods.steps import paper_step
from saddleback.regularizers import Quadratic, Regularizer, Zero
from saddleback.subproblem import DualSubproblem, PathFollowing
from saddleback.subproblem.path_following.central_path import CentralPath

from .tolerances import EPS, ROUNDING


def omega(x: float) -> float:
    """The decrease of a damped Newton step with decrement x."""
    return x - log1p(x)


def path_of(Q: np.ndarray, c: np.ndarray, R: Regularizer | None = None) -> CentralPath:
    n = len(c)
    return CentralPath(DualSubproblem(Q, c, Adversary(Simplex(), R or Zero(), n)))


def linear(c: list[float], R: Regularizer | None = None) -> CentralPath:
    return path_of(np.zeros((len(c), len(c))), np.array(c), R)


def damped_steps(path: CentralPath, beta: float, tau: float = 1.0) -> int:
    """Damped Newton steps from 1/J until the decrement of F_tau is at most beta."""
    lam, n = path.center, 0
    direction, delta = path.newton_step(lam, tau)
    while delta > beta:
        lam, n = lam + direction / (1 + delta), n + 1
        direction, delta = path.newton_step(lam, tau)
    return n


# 2.1


def cap_function(lam: np.ndarray, w: float) -> float:
    """Concave and continuous in lam on the unit disc, C^1 in w: 0 but on a cap around (cos w, sin w) of height w^4."""
    if w == 0.0:
        return 0.0
    depth = float(lam @ [np.cos(w), np.sin(w)]) - (1 - w**4)
    return -((max(depth, 0.0) / w**4) ** 2)


def test_separate_continuity_is_not_joint_on_a_disc() -> None:
    """Every lam sees 0 for all small w, but Phi = -1 along lam(w) = (cos w, sin w), which tends to (1, 0)."""
    small = [2.0**-k for k in range(3, 8)]
    assert [cap_function(np.array([np.cos(w), np.sin(w)]), w) for w in small] == pytest.approx([-1.0] * 5, abs=1e-6)
    for angle in np.linspace(0.0, 2 * np.pi, 40):
        lam = np.array([np.cos(angle), np.sin(angle)])
        assert all(cap_function(lam, w) == 0.0 for w in small if abs(angle - w) > 2 * w**2)
    # The maximum over lam is 0 for every w, as the repaired proof says.
    assert cap_function(np.array([-1.0, 0.0]), small[0]) == 0.0


def test_without_continuity_in_lam_the_maximum_need_not_be_attained() -> None:
    """Appendix C: lam on [0, 1), 0 at 1 is concave on [0, 1], and has no maximizer, hence no fixed point."""

    def phi(x: float) -> float:
        return x if x < 1 else 0.0

    grid = np.linspace(0, 1, 101)
    assert all(phi(0.5 * (x + y)) >= 0.5 * (phi(x) + phi(y)) - EPS for x in grid for y in grid)
    assert all(phi(x) < phi(0.5 * (x + 1)) for x in grid[:-1])
    assert phi(1.0) < phi(0.5)


# 4.2


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_to_the_path_is_bounded_by_the_decrement_itself(seed: int) -> None:
    """|mu - mu*| <= delta/(1 - delta) in the norm at mu*, for any tau > 0: no square is needed, nor tau >= 1."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    G = rng.standard_normal((n, n))
    path, tau = path_of(G @ G.T, rng.standard_normal(n)), 10 ** rng.uniform(-3, 3)
    center, last = path.center, np.inf
    direction, delta = path.newton_step(center, tau)
    while delta > 1e-9 and (delta < last or delta > 0.1):
        center, last = center + direction / (1 + delta if delta > 0.25 else 1.0), delta
        direction, delta = path.newton_step(center, tau)
    H = path.hessian_without_Q(center, tau).dense() + tau * path.subproblem.Q
    reached = 0
    for scale in 10 ** rng.uniform(-2, 0, 20):
        v = rng.standard_normal(n)
        v -= v.mean()
        mu = center + scale * v / sqrt(v @ H @ v)
        if mu.min() <= 0:
            continue
        delta = path.newton_step(mu, tau)[1]
        if delta < 1:
            distance = sqrt((mu - center) @ H @ (mu - center))
            assert distance <= delta / (1 - delta) * (1 + 1e-6)
            reached += 1
    assert reached >= 5


# 4.3


def sums(T: int, L: float) -> np.ndarray:
    """sum of A_t L/t^4 with the paper's steps."""
    A, total = np.empty(T), 0.0
    for t in range(T):
        total += paper_step(L, total)
        A[t] = total
    return np.cumsum(A * L / np.arange(1.0, T + 1) ** 4)


@pytest.mark.parametrize("L", [1e-3, 1.0, 1e3])
def test_the_accuracies_add_up_to_a_constant_and_not_to_a_logarithm(L: float) -> None:
    """From t = 10 to 10^4 a logarithm would triple; the sum grows from 0.630 to 0.638."""
    total = sums(10_000, L)
    assert total[9] == pytest.approx(0.6296, abs=1e-4)
    assert total[-1] == pytest.approx(0.6385, abs=1e-4)
    assert total[-1] < 0.64


@pytest.mark.parametrize("s", [1e-2, 1e2])
def test_L_over_t4_depends_on_the_units_of_w(s: float) -> None:
    """w -> w/s makes L s^2 and D = |w* - w_1| into D/s. The noiseless bound D^2/(2 A_T) stays; with eps_t = L/t^4 the
    bound does not, with eps_t = L D^2/t^4 it does."""
    T, D = 100, 1.0

    def bounds(L: float, D: float) -> tuple[float, float, float]:
        total = sums(T, L)[-1]
        A = sum_of_steps(T, L)
        return D**2 / (2 * A), (D**2 / 2 + total) / A, (D**2 / 2 + D**2 * total) / A

    plain, scaled = bounds(1.0, D), bounds(s**2, D / s)
    assert scaled[0] == pytest.approx(plain[0], rel=1e-9)
    assert scaled[2] == pytest.approx(plain[2], rel=1e-9)
    assert not 0.6 < scaled[1] / plain[1] < 1.5


def sum_of_steps(T: int, L: float) -> float:
    A = 0.0
    for _ in range(T):
        A += paper_step(L, A)
    return A


# G.1, G.4


def test_damped_steps_leave_a_domain_whose_boundary_is_no_barrier() -> None:
    """F = (x + 1)^2/2 is strictly convex and self-concordant on x > 0; from 0.1 the damped step goes to -0.42."""
    x = 0.1
    direction, delta = -(x + 1.0), x + 1.0
    assert x + direction / (1.0 + delta) == pytest.approx(-0.4238, abs=1e-4)


def test_the_middle_of_the_chain_in_G4_lacks_a_factor_2() -> None:
    """2 max |f_j - f_k| <= 2 G |md - w*| + S* fails at md = w*; without the 2 in front it is a triangle inequality."""
    f_at_optimum = np.array([0.0, 1.0])
    S = float(np.ptp(f_at_optimum))
    assert 2 * np.ptp(f_at_optimum) > 0.0 + S
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b, w, v = rng.standard_normal((3, 4)), rng.standard_normal(3), *rng.standard_normal((2, 4))
        f, f_star, G = a @ w + b, a @ v + b, np.linalg.norm(a, axis=1).max()
        assert np.ptp(f) <= 2 * G * np.linalg.norm(w - v) + np.ptp(f_star) + ROUNDING
        for lam in rng.dirichlet(np.ones(3), 5):
            assert (lam - 1 / 3) @ f <= np.ptp(f) + ROUNDING


def test_G4_holds_for_neighborhoods_of_a_quarter_and_not_for_smaller_ones() -> None:
    """Two constant losses 0.01 and 0 (G = 0, S* = 0.01): the printed bound is 0.37 steps, one is needed for 1e-3."""
    path, bound = linear([0.01, 0.0]), 0.01 / omega(0.25)
    assert bound == pytest.approx(0.3723, abs=1e-3)
    assert damped_steps(path, 0.25) == 0 <= bound
    assert damped_steps(path, 1e-3) == 1 > bound
    assert damped_steps(path, 1e-3) <= 0.01 / omega(1e-3)


def test_G4_starts_at_the_center_and_uses_the_minimizer_of_R_and_B() -> None:
    """Losses 0 and R = 50 |lam - (0.9, 0.1)|^2: the printed bound is 0 steps from 1/J; eight are taken."""
    assert damped_steps(linear([0.0, 0.0], Quadratic(100.0, center=(0.9, 0.1))), 0.25) == 8


def test_phase_one_is_not_logarithmic_and_a_tau_that_fits_removes_it() -> None:
    """Ten losses with Q of full rank, times M: damped steps at tau = 1 grow as the root of M. At tau = 1/(4 |grad h|*)
    there are none."""
    rng = np.random.default_rng(0)
    G, c = rng.standard_normal((10, 20)), rng.standard_normal(10)
    counts = []
    for M in (1e2, 1e4, 1e6):
        path = path_of(M * G @ G.T, M * c)
        counts.append(damped_steps(path, 0.25))
        # The dual norm of the gradient at 1/J in the Hessian J^2 I of the barrier, within the hull.
        gradient = path.subproblem.gradient(path.center)
        tau = 1.0 / (4.0 * np.linalg.norm(gradient - gradient.mean()) / 10)
        assert damped_steps(path, 0.25, tau) == 0
    first, second, third = counts
    assert second > 5 * first
    assert third > 5 * second


# D, E.1


def test_the_summed_bound_of_appendix_D1_has_lost_a_factor() -> None:
    """At t = 1, where alpha = A, the factor is L alpha^2/(2A) - 1/2 = -1/4; as printed in the sum it is 0."""
    L, alpha = 1.0, paper_step(1.0, 0.0)
    assert L * alpha**2 / alpha - 0.5 == pytest.approx(0.0, abs=EPS)
    assert L * alpha**2 / (2 * alpha) - 0.5 == pytest.approx(-0.25, abs=EPS)


def test_h_of_E1_need_not_be_convex() -> None:
    """Phi = (1 - lam^2) w^2/2 + 2 lam w: concave in lam, convex and 1-smooth in w; at w = 1 with the paper's first
    step, alpha^2/A = 1/2, h'' = -1 at lam = 1."""
    alpha = paper_step(1.0, 0.0)
    eta = alpha**2 / alpha
    assert eta == 0.5

    def phi(lam: float, w: float) -> float:
        return (1 - lam**2) * w**2 / 2 + 2 * lam * w

    def h(lam: float) -> float:
        return 0.5 * eta * ((1 - lam**2) + 2 * lam) ** 2 - phi(lam, 1.0)

    grid = np.linspace(0, 1, 11)
    for w in (-2.0, 0.5, 3.0):
        assert np.all(np.diff([phi(lam, w) for lam in grid], 2) <= ROUNDING)
    for lam in grid:
        second = np.diff([phi(lam, w) for w in np.arange(-2.0, 3.0)], 2)
        assert np.all(second >= -ROUNDING)
        assert np.all(second <= 1 + ROUNDING)
    assert h(1.0) - 2 * h(0.9) + h(0.8) < -5e-3
    assert h(0.2) - 2 * h(0.1) + h(0.0) > 5e-3
    # -Phi plus the distance, as for affine couplings, would be convex: there the same differences are not negative.
    affine = [0.5 * eta * (2 * lam) ** 2 - 2 * lam for lam in grid]
    assert np.all(np.diff(affine, 2) > 0)


# 1.4


def test_the_barrier_parameter_on_the_hull_is_less_than_the_formula_with_the_inverse() -> None:
    """Burg's barrier on the simplex: J - 1/|x|^2 < J - 1 within the hull; the inverse in R^J gives J."""
    rng = np.random.default_rng(0)
    for J in (2, 3, 6):
        for x in rng.dirichlet(np.full(J, 0.3), 100) * (1 - 1e-9) + 1e-9 / J:
            gradient, inverse = -1 / x, np.diag(x**2)
            assert gradient @ inverse @ gradient == pytest.approx(J, rel=1e-12)
            weight = x**2 / (x @ x)
            within = J - (gradient @ weight) ** 2 * (x @ x)
            assert within == pytest.approx(J - 1 / (x @ x), abs=1e-9)
            assert within <= J - 1 + 1e-9


# 4.1 (Newton system), I


def test_the_newton_system_needs_the_transpose() -> None:
    """Two equations in R^4: the block with A in both places is not square; with A' the step solves the system."""
    A = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    with pytest.raises(ValueError, match=r"mismatch|must match"):
        np.block([[np.eye(4), A], [A, np.zeros((2, 2))]])
    system = np.block([[np.eye(4), A.T], [A, np.zeros((2, 2))]])
    step = np.linalg.solve(system, np.append(-np.arange(4.0), np.zeros(2)))[:4]
    np.testing.assert_allclose(A @ step, 0.0, atol=ROUNDING)


def test_the_shift_in_APGD_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        f, J = rng.standard_normal(5), 5
        printed, meant = (Simplex().project(shift + f / 0.3) for shift in (1.0, 1.0 / J))
        np.testing.assert_allclose(printed, meant, atol=ROUNDING)


def test_the_papers_schedule_has_a_quarter_for_beta() -> None:
    """Algorithm 2 keeps the decrement at 1/4 and Corollary 4.3 says beta = 1/4: with beta^2 it would be 1/16."""
    path = linear([1.0, 0.3, 0.0])
    decrements = [
        path.newton_step(iterate.lam, iterate.tau)[1]
        for iterate, _ in zip(PathFollowing("paper").iterates(path.subproblem), range(60), strict=False)
        if iterate.phase == "II"
    ]
    assert max(decrements) <= 0.25
    assert len(decrements) >= 30
