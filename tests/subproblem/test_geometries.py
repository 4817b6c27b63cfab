"""Path following on every pair (Lambda, R): each answer is in the set, with the gap that was asked."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import saddleback as sb
from saddleback.dual_sets import DUAL_SETS
from saddleback.regularizers import REGULARIZERS
from saddleback.subproblem import PathFollowing, adversary_of

from .geometries import PAIRS, instance, instances

COUNT, CHUNKS, SEED = 100, 4, 1
# Each gap on a polytope takes a linear program; products are made of sets that are tested alone.
FEWER = {"polytope": 60, "polytope of distributions": 20, "product": 60, "mixed product": 60}
EPS = np.finfo(float).eps

# An instance of each class of sets, for pairs that must be refused.
SAMPLES = {
    sb.Simplex: sb.Simplex(),
    sb.CappedSimplex: sb.CappedSimplex(0.4),
    sb.Contamination: sb.Contamination(0.4),
    sb.Chi2Ball: sb.Chi2Ball(0.5),
    sb.TVBall: sb.TVBall(0.3),
    sb.KLBall: sb.KLBall(0.3),
    sb.Box: sb.Box(0.0, 1.0),
    sb.Ball: sb.Ball(2.0, 1.0),
    sb.Polytope: sb.Polytope(np.vstack((np.eye(3), -np.eye(3))), np.ones(6)),
    sb.Product: sb.Product([sb.Simplex(), sb.Box(0.0, 1.0)], [2, 1]),
    sb.Spectrahedron: sb.Spectrahedron(),
}
REFUSED = [*((s, sb.VonNeumann) for s in DUAL_SETS if s is not sb.Spectrahedron), (sb.Spectrahedron, sb.Entropy)]


def test_every_pair_is_covered_or_refused():
    drawn = [instance(*pair, 0, 0).subproblem.adversary for pair in PAIRS]
    covered = {(type(adversary.dual_set), type(adversary.regularizer)) for adversary in drawn}
    assert covered.union(REFUSED) == set(product(DUAL_SETS, REGULARIZERS))
    assert covered.isdisjoint(REFUSED)


@pytest.mark.parametrize(("dual_set", "regularizer"), REFUSED, ids=lambda kind: kind.__name__)
def test_other_pairs_are_refused(dual_set, regularizer):
    with pytest.raises(sb.IncompatibleError, match=regularizer.__name__):
        adversary_of(SAMPLES[dual_set], regularizer(0.1), 3)


@pytest.mark.parametrize(
    "dual_set",
    [sb.Box(-1.0, 1.0), sb.Ball(0.5, 1.0), SAMPLES[sb.Polytope], sb.Product([sb.Simplex(), sb.Ball(0.0, 1.0)], [2, 1])],
    ids=lambda s: type(s).__name__,
)
def test_entropy_is_refused_outside_of_the_orthant(dual_set):
    with pytest.raises(sb.IncompatibleError, match="Entropy needs weights that are not negative"):
        adversary_of(dual_set, sb.Entropy(0.1), 3)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_path_following_reaches_the_gap(pair, chunk):
    count, solved, misses = FEWER.get(pair[0], COUNT), 0, []
    for index in range(chunk, count, CHUNKS):
        case = instance(*pair, SEED, index)
        D = case.subproblem
        solution = PathFollowing().solve(D, case.tol)
        lam = solution.lam
        assert D.adversary.dual_set.contains(lam), case.label
        again = case.independent.cross_evaluation_gap(lam)
        # Q as a matrix and as a product of factors round differently.
        assert abs(again - solution.gap) <= 0.1 * case.tol + 1e-6 * solution.gap, case.label
        solved += 1
        if not (solution.converged and again <= case.tol):
            misses.append((case.label, again / D.scale, solution.message))
    assert solved == count // CHUNKS
    assert not misses


@pytest.mark.parametrize("pair", PAIRS, ids="/".join)
def test_the_gap_is_what_its_definition_says(pair):
    """h(ell) - <lam, ell> + R(lam), straight from the definitions."""
    for case in instances(*pair, 4, seed=SEED):
        D = case.subproblem
        adversary, R = D.adversary, D.adversary.regularizer
        lam = PathFollowing().solve(D, case.tol).lam
        mixed = 0.5 * lam + 0.5 * adversary.dual_set.center(adversary.n)
        for point in (lam, mixed):
            ell = D.c - D.Q @ point
            response = adversary.best_response(ell)
            terms = np.array([response.value, -point @ ell, R.value(point)])
            size = max(np.abs(terms).max(), np.abs(point) @ np.abs(D.Q) @ np.abs(point), np.abs(point) @ np.abs(D.c))
            rounding = 100 * EPS * adversary.n * size
            gap = D.cross_evaluation_gap(point)
            assert adversary.dual_set.contains(response.lam), case.label
            if adversary.exact:
                assert gap == pytest.approx(terms.sum(), rel=1e-9, abs=rounding + 1e-12 * D.scale), case.label
            else:
                # Frank-Wolfe's, which is never smaller.
                assert gap >= terms.sum() - rounding - 1e-9 * D.scale, case.label
