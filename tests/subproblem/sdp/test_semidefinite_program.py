"""(D) on the spectrahedron by the interior-point method, against path following and the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import saddleback as sb
from saddleback.linalg import svec
from saddleback.linalg.sparse_jacobian import SparseJacobian
from saddleback.machine.clock import Clock, OutOfTime
from saddleback.subproblem import (
    Auto,
    DualSubproblem,
    FactoredSubproblem,
    PathFollowing,
    SemidefiniteProgram,
    SparseSubproblem,
    adversary_of,
    gives_primal,
)

SPECTRAHEDRON = sb.Spectrahedron()


def adversary(k, regularizer=None):
    return adversary_of(SPECTRAHEDRON, regularizer or sb.Zero(), svec.length(k))


def subproblem(seed, k, r, *, size=1.0, traces=True):
    """Random F and c; a ``size`` of 1e5 makes Q large, as a step on affine losses does."""
    rng = np.random.default_rng(seed)
    F, c = rng.standard_normal((svec.length(k), r)), rng.standard_normal(svec.length(k))
    if not traces:
        identity = svec.pack(np.eye(k)) / np.sqrt(k)
        F -= np.outer(identity, identity @ F)
    return FactoredSubproblem(size * F, c, adversary(k))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("k", "r"), [(1, 1), (2, 1), (2, 2), (3, 5), (5, 3), (8, 20), (12, 60)])
def test_agrees_with_path_following(k, r, seed):
    problem = subproblem(seed, k, r)
    tol = 1e-9
    ours = SemidefiniteProgram().solve(problem, tol)
    theirs = PathFollowing().solve(problem, tol)
    assert ours.converged
    assert SPECTRAHEDRON.contains(ours.lam)
    assert abs(problem.objective(ours.lam) - problem.objective(theirs.lam)) <= 2 * tol


@pytest.mark.parametrize("seed", range(4))
def test_large_q_is_solved_to_the_rounding_of_c(seed):
    """The measured gap of lam alone is limited by Q, that of lam and u is not."""
    problem = subproblem(seed, 10, 20, size=1e5, traces=False)
    solution = SemidefiniteProgram().solve(problem, 1e-9)
    assert solution.converged
    assert solution.primal is not None
    assert solution.least_gap <= 1e-9
    assert problem.rounding_floor > 1e-6
    assert problem.pair_gap(solution.lam, solution.primal.u) == solution.primal.gap


@pytest.mark.parametrize("kind", [sb.Zero(), sb.VonNeumann(0.3)])
def test_pair_gap_is_the_duality_gap(kind):
    """h(c + F u) + 1/2 |u|^2 minus the value of (D), which is the cross-evaluation gap at u = -F' lam."""
    rng = np.random.default_rng(0)
    k, r = 5, 4
    F, c = rng.standard_normal((svec.length(k), r)), rng.standard_normal(svec.length(k))
    problem = FactoredSubproblem(F, c, adversary(k, kind))
    lam = SPECTRAHEDRON.restore(svec.pack(np.diag(rng.dirichlet(np.ones(k)))))
    for u in (-lam @ F, rng.standard_normal(r), np.zeros(r)):
        primal = problem.adversary.value(c + F @ u) + 0.5 * u @ u
        assert problem.pair_gap(lam, u) == pytest.approx(primal + problem.objective(lam), abs=1e-12)
    assert problem.pair_gap(lam, -lam @ F) == pytest.approx(problem.cross_evaluation_gap(lam), abs=1e-12)
    best = PathFollowing().solve(problem, 1e-10).lam
    assert problem.pair_gap(lam, rng.standard_normal(r)) >= problem.objective(lam) - problem.objective(best) - 1e-9


