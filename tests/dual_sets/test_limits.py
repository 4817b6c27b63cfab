"""What the sets mean: their extreme parameters give the average and the maximum, through the whole program."""

from __future__ import annotations

import numpy as np
import pytest
from problems import Convex, random_quadratics

import saddleback as sb

EXACT = 1e-10
TOL = 1e-8
BALLS = [sb.Chi2Ball, sb.TVBall, sb.KLBall]


class Constant:
    """Losses z, whatever w is."""

    n_params = 1

    def __init__(self, z):
        self.z = np.asarray(z, dtype=float)
        self.n_losses = self.z.size

    def evaluate(self, w):
        return self.z, np.zeros((self.n_losses, 1))


def value(z, dual_set, regularizer=None) -> float:
    problem = sb.Problem(Constant(z), dual_set, sb.Zero() if regularizer is None else regularizer)
    return problem.value([0.0])


def solved(losses, dual_set) -> sb.Result:
    result = sb.solve(sb.Problem(losses, dual_set), tol=TOL)
    assert result.success
    assert result.gap <= TOL
    return result


def worst_share(z: np.ndarray, alpha: float, p: np.ndarray) -> float:
    """The mean of the losses of the worst alpha-share of the probability, one loss after the other."""
    left, total = alpha, 0.0
    for j in sorted(range(z.size), key=lambda j: -z[j]):
        mass = min(left, p[j])
        left, total = left - mass, total + mass * z[j]
    return total / alpha


def draw(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n)) + 0.1 / n
    return rng.standard_normal(n) * 10 ** rng.uniform(-1, 1), p / p.sum()


@pytest.fixture(scope="module")
def losses() -> Convex:
    return random_quadratics(seed=5, J=6, d=3, condition=4.0)


@pytest.fixture(scope="module")
def largest(losses) -> float:
    return solved(losses, sb.Simplex()).value


def average(losses: Convex, p: np.ndarray) -> float:
    """min over w of <p, f(w)>, whose f are quadratics, in closed form."""
    zero = np.zeros(losses.n_params)
    c, b = losses.evaluate(zero)
    H = np.stack([p @ (losses.evaluate(e)[1] - b) for e in np.eye(losses.n_params)], axis=1)
    return float(p @ c - 0.5 * (p @ b) @ np.linalg.solve(0.5 * (H + H.T), p @ b))


