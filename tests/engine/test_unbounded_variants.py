"""Whether g is unbounded does not depend on coordinates, units or last bits: many variants of each problem."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from calls import ALL_METHODS, SMOOTHED, Calls, quietly
from scipy.special import expit
from scipy.stats import ortho_group

import saddleback as sb
from saddleback.engine.certificates import Minorant
from saddleback.engine.oracle import Oracle
from saddleback.engine.run_state import RunState
from saddleback.engine.unbounded import is_unbounded_below

pytestmark = pytest.mark.slow

VARIANTS = 4


class Variant:
    """c f(M (w - shift)), with M a rotation, other units or the identity, and errors in the last bits."""

    def __init__(self, f: Callable, d: int, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        turned = ortho_group.rvs(d, random_state=rng) if d > 1 else np.eye(1)
        self.f, self.M = f, [np.eye(d), turned, np.diag(10 ** rng.uniform(-3, 3, d))][seed % 3]
        self.c, self.shift = 10 ** rng.uniform(-6, 6), rng.choice([0.0, 1.0, 5.0]) * rng.standard_normal(d)
        self.w0 = self.shift + np.linalg.solve(self.M, rng.choice([0.1, 5.0]) * rng.standard_normal(d))

    def __call__(self, w):
        with np.errstate(over="ignore", invalid="ignore"):
            values, jacobian = self.f(self.M @ (w - self.shift))
        values, jacobian = self.c * np.array(values), self.c * np.array(jacobian) @ self.M
        ulps = [1 + 2.2e-16 * self.rng.integers(-1, 2, x.shape) for x in (values, jacobian)]
        return values * ulps[0], jacobian * ulps[1]

    def solve(self, method: str) -> sb.Result:
        R = sb.Quadratic(0.1 * self.c) if method in SMOOTHED else sb.Zero()
        return quietly(self, self.w0, jac=True, method=method, regularizer=R, max_iter=100, tol=1e-6 * self.c)


def polyhedral(w):
    """Twelve linear losses in eight dimensions that fall along one direction, the last axis."""
    A = np.random.default_rng(0).standard_normal((12, 8))
    A[:, -1] = -0.3 - np.abs(A[:, -1])
    return A @ w + np.arange(12.0), A


def valley(w):
    """x^2 - y and x^2 - 2y + 3."""
    return [w[0] ** 2 - w[1], w[0] ** 2 - 2 * w[1] + 3], [[2 * w[0], -1.0], [2 * w[0], -2.0]]


def wells(w):
    """Losses that grow linearly and quadratically across the direction in which both fall."""
    x, y = w
    return (
        [np.logaddexp(x, -x) - 0.1 * y, np.logaddexp(0, x - 1) + 0.1 * x**2 - 0.2 * y],
        [[expit(2 * x) - expit(-2 * x), -0.1], [expit(x - 1) + 0.2 * x, -0.2]],
    )


def quartic(w):
    return [w[0] ** 4 + w[1] ** 2 - w[2]], [[4 * w[0] ** 3, 2 * w[1], -1.0]]


UNBOUNDED = {"polyhedral": (polyhedral, 8), "valley": (valley, 2), "wells": (wells, 2), "quartic": (quartic, 3)}


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("name", UNBOUNDED)
def test_unbounded_is_recognized_in_every_variant(name, method):
    ends = [Variant(*UNBOUNDED[name], seed).solve(method).status for seed in range(VARIANTS)]
    assert ends == [sb.Status.UNBOUNDED] * VARIANTS


def deep(depth: float) -> Callable:
    """x^2/2 and a parabola in y with slope -1 at the start and its minimum, -depth/2, at a distance of ``depth``."""
    return lambda w: ([0.5 * w[0] ** 2 + 0.5 / depth * w[1] ** 2 - w[1]], [[w[0], w[1] / depth - 1]])


def tails(w):
    """An exponential tail towards -3 beside a parabola."""
    return [np.exp(-w[0]) + w[1] ** 2 - 3.0], [[-np.exp(-w[0]), 2 * w[1]]]


def separable(w):
    X = np.array([[1.0, 0.2, 0.0], [0.5, -1.0, 1.0], [2.0, 1.0, -1.0], [0.1, 0.0, 0.3]])
    m = X @ w
    return np.logaddexp(0, -m) - 5.0, -expit(-m)[:, None] * X


def hyperbola(w):
    """sqrt(1 + x^2) - x: both terms grow without bound, and their difference becomes rounding errors."""
    r = np.hypot(1.0, w[0])
    return [r - w[0] + w[1] ** 2], [[w[0] / r - 1.0, 2 * w[1]]]


def normal_equations(w):
    """Least squares with a column too many, by w'Aw - 2b'w + c: A has a negative eigenvalue of 1e-16 or so."""
    X = np.random.default_rng(0).standard_normal((6, 3))
    X[:, 2], y = X[:, 0] + X[:, 1], np.arange(6.0)
    return [w @ (X.T @ X) @ w - 2 * (X.T @ y) @ w + y @ y], [2 * (X.T @ X) @ w - 2 * X.T @ y]


def vee(w):
    """Two linear losses that meet a million units away."""
    return np.array([-1e-3 * w[0], w[0] - 1e6]) + w[1] ** 2, [[-1e-3, 2 * w[1]], [1.0, 2 * w[1]]]


def slight(w):
    """A slope of 1e-12 towards an infimum, beside slopes of one."""
    e = 1e-12 * np.exp(-np.maximum(w[1], -700.0))
    return [w[0] ** 2 + e], [[2 * w[0], -e]]


BOUNDED = {f"deep {depth:g}": (deep(depth), 2) for depth in (1e3, 1e8, 1e12, 1e16, 1e20)} | {
    "tails": (tails, 2),
    "separable": (separable, 3),
    "hyperbola": (hyperbola, 2),
    "normal equations": (normal_equations, 3),
    "vee": (vee, 2),
    "slight": (slight, 2),
}


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_is_never_called_unbounded(name, method):
    for seed in range(VARIANTS):
        assert Variant(*BOUNDED[name], seed).solve(method).status is not sb.Status.UNBOUNDED


@pytest.mark.parametrize("depth", [1e12, 1e18, 1e24])
def test_a_deep_minimum_is_reached(depth):
    """The value passes the limit that counts as minus infinity, 1e15 times the magnitude at w0."""
    result = sb.minimax(lambda w: (0.5 / depth * w**2 - w, np.diag(w / depth - 1)), [0.0], jac=True)
    assert result.success
    assert result.value == pytest.approx(-0.5 * depth, rel=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("error", [0.3, 1e-3, 4e-6, 1e-9, 1e-12])
def test_a_run_that_knows_the_direction_but_for_an_error(error, turn):
    """The component of the averaged slope along the other direction is found far out, and removed."""
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])

    def fun(w):
        f, G = valley(rotation @ w)
        return f, np.array(G) @ rotation

    problem = sb.Problem(sb.from_functions(fun, [5.0, 5.0], jac=True))
    oracle = Oracle(problem, None, np.array([5.0, 5.0]), 1e-6)
    run_state = RunState.at_start(oracle.evaluate(oracle.w0))
    slope = np.array([error, -1.0]) @ rotation
    run_state.bound = Minorant(run_state.best.value, slope, run_state.dual, run_state.best.w, np.zeros(2))
    assert is_unbounded_below(oracle, run_state) is True


@pytest.mark.parametrize("method", ["quasi-newton", "prox-linear", "extragradient"])
@pytest.mark.parametrize("max_iter", [5, 50])
def test_the_question_costs_a_part_of_the_run(method, max_iter):
    """Least squares in a hundred dimensions: no ray falls, and no average of few slopes is zero."""
    rng = np.random.default_rng(0)
    X, y, seen = rng.standard_normal((3, 80, 100)), rng.standard_normal((3, 80)), []

    def fun(w):
        r = X @ w - y
        return (r**2).mean(axis=1), 2 / 80 * np.einsum("ji,jid->jd", r, X)

    points = Calls(fun)
    result = quietly(
        points,
        np.ones(100),
        jac=True,
        method=method,
        max_iter=max_iter,
        tol=1e-14,
        callback=lambda _: seen.append(points.n),
    )
    assert result.status is sb.Status.MAX_ITER
    assert points.n - seen[-1] <= 0.1 * seen[-1] + 10