@pytest.mark.parametrize("exponent", [-498, -30, 20, 332])
def test_units_do_not_matter(exponent):
    """Powers of four: products with the factor and its root are exact. LAPACK scales tiny matrices by other numbers."""
    factor = 2.0**exponent
    problem = subproblem(1, 6, 4)
    scaled = FactoredSubproblem(np.sqrt(factor) * problem.factor, factor * problem.c, problem.adversary)
    ours, other = SemidefiniteProgram().solve(problem, 1e-9), SemidefiniteProgram().solve(scaled, factor * 1e-9)
    assert ours.converged
    assert other.converged
    assert ours.n_iter == other.n_iter
    np.testing.assert_allclose(other.lam, ours.lam, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(other.primal.u / np.sqrt(factor), ours.primal.u, rtol=0.0, atol=1e-9)


def edge_cases():
    rng = np.random.default_rng(3)
    k, r = 6, 4
    F, c = rng.standard_normal((svec.length(k), r)), rng.standard_normal(svec.length(k))
    identity = np.asarray(svec.pack(np.eye(k)))
    return {
        "c = 0": (F, 0 * c),
        "c = I": (F, identity),
        "F = 0": (0 * F, c),
        "a zero column": (np.column_stack((F, 0 * c)), c),
        "repeated columns": (np.column_stack((F, F, F)), c),
        "identity": (identity[:, None], c),
        "columns of many sizes": (F * 10.0 ** np.arange(-6, 6, 3), c),
        "rank one": (np.asarray(svec.pack(np.ones((k, k))))[:, None], c),
    }


@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    F, c = edge_cases()[name]
    problem = FactoredSubproblem(F, c, adversary(6))
    tol = max(1e-9, problem.rounding_floor)
    ours, theirs = SemidefiniteProgram().solve(problem, tol), PathFollowing().solve(problem, tol)
    assert ours.converged, ours.message
    assert problem.objective(ours.lam) <= problem.objective(theirs.lam) + 10 * tol


def test_sparse_factors_give_the_same():
    rng = np.random.default_rng(4)
    k, r = 9, 12
    F = np.zeros((svec.length(k), r))
    F[rng.permutation(svec.length(k))[:r], np.arange(r)] = rng.standard_normal(r)
    c, pair = rng.standard_normal(svec.length(k)), adversary(k)
    dense, sparse = FactoredSubproblem(F, c, pair), SparseSubproblem(SparseJacobian(csr_array(F)), c, pair)
    lam = SPECTRAHEDRON.center(svec.length(k))
    np.testing.assert_allclose(sparse.product(lam), dense.product(lam), atol=1e-15)
    assert sparse.scale == dense.scale
    assert np.array_equal(sparse.factor, F)
    for u in (-lam @ F, rng.standard_normal(r)):
        assert sparse.pair_gap(lam, u) == pytest.approx(dense.pair_gap(lam, u), abs=1e-12)
    first, second = (SemidefiniteProgram().solve(problem, 1e-9) for problem in (dense, sparse))
    assert np.array_equal(first.lam, second.lam)
    assert np.array_equal(first.primal.u, second.primal.u)


def test_a_matrix_q_without_factor():
    problem = subproblem(5, 4, 3)
    plain = DualSubproblem(problem.Q, problem.c, problem.adversary)
    assert SemidefiniteProgram().solve(plain, 1e-9).converged


def test_a_good_start_is_returned_and_a_bad_one_does_no_harm():
    problem = subproblem(6, 5, 4)
    solution = SemidefiniteProgram().solve(problem, 1e-9)
    again = SemidefiniteProgram().solve(problem, 1e-6, solution.lam)
    assert again.n_iter == 0
    vertex = SPECTRAHEDRON.support(-problem.c)[1]
    assert SemidefiniteProgram().solve(problem, 1e-9, vertex).converged


def test_too_few_steps_are_reported():
    solution = SemidefiniteProgram(max_iter=2).solve(subproblem(7, 8, 10), 1e-9)
    assert not solution.converged
    assert "max_iter = 2" in solution.message
    with pytest.raises(sb.ProblemError, match="max_iter of SemidefiniteProgram must be a whole number"):
        SemidefiniteProgram(max_iter=-1)


def test_the_clock_is_checked():
    problem = subproblem(8, 8, 10)
    clock = Clock()
    clock.limit(0.0)
    late = FactoredSubproblem(problem.factor, problem.c, problem.adversary.timed(clock))
    with pytest.raises(OutOfTime):
        SemidefiniteProgram().solve(late, 1e-9)


def test_auto_takes_it_where_it_is_fastest():
    problem = subproblem(9, 6, 5)
    assert Auto().solve(problem, 1e-9).solver == "sdp"
    assert gives_primal(Auto(), problem.adversary, 5)
    # As many parameters as losses: Q is given, and path following solves (D).
    assert not gives_primal(Auto(), problem.adversary, svec.length(6))
    plain = DualSubproblem(problem.Q, problem.c, problem.adversary)
    assert Auto().solve(plain, 1e-9).solver == "path-following"
    entropic = adversary(6, sb.VonNeumann(0.1))
    assert not gives_primal(Auto(), entropic, 5)
    assert Auto().solve(FactoredSubproblem(problem.factor, problem.c, entropic), 1e-9).solver == "path-following"


def test_other_sets_and_regularizers_are_refused():
    with pytest.raises(sb.IncompatibleError, match="needs a dual set of type Spectrahedron"):
        sb.solve(sb.Problem(_Two()), inner=SemidefiniteProgram())


class _Two:
    n_losses, n_params = 2, 1

    def evaluate(self, w):
        return np.array([w[0], -w[0]]), np.array([[1.0], [-1.0]])


class _Outside(PathFollowing):
    """A solver that is defined outside of the package."""


def test_solvers_from_outside_get_steps_of_lam():
    """Only their lam is taken, so that Q must not be too large for it."""
    rng = np.random.default_rng(0)
    S = rng.standard_normal((4, 9, 9))
    S = S + S.transpose(0, 2, 1)
    S[1:] -= np.trace(S[1:], axis1=1, axis2=2)[:, None, None] / 9 * np.eye(9)
    problem = sb.Problem(sb.AffineMatrix(S[0], S[1:]), SPECTRAHEDRON)
    plain = sb.solve(problem)
    for inner in (_Outside(), Auto(solvers=(_Outside(), SemidefiniteProgram()))):
        result = sb.solve(problem, inner=inner)
        assert result.success
        assert result.value == pytest.approx(plain.value, abs=1e-6)
