"""(D) on sets without a barrier: projected gradient and Frank-Wolfe steps, against solvers that use more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from saddleback import Ball, Box, CappedSimplex, Contamination, Simplex
from saddleback.dual_sets import DualSet
from saddleback.regularizers import Entropy, Quadratic, Zero
from saddleback.subproblem import Auto, DualSubproblem, FrankWolfe, ProjectedGradient, adversary_of, resolve_inner


@dataclass(frozen=True, eq=False)
class SupportOnly(DualSet):
    """Another set without anything but its support function."""

    other: DualSet

    def support(self, z):
        return self.other.support(z)


class WithProjection(SupportOnly):
    def project(self, x):
        return self.other.project(x)


SETS = {
    "simplex": Simplex(),
    "capped": CappedSimplex(0.3),
    "contamination": Contamination(0.3),
    "box": Box(0.0, 2.0),
    "ball": Ball(0.7, 0.5),
}
QUADRATICS = (Zero(), Quadratic(0.3, center=np.full(8, 0.2)))


def subproblems(full, hidden, regularizer, seed):
    """The same (D) on a set with all of its capabilities and on one without."""
    rng = np.random.default_rng(seed)
    F, c = rng.normal(size=(8, (2, 8)[seed % 2])), rng.normal(size=8)
    return [DualSubproblem(F @ F.T, c, adversary_of(s, regularizer, 8)) for s in (full, hidden)]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("regularizer", [*QUADRATICS, Entropy(0.2)], ids=["zero", "quadratic", "entropy"])
def test_frank_wolfe_reaches_the_optimum_of_the_same_set(name, regularizer, seed):
    known, hidden = subproblems(SETS[name], SupportOnly(SETS[name]), regularizer, seed)
    expected = Auto().solve(known, 1e-9)
    found = FrankWolfe().solve(hidden, 1e-9)
    assert found.converged
    assert SETS[name].contains(found.lam)
    assert known.objective(found.lam) == pytest.approx(known.objective(expected.lam), abs=1e-8)
    # The measured gap is that of the set with all capabilities, or the larger Frank-Wolfe gap.
    assert known.cross_evaluation_gap(found.lam) <= found.gap + 1e-13


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("regularizer", QUADRATICS, ids=["zero", "quadratic"])
def test_projected_gradient_reaches_the_optimum_of_the_same_set(name, regularizer, seed):
    known, hidden = subproblems(SETS[name], WithProjection(SETS[name]), regularizer, seed)
    expected = Auto().solve(known, 1e-9)
    found = ProjectedGradient().solve(hidden, 1e-9)
    assert found.converged
    assert SETS[name].contains(found.lam)
    assert known.objective(found.lam) == pytest.approx(known.objective(expected.lam), abs=1e-8)


@pytest.mark.parametrize("name", SETS)
def test_numerical_responses_are_those_of_formulas(name):
    rng = np.random.default_rng(0)
    full, hidden = (adversary_of(s, Quadratic(0.5), 6) for s in (SETS[name], SupportOnly(SETS[name])))
    hidden = adversary_of(SupportOnly(SETS[name]), full.regularizer, 6)
    assert full.exact
    assert not hidden.exact
    for _ in range(5):
        z = rng.normal(size=6)
        assert hidden.best_response(z).value == pytest.approx(full.best_response(z).value, abs=1e-8)
        np.testing.assert_allclose(hidden.best_response(z).lam, full.best_response(z).lam, atol=1e-3)


@pytest.mark.parametrize("kind", [SupportOnly, WithProjection])
def test_a_start_is_used(kind):
    _, problem = subproblems(SETS["capped"], kind(SETS["capped"]), Zero(), 1)
    first = Auto().solve(problem, 1e-9)
    again = Auto().solve(problem, 1e-9, first.lam)
    assert again.converged
    assert again.n_iter <= first.n_iter


def test_limits_are_kept_and_said():
    _, problem = subproblems(SETS["capped"], WithProjection(SETS["capped"]), Zero(), 1)
    for solver, words in ((FrankWolfe(max_iter=1), "1 support points"), (ProjectedGradient(max_iter=3), "3 steps")):
        solution = solver.solve(problem, 1e-12)
        assert not solution.converged
        assert f"max_iter = {words}" in solution.message
        assert SETS["capped"].contains(solution.lam)


def test_what_does_not_apply_is_said():
    adversary = adversary_of(SupportOnly(Simplex()), Zero(), 3)
    for inner, words in (("projected-gradient", "no 'project'"), ("path-following", "no 'barrier'")):
        with pytest.raises(Exception, match=f"SupportOnly has {words}.*'auto', 'frank-wolfe'"):
            resolve_inner(inner, adversary)
    with pytest.raises(Exception, match="gradient of Entropy is infinite"):
        resolve_inner("projected-gradient", adversary_of(Simplex(), Entropy(0.1), 3))
