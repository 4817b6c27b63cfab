"""(D) on every pair (Lambda, R) against CVXPY with Clarabel; the von Neumann entropy by its optimality conditions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.linalg import svec
from saddleback.subproblem import DualSubproblem, PathFollowing

from .geometries import PAIRS, SETS, Instance, instance

cp = pytest.importorskip("cvxpy")

SEED = 20
# J at most 8, matrices of order 5 at most.
LARGEST = {name: 5 if family.matrices else 8 for name, family in SETS.items()}
CLOSE = 1e-7
EPS = np.finfo(float).eps
TIGHT = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}


def prior_of(prior: np.ndarray | None, n: int) -> np.ndarray:
    return np.full(n, 1 / n) if prior is None else np.asarray(prior)


def coordinates(M: cp.Variable, k: int) -> cp.Expression:
    """The lower triangle row by row, off the diagonal times sqrt 2."""
    entries = [M[i, j] * (1.0 if i == j else np.sqrt(2)) for i in range(k) for j in range(i + 1)]
    return cp.hstack(entries)


def members(dual_set: sb.DualSet, lam: cp.Expression, n: int) -> list[cp.Constraint]:
    """lam in the set, as its definition reads."""
    match dual_set:
        case sb.Box():
            return [lam >= np.broadcast_to(dual_set.lower, n), lam <= np.broadcast_to(dual_set.upper, n)]
        case sb.Ball():
            return [cp.norm(lam - dual_set.center(n)) <= dual_set.radius]
        case sb.Polytope():
            rows = [dual_set.A @ lam <= dual_set.b]
            return rows if dual_set.A_eq is None else [*rows, dual_set.A_eq @ lam == dual_set.b_eq]
        case sb.Spectrahedron():
            k = svec.order(n)
            M = cp.Variable((k, k), symmetric=True)
            return [M >> 0, cp.trace(M) == 1, lam == coordinates(M, k)]
        case sb.Product():
            ends = np.cumsum([0, *dual_set.sizes])
            parts = zip(dual_set.sets, ends[:-1], ends[1:], strict=True)
            return [c for part, i, j in parts for c in members(part, lam[i:j], int(j - i))]
    simplex = [lam >= 0, cp.sum(lam) == 1]
    match dual_set:
        case sb.Simplex():
            return simplex
        case sb.CappedSimplex():
            return [*simplex, lam <= prior_of(dual_set.prior, n) / dual_set.alpha]
        case sb.Contamination():
            floor = (1 - dual_set.worst_weight) * prior_of(dual_set.prior, n)
            # In units of p, so that small sets are seen.
            return [(lam - floor) / dual_set.worst_weight >= 0, cp.sum((lam - floor) / dual_set.worst_weight) == 1]
        case sb.Chi2Ball():
            p = prior_of(dual_set.prior, n)
            # In units of rho, so that small balls are seen.
            return [*simplex, cp.norm(cp.multiply(lam - p, 1 / np.sqrt(p * dual_set.rho))) <= 1]
        case sb.TVBall():
            return [*simplex, cp.norm1(lam - prior_of(dual_set.prior, n)) <= 2 * dual_set.rho]
        case sb.KLBall():
            return [*simplex, cp.sum(cp.rel_entr(lam, prior_of(dual_set.prior, n))) <= dual_set.rho]
    raise AssertionError(f"no model of {dual_set!r}")


def price(R: sb.Regularizer, lam: cp.Expression, scale: float) -> cp.Expression | float:
    """R(lam)/scale."""
    match R:
        case sb.Zero():
            return 0.0
        case sb.Quadratic():
            return R.gamma / scale / 2 * cp.sum_squares(lam - R.center)
        case sb.Entropy():
            return R.gamma / scale * cp.sum(cp.rel_entr(lam, R.prior))
    raise AssertionError(f"no model of {R!r}")


def optimum(D: DualSubproblem) -> float:
    """The least value of (D), in units of its scale."""
    n, scale = D.c.size, D.scale
    values, vectors = np.linalg.eigh(D.Q / scale)
    root = vectors * np.sqrt(np.maximum(values, 0))
    # A bound on R of its own: at -1e-17 the entropy itself is infinite.
    lam, paid = cp.Variable(n), cp.Variable()
    objective = cp.sum_squares(root.T @ lam) / 2 - (D.c / scale) @ lam + paid
    constraints = [price(D.adversary.regularizer, lam, scale) <= paid, *members(D.adversary.dual_set, lam, n)]
    model = cp.Problem(cp.Minimize(objective), constraints)
    with warnings.catch_warnings():
        # Clarabel may miss 1e-11 and say so; what it must not miss is CLOSE.
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        model.solve(solver=cp.CLARABEL, **TIGHT)
    assert model.status in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE)
    return float(model.value)


def small(pair: tuple[str, str], index: int) -> Instance:
    return instance(*pair, SEED, index, LARGEST[pair[0]])


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair[1] != "von Neumann"], ids="/".join)
def test_same_value_as_clarabel(pair, index):
    case = small(pair, index + 1)
    D = case.subproblem
    solution = PathFollowing().solve(D, case.tol)
    found, reference = D.objective(solution.lam) / D.scale, optimum(D)
    assert found == pytest.approx(reference, rel=CLOSE, abs=CLOSE), case.label


@pytest.mark.parametrize("index", range(12))
def test_von_neumann_by_its_optimality_conditions(index):
    """gamma log Lam = C - mat(Q lam) up to a multiple of the identity: Lam is its exponential over the trace.

    (D) is gamma-strongly convex, so that a gap of tol leaves lam within sqrt(2 tol/gamma) of the solution; with
    lam* the exponential of the losses linearized at lam, the Fenchel-Young gap itself is at least
    gamma/2 |lam - lam*|^2.
    """
    case = small(("spectrahedron", "von Neumann"), index)
    D = case.subproblem
    gamma = D.adversary.regularizer.gamma
    solution = PathFollowing().solve(D, case.tol)
    ell = svec.unpack(D.c - D.Q @ solution.lam)
    values, U = np.linalg.eigh(ell)
    weights = np.exp((values - values.max()) / gamma)
    best = (U * (weights / weights.sum())) @ U.T
    distance = np.linalg.norm(svec.unpack(solution.lam) - best)
    rounding = 100 * EPS * D.scale / gamma
    assert distance <= np.sqrt(2 * case.tol / gamma) + rounding, case.label
    # h(ell) = gamma log tr exp(ell/gamma) from its own formula, against tr(Lam ell) - gamma tr Lam log Lam.
    h = values.max() + gamma * np.log(weights.sum())
    p = np.maximum(np.linalg.eigvalsh(svec.unpack(solution.lam)), 0)
    entropy = -np.sum(p[p > 0] * np.log(p[p > 0]))
    gap = h - np.trace(svec.unpack(solution.lam) @ ell) - gamma * entropy
    assert gap <= case.tol + 1e3 * EPS * (D.scale + np.abs(values).max()), case.label


@pytest.mark.parametrize("index", range(4))
def test_von_neumann_of_diagonal_matrices_is_entropy(index):
    """Where Q and c act on diagonals alone, (D) on the spectrahedron is (D) on the simplex with an Entropy."""
    rng = np.random.default_rng(index)
    k, gamma = 2 + index, 0.1
    diagonal = np.array([svec.pack(np.diag(e)) for e in np.eye(k)])
    F, c = rng.standard_normal((k, k)), rng.standard_normal(k)
    matrices = DualSubproblem(
        diagonal.T @ F @ F.T @ diagonal,
        c @ diagonal,
        Adversary(sb.Spectrahedron(), sb.VonNeumann(gamma), svec.length(k)),
    )
    # Entropy about the uniform prior is larger by gamma log k.
    vectors = DualSubproblem(F @ F.T, c, Adversary(sb.Simplex(), sb.Entropy(gamma), k))
    found = matrices.objective(PathFollowing().solve(matrices, 1e-11).lam)
    assert found == pytest.approx(optimum(vectors) * vectors.scale - gamma * np.log(k), abs=1e-8)
