"""Zero, Quadratic and Entropy: derivatives, differences, defaults, best responses and dual steps."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

import saddleback as sb
from saddleback.adversary import Adversary, HasAscentStep, lack_of_ascent_step
from saddleback.capabilities import lack, offers
from saddleback.dual_sets import HasProjection, Simplex
from saddleback.regularizers import REGULARIZERS, Regularizer, StronglyConvex

EPS = float(np.finfo(np.float64).eps)
PROPERTY = settings(derandomize=True, deadline=None, max_examples=100)
SIMPLEX = Simplex()
seeds = st.integers(0, 10**6)
sizes = st.integers(1, 10)
kinds = st.sampled_from(["zero", "quadratic", "centered", "entropy", "prior"])
gammas = st.sampled_from([1e-6, 1e-2, 1.0, 1e4])


def make(kind, gamma, n, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "zero": lambda: sb.Zero(),
        "quadratic": lambda: sb.Quadratic(gamma),
        "centered": lambda: sb.Quadratic(gamma, center=rng.normal(size=n)),
        "entropy": lambda: sb.Entropy(gamma),
        "prior": lambda: sb.Entropy(gamma, prior=rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n),
    }[kind]().resolve(SIMPLEX, n)


def mixtures(seed, n, count=2):
    """Points of the interior."""
    return np.random.default_rng(seed).dirichlet(np.ones(n), count) * 0.99 + 0.01 / n


@PROPERTY
@given(seed=seeds, n=sizes, kind=kinds, gamma=gammas)
def test_gradient_and_hessian_are_those_of_finite_differences(seed, n, kind, gamma):
    R, (lam, _) = make(kind, gamma, n, seed), mixtures(seed, n)
    size = gamma * max(1.0, np.abs(R.gradient(lam)).max() / gamma, np.abs(R.hessian(lam)).max() / gamma)
    step = 1e-5 * lam.min()
    gradient = 0.5 * sum(approx_fprime(lam, R.value, s * step) for s in (1, -1))
    np.testing.assert_allclose(R.gradient(lam), gradient, rtol=1e-5, atol=1e-5 * size)
    hessian = 0.5 * sum(np.atleast_2d(approx_fprime(lam, R.gradient, s * step)) for s in (1, -1))
    np.testing.assert_allclose(np.diag(R.hessian(lam)), hessian, rtol=1e-5, atol=1e-5 * size)


@PROPERTY
@given(seed=seeds, n=sizes, kind=kinds, gamma=gammas)
def test_difference_is_the_difference_of_the_values(seed, n, kind, gamma):
    R, (lam, mu) = make(kind, gamma, n, seed), mixtures(seed, n)
    size = abs(R.value(lam)) + abs(R.value(mu))
    assert R.difference(lam, mu) == pytest.approx(R.value(lam) - R.value(mu), abs=16 * EPS * n * size)
    assert R.difference(lam, mu) == pytest.approx(-R.difference(mu, lam), abs=16 * EPS * n * size)
    assert R.difference(lam, lam) == 0


def test_quadratic_difference_does_not_cancel():
    """Two points 1e-12 apart: the plain difference of values has no correct digit, with a far center."""
    R = sb.Quadratic(1.0, center=np.array([1e4, -1e4]))
    lam, mu = np.array([0.5 + 2.0**-40, 0.5 - 2.0**-40]), np.array([0.5, 0.5])
    exact = 0.5 * ((lam - mu) @ (lam + mu - 2 * R.center))
    assert R.difference(lam, mu) == pytest.approx(exact, rel=1e-12)


@PROPERTY
@given(seed=seeds, n=st.integers(2, 10), kind=kinds, gamma=gammas)
def test_strong_convexity(seed, n, kind, gamma):
    """R(lam) >= R(mu) + <R'(mu), lam - mu> + m/2 |lam - mu|^2 with the m that R reports."""
    R, (lam, mu) = make(kind, gamma, n, seed), mixtures(seed, n)
    m = R.strong_convexity
    assert m == (0.0 if kind == "zero" else gamma)
    gain = R.value(lam) - R.value(mu) - R.gradient(mu) @ (lam - mu)
    size = abs(R.value(lam)) + abs(R.value(mu)) + np.abs(R.gradient(mu)).max()
    assert gain >= 0.5 * m * ((lam - mu) @ (lam - mu)) - 32 * EPS * size


