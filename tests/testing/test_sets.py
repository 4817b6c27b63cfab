"""Sets that keep the contract pass; each promise that a set breaks is named."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from saddleback import IncompatibleError, ProblemError, SaddlebackError, Simplex
from saddleback.dual_sets import DualSet, Spectrahedron
from saddleback.hessians import Diagonal
from saddleback.testing import ContractError, check_dual_set, membership_checks, support_checks
from saddleback.testing.sampling import Sample

from .broken import failures, numbers, vector


@pytest.mark.parametrize("n", range(1, 13))
def test_the_simplex_passes(n):
    assert check_dual_set(Simplex(), n) is None


@pytest.mark.parametrize("seed", range(3))
def test_the_simplex_passes_with_every_seed(seed):
    check_dual_set(Simplex(), 4, seed=seed, n_points=5)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_a_set_of_matrices_passes(n):
    check_dual_set(Spectrahedron(), n)


@dataclass(frozen=True)
class Disk(DualSet):
    """The unit disk of fixed dimension: no affine hull, not polyhedral."""

    dimension: int = 3

    @property
    def size(self):
        return self.dimension

    def validate(self, n):
        if n != self.dimension:
            raise ProblemError(f"the disk is in R^{self.dimension}; got {n}.")

    def barrier_parameter(self, n):
        return 1.0

    def barrier(self, lam):
        slack = 1.0 - lam @ lam
        return -np.log(slack) if slack > 0 else np.inf

    def barrier_gradient(self, lam):
        return 2.0 * lam / (1.0 - lam @ lam)

    def barrier_hessian(self, lam):
        slack = 1.0 - lam @ lam
        return 2.0 / slack * np.eye(lam.size) + 4.0 / slack**2 * np.outer(lam, lam)

    def affine_hull(self, n):
        return np.zeros((0, n)), np.zeros(0)

    def center(self, n):
        return np.zeros(n)

    def support(self, z):
        length = np.linalg.norm(z)
        return length, z / length if length > 0 else np.zeros_like(z)

    def contains(self, lam, tol=1e-12):
        return bool(np.linalg.norm(lam) <= 1.0 + tol)

    def restore(self, lam):
        return lam / max(1.0, np.linalg.norm(lam))

    def project(self, x):
        return self.restore(x)

    def tilt(self, prior, z):
        raise IncompatibleError("a disk has negative points.")


def test_a_set_with_an_interior_and_a_fixed_size_passes():
    check_dual_set(Disk(3), 3)
    check_dual_set(Disk(1), 1)


def test_the_same_seed_gives_the_same_message():
    messages = [failures(check_dual_set, WrongGradient(), 5, seed=seed) for seed in (0, 0, 1)]
    assert messages[0] == messages[1] != messages[2]


def test_a_contract_error_is_an_assertion_and_ours():
    assert issubclass(ContractError, AssertionError)
    assert issubclass(ContractError, SaddlebackError)


def test_what_the_set_raises_is_raised_with_a_note():
    class Raises(Simplex):
        def restore(self, lam):
            if lam.min() < 0:
                raise ZeroDivisionError("not yet written")
            return super().restore(lam)

    with pytest.raises(ZeroDivisionError, match="not yet written") as caught:
        check_dual_set(Raises(), 3)
    assert "'restore'" in caught.value.__notes__[0]


# --- kinds and shapes -------------------------------------------------------------------------------------------------


def test_a_class_is_no_set():
    assert "instance" in failures(check_dual_set, Simplex, 3)["protocol"]


def test_a_dimension_that_the_set_refuses():
    assert "validate(4) refuses" in failures(check_dual_set, Disk(3), 4)["protocol"]


def test_a_fixed_size_that_validate_forgets():
    class Forgetful(Disk):
        def validate(self, n):
            pass

    assert "validate(4) accepts" in failures(check_dual_set, Forgetful(3), 3)["validate"]


def test_a_wrong_shape():
    class Column(Simplex):
        def barrier_gradient(self, lam):
            return super().barrier_gradient(lam)[:, None]

    assert "barrier_gradient(lam) has shape (3, 1)" in failures(check_dual_set, Column(), 3)["protocol"]


# --- the barrier ------------------------------------------------------------------------------------------------------


class WrongGradient(Simplex):
    def barrier_gradient(self, lam):
        g = super().barrier_gradient(lam)
        g[2] += 0.01 * lam[2] - 0.01 / lam.size
        return g


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
    assert set(found) <= {"barrier: self_concordant", "barrier: dikin"}


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


# --- support ----------------------------------------------------------------------------------------------------------


def test_a_support_that_is_not_maximal():
    class SecondBest(Simplex):
        def support(self, z):
            j = np.argsort(z)[-2]
            return z[j], np.eye(z.size)[j]

        def support_value(self, z):
            return self.support(z)[0]

    message = failures(check_dual_set, SecondBest(), 4)["maximal"]
    z, lam = vector(message, "at z ="), vector(message, "but lam =")
    told, better = numbers(message, "returns #, but .*<lam, z> = #.")
    assert told == pytest.approx(np.sort(z)[-2], rel=1e-4)
    assert better == pytest.approx(lam @ z, rel=1e-4)
    assert better > told


def test_a_support_that_is_slightly_too_small():
    class Shrunk(Disk):
        def support(self, z):
            value, lam = super().support(z)
            return 0.9999 * value, 0.9999 * lam

    assert "not maximal" in failures(check_dual_set, Shrunk(3), 3)["maximal"]


@pytest.mark.parametrize("factor", [1.0 - 1e-4, 1.0 + 1e-4])
def test_the_central_path_tells_a_wrong_support_value(factor):
    s = Sample.of(Disk(3), 3, 0, 5)
    assert list(support_checks.path(s)) == []
    s.values[0] *= factor
    assert "the central path of the barrier says between" in next(support_checks.path(s))


def test_a_barrier_whose_path_is_lost():
    """Its derivatives are those of another barrier close to the boundary, where no point was drawn."""

    class Cliff(Disk):
        def barrier_gradient(self, lam):
            return super().barrier_gradient(lam) * (1.0 if lam @ lam < 0.9985 else -1.0)

    assert "was lost" in failures(check_dual_set, Cliff(3), 3)["support by the central path"]


def test_a_maximizer_outside_the_set():
    class Outside(Simplex):
        def support(self, z):
            _, lam = super().support(z)
            lam = lam + 0.1 * (lam - 1.0 / z.size)
            return float(lam @ z), lam

    found = failures(check_dual_set, Outside(), 4)
    assert "which contains refuses" in found["attained"]


def test_a_value_that_is_not_its_maximizers():
    class Cheat(Simplex):
        def support(self, z):
            value, lam = super().support(z)
            return value * (1.0 + 1e-6), lam

    assert "but its maximizer has" in failures(check_dual_set, Cheat(), 3)["attained"]


def test_a_support_that_is_not_sublinear():
    class Squared(Disk):
        def support_value(self, z):
            return float(z @ z)

    found = failures(check_dual_set, Squared(2), 2)
    assert "not positively homogeneous" in found["sublinear"]
    assert "support_value is" in found["consistent"]


def test_a_wrong_regret():
    class Merciful(Simplex):
        def regret(self, lam, z):
            return 0.5 * super().regret(lam, z)

    assert "regret is" in failures(check_dual_set, Merciful(), 3)["consistent"]


# --- points -----------------------------------------------------------------------------------------------------------


def test_contains_that_accepts_everything():
    class Anything(Simplex):
        def contains(self, lam, tol=1e-12):
            return True

    message = failures(check_dual_set, Anything(), 3)["contains"]
    assert "contains accepts lam = " in message
    lam = vector(message, "accepts lam =")
    assert lam.min() < 0


def test_contains_that_forgets_the_hull():
    class Cone(Simplex):
        def contains(self, lam, tol=1e-12):
            return bool(lam.min() >= -tol)

    assert "off the affine hull" in failures(check_dual_set, Cone(), 3)["contains"]


def test_contains_that_refuses_its_points():
    class Strict(Simplex):
        def contains(self, lam, tol=1e-12):
            return super().contains(lam, tol) and lam.max() < 0.9

    found = failures(check_dual_set, Strict(), 3)
    assert "contains refuses" in found["contains"]


def test_restore_that_leaves_the_set():
    class Lazy(Simplex):
        def restore(self, lam):
            return lam

    assert "restore leaves the set" in failures(check_dual_set, Lazy(), 3)["restore"]


def test_restore_that_moves_points_of_the_set():
    class Restless(Simplex):
        def restore(self, lam):
            return super().restore(super().restore(lam) + 1e-6)

    assert "restore moves" in failures(check_dual_set, Restless(), 3)["restore"]


def test_restore_that_goes_far():
    class Homesick(Simplex):
        def restore(self, lam):
            return lam if self.contains(lam) else self.center(lam.size)

    assert "restore goes too far" in failures(check_dual_set, Homesick(), 3)["restore"]


def test_strip_that_removes_too_much():
    class Greedy(Simplex):
        def strip(self, z):
            return 0.5 * z

    assert "strip removes more than a normal" in failures(check_dual_set, Greedy(), 3)["strip"]


def test_wrong_bounds():
    class Boxed(Simplex):
        def bounds(self, n):
            return np.zeros(n), np.array([1.1, 0.9, 1.0])

    message = failures(check_dual_set, Boxed(), 3)["bounds"]
    assert "do not contain" in message
    assert "coordinate 1 " in message


def test_bounds_need_not_be_the_least():
    class Wide(Simplex):
        def bounds(self, n):
            return np.zeros(n), np.full(n, 2.0)

    check_dual_set(Wide(), 3)


def test_bounds_are_checked_where_no_point_was_drawn():
    class Boxed(Disk):
        def bounds(self, n):
            return -np.ones(n), np.array([1.0, 1.0, 0.99])

    s = Sample.of(Boxed(3), 3, 0, 1)
    s.maximizers[:], s.edges[:] = 0.0, []
    messages = list(membership_checks.bounds(s))
    assert len(messages) == 1
    assert "coordinate 2 has [-1, 0.99], the support function goes from -1 to 1" in messages[0]


def test_wrong_weights():
    class Light(Simplex):
        def weight_range(self, n):
            return 1.0, 0.5

    assert "weight_range(3)" in failures(check_dual_set, Light(), 3)["bounds"]


def test_a_wrong_reach():
    class Short(Simplex):
        def reach(self, n):
            return 0.5

    assert "reach(3)" in failures(check_dual_set, Short(), 3)["bounds"]


# --- capabilities -----------------------------------------------------------------------------------------------------


def test_a_projection_that_is_not_the_nearest():
    class Normalized(Simplex):
        def project(self, x):
            lam = np.maximum(x, 0.0)
            return lam / lam.sum() if lam.sum() > 0 else self.center(x.size)

    message = failures(check_dual_set, Normalized(), 3)["project"]
    assert "not the nearest point" in message
    x, p, lam = (vector(message, name) for name in ("at x =", "returns", "towards lam ="))
    assert (x - p) @ (lam - p) > 0


def test_a_projection_that_leaves_the_set():
    class Hyperplane(Simplex):
        def project(self, x):
            return x - (x.sum() - 1.0) / x.size

    assert "contains refuses" in failures(check_dual_set, Hyperplane(), 3)["project"]


def test_a_tilt_that_forgets_the_prior():
    class Uniform(Simplex):
        def tilt(self, prior, z):
            return super().tilt(np.ones_like(prior), z)

    assert "does not maximize" in failures(check_dual_set, Uniform(), 3)["tilt"]


def test_a_tilt_that_is_slightly_wrong():
    class Warm(Simplex):
        def tilt(self, prior, z):
            return super().tilt(prior, 1.001 * z)

    assert "does not maximize" in failures(check_dual_set, Warm(), 3)["tilt"]


@pytest.mark.parametrize(("lower", "words"), [(0.1, "exclude lam ="), (-0.1, "describe another set")])
def test_linear_constraints_of_another_set(lower, words):
    class Polyhedron(Simplex):
        def linear_constraints(self, n):
            constraints = super().linear_constraints(n)
            constraints.lower[:] = lower
            return constraints

    assert words in failures(check_dual_set, Polyhedron(), 3)["linear_constraints"]


def test_every_failure_is_listed():
    class Sloppy(WrongGradient):
        restore = staticmethod(lambda lam: lam)

        def contains(self, lam, tol=1e-12):
            return lam.min() >= -1e-14 and super().contains(lam, 1e-14)

    found = failures(check_dual_set, Sloppy(), 5)
    assert {"barrier: gradient", "restore"} <= set(found)


def test_a_single_point_is_checked_without_an_interior():
    class Half(Simplex):
        def support(self, z):
            return 0.5 * float(z[0]), np.array([0.5])

    assert "attained" in failures(check_dual_set, Half(), 1)
