"""Barriers, hulls and centers that break the contract of a set, each named with what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from saddleback import Simplex
from saddleback.linalg.hessians import Diagonal
from saddleback.testing import check_dual_set

from .broken import failures, numbers, vector
from .sets import Disk, WrongGradient


def test_a_wrong_gradient_names_direction_and_coordinate():
    message = failures(check_dual_set, WrongGradient(), 5)["barrier: gradient"]
    assert "barrier_gradient is wrong at lam = " in message
    assert "worst coordinate is 2," in message
    # The error is a multiple of e_2, projected on the hull.
    u = np.abs(vector(message, "in the direction"))
    np.testing.assert_allclose(u, np.abs(np.eye(5)[2] - 0.2) / np.sqrt(0.8), atol=1e-4)
    lam = vector(message, "lam =")
    expected, got = numbers(message, "differences give #, the formula #. ")
    assert got - expected == pytest.approx(0.01 * abs(lam[2] - 0.2) * np.sqrt(0.8), rel=1e-3)


DIRECTION = np.array([2.0, -1.0, -1.0, 0.0]) / np.sqrt(6.0)


class WrongHessian(Simplex):
    """Too large by one per cent along one direction."""

    def barrier_hessian(self, lam):
        H = np.diag(super().barrier_hessian(lam))
        return H + 0.01 * (DIRECTION @ H @ DIRECTION) * np.outer(DIRECTION, DIRECTION)


def test_a_wrong_hessian_names_the_direction():
    found = failures(check_dual_set, WrongHessian(), 4)
    message = found["barrier: hessian"]
    np.testing.assert_allclose(vector(message, "in the direction"), DIRECTION, atol=1e-4)
    expected, got = numbers(message, "quadratic form #, the formula #. ")
    assert got == pytest.approx(1.01 * expected, rel=1e-6)
    assert "worst coordinate is 0, in entry (0, 0)" in message
    assert "barrier: gradient" not in found


def test_a_hessian_that_is_not_symmetric():
    class Crooked(Simplex):
        def barrier_hessian(self, lam):
            H = np.diag(super().barrier_hessian(lam))
            H[0, 2] += 0.1
            return H

    assert "entry (0, 2)" in failures(check_dual_set, Crooked(), 4)["barrier: hessian"]


def test_a_hessian_that_is_not_definite():
    class Flat(Disk):
        def barrier_hessian(self, lam):
            H = super().barrier_hessian(lam)
            H[1], H[:, 1] = 0.0, 0.0
            return H

    message = failures(check_dual_set, Flat(3), 3)["barrier: positive_definite"]
    np.testing.assert_allclose(np.abs(vector(message, "in the direction")), [0.0, 1.0, 0.0], atol=1e-6)


def test_a_hessian_that_does_not_solve():
    class Unsolved(Diagonal):
        def solve(self, rows):
            return rows * self.d

    class Structured(Simplex):
        def barrier_hessian(self, lam):
            return Unsolved(super().barrier_hessian(lam))

    assert "cannot be solved with" in failures(check_dual_set, Structured(), 4)["barrier: positive_definite"]


def test_a_parameter_that_is_too_small():
    class Optimist(Simplex):
        def barrier_parameter(self, n):
            return 0.9 * (n - 1)

    message = failures(check_dual_set, Optimist(), 6)["barrier: parameter"]
    assert "barrier_parameter(6) = 4.5 is too small" in message
    # Close to a corner the decrement of the simplex nearly is n - 1.
    assert 4.5 < numbers(message, "nu must be at least #")[0] < 5.0


@dataclass(frozen=True)
class Scaled(Simplex):
    """A multiple of the barrier: self-concordant for factors >= 1 only."""

    factor: float = 1.0

    def barrier_parameter(self, n):
        return self.factor * n

    def barrier(self, lam):
        return self.factor * super().barrier(lam)

    def barrier_gradient(self, lam):
        return self.factor * super().barrier_gradient(lam)

    def barrier_hessian(self, lam):
        return self.factor * super().barrier_hessian(lam)


def test_a_barrier_that_is_not_self_concordant():
    check_dual_set(Scaled(2.0), 4)
    found = failures(check_dual_set, Scaled(0.9), 4)
    message = found["barrier: self_concordant"]
    assert "at most 2 is allowed" in message
    # |D3| <= 2/sqrt(0.9) D2^(3/2), and nearly so where one coordinate is small.
    assert 2.0 < numbers(message, r"\|D3\| = # D2")[0] <= 2.0 / np.sqrt(0.9) + 1e-5
    assert set(found) <= {"barrier: self_concordant", "barrier: dikin", "barrier: full_steps"}


def test_a_set_that_claims_to_prove_gaps_and_does_not():
    """Steps of length 1 in the norm of half the barrier are too long; without the claim nothing is tested."""

    class Modest(Scaled):
        @property
        def proves_gaps(self):
            return False

    message = failures(check_dual_set, Scaled(0.5), 4)["barrier: full_steps"]
    assert "proves_gaps is wrong" in message
    assert numbers(message, "lam - mu - p> = # for some lam")[0] > 2.0
    assert "barrier: full_steps" not in failures(check_dual_set, Modest(0.5), 4)


def test_a_dikin_ellipsoid_that_leaves_the_set():
    assert "barrier: dikin" in failures(check_dual_set, Scaled(0.5), 4)


def test_a_barrier_that_is_finite_again_far_outside():
    class Relapse(Disk):
        def barrier(self, lam):
            return 0.0 if lam @ lam > 4.0 else super().barrier(lam)

    class Ring(Disk):
        def barrier(self, lam):
            return 0.0 if 2.0 < lam @ lam < 3.0 else super().barrier(lam)

    class Half(Disk):
        """Unbounded to one side."""

        def barrier(self, lam):
            return super().barrier(np.minimum(lam, 0.5))

    assert "Return inf outside" in failures(check_dual_set, Relapse(2), 2)["barrier: domain"]
    assert "Lambda must be bounded" in failures(check_dual_set, Half(2), 2)["bounded"]
    assert "Return inf outside" in failures(check_dual_set, Ring(2), 2)["barrier: domain"]


def test_a_barrier_of_a_smaller_set():
    class Smaller(Disk):
        def support(self, z):
            value, lam = super().support(z)
            return 1.1 * value, 1.1 * lam

        def contains(self, lam, tol=1e-12):
            return bool(np.linalg.norm(lam) <= 1.1 + tol)

    assert "different sets" in failures(check_dual_set, Smaller(2), 2)["barrier: domain"]


def test_a_barrier_that_is_not_smooth():
    class Rough(Disk):
        def barrier(self, lam):
            return super().barrier(lam) + 0.1 * abs(np.sin(1e3 * lam[0]))

    assert "do not converge" in failures(check_dual_set, Rough(2), 2)["barrier: gradient"]


# --- hull and center --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("E", "e", "check", "words"),
    [
        (np.ones((1, 3)), [2.0], "center", "off the affine hull"),
        (np.zeros((0, 3)), [], "center", "does not minimize the barrier"),
        (np.ones((2, 3)), [1.0, 1.0], "affine_hull", "2 rows of rank 1"),
        ([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]], [1.0, 0.0], "attained", "off the affine hull"),
    ],
    ids=["shifted", "missing", "repeated", "too small"],
)
def test_a_wrong_affine_hull(E, e, check, words):
    class Tilted(Simplex):
        def affine_hull(self, n):
            return np.array(E), np.array(e)

    assert words in failures(check_dual_set, Tilted(), 3)[check]


def test_a_center_that_is_not_the_analytic_one():
    class Lopsided(Simplex):
        def center(self, n):
            lam = np.arange(1.0, n + 1.0)
            return lam / lam.sum()

    assert "does not minimize the barrier" in failures(check_dual_set, Lopsided(), 4)["center"]