@PROPERTY
@given(seed=seeds, n=st.integers(1, 8), kind=kinds, gamma=gammas, c=st.sampled_from([1e-3, 1.0, 1e3]))
def test_compatible_with_the_barrier(seed, n, kind, gamma, c):
    """c R + B stays self-concordant: |phi'''[h]| <= 2 phi''[h]^(3/2), the third derivative by differences."""
    R, (x, _) = make(kind, gamma, n, seed), mixtures(seed, n)
    h = np.random.default_rng(seed).normal(size=n)

    def second(t):
        return (c * R.hessian(x + t * h) + SIMPLEX.barrier_hessian(x + t * h)) @ h**2

    step = 1e-5 * x.min() / np.abs(h).max()
    third = (second(step) - second(-step)) / (2 * step)
    assert abs(third) <= 2 * second(0.0) ** 1.5 * (1 + 1e-5)


@PROPERTY
@given(seed=seeds, n=sizes, kind=kinds, gamma=gammas, spread=st.sampled_from([1e-6, 1.0, 1e6]))
def test_best_response_beats_every_mixture(seed, n, kind, gamma, spread):
    R = make(kind, gamma, n, seed)
    z = spread * np.random.default_rng(seed).normal(size=n)
    lam = R.best_response(SIMPLEX, z)
    assert SIMPLEX.contains(lam)
    rivals = [*np.random.default_rng(seed).dirichlet(np.full(n, 0.3), 20), *np.eye(n), SIMPLEX.center(n)]
    best = lam @ z - R.value(lam)
    slack = 64 * EPS * n * (np.abs(z).max() + gamma * (1 + 20) + max(abs(R.value(mu)) for mu in rivals))
    assert max(mu @ z - R.value(mu) for mu in rivals) <= best + slack


@pytest.mark.parametrize("kind", ["zero", "quadratic", "centered", "entropy", "prior"])
@pytest.mark.parametrize("seed", range(3))
def test_best_response_agrees_with_cvxpy(kind, seed):
    n, gamma = 5, 0.5
    R = make(kind, gamma, n, seed)
    z = np.random.default_rng(seed + 100).normal(size=n)
    lam = cp.Variable(n)
    cost = {
        "zero": lambda: 0.0,
        "quadratic": lambda: gamma / 2 * cp.sum_squares(lam - R.center),
        "entropy": lambda: gamma * (cp.sum(cp.rel_entr(lam, R.prior))),
    }[{"centered": "quadratic", "prior": "entropy"}.get(kind, kind)]()
    reference = cp.Problem(cp.Maximize(lam @ z - cost), [lam >= 0, cp.sum(lam) == 1]).solve(solver="CLARABEL")
    ours = R.best_response(SIMPLEX, z)
    assert ours @ z - R.value(ours) == pytest.approx(reference, abs=1e-6)


@pytest.mark.parametrize("kind", ["zero", "quadratic", "entropy"])
def test_best_response_keeps_the_digits_of_losses_with_a_large_offset(kind):
    """z + 2^40 holds these z exactly, so that the answer may not change by more than rounding of its own size."""
    z = np.array([0.0, 1.0, 2.0, 0.5]) * 2.0**-6
    R = make(kind, 0.013, 4)
    np.testing.assert_allclose(R.best_response(SIMPLEX, z + 2.0**40), R.best_response(SIMPLEX, z), rtol=1e-12)


def test_softmax_by_hand():
    R = sb.Entropy(0.5, prior=[0.25, 0.75])
    lam = R.best_response(SIMPLEX, np.array([1.0, 2.0]))
    weights = np.array([0.25 * np.exp(2.0), 0.75 * np.exp(4.0)])
    np.testing.assert_allclose(lam, weights / weights.sum(), rtol=1e-14)
    value = lam @ [1.0, 2.0] - R.value(lam)
    assert value == pytest.approx(0.5 * np.log(weights.sum()), rel=1e-14)


def test_entropy_at_vertices_is_finite():
    """0 log 0 = 0."""
    R = sb.Entropy(2.0, prior=[0.25, 0.75])
    assert R.value(np.array([1.0, 0.0])) == pytest.approx(2.0 * np.log(4.0))
    assert R.value(np.array([0.25, 0.75])) == 0
    # The slope at zero is infinite; what stands for it is a tangent that lies below R all the same.
    lam, slope = np.array([1.0, 0.0]), R.gradient(np.array([1.0, 0.0]))
    assert slope[1] < -400
    for t in (1e-12, 1e-3, 0.5, 1.0):
        mu = np.array([1 - t, t])
        assert R.value(mu) >= R.value(lam) + slope @ (mu - lam)


