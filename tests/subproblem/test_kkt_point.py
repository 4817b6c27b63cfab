"""The stop of TrustConstr by the inexact KKT conditions of the paper's Lemma 4.1."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.regularizers import Quadratic, Zero
from saddleback.subproblem import DualSubproblem, TrustConstr, resolve_inner
from saddleback.subproblem.qp.kkt_point import KKTPoint

EPS = float(np.finfo(np.float64).eps)


def subproblem(seed: int, n: int, factor: float = 1.0) -> DualSubproblem:
    """factor times a random (D): other units of the objective."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((n, n + 2))
    R = Quadratic(factor * 0.3) if seed % 2 else Zero()
    return DualSubproblem(factor * 0.1 * G @ G.T, factor * rng.standard_normal(n), Adversary(Simplex(), R, n))


@pytest.mark.parametrize("factor", [2.0**-30, 1.0, 2.0**30])
@pytest.mark.parametrize("seed", range(6))
def test_the_conditions_hold_in_the_units_of_the_problem(seed, factor):
    """tol is in units of the objective: (D) times a power of two has the same iterates with tol times it."""
    n = 2 + seed
    problem, plain = subproblem(seed, n, factor), subproblem(seed, n)
    tol = 1e-4 * plain.scale
    solution, reference = (
        TrustConstr(stop="kkt").solve(problem, factor * tol),
        TrustConstr(stop="kkt").solve(plain, tol),
    )
    assert solution.converged
    assert not solution.message
    assert solution.n_iter == reference.n_iter
    np.testing.assert_array_equal(solution.lam, reference.lam)
    assert problem.frank_wolfe_gap(solution.lam) <= factor * tol + 100 * EPS * problem.scale


def test_both_conditions_count():
    """On the central path of 1/tau the residual is 0, and the gap is J/tau at most: the stop asks 1/tau <= eps_tau. At
    one lam with a smaller 1/tau the residual is large: it asks |r| <= eps_g as well."""
    n, tol = 3, 1e-2
    lam = np.array([0.7, 0.2, 0.1])
    for inverse, shift, done in ((tol / 6, 0.0, True), (1.01 * tol / 6, 0.0, False), (tol / 6, 0.6 * tol, False)):
        c = -inverse / lam - np.array([shift, 0.0, 0.0])
        point = KKTPoint(DualSubproblem(np.zeros((n, n)), c, Adversary(Simplex(), Zero(), n)), tol)
        point.offer(lam, inverse)
        assert point.done is done
        assert point.residual == pytest.approx(shift / 2, abs=1e-12)
    # eps_g = tol/4: a residual just below it is accepted, although the measured gap is far above 1/tau.
    c = -tol / 6 / lam - np.array([0.49 * tol, 0.0, 0.0])
    point = KKTPoint(DualSubproblem(np.zeros((n, n)), c, Adversary(Simplex(), Zero(), n)), tol)
    point.offer(lam, tol / 6)
    assert point.done


def test_the_first_point_that_satisfies_them_is_the_answer():
    n, tol = 2, 1.0
    problem = DualSubproblem(np.zeros((n, n)), np.zeros(n), Adversary(Simplex(), Zero(), n))
    point = KKTPoint(problem, tol)
    point.offer(np.array([0.6, 0.4]), 0.01)
    assert point.done
    point.offer(np.array([0.5, 0.5]), 0.0)
    np.testing.assert_array_equal(point.lam, [0.6, 0.4])


def test_a_point_on_the_boundary_is_not_taken():
    problem = subproblem(0, 3)
    point = KKTPoint(problem, 1e-3)
    point.offer(np.array([1.0, 0.0, 0.0]), 1e-9)
    assert not point.done
    assert not np.isfinite(point.bound)


def test_below_rounding_it_says_so_and_returns_the_least_bound():
    problem = subproblem(1, 5)
    solution = TrustConstr(stop="kkt").solve(problem, 1e-15 * problem.scale)
    assert not solution.converged
    assert solution.message.startswith("trust-constr reached 1/tau = ")
    assert "rounding" in solution.message
    assert solution.gap <= 1e-4 * problem.scale
    assert problem.adversary.dual_set.contains(solution.lam)


def test_a_single_loss_needs_no_iteration():
    problem = DualSubproblem(np.ones((1, 1)), np.ones(1), Adversary(Simplex(), Zero(), 1))
    solution = TrustConstr(stop="kkt").solve(problem, 1e-6)
    assert (solution.converged, solution.n_iter, solution.lam.tolist()) == (True, 0, [1.0])


def test_other_sets_and_regularizers_are_refused():
    kkt = TrustConstr(stop="kkt")
    with pytest.raises(sb.IncompatibleError, match="needs a dual set of type Simplex; CappedSimplex is not one"):
        resolve_inner(kkt, Adversary(sb.CappedSimplex(0.5), Zero(), 3))
    with pytest.raises(sb.IncompatibleError, match="Entropy has no 'quadratic_form'"):
        resolve_inner(kkt, Adversary(Simplex(), sb.Entropy(0.1), 3))
    resolve_inner(TrustConstr(), Adversary(sb.CappedSimplex(0.5), sb.Entropy(0.1), 3))
    with pytest.raises(sb.ProblemError, match="unknown stop of TrustConstr 'gtol'; expected one of 'gap', 'kkt'"):
        TrustConstr(stop="gtol")
