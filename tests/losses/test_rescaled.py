"""Losses in rescaled parameters, and the metric of a problem."""

from __future__ import annotations

import copy
import re
from dataclasses import fields

import numpy as np
import pytest
from calls import CENTERS, CIRCLE, Calls, quadratics

import saddleback as sb
from saddleback.capabilities import lack, members, offers
from saddleback.engine.oracle import Oracle
from saddleback.losses import LossFacts, RescaledLosses
from saddleback.losses.base import (
    HasHessian,
    HasHessianSample,
    HasJacobianError,
    HasLossHessians,
    HasParameterScales,
    HasSampledHessian,
    HasSampledLossHessians,
    HasSmoothness,
    HasValues,
)
from saddleback.subproblem import resolve_inner

SCALE = np.array([2.0, 0.5])
# The optional members that the protocol documents, each by its name at the head of a paragraph.
DOCUMENTED = set(re.findall(r"^ *``(\w+)", sb.Losses.__doc__, re.MULTILINE))
CAPABILITIES = [
    HasValues,
    HasHessian,
    HasLossHessians,
    HasSampledHessian,
    HasSampledLossHessians,
    HasHessianSample,
    HasSmoothness,
    HasParameterScales,
    HasJacobianError,
]
FACTS = [fact.name for fact in fields(LossFacts)]


class Bare:
    n_losses, n_params = 3, 2

    @staticmethod
    def evaluate(w):
        return quadratics(w)


class Full(Bare):
    strong_convexity = 1.0
    exact_jacobian = False
    values_first = True
    n_entries = 6
    convex = True
    bounded_below = True
    matrix_size = 2

    @staticmethod
    def parameter_scales():
        return np.array([3.0, 5.0])

    @staticmethod
    def jacobian_error(w):
        return 1e-3 * np.abs(quadratics(w)[1])

    @staticmethod
    def values(w):
        return quadratics(w)[0]

    @staticmethod
    def hessian(w, lam):
        return lam.sum() * np.eye(2) + np.outer(w, w)

    @staticmethod
    def loss_hessians(w, which):
        return np.array([(1 + j) * np.eye(2) + np.outer(w, w) for j in which])

    @staticmethod
    def sampled_hessian(w, lam, V):
        H = Full.hessian(w, lam)
        return H if V is None else V @ H @ V.T

    @staticmethod
    def sampled_loss_hessians(w, which):
        return 1.5 * Full.loss_hessians(w, which)

    @staticmethod
    def sampled_margins(V):
        return V

    @staticmethod
    def hessian_on_margins(w, lam, T):
        return Full.sampled_hessian(w, lam, T) - lam.sum() * (T * Full.penalty_diagonal()) @ T.T

    @staticmethod
    def penalty_diagonal():
        return np.array([0.5, 0.25])

    @staticmethod
    def smoothness():
        return 1.0


class Plain(Full):
    """The same as losses that are no matrix."""

    matrix_size = None


def test_every_documented_member_is_a_capability_or_a_fact():
    assert {name for capability in CAPABILITIES for name in members(capability)} | set(FACTS) == DOCUMENTED


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_a_capability_is_offered_exactly_when_the_losses_offer_it(capability):
    assert offers(RescaledLosses(Full(), SCALE), capability)
    name = members(capability)[0]
    assert lack(RescaledLosses(Bare(), SCALE), capability) == f"Bare has no {name!r}"
    assert lack(RescaledLosses(RescaledLosses(Bare(), SCALE), SCALE), capability) == f"Bare has no {name!r}"


@pytest.mark.parametrize("fact", FACTS)
def test_defaults_of_facts_are_those_of_the_losses(fact):
    rescaled = getattr(LossFacts.of(RescaledLosses(Bare(), SCALE)), fact)
    np.testing.assert_array_equal(rescaled, getattr(LossFacts.of(Bare()), fact))


