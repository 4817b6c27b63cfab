"""Interior forms: phi_tau bounds the support function, its derivatives are right, and its weights lie in the set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.dual_sets.interior import HasInteriorForm, PointForm
from saddleback.dual_sets.interior.base import two_sided

N = 7
PRIOR = np.arange(1.0, N + 1) / np.arange(1.0, N + 1).sum()
SETS = [
    sb.Simplex(),
    sb.CappedSimplex(0.4),
    sb.CappedSimplex(0.4, PRIOR),
    sb.Contamination(0.3, PRIOR),
    sb.Box(0.0, 1.0),
    sb.Box(np.linspace(-1.0, 0.5, N), np.linspace(1.0, 3.0, N)),
    sb.Chi2Ball(0.5),
    sb.Chi2Ball(3.0, PRIOR),
    sb.KLBall(0.3),
    sb.KLBall(1.0, PRIOR),
    sb.TVBall(0.2),
    sb.TVBall(0.6, PRIOR),
    sb.TVBall(0.999),
    sb.TVBall(1.0),
]
POINTS = [
    sb.CappedSimplex(1.0),
    sb.Contamination(0.0, PRIOR),
    sb.Chi2Ball(0.0),
    sb.KLBall(0.0, PRIOR),
    sb.TVBall(0.0),
    sb.Box(0.5, 0.5),
]
losses = st.lists(st.floats(-10.0, 10.0), min_size=N, max_size=N).map(np.array)


def least(form, z, tau):
    """min over y of phi_tau(z, y), by SciPy from the form's own start."""
    start = form.start(z, 1.0).y
    if not start.size:
        return form.value(z, start, tau)
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}
    found = minimize(lambda y: form.value(z, y, tau), start, method="Nelder-Mead", options=options)
    return float(minimize(lambda y: form.value(z, y, tau), found.x, method="Nelder-Mead", options=options).fun)


@pytest.mark.parametrize("dual_set", SETS, ids=repr)
def test_the_smoothing_tends_to_the_support_function(dual_set):
    z = np.random.default_rng(0).standard_normal(N)
    form, h = dual_set.interior_form(N), dual_set.support(z)[0]
    # phi_tau is h up to tau times the logarithms of n_pairs slacks and weights, each at most about |log tau| = 12.
    gaps = [abs(least(form, z, tau) - h) for tau in (1e-3, 1e-5)]
    assert gaps[1] <= 12e-5 * form.n_pairs
    assert gaps[1] <= 0.2 * gaps[0] + 1e-6


@pytest.mark.parametrize("dual_set", SETS, ids=repr)
@given(z=losses, tau=st.floats(1e-3, 1.0))
@settings(max_examples=25, deadline=None)
def test_the_model_has_the_gradient_of_the_smoothing(dual_set, z, tau):
    form = dual_set.interior_form(N)
    at = form.start(z, 1.0)
    model, step = form.model(z, at, tau), 1e-6
    for i in range(N):
        up, down = (form.value(z + sign * step * np.eye(N)[i], at.y, tau) for sign in (1.0, -1.0))
        assert model.weights[i] == pytest.approx((up - down) / (2 * step), rel=1e-3, abs=1e-4)
    for k in range(at.y.size):
        dy = np.eye(at.y.size)[k] * min(step, 1e-3 * abs(at.y[k]) + 1e-9)
        slope = (form.value(z, at.y + dy, tau) - form.value(z, at.y - dy, tau)) / (2 * dy[k])
        settled = isinstance(dual_set, sb.KLBall) and k == 0
        assert settled or model.gradient[k] == pytest.approx(slope, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("dual_set", SETS, ids=repr)
@given(z=losses, tau=st.floats(1e-6, 1.0))
@settings(max_examples=25, deadline=None)
def test_the_model_is_convex_and_its_weights_are_in_the_set(dual_set, z, tau):
    form = dual_set.interior_form(N)
    at = form.start(z, 1.0)
    model = form.model(z, at, tau)
    H = np.block([[np.diag(model.theta), model.cross.T], [model.cross, model.border]])
    assert np.linalg.eigvalsh(H).min() >= -1e-10 * np.abs(H).max()
    shared = (model.cross / model.theta).dot(model.cross.T)
    np.testing.assert_allclose(model.border, shared + model.rest, rtol=1e-9, atol=1e-12 * np.abs(H).max())
    assert (model.rest.diagonal() >= 0.0).all()
    assert dual_set.contains(dual_set.restore(form.lam(at)), 1e-10)
    moved = form.moved(z, z, at, at.y, np.zeros(N), np.zeros(at.y.size), tau)
    assert np.isfinite(moved.v).all()
    assert dual_set.contains(dual_set.restore(form.lam(moved)), 1e-10)


@pytest.mark.parametrize("dual_set", POINTS, ids=repr)
def test_a_point_has_no_multipliers(dual_set):
    form = dual_set.interior_form(N)
    assert isinstance(form, PointForm)
    assert dual_set.contains(form.point)
    z = np.arange(N, dtype=float)
    assert form.value(z, np.zeros(0), 1.0) == pytest.approx(dual_set.support(z)[0])


def test_single_losses_are_points():
    for dual_set in (sb.Simplex(), sb.CappedSimplex(0.1), sb.Chi2Ball(1.0), sb.KLBall(1.0), sb.TVBall(0.5)):
        assert isinstance(dual_set.interior_form(1), PointForm)


def test_a_box_with_some_fixed_weights_offers_none():
    assert offers(sb.Box(np.zeros(2), np.ones(2)), HasInteriorForm)
    assert offers(sb.Box(np.ones(2), np.ones(2)), HasInteriorForm)
    assert not offers(sb.Box(np.zeros(2), np.array([0.0, 1.0])), HasInteriorForm)


@given(q=st.floats(-1e12, 1e12), width=st.floats(1e-9, 1e3), tau=st.floats(1e-15, 1e3))
def test_slacks_of_two_sided_bounds(q, width, tau):
    s, t = (float(x[0]) for x in two_sided(np.array([q]), width, tau))
    assert s > 0.0
    assert t > 0.0
    assert tau / s + tau / t == pytest.approx(width, rel=1e-12)
    # The difference of the slacks is q up to the rounding error of the larger one.
    assert t - s == pytest.approx(q, rel=1e-9, abs=1e-9 * max(s, t))