@pytest.mark.parametrize(
    ("regularizer", "n"), [(sb.Quadratic(0.0), 3), (sb.Entropy(0), 3), (sb.Entropy(0.0, prior=[0.5, 0.5]), 2)]
)
def test_gamma_zero_is_no_regularizer(regularizer, n):
    assert isinstance(regularizer.resolve(SIMPLEX, n), sb.Zero)


def test_defaults_are_resolved_without_changing_the_original():
    R = sb.Quadratic(1.0)
    np.testing.assert_array_equal(R.resolve(SIMPLEX, 4).center, np.full(4, 0.25))
    assert R.center is None
    R = sb.Entropy(1.0)
    np.testing.assert_array_equal(R.resolve(SIMPLEX, 4).prior, np.full(4, 0.25))
    assert R.prior is None


def test_what_is_given_is_kept_and_copied():
    center, prior = np.array([1.0, 2.0]), np.array([0.25, 0.75])
    Q, E = sb.Quadratic(1.0, center), sb.Entropy(1.0, prior)
    center[:] = prior[:] = np.nan
    np.testing.assert_array_equal(Q.resolve(SIMPLEX, 2).center, [1.0, 2.0])
    np.testing.assert_array_equal(E.resolve(SIMPLEX, 2).prior, [0.25, 0.75])


@pytest.mark.parametrize("unresolved", [sb.Quadratic(0.3), sb.Entropy(0.3)])
def test_unresolved_defaults_mean_the_uniform_distribution(unresolved):
    resolved, (lam, mu) = unresolved.resolve(SIMPLEX, 4), mixtures(0, 4)
    assert unresolved.value(lam) == pytest.approx(resolved.value(lam), rel=1e-15)
    np.testing.assert_array_equal(unresolved.gradient(mu), resolved.gradient(mu))


@pytest.mark.parametrize("kind", ["zero", "quadratic", "centered"])
def test_quadratic_form_is_the_regularizer_up_to_a_constant(kind):
    R, (lam, mu) = make(kind, 0.7, 5), mixtures(1, 5)
    H, q = R.quadratic_form(5)

    def form(x):
        return 0.5 * H @ x**2 + q @ x

    assert form(lam) - form(mu) == pytest.approx(R.value(lam) - R.value(mu), abs=1e-13)


def test_entropy_is_not_a_quadratic():
    assert not hasattr(sb.Entropy(1.0), "quadratic_form")


@PROPERTY
@given(seed=seeds, n=sizes, kind=kinds, gamma=gammas, eta=st.sampled_from([1e-4, 1e-2, 1.0, 100.0]))
def test_ascent_steps_stay_in_the_set_and_do_not_lose(seed, n, kind, gamma, eta):
    """A step with eta <= 1/gamma increases <lam, z> - R(lam), and the best response is a fixed point."""
    R, (lam, _) = make(kind, gamma, n, seed), mixtures(seed, n)
    z = np.random.default_rng(seed).normal(size=n)
    if "entropy" not in kind and "prior" not in kind:
        eta = min(eta, 1 / gamma)
    new = R.ascent_step(SIMPLEX, lam, z, eta)
    assert SIMPLEX.contains(new)
    size = np.abs(z).max() + abs(R.value(lam)) + abs(R.value(new)) + gamma
    assert new @ z - R.value(new) >= lam @ z - R.value(lam) - 64 * EPS * n * size
    best = R.best_response(SIMPLEX, z)
    again = R.ascent_step(SIMPLEX, best, z, eta)
    np.testing.assert_allclose(again, best, atol=1e-12 * (1 + eta * size))


def test_ascent_step_takes_the_gradient_where_it_is_told():
    R, z = sb.Quadratic(1.0), np.array([1.0, 0.0])
    lam, at = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    np.testing.assert_allclose(
        R.ascent_step(SIMPLEX, lam, z, 0.1, at=at), SIMPLEX.project(lam + 0.1 * (z - R.gradient(at)))
    )


def test_mirror_step_by_hand():
    """argmax eta (<mu, z> - R(mu)) - KL(mu, lam): (lam prior^(eta gamma) e^(eta z))^(1/(1 + eta gamma)), normalized."""
    R = sb.Entropy(2.0, prior=[0.25, 0.75])
    lam, z, eta = np.array([0.6, 0.4]), np.array([1.0, -1.0]), 0.3
    weights = (lam * R.prior ** (eta * 2.0) * np.exp(eta * z)) ** (1 / (1 + eta * 2.0))
    np.testing.assert_allclose(R.ascent_step(SIMPLEX, lam, z, eta), weights / weights.sum(), rtol=1e-14)


