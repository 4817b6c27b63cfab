"""Best responses that a solver finds, on sets so small that they have formulas."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.subproblem import adversary_of

# Relative to what the adversary can gain or lose: a few units in the last place.
ROUNDING = 1e-14


def box(lower, upper):
    """[lower, upper] by inequalities."""
    n = len(lower)
    return sb.Polytope(np.vstack((np.eye(n), -np.eye(n))), np.concatenate((upper, -lower)))


def simplex(n):
    """{lam >= 0, sum lam = 1} by inequalities and an equation."""
    return sb.Polytope(-np.eye(n), np.zeros(n), np.ones((1, n)), [1.0])


def draws(seed, n, count):
    """gamma, the center or prior of R, and losses, all of many sizes."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        prior = 0.1 + rng.random(n)
        yield 10 ** rng.uniform(-4, 2), prior / prior.sum(), 10 ** rng.uniform(-3, 2) * rng.standard_normal(n)


def gain(R, lam, z, gamma, center):
    """<lam, z> - R(lam), from the definitions."""
    if R is sb.Zero:
        return lam @ z
    if R is sb.Quadratic:
        return lam @ z - 0.5 * gamma * ((lam - center) ** 2).sum()
    positive = lam > 0
    return lam @ z - gamma * (lam[positive] * np.log(lam[positive] / center[positive])).sum()


def on_box(R, lower, upper, z, gamma, center):
    """The best response, coordinate by coordinate."""
    if R is sb.Zero:
        return np.where(z > 0, upper, lower)
    free = center + z / gamma if R is sb.Quadratic else center * np.exp(np.minimum(z / gamma - 1.0, 700.0))
    return np.clip(free, lower, upper)


def on_simplex(R, z, gamma, center):
    """The best response in one or two dimensions."""
    if z.size == 1:
        return np.ones(1)
    if R is sb.Zero:
        return (z == z.max()).astype(float)
    if R is sb.Quadratic:
        first = np.clip(0.5 * ((z[0] - z[1]) / gamma + center[0] - center[1] + 1.0), 0.0, 1.0)
        return np.array([first, 1.0 - first])
    weights = center * np.exp((z - z.max()) / gamma)
    return weights / weights.sum()


def make(R, gamma, center):
    return R() if R is sb.Zero else R(gamma, center)


@pytest.mark.parametrize("R", [sb.Zero, sb.Quadratic, sb.Entropy])
@pytest.mark.parametrize("n", [1, 2])
def test_intervals_and_rectangles(R, n):
    rng = np.random.default_rng(n)
    for gamma, center, z in draws(10 * n, n, 25):
        lower = np.where(rng.random(n) < 0.6, 0.0, rng.random(n))
        upper = lower + 10 ** rng.uniform(-2, 2, n)
        value, lam = adversary_of(box(lower, upper), make(R, gamma, center), n).best_response(z)
        best = gain(R, on_box(R, lower, upper, z, gamma, center), z, gamma, center)
        scale = upper.max() * max(np.abs(z).max(), gamma * (1.0 + upper.max()))
        assert value == pytest.approx(best, rel=0, abs=ROUNDING * scale)
        assert gain(R, lam, z, gamma, center) == pytest.approx(best, rel=0, abs=ROUNDING * scale)


@pytest.mark.parametrize("R", [sb.Zero, sb.Quadratic, sb.Entropy])
@pytest.mark.parametrize("n", [1, 2])
def test_points_and_segments(R, n):
    for gamma, center, z in draws(20 * n, n, 25):
        value, lam = adversary_of(simplex(n), make(R, gamma, center), n).best_response(z)
        best = gain(R, on_simplex(R, z, gamma, center), z, gamma, center)
        scale = max(np.abs(z).max(), gamma)
        assert value == pytest.approx(best, rel=0, abs=ROUNDING * scale)
        assert gain(R, lam, z, gamma, center) == pytest.approx(best, rel=0, abs=ROUNDING * scale)


@pytest.mark.parametrize(
    ("upper", "gamma", "z"),
    [(2.701, 0.02469, -0.592), (0.01153, 0.0343, -0.812), (4.4, 0.01276, -0.368), (12.65, 0.02639, -0.473)],
)
def test_a_weight_that_is_tiny_but_not_zero(upper, gamma, z):
    """exp(z/gamma - 1) ~ 1e-11: its relative, not only its absolute, error must be small."""
    value, lam = adversary_of(box(np.zeros(1), np.full(1, upper)), sb.Entropy(gamma), 1).best_response(np.array([z]))
    assert lam[0] == pytest.approx(np.exp(z / gamma - 1.0), rel=1e-12)
    assert value == pytest.approx(gamma * np.exp(z / gamma - 1.0), rel=1e-9)


def test_a_tiny_weight_on_a_segment():
    """Restoring lam to the line sum lam = 1 must keep the relative accuracy of the small coordinate."""
    gamma, z = 1.5924e-4, np.array([-2.24302e-3, 1.20507e-3])
    value, lam = adversary_of(simplex(2), sb.Entropy(gamma), 2).best_response(z)
    np.testing.assert_allclose(lam, on_simplex(sb.Entropy, z, gamma, np.full(2, 0.5)), rtol=1e-8)
    assert value == pytest.approx(gamma * np.log(np.exp(z / gamma).mean()), rel=0, abs=1e-17)


@pytest.mark.parametrize("R", [sb.Zero, sb.Quadratic, sb.Entropy])
def test_one_loss_of_weight_at_most_two(R):
    """min over w of max over 0 <= lam <= 2 of lam f - R(lam) with f = w^2 - 1/2: g is least where f is."""
    gamma, center, zero, two = 0.3, np.ones(1), np.zeros(1), np.full(1, 2.0)
    losses = sb.from_functions(lambda w: ([w @ w - 0.5], [2 * w]), np.ones(1), jac=True)
    problem = sb.Problem(losses, box(zero, two), make(R, gamma, center))
    result = sb.solve(problem, np.ones(1), tol=1e-9)

    def g(f):
        return gain(R, on_box(R, zero, two, f, gamma, center), f, gamma, center)

    assert result.success
    assert result.value == pytest.approx(g(result.losses), rel=0, abs=1e-14)
    assert result.value == pytest.approx(g(np.full(1, -0.5)), rel=0, abs=1e-9)
