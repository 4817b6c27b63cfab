"""Proximal responses: their optimality, their derivative, what it keeps, and extreme units."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddleback.capabilities import lack, offers
from saddleback.dual_sets import (
    Ball,
    Box,
    CappedSimplex,
    Chi2Ball,
    Contamination,
    DualSet,
    HasProximalResponse,
    HasSmoothSupport,
    KLBall,
    Simplex,
    TVBall,
)
from saddleback.errors import IncompatibleError
from saddleback.regularizers import Entropy, Quadratic, Regularizer, Zero
from saddleback.subproblem import adversary_of

N = 7
PRIOR = np.arange(1.0, N + 1) / np.arange(1.0, N + 1).sum()
SETS: list[DualSet] = [
    Simplex(),
    CappedSimplex(0.4),
    CappedSimplex(0.01, PRIOR),
    Contamination(0.3),
    Contamination(0.6, PRIOR),
    Box(-1.0, 2.0),
    Box(0.0, np.arange(1.0, N + 1)),
    TVBall(0.2),
    TVBall(0.9, PRIOR),
    Chi2Ball(0.5),
    Chi2Ball(3.0, PRIOR),
    KLBall(0.2),
    KLBall(1.0, PRIOR),
]
REGULARIZERS: list[Regularizer] = [Zero(), Quadratic(0.3), Entropy(0.3)]


def name(value: object) -> str:
    return repr(value).split("array")[0]


def pairs() -> list[tuple[DualSet, Regularizer]]:
    found = []
    for dual_set in SETS:
        for regularizer in REGULARIZERS:
            try:
                adversary = adversary_of(dual_set, regularizer, N)
            except IncompatibleError:
                continue
            if offers(adversary, HasProximalResponse):
                found.append((dual_set, regularizer))
    return found


PAIRS = pairs()
any_pair = pytest.mark.parametrize(("dual_set", "regularizer"), PAIRS, ids=name)


def test_all_sets_have_one_with_every_regularizer() -> None:
    # Entropy does not apply to the box with negative weights.
    assert len(PAIRS) == len(SETS) * len(REGULARIZERS) - 1


def test_pairs_without_one_say_why() -> None:
    assert lack(adversary_of(Ball(0.0, 1.0), Zero(), N), HasProximalResponse) == "Ball has no 'proximal_distance'"

    class Own(Zero):
        proximal_needs = None

    assert lack(adversary_of(Simplex(), Own(), N), HasProximalResponse) == "Own has no proximal response"


def point_of(dual_set: DualSet, rng: np.random.Generator) -> np.ndarray:
    """A point of the relative interior."""
    corner = dual_set.support(rng.standard_normal(N))[1]
    return 0.4 * dual_set.center(N) + 0.6 * corner if isinstance(dual_set, Box) else 0.5 * (dual_set.center(N) + corner)


@any_pair
@given(seed=st.integers(0, 10**6), gamma=st.sampled_from([0.01, 0.3, 10.0]))
def test_the_derivative_is_that_of_the_maximizer(
    dual_set: DualSet, regularizer: Regularizer, seed: int, gamma: float
) -> None:
    rng = np.random.default_rng(seed)
    adversary = adversary_of(dual_set, regularizer, N)
    z, direction, center = rng.standard_normal(N), rng.standard_normal(N), point_of(dual_set, rng)
    at = adversary.proximal_response(z, gamma, center)
    derivative = np.diag(at.diagonal) - at.rows.T @ at.rows
    assert at.rows.shape[0] <= 2
    largest = max(float(at.diagonal.max()), 1e-300)
    assert np.linalg.eigvalsh(derivative).min() >= -1e-12 * largest
    if not isinstance(dual_set, Box):
        np.testing.assert_allclose(derivative.sum(axis=0), 0.0, atol=1e-12 * largest)
    h = 1e-6 * gamma
    ahead, behind = (adversary.proximal_response(z + s * h * direction, gamma, center) for s in (1.0, -1.0))
    differences = (ahead.lam - behind.lam) / (2 * h)
    one_sided = (ahead.lam - at.lam) / h
    if np.abs(differences - one_sided).max() > 1e-4 * largest:
        return  # a kink is near
    np.testing.assert_allclose(derivative @ direction, differences, atol=2e-4 * largest)
    # The value is convex with gradient lam.
    np.testing.assert_allclose((ahead.value - behind.value) / (2 * h), at.lam @ direction, atol=1e-5 * (1.0 + gamma))


@any_pair
@pytest.mark.parametrize("gamma", [0.02, 1.0])
def test_the_maximizer_is_the_best(dual_set: DualSet, regularizer: Regularizer, gamma: float) -> None:
    """Against many points of Lambda, near and far."""
    rng = np.random.default_rng(3)
    adversary = adversary_of(dual_set, regularizer, N)
    R = adversary.regularizer
    for _ in range(20):
        z, center = rng.standard_normal(N), point_of(dual_set, rng)
        at = adversary.proximal_response(z, gamma, center)
        assert dual_set.contains(at.lam)

        def score(lam: np.ndarray, z: np.ndarray = z, center: np.ndarray = center) -> float:
            return float(lam @ z) - R.value(lam) - gamma * adversary.proximal_distance(lam, center)

        assert at.value == pytest.approx(score(at.lam), abs=1e-12)
        others = [dual_set.support(rng.standard_normal(N))[1] for _ in range(20)]
        for other in others:
            for step in (1.0, 0.1, 1e-3):
                assert score(at.lam + step * (other - at.lam)) <= at.value + 1e-11


def by_cvxpy(dual_set: DualSet, z: np.ndarray, gamma: float, center: np.ndarray) -> float:
    lam = cp.Variable(N)
    p = PRIOR if getattr(dual_set, "prior", None) is not None else np.full(N, 1 / N)
    constraints = [] if isinstance(dual_set, Box) else [cp.sum(lam) == 1, lam >= 0]
    distance = 0.5 * cp.sum_squares(lam - center)
    match dual_set:
        case Box():
            constraints += [lam >= dual_set.lower, lam <= dual_set.upper]
        case CappedSimplex():
            constraints += [lam <= p / dual_set.alpha]
        case Contamination():
            constraints += [lam >= (1 - dual_set.worst_weight) * p]
        case TVBall():
            constraints += [cp.norm1(lam - p) <= 2 * dual_set.rho]
        case Chi2Ball():
            constraints += [cp.sum_squares((lam - p) / np.sqrt(p)) <= dual_set.rho]
            distance = 0.5 * cp.sum_squares((lam - center) / np.sqrt(p))
        case KLBall():
            constraints += [cp.sum(cp.rel_entr(lam, p)) <= dual_set.rho]
            distance = cp.sum(cp.rel_entr(lam, center))
    problem = cp.Problem(cp.Maximize(lam @ z - gamma * distance), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


@pytest.mark.parametrize("dual_set", SETS, ids=name)
def test_the_value_agrees_with_clarabel(dual_set: DualSet) -> None:
    rng = np.random.default_rng(5)
    for gamma in (0.05, 1.0):
        z, center = rng.standard_normal(N), point_of(dual_set, rng)
        value = dual_set.proximal_response(z, gamma, center).value  # type: ignore[attr-defined]
        assert value == pytest.approx(by_cvxpy(dual_set, z, gamma, center), abs=2e-6)


@pytest.mark.parametrize("dual_set", SETS, ids=name)
@pytest.mark.parametrize("units", [1e-150, 1e150])
def test_units_do_not_matter(dual_set: DualSet, units: float) -> None:
    rng = np.random.default_rng(7)
    for gamma in (0.05, 1.0):
        z, center = rng.standard_normal(N), point_of(dual_set, rng)
        plain = dual_set.proximal_response(z, gamma, center)  # type: ignore[attr-defined]
        scaled = dual_set.proximal_response(units * z, units * gamma, center)  # type: ignore[attr-defined]
        np.testing.assert_allclose(scaled.lam, plain.lam, atol=1e-12)
        np.testing.assert_allclose(units * scaled.diagonal, plain.diagonal, rtol=1e-9, atol=1e-12)
        root = np.sqrt(units)
        rows = root * scaled.rows
        np.testing.assert_allclose(rows.T @ rows, plain.rows.T @ plain.rows, atol=1e-9)


@pytest.mark.parametrize("dual_set", SETS, ids=name)
def test_ties_of_all_losses_stay_at_the_center(dual_set: DualSet) -> None:
    center = point_of(dual_set, np.random.default_rng(1))
    z = np.zeros(N) if isinstance(dual_set, Box) else np.full(N, 3.0)
    at = dual_set.proximal_response(z, 0.1, center)  # type: ignore[attr-defined]
    np.testing.assert_allclose(at.lam, center, atol=1e-9)
    assert np.isfinite(at.rows).all()


@pytest.mark.parametrize("dual_set", [s for s in SETS if offers(s, HasSmoothSupport)], ids=name)
@given(seed=st.integers(0, 10**6))
def test_smooth_supports_have_derivatives(dual_set: DualSet, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, direction, h = rng.standard_normal(N), rng.standard_normal(N), 1e-6
    lam, diagonal, rows = dual_set.smooth_support(z)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(lam, dual_set.support(z)[1])
    ahead, behind = (dual_set.support(z + s * h * direction)[1] for s in (1.0, -1.0))
    if np.abs(ahead - 2 * lam + behind).max() / h > 1e-4 * max(diagonal.max(), 1e-300):
        return  # a kink is near
    derivative = np.diag(diagonal) - rows.T @ rows
    np.testing.assert_allclose(
        derivative @ direction, (ahead - behind) / (2 * h), atol=2e-4 * max(diagonal.max(), 1e-3)
    )


@pytest.mark.parametrize(
    "dual_set",
    [Simplex(), CappedSimplex(0.3), Contamination(0.0), TVBall(0.0), Chi2Ball(0.0), KLBall(0.0), KLBall(1.0)],
)
def test_a_single_loss_or_a_single_point_does_not_move(dual_set: DualSet) -> None:
    n = N if getattr(dual_set, "rho", 1.0) == 0.0 or isinstance(dual_set, Contamination) else 1
    center = dual_set.center(n)
    at = dual_set.proximal_response(np.arange(float(n)), 0.5, center)  # type: ignore[attr-defined]
    np.testing.assert_allclose(at.lam, center, atol=1e-15)
    assert np.abs(np.diag(at.diagonal) - at.rows.T @ at.rows).max() <= 1e-15