def test_chain_rule():
    losses = RescaledLosses(Full(), SCALE)
    v = np.array([0.7, -0.4])
    f, G = losses.evaluate(v)
    inner_f, inner_G = quadratics(v / SCALE)
    np.testing.assert_array_equal(f, inner_f)
    np.testing.assert_allclose(G, inner_G / SCALE)
    np.testing.assert_array_equal(losses.values(v), f)
    assert (losses.n_losses, losses.n_params) == (3, 2)
    lam = np.array([0.2, 0.3, 0.5])
    hessian = losses.hessian(v, lam)
    np.testing.assert_allclose(hessian, Full.hessian(v / SCALE, lam) / np.outer(SCALE, SCALE))
    np.testing.assert_allclose(losses.jacobian_error(v), 1e-3 * np.abs(G))
    step = 1e-6
    differences = [(losses.evaluate(v + e)[1] - losses.evaluate(v - e)[1]) / (2 * step) for e in step * np.eye(2)]
    np.testing.assert_allclose(differences[0][0], [1 / SCALE[0] ** 2, 0], atol=1e-8)


def test_hessians_of_single_losses():
    v, which = np.array([0.7, -0.4]), np.array([2, 0])
    expected = Full.loss_hessians(v / SCALE, which) / np.outer(SCALE, SCALE)
    losses = RescaledLosses(Full(), SCALE)
    np.testing.assert_allclose(losses.loss_hessians(v, which), expected)
    np.testing.assert_allclose(losses.sampled_loss_hessians(v, which), 1.5 * expected)


def test_a_sampled_hessian_follows_its_directions():
    losses, v, lam = RescaledLosses(Full(), SCALE), np.array([0.7, -0.4]), np.array([0.2, 0.3, 0.5])
    V = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])
    H = losses.hessian(v, lam)
    np.testing.assert_allclose(losses.sampled_hessian(v, lam, None), H)
    np.testing.assert_allclose(losses.sampled_hessian(v, lam, V), V @ H @ V.T)
    parts = losses.hessian_on_margins(v, lam, losses.sampled_margins(V)), losses.penalty_diagonal()
    np.testing.assert_allclose(parts[0] + lam.sum() * (V * parts[1]) @ V.T, V @ H @ V.T)


@pytest.mark.parametrize(
    "name", ["values_first", "n_entries", "matrix_size", "exact_jacobian", "convex", "bounded_below"]
)
def test_what_does_not_depend_on_coordinates_stays(name):
    assert getattr(RescaledLosses(Full(), SCALE), name) == getattr(Full, name)


@pytest.mark.parametrize("method", ["auto", "accelerated", "prox-linear"])
def test_a_metric_on_matrices_of_losses(method):
    """F(w) = F0 + w1 F1 + w2 F2 with the metric of the stretched parameters: the answer of the plain problem."""
    rng = np.random.default_rng(1)
    F = rng.normal(size=(3, 4, 4))
    F += F.transpose(0, 2, 1)
    F -= np.eye(4) * np.trace(F, axis1=1, axis2=2)[:, None, None] / 4
    plain = sb.solve(sb.Problem(sb.AffineMatrix(F[0], F[1:]), sb.Spectrahedron()), tol=1e-8)
    stretch = np.array([100.0, 0.1])
    losses = sb.AffineMatrix(F[0], stretch[:, None, None] * F[1:])
    result = sb.solve(sb.Problem(losses, sb.Spectrahedron(), metric=stretch**2), method=method, tol=1e-6, max_iter=5000)
    assert plain.success
    assert result.success
    assert result.value == pytest.approx(plain.value, abs=2e-6)
    assert result.losses.shape == result.dual.shape == (4, 4)


def test_constants_bound_the_curvature_in_the_new_coordinates():
    """Each loss has Hessian diag(1 / scale^2): strong convexity per coordinate, smoothness its largest."""
    problem = sb.Problem(RescaledLosses(Plain(), SCALE))
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), np.zeros(2), 1e-6)
    np.testing.assert_allclose(oracle.strong_convexity, 1 / SCALE**2)
    assert oracle.smoothness == pytest.approx(1 / SCALE.min() ** 2)


