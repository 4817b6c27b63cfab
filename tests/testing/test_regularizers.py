"""Regularizers that keep the contract pass; each promise that one breaks is named."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import xlogy

from saddleback import Entropy, IncompatibleError, Quadratic, Simplex, Zero
from saddleback.dual_sets import Spectrahedron
from saddleback.regularizers import Regularizer
from saddleback.testing import check_regularizer

from .broken import failures, numbers, vector
from .sets import Disk


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12])
@pytest.mark.parametrize(
    "regularizer", [Zero(), Quadratic(0.01), Quadratic(30.0), Entropy(0.01), Entropy(1.0)], ids=str
)
def test_ours_pass_on_the_simplex(regularizer, n):
    assert check_regularizer(regularizer, Simplex(), n) is None


def test_centers_and_priors_pass():
    check_regularizer(Quadratic(0.1, [0.2, 0.3, 0.6]), Simplex(), 3)
    check_regularizer(Entropy(0.1, [0.2, 0.3, 0.5]), Simplex(), 3)


@pytest.mark.parametrize("regularizer", [Zero(), Quadratic(0.3)], ids=str)
def test_ours_pass_on_other_sets(regularizer):
    check_regularizer(regularizer, Spectrahedron(), 6)
    check_regularizer(regularizer, Disk(3), 3)


def test_a_pair_that_does_not_fit_is_refused_as_ever():
    with pytest.raises(IncompatibleError, match="negative"):
        check_regularizer(Entropy(0.1), Disk(3), 3)


def test_a_class_is_no_regularizer():
    assert "instance" in failures(check_regularizer, Zero, Simplex(), 3)["resolve"]


def test_a_resolve_without_a_return():
    class Forgetful(Zero):
        def resolve(self, dual_set, n):
            pass

    assert "resolve returns None" in failures(check_regularizer, Forgetful(), Simplex(), 3)["resolve"]


def test_a_wrong_shape():
    class Tall(Zero):
        def gradient(self, lam):
            return np.zeros((lam.size, 1))

    assert "gradient(lam) has shape (3, 1)" in failures(check_regularizer, Tall(), Simplex(), 3)["protocol"]


# --- derivatives ------------------------------------------------------------------------------------------------------


def test_a_wrong_gradient_names_direction_and_coordinate():
    class Wrong(Entropy):
        def gradient(self, lam):
            g = super().gradient(lam)
            g[1] += 1e-3 * self.gamma * lam[1]
            return g

        def resolve(self, dual_set, n):
            return self

    found = failures(check_regularizer, Wrong(0.1), Simplex(), 4)
    message = found["gradient"]
    assert "worst coordinate is 1," in message
    np.testing.assert_allclose(vector(message, "in the direction"), (np.eye(4)[1] - 0.25) / np.sqrt(0.75), atol=1e-4)
    expected, got = numbers(message, "differences give #, the formula #. ")
    assert got - expected == pytest.approx(1e-4 * vector(message, "lam =")[1] * np.sqrt(0.75), rel=1e-2)


def test_a_wrong_hessian_names_the_direction():
    class Wrong(Quadratic):
        def hessian(self, lam):
            return self.gamma * (np.eye(4) + 0.01 * np.outer(v, v))

    v = np.array([1.0, -1.0, 0.0, 0.0]) / np.sqrt(2.0)
    message = failures(check_regularizer, Wrong(0.1), Simplex(), 4)["hessian"]
    np.testing.assert_allclose(np.abs(vector(message, "in the direction")), np.abs(v), atol=1e-4)
    expected, got = numbers(message, "quadratic form #, the formula #. ")
    assert got == pytest.approx(1.01 * expected, rel=1e-6)


# --- convexity --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Separable(Regularizer):
    """sum_j r(lam_j); best responses are the inner solver's."""

    modulus: float = 0.0

    @property
    def strong_convexity(self):
        return self.modulus

    def value(self, lam):
        return float(self.r(lam)[0].sum())

    def gradient(self, lam):
        return self.r(lam)[1]

    def hessian(self, lam):
        return self.r(lam)[2]


class Mild(Separable):
    """0.1 lam (1 + log lam): an entropy that has no formula here."""

    def r(self, lam):
        return 0.1 * (xlogy(lam, lam) + lam), 0.1 * (np.log(lam) + 2.0), 0.1 / lam


@pytest.mark.parametrize("dual_set", [Simplex(), Disk(3)], ids=str)
def test_a_quadratic_without_a_formula_passes(dual_set):
    class Formless(Separable):
        def r(self, lam):
            return 0.5 * lam**2, lam, np.ones_like(lam)

    check_regularizer(Formless(1.0), dual_set, 3)


def test_an_entropy_without_a_formula_passes():
    check_regularizer(Mild(0.1), Simplex(), 4)