# --- conditional value at risk ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("alpha", [1e-3, 0.05, 0.25, 1 / 3, 0.5, 0.9, 1.0])
def test_cvar_is_the_mean_of_the_worst_share(n, alpha):
    z, p = draw(n, n)
    size = np.abs(z).max()
    assert value(z, sb.CappedSimplex(alpha)) == pytest.approx(
        worst_share(z, alpha, np.full(n, 1 / n)), abs=EXACT * size
    )
    assert value(z, sb.CappedSimplex(alpha, p)) == pytest.approx(worst_share(z, alpha, p), abs=EXACT * size)


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5, 0.8])
def test_cvar_of_a_solved_problem(alpha):
    """At the answer, g is the mean of the worst share of Result.losses, and near-by points are no better."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((10, 2)), rng.standard_normal(10)

    def fun(w):
        r = X @ w - y
        return r**2, 2 * r[:, None] * X

    result = sb.minimax(fun, np.zeros(2), jac=True, dual_set=sb.CappedSimplex(alpha), tol=TOL)
    uniform = np.full(10, 0.1)
    assert result.success
    np.testing.assert_allclose(result.losses, fun(result.w)[0], rtol=1e-12)
    assert result.value == pytest.approx(worst_share(result.losses, alpha, uniform), abs=EXACT)
    for step in 1e-2 * rng.standard_normal((20, 2)):
        assert worst_share(fun(result.w + step)[0], alpha, uniform) >= result.value - 2 * TOL


def test_a_whole_share_is_the_average(losses):
    p = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
    result = solved(losses, sb.CappedSimplex(1.0, p))
    assert result.value == pytest.approx(average(losses, p), abs=2 * TOL)
    np.testing.assert_allclose(result.dual, p, atol=1e-12)


def test_a_small_share_is_the_maximum(losses, largest):
    # From alpha = 1/J on, one loss alone may have all the weight.
    for alpha in (1 / 6, 0.01, 1e-6):
        assert solved(losses, sb.CappedSimplex(alpha)).value == pytest.approx(largest, abs=2 * TOL)


def test_optimal_values_decrease_with_the_share(losses):
    values = [solved(losses, sb.CappedSimplex(alpha)).value for alpha in (0.05, 0.2, 0.4, 0.6, 0.8, 1.0)]
    assert np.all(np.diff(values) <= 2 * TOL)
    assert values[0] - values[-1] > 0.1


# --- contamination ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 20])
@pytest.mark.parametrize("worst_weight", [0.0, 1e-6, 0.3, 1 - 1e-6, 1.0])
def test_contamination_is_the_average_and_the_worst(n, worst_weight):
    z, p = draw(n, n)
    mixed = (1 - worst_weight) * p @ z + worst_weight * z.max()
    assert value(z, sb.Contamination(worst_weight, p)) == pytest.approx(mixed, abs=EXACT * np.abs(z).max())


def test_contamination_leads_from_the_average_to_the_maximum(losses, largest):
    """A minimum over w of affine functions of p that rise: optimal values rise with p and are concave in it, and the
    worst loss of the minimizer falls. With a gap of TOL, by all but 2 TOL over the difference of two p."""
    p = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
    results = [solved(losses, sb.Contamination(share, p)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    values = np.array([result.value for result in results])
    assert values[0] == pytest.approx(average(losses, p), abs=2 * TOL)
    assert values[-1] == pytest.approx(largest, abs=2 * TOL)
    assert np.all(np.diff(values) >= -2 * TOL)
    assert np.all(np.diff(values, 2) <= 4 * TOL)
    worst = [result.losses.max() for result in results]
    assert np.all(np.diff(worst) <= 2 * TOL / 0.25)


# --- balls of distributions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_a_ball_of_radius_zero_is_the_average(ball, n):
    z, p = draw(n, n)
    size = np.abs(z).max()
    assert value(z, ball(0.0)) == pytest.approx(z.mean(), abs=EXACT * size)
    assert value(z, ball(0.0, p)) == pytest.approx(p @ z, abs=EXACT * size)


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_a_large_ball_is_the_maximum(ball, n):
    z, p = draw(n, n)
    for rho in (1e4, 1e10):
        assert value(z, ball(rho)) == z.max()
        assert value(z, ball(rho, p)) == z.max()


def reaching(ball: type, p: np.ndarray, z: np.ndarray) -> float:
    """The rho from which the ball holds the vertex of the largest loss: its divergence from p."""
    mass = p[z.argmax()]
    return {sb.Chi2Ball: 1 / mass - 1, sb.TVBall: 1 - mass, sb.KLBall: -np.log(mass)}[ball]


@pytest.mark.parametrize("ball", BALLS)
def test_the_maximum_is_reached_where_the_vertex_enters(ball):
    z, p = draw(4, 6)
    rho = reaching(ball, p, z)
    assert value(z, ball(rho * 1.0001, p)) == pytest.approx(z.max(), abs=EXACT)
    assert value(z, ball(rho * 0.99, p)) < z.max() - 1e-6


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("seed", range(3))
def test_values_increase_with_rho_and_are_concave_in_it(ball, seed):
    z, p = draw(seed, 8)
    rhos = np.concatenate(([0.0], np.geomspace(1e-8, 1e2, 60)))
    values = np.array([value(z, ball(rho, p)) for rho in rhos])
    size = np.abs(z).max()
    assert np.all(np.diff(values) >= -1e-13 * size)
    assert values[0] == pytest.approx(p @ z, abs=EXACT * size)
    assert values[-1] == z.max()
    # A support function of {D <= rho}, D convex, is concave in rho.
    slopes = np.diff(values) / np.diff(rhos)
    assert np.all(np.diff(slopes) <= 1e-12 * size / rhos[1:-1] + 1e-9 * slopes[:-1])


def test_formulas_of_small_balls():
    """While no weight is zero: chi2 gives mean + sqrt(rho) deviation; TV moves rho from the least to the largest."""
    z, p = draw(7, 5)
    mean = p @ z
    deviation = np.sqrt(p @ (z - mean) ** 2)
    assert value(z, sb.Chi2Ball(1e-3, p)) == pytest.approx(mean + np.sqrt(1e-3) * deviation, abs=EXACT)
    rho = 0.5 * p[z.argmin()]
    assert value(z, sb.TVBall(rho, p)) == pytest.approx(mean + rho * np.ptp(z), abs=EXACT)


@pytest.mark.parametrize("rho", [1e-6, 0.01, 0.1, 0.3])
def test_a_kl_ball_is_the_least_entropic_bound(rho):
    """max over the ball = min over gamma of gamma log sum p exp(z/gamma) + gamma rho (Donsker and Varadhan)."""
    z, p = draw(8, 6)
    z = z / np.abs(z).max()
    gammas = np.geomspace(1e-3, 1e5, 2001)
    entropic = np.array([value(z, sb.Simplex(), sb.Entropy(gamma, p)) for gamma in gammas])
    bounds = entropic + gammas * rho
    found = value(z, sb.KLBall(rho, p))
    assert np.all(found <= bounds + 1e-11 * np.maximum(1.0, gammas))
    # The grid misses the minimum by its relative spacing squared.
    assert found == pytest.approx(bounds.min(), abs=1e-4 * (bounds.min() - p @ z))


@pytest.mark.parametrize("ball", BALLS)
def test_optimal_values_go_from_the_average_to_the_maximum(ball, losses, largest):
    p = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
    values = [solved(losses, ball(rho, p)).value for rho in (0.0, 1e-3, 0.02, 0.2, 0.6, 30.0)]
    assert np.all(np.diff(values) >= -2 * TOL)
    assert values[0] == pytest.approx(average(losses, p), abs=2 * TOL)
    assert values[-1] == pytest.approx(largest, abs=2 * TOL)
    assert values[1] > values[0] + 1e-4
    assert values[3] > values[2] + 1e-4


# --- products, boxes, balls -------------------------------------------------------------------------------------------


def test_a_product_is_the_sum_of_its_parts():
    z, p = draw(9, 17)
    p = p[:4] / p[:4].sum()
    parts = [
        (sb.Simplex(), 3),
        (sb.CappedSimplex(0.4, p), 4),
        (sb.Contamination(0.3), 2),
        (sb.Chi2Ball(0.3), 2),
        (sb.Box(-1.0, 2.0), 2),
        (sb.KLBall(0.2), 2),
        (sb.TVBall(0.1), 2),
    ]
    sets, sizes = zip(*parts, strict=True)
    blocks = np.split(z, np.cumsum(sizes)[:-1])
    for R in (sb.Zero(), sb.Quadratic(0.7)):
        total = sum(value(block, part, R) for part, block in zip(sets, blocks, strict=True))
        assert value(z, sb.Product(sets, sizes), R) == pytest.approx(total, abs=EXACT * np.abs(z).max())


def test_a_product_of_one_simplex_each_is_the_sum_of_the_losses(losses):
    result = solved(losses, sb.Product([sb.Simplex()] * 6))
    assert result.value == pytest.approx(6 * average(losses, np.full(6, 1 / 6)), abs=2 * TOL)


def test_separate_parameters_are_separate_problems(losses):
    """Each block of losses with parameters of its own: optimal values add up."""
    other = random_quadratics(seed=6, J=4, d=2, condition=3.0)

    class Both:
        n_losses, n_params = 10, 5

        def evaluate(self, w):
            (f, G), (h, K) = losses.evaluate(w[:3]), other.evaluate(w[3:])
            return np.append(f, h), np.block([[G, np.zeros((6, 2))], [np.zeros((4, 3)), K]])

    sets = [sb.CappedSimplex(0.5), sb.Chi2Ball(0.8)]
    result = sb.solve(sb.Problem(Both(), sb.Product(sets, [6, 4])), tol=TOL, radius=10.0)
    parts = solved(losses, sets[0]).value + solved(other, sets[1]).value
    assert result.value == pytest.approx(parts, abs=5 * TOL)


@pytest.mark.parametrize("seed", range(3))
def test_formulas_of_boxes_and_balls(seed):
    z, p = draw(seed, 7)
    lower, upper, center = -p, 1 + p, p - 0.2
    size = np.abs(z).sum()
    box = np.where(z > 0, upper * z, lower * z).sum()
    assert value(z, sb.Box(lower, upper)) == pytest.approx(box, abs=EXACT * size)
    assert value(z, sb.Box(0.0, 1.0)) == pytest.approx(z[z > 0].sum(), abs=EXACT * size)
    for radius in (0.0, 1e-6, 0.5, 1e6):
        ball = center @ z + radius * np.sqrt((z**2).sum())
        assert value(z, sb.Ball(center, radius)) == pytest.approx(ball, abs=EXACT * max(1.0, radius) * size)


def test_a_box_that_is_a_point_and_a_ball_that_is_a_point(losses):
    p = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
    for dual_set in (sb.Box(p, p), sb.Ball(p, 0.0)):
        result = solved(losses, dual_set)
        assert result.value == pytest.approx(average(losses, p), abs=2 * TOL)


def test_a_box_of_penalties_is_an_exact_penalty():
    """min (w - 3)^2 subject to w <= 1 by max over mu in [0, c] of mu (w - 1): exact from c = 4, its multiplier, on."""

    def fun(w):
        return [(w[0] - 3) ** 2, w[0] - 1], [[2 * (w[0] - 3)], [1.0]]

    for c, w in ((1.0, 2.5), (4.0, 1.0), (100.0, 1.0)):
        result = sb.minimax(fun, [0.0], jac=True, dual_set=sb.Box([1.0, 0.0], [1.0, c]), tol=TOL)
        assert result.w[0] == pytest.approx(w, abs=1e-4)
        assert result.value == pytest.approx((w - 3) ** 2 + c * max(0.0, w - 1), abs=1e-7)


def test_a_polytope_is_the_set_it_describes():
    """The simplex and the capped simplex written as polytopes."""
    z, p = draw(12, 6)
    n, alpha = 6, 0.4
    A, b = np.vstack((-np.eye(n), np.eye(n))), np.concatenate((np.zeros(n), p / alpha))
    capped = sb.Polytope(A, b, np.ones((1, n)), [1.0])
    simplex = sb.Polytope(-np.eye(n), np.zeros(n), np.ones((1, n)), [1.0])
    size = np.abs(z).max()
    assert value(z, simplex) == pytest.approx(z.max(), abs=EXACT * size)
    assert value(z, capped) == pytest.approx(worst_share(z, alpha, p), abs=EXACT * size)


@pytest.mark.slow
@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("rho", [1e9, 1e155, 1e308])
@pytest.mark.parametrize("regularizer", [sb.Zero(), sb.Quadratic(0.1), sb.Entropy(0.1)], ids=repr)
def test_a_ball_of_any_size_is_the_simplex(losses, ball, rho, regularizer):
    """The squares of a radius of 1e155 overflow."""
    p = np.arange(1.0, 7.0) / 21.0
    whole = sb.solve(sb.Problem(losses, sb.Simplex(), regularizer), tol=TOL).value
    for dual_set in (ball(rho), ball(rho, p)):
        result = sb.solve(sb.Problem(losses, dual_set, regularizer), tol=TOL, inner="path-following")
        assert result.success
        # The set's own center, about which Quadratic is, is uniform up to 1/rho.
        assert result.value == pytest.approx(whole, abs=2 * TOL + 10.0 / rho)
        assert repr(dual_set).startswith(f"{ball.__name__}(rho={rho!r}")