def test_convexity_and_sizes_of_parameters():
    """Scales of v = scale w are multiplied by scale, and convexity is kept."""
    losses = RescaledLosses(Full(), SCALE)
    np.testing.assert_array_equal(losses.parameter_scales(), [6.0, 2.5])
    assert losses.convex is True


def test_strong_convexity_per_coordinate():
    class PerCoordinate(Bare):
        strong_convexity = np.array([1.0, 0.0])

    problem = sb.Problem(RescaledLosses(PerCoordinate(), SCALE))
    oracle = Oracle(problem, resolve_inner("auto", problem.adversary), np.zeros(2), 1e-6)
    np.testing.assert_allclose(oracle.strong_convexity, [1 / SCALE[0] ** 2, 0.0])


def test_copies_survive():
    again = copy.deepcopy(RescaledLosses(Full(), SCALE))
    np.testing.assert_array_equal(again.factors, SCALE)


@pytest.mark.parametrize("losses", [Bare(), Plain()])
@pytest.mark.parametrize("metric", [1.0, 4.0, [100.0, 0.01], 1e-6, 1e6])
def test_the_answer_does_not_depend_on_the_metric(losses, metric):
    result = sb.solve(sb.Problem(losses, metric=metric), [2.0, 1.0], tol=1e-8)
    assert result.success
    assert result.value == pytest.approx(CIRCLE, abs=1e-7)
    np.testing.assert_allclose(result.losses, quadratics(result.w)[0], rtol=1e-14)


def test_value_is_that_of_the_problem_with_the_metric():
    problem = sb.Problem(Plain(), metric=[3.0, 0.7])
    result = sb.solve(problem, [2.0, 1.0])
    assert result.value == problem.value(result.w)


def test_rescaling_parameters_and_metric_together_changes_nothing():
    """u = s w with metric P / s^2: the same run, to rounding of the powers of two (none)."""
    s = 2.0 ** np.array([3, -5])

    def rescaled(u):
        f, G = quadratics(u / s)
        return f, G / s

    plain = sb.minimax(quadratics, [2.0, 1.0], jac=True, metric=[1.0, 4.0])
    moved = sb.minimax(rescaled, s * [2.0, 1.0], jac=True, metric=[1.0, 4.0] / s**2)
    assert plain.n_evals == moved.n_evals
    np.testing.assert_array_equal(plain.history.value, moved.history.value)
    np.testing.assert_array_equal(plain.w, moved.w / s)
    assert plain.gap == moved.gap


def test_a_good_metric_helps():
    """Losses stretched by 1e3 along one coordinate: the metric undoes it."""
    stretch = np.array([1e3, 1.0])

    def fun(w):
        f, G = quadratics(stretch * w)
        return f, G * stretch

    w0 = [2e-3, 1.0]
    good = sb.minimax(fun, w0, jac=True, metric=stretch**2, tol=1e-6)
    plain = sb.minimax(quadratics, [2.0, 1.0], jac=True, tol=1e-6)
    assert good.success
    assert abs(good.n_evals - plain.n_evals) <= 2


def test_the_radius_is_meant_in_the_metric():
    class Flat(Bare):
        pass

    result = sb.solve(sb.Problem(Flat(), metric=4.0), [2.0, 1.0], radius=3.0)
    assert result.radius == 3.0
    # |v - w|_P <= 3 is |v - w| <= 1.5: the bound must hold there.
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(50, 2)):
        v = result.w + 1.5 * direction / np.linalg.norm(direction)
        assert quadratics(v)[0].max() >= result.lower_bound


def test_the_callback_sees_parameters_in_the_users_coordinates():
    seen = []
    fun = Calls(quadratics)
    sb.minimax(fun, [2.0, 1.0], jac=True, metric=[9.0, 0.25], callback=lambda p: seen.append((p.w, p.losses)))
    for w, losses in seen:
        np.testing.assert_allclose(quadratics(w)[0], losses, rtol=1e-14)
    np.testing.assert_allclose(seen[0][0], [2.0, 1.0], rtol=1e-15)
    assert len(CENTERS) == len(seen[0][1])
