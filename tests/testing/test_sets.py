"""Sets that keep the contract pass; each promise that a set breaks is named."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback import SaddlebackError, Simplex
from saddleback.dual_sets import DualSet, Spectrahedron
from saddleback.testing import ContractError, check_dual_set, membership_checks, support_checks
from saddleback.testing.sampling import BarrierSample

from .broken import failures, numbers, vector
from .sets import Disk, WrongGradient


@pytest.mark.parametrize("n", range(1, 13))
def test_the_simplex_passes(n):
    assert check_dual_set(Simplex(), n) is None


@pytest.mark.parametrize("seed", range(3))
def test_the_simplex_passes_with_every_seed(seed):
    check_dual_set(Simplex(), 4, seed=seed, n_points=5)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_a_set_of_matrices_passes(n):
    check_dual_set(Spectrahedron(), n)


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
    s = BarrierSample.of(Disk(3), 3, 0, 5)
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
    assert "support(z) must be the largest <lam, z> of the points that contains accepts" in found["attained"]


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
        def tangent_part(self, z):
            return 0.5 * z

    assert "tangent_part removes more than a normal" in failures(check_dual_set, Greedy(), 3)["tangent_part"]


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

    s = BarrierSample.of(Boxed(3), 3, 0, 1)
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
        def largest_weight(self, n):
            return 0.5

    assert "largest_weight(3)" in failures(check_dual_set, Short(), 3)["bounds"]


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


class Least(DualSet):
    """The simplex, with the least <lam, z> in place of the largest."""

    def support(self, z):
        lam = np.eye(z.size)[int(np.argmin(z))]
        return float(z.min()), lam


def test_the_least_in_place_of_the_largest_is_named():
    told = failures(check_dual_set, Least(), 3)["attained"]
    assert "support(z) must be the largest <lam, z>; this one seems to be the least" in told