def test_mirror_step_never_revives_a_dead_weight():
    lam = sb.Entropy(1.0).ascent_step(SIMPLEX, np.array([1.0, 0.0]), np.array([0.0, 100.0]), 1.0)
    np.testing.assert_array_equal(lam, [1.0, 0.0])


class NoProjection(Simplex):
    """A simplex without its capabilities."""

    project = tilt = None


@pytest.mark.parametrize(
    ("regularizer", "capability", "exact"),
    [(sb.Quadratic(1.0), "project", False), (sb.Zero(), "project", True), (sb.Entropy(1.0), "tilt", False)],
    ids=str,
)
def test_a_missing_capability_is_named(regularizer, capability, exact):
    adversary = Adversary(NoProjection(), regularizer, 2)
    assert adversary.exact is exact
    assert lack(adversary, HasAscentStep) == f"NoProjection has no {capability!r}"
    assert offers(Adversary(SIMPLEX, regularizer, 2), HasAscentStep)


def test_strong_convexity_is_a_capability():
    assert lack(sb.Zero(), StronglyConvex) == "Zero is not strongly convex"
    assert offers(sb.Quadratic(0.5), StronglyConvex)
    assert not offers(sb.Quadratic(0.0), StronglyConvex)


class Cost(sb.Regularizer):
    """R(lam) = |lam|^2, with a formula for its best response on every set that has a projection."""

    calls = 0
    strong_convexity = 2.0

    def value(self, lam):
        return float(lam @ lam)

    def gradient(self, lam):
        return 2.0 * lam

    def hessian(self, lam):
        return np.full_like(lam, 2.0)

    def best_response(self, dual_set, z):
        type(self).calls += 1
        return dual_set.project(z / 2.0)


def test_an_own_best_response_is_called():
    adversary = Adversary(SIMPLEX, Cost(), 3)
    assert adversary.exact
    before = Cost.calls
    np.testing.assert_allclose(adversary.best_response(np.array([1.0, 0.5, 0.0])).lam, [7 / 12, 4 / 12, 1 / 12])
    assert Cost.calls == before + 1


def test_an_own_best_response_on_sets_with_what_it_needs():
    class Needy(Cost):
        response_needs = (HasProjection,)

    assert Adversary(SIMPLEX, Needy(), 3).exact
    assert not Adversary(NoProjection(), Needy(), 3).exact


def test_the_flag_of_older_versions_is_ignored():
    class Old(Cost):
        def has_response(self, dual_set):
            raise AssertionError("nobody asks")

    assert Adversary(SIMPLEX, Old(), 3).exact


def test_von_neumann_steps_on_the_spectrahedron_only():
    assert offers(Adversary(sb.Spectrahedron(), sb.VonNeumann(0.1), 3), HasAscentStep)
    assert lack_of_ascent_step(SIMPLEX, sb.VonNeumann(0.1)) == "Simplex is not one"


def test_registry():
    assert set(REGULARIZERS) >= {sb.Zero, sb.Quadratic, sb.Entropy}


@pytest.mark.parametrize("R", [sb.Zero(), sb.Quadratic(0.3), sb.Quadratic(0.3, center=np.zeros(5)), sb.Entropy(0.3)])
def test_shortcuts_are_what_they_cut_short(R):
    """conjugate is respond's value, and gap the difference to the best response."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        z, lam = rng.normal(size=5), rng.dirichlet(np.ones(5))
        value, best = R.respond(SIMPLEX, z)
        assert R.conjugate(SIMPLEX, z) == value
        assert R.gap(SIMPLEX, lam, z) == pytest.approx(Regularizer.gap(R, SIMPLEX, lam, z), abs=1e-14)
        assert R.gap(SIMPLEX, best, z) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("R", [sb.Quadratic(0.3), sb.Entropy(0.3)])
def test_the_proximal_response_with_gamma_zero_is_the_best_response_with_its_derivative(R):
    rng = np.random.default_rng(1)
    for _ in range(20):
        z, dz = 0.2 * rng.normal(size=(2, 6))
        lam = R.best_response(SIMPLEX, z)
        value, same, diagonal, rows = R.proximal_response(SIMPLEX, z, 0.0, np.full(6, 1 / 6))
        np.testing.assert_allclose(same, lam, atol=1e-15)
        assert value == pytest.approx(R.conjugate(SIMPLEX, z), abs=1e-14)
        moved = diagonal * dz - rows.T @ (rows @ dz)
        step = 1e-7
        difference = (R.best_response(SIMPLEX, z + step * dz) - R.best_response(SIMPLEX, z - step * dz)) / (2 * step)
        np.testing.assert_allclose(difference, moved, atol=1e-6)
