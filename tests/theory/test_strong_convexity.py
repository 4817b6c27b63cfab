"""A known modulus m: bound (3) holds with a sum of weights that grows as (1 - sqrt(m/L'))^-T, without restarts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from problems import Convex, group_logistic, oracle_of, random_quadratics

import saddleback as sb
from saddleback.methods import Accelerated, FixedPoint
from saddleback.methods.steps import sharp_step

from .driver import assert_bound, run
from .tolerances import ROUNDING

REGULARIZERS = {"zero": sb.Zero(), "quadratic": sb.Quadratic(0.05), "entropy": sb.Entropy(0.05)}
KAPPA = 1e-2


def logistic(l2: float) -> Convex:
    rng = np.random.default_rng(7)
    return group_logistic(rng.standard_normal((4, 30, 12)), rng.choice([-1.0, 1.0], (4, 30)), l2)


LOSSES = {
    "condition 30": random_quadratics(seed=2, J=3, d=8, condition=30.0),
    "condition 1e3": random_quadratics(seed=4, J=4, d=15, condition=1e3),
    "logistic": logistic(1e-2),
    "one quadratic, L = m": random_quadratics(seed=5, J=1, d=4, condition=1.0),
}


@cache
def optimum(name: str, R: str) -> np.ndarray:
    problem = sb.Problem(LOSSES[name], regularizer=REGULARIZERS[R])
    return sb.solve(problem, method="quasi-newton", tol=1e-11).w


def least_weights(T: int, L: float, m: float, kappa: float = KAPPA) -> np.ndarray:
    """The larger of (1 - kappa) T^2/(4L) and (1 - sqrt(m/L'))^(1 - T)/L', for 1..T."""
    t, longer = np.arange(1, T + 1), L / (1 - kappa)
    return np.maximum(t**2 / (4 * longer), (1 - np.sqrt(m / longer)) ** (1.0 - t) / longer)


@pytest.mark.parametrize("R", REGULARIZERS)
@pytest.mark.parametrize("measured", [False, True], ids=["given", "measured"])
@pytest.mark.parametrize("name", LOSSES)
def test_linear_rate_without_restarts(name: str, measured: bool, R: str) -> None:
    """(3) at every T with the weights of the theorem. A measured L_t is at most max(L_1, 2L), L_1 the first one."""
    losses = LOSSES[name]
    oracle = oracle_of(losses, REGULARIZERS[R], w0=np.ones(losses.n_params))
    method = Accelerated(smoothness=None if measured else losses.L, restart=False)
    # With L = m each step multiplies A_t by about 200, and the method starts again at 1e100.
    T = 60 if 2 * losses.strong_convexity < losses.L else 20
    result = run(method, oracle, T)
    w = optimum(name, R)
    for comparison in (w, oracle.w0, 0.5 * (w + oracle.w0)):
        assert_bound(result, oracle, comparison)
    L = max(result.states[0].smoothness.L, 2 * losses.L) if measured else max(losses.L, 1.01 * losses.strong_convexity)
    assert np.all(least_weights(T, L, losses.strong_convexity) * (1 - 1e-9) <= result.A)
    # The noise is that of rounding: the rate is that of the weights alone.
    distance = 0.5 * float((w - oracle.w0) @ (w - oracle.w0))
    excess = result.values - oracle.problem.value(w) - distance / result.A
    assert excess.max() <= 1e4 * ROUNDING * (1 + np.abs(result.values[0]))


def test_the_rate_is_much_faster_than_without_the_modulus() -> None:
    losses = LOSSES["condition 1e3"]
    unknown = Convex(losses.pair, losses.n_losses, losses.n_params, losses.L)
    runs = [run(Accelerated(smoothness=losses.L, restart=False), oracle_of(f), 300) for f in (losses, unknown)]
    assert runs[0].A[-1] >= 1e3 * runs[1].A[-1]


@pytest.mark.parametrize("R", REGULARIZERS)
def test_the_fixed_point_method_has_the_same_rate(R: str) -> None:
    losses = LOSSES["condition 30"]
    oracle = oracle_of(losses, REGULARIZERS[R], w0=np.ones(losses.n_params))
    result = run(FixedPoint(steps="sharp", smoothness=losses.L, restart=False), oracle, 40)
    assert_bound(result, oracle, optimum("condition 30", R))
    m, A = losses.strong_convexity, result.A
    assert np.all(least_weights(40, losses.L, m, 0.0) * (1 - 1e-9) <= A)
    # Its accuracy is not relative to the steps, which are not shortened for it.
    np.testing.assert_allclose(losses.L * result.alpha**2, A * (1 + m * A), rtol=1e-9)


@pytest.mark.parametrize("m", [[0.5, 2.0], [0.0, 2.0]])
def test_the_modulus_is_that_of_the_flattest_coordinate(m: list[float]) -> None:
    """Losses may state one modulus per coordinate: the least of them is used."""
    f = random_quadratics(seed=3, J=2, d=2, condition=10.0)
    H = np.diag(m)

    def pair(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, G = f.evaluate(w)
        return values + 0.5 * H @ w @ w - 0.5 * w @ w, G + H @ w - w

    losses = Convex(pair, 2, 2, f.L + 1.0, np.array(m))
    method = Accelerated(smoothness=losses.L, restart=False)
    result = run(method, oracle_of(losses), 20)
    A, kappa = result.A, method.kappa
    np.testing.assert_allclose(losses.L * result.alpha**2, (1 - kappa) * A * (1 + min(m) * A), rtol=1e-9)


@pytest.mark.parametrize("m", [0.0, 1e-4, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("kappa", [0.0, 1e-2, 0.5])
@pytest.mark.parametrize("A", [0.0, 1e-3, 1.0, 1e6])
def test_sharp_rule(A: float, kappa: float, m: float) -> None:
    """L alpha^2 = (1 - kappa) A_t (1 + m A_t), with L at least 1.01 m."""
    L = max(1.0, 1.01 * m)
    alpha = sharp_step(1.0, A, m, kappa)
    after = A + alpha
    assert L * alpha**2 == pytest.approx((1 - kappa) * after * (1 + m * after), rel=1e-12)


@pytest.mark.parametrize("restart", [False, True])
def test_a_run_of_many_steps_does_not_overflow(restart: bool) -> None:
    """A_t grows without limit where m is known: the method starts again long before numbers overflow.

    With restarts, by rounding errors of values here, the sequence that goes on from w0 grows as well.
    """
    losses = random_quadratics(seed=5, J=3, d=4, condition=1.05) if restart else LOSSES["condition 30"]
    oracle = oracle_of(losses, w0=np.ones(losses.n_params))
    method = Accelerated(smoothness=losses.L, restart=restart)
    states = run(method, oracle, 1500).states
    weights = [max(state.A, state.kept.A if state.kept is not None else 0.0) for state in states]
    assert max(weights) <= 1e104
    assert sum(A > 1e90 for A in weights) >= 1
    assert sum(state.A == 0 for state in states) > 1
    assert np.isfinite([state.point.value for state in states]).all()