class Concave(Separable):
    def r(self, lam):
        return -0.5 * lam**2, -lam, -np.ones_like(lam)


def test_a_regularizer_that_is_not_convex():
    message = failures(check_regularizer, Concave(), Simplex(), 3)["convex"]
    assert "R is not convex at lam = " in message
    assert numbers(message, "quadratic form #")[0] == pytest.approx(-1.0)


def test_a_modulus_that_is_too_large():
    class Boastful(Quadratic):
        @property
        def strong_convexity(self):
            return 1.01 * self.gamma

    message = failures(check_regularizer, Boastful(0.1), Simplex(), 3)["strongly_convex"]
    assert "strong_convexity = 0.101 is too large" in message
    assert numbers(message, "R curves by # only")[0] == pytest.approx(0.1)


def test_a_modulus_that_is_too_large_between_points_only():
    """On a single chord, where the Hessian does not tell."""

    class Lying(Quadratic):
        @property
        def strong_convexity(self):
            return 2.0 * self.gamma

        def hessian(self, lam):
            return np.full_like(lam, 2.0 * self.gamma)

    assert "in the middle" in failures(check_regularizer, Lying(0.1), Simplex(), 3)["strongly_convex"]


class Steep(Separable):
    """exp(50 lam): its third derivative is 50 times the second, and the barrier allows 3/lam times."""

    def r(self, lam):
        e = np.exp(50.0 * (lam - 1.0))
        return e, 50.0 * e, 2500.0 * e


def test_a_regularizer_that_is_not_compatible():
    found = failures(check_regularizer, Steep(), Simplex(), 3)
    message = found["compatible"]
    assert "R is not compatible with the barrier at lam = " in message
    third, limit = numbers(message, r"\|D3\| = #, more than 2 D2\^\(3/2\) = #")
    assert third > limit
    assert "gradient" not in found
    assert "hessian" not in found


# --- best responses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.5, 1.01])
def test_a_wrong_best_response(factor):
    class Mistaken(Quadratic):
        def best_response(self, dual_set, z):
            return super().best_response(dual_set, factor * z)

        gap = Regularizer.gap

    message = failures(check_regularizer, Mistaken(0.5), Simplex(), 4)["optimal"]
    assert "best_response at z = " in message
    assert "is not the best" in message


def test_a_best_response_outside_the_set():
    class Escaped(Quadratic):
        def best_response(self, dual_set, z):
            return super().best_response(dual_set, z) + 1e-6

    assert "not in Lambda" in failures(check_regularizer, Escaped(0.5), Simplex(), 4)["attained"]


def test_a_value_that_is_not_its_best_responses():
    class Rounded(Quadratic):
        def conjugate(self, dual_set, z):
            return super().conjugate(dual_set, z) + 1e-6

    assert "conjugate says h(z)" in failures(check_regularizer, Rounded(0.5), Simplex(), 4)["attained"]


def test_a_wrong_gap():
    class Doubled(Quadratic):
        def gap(self, dual_set, lam, z):
            return 2.0 * super().gap(dual_set, lam, z)

    class Negative(Quadratic):
        def gap(self, dual_set, lam, z):
            return -super().gap(dual_set, lam, z)

    assert "expected h(z) - <lam, z> + R(lam)" in failures(check_regularizer, Doubled(0.5), Simplex(), 4)["gap"]
    assert "gap is negative" in failures(check_regularizer, Negative(0.5), Simplex(), 4)["gap"]


def test_a_wrong_difference():
    class Swapped(Quadratic):
        def difference(self, lam, mu):
            return super().difference(mu, lam)

    assert "expected value(lam) - value(mu)" in failures(check_regularizer, Swapped(0.5), Simplex(), 4)["difference"]


def test_a_wrong_quadratic_form():
    class Uncentered(Quadratic):
        def quadratic_form(self, n):
            return np.full(n, self.gamma), np.zeros(n)

    check_regularizer(Uncentered(0.5, [0.0, 0.0, 0.0]), Simplex(), 3)
    found = failures(check_regularizer, Uncentered(0.5, [1.0, 0.0, 0.0]), Simplex(), 3)
    assert "another function than R" in found["quadratic_form"]


def test_a_best_response_that_only_the_central_path_finds():
    """Its support function, in which the first-order condition is stated, is wrong as well."""

    class Inner(Disk):
        """A disk whose maximizers are those of a smaller one."""

        def support(self, z):
            value, lam = super().support(z)
            return 0.5 * value, 0.5 * lam

        def project(self, x):
            return x * min(1.0, 0.5 / np.linalg.norm(x)) if x.any() else x

    found = failures(check_regularizer, Quadratic(0.5), Inner(3), 3)
    assert {"optimal", "best response by the central path"} & set(found)
