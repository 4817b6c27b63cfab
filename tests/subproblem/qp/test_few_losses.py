"""The active-set method for few losses, against PIQP and on degenerate faces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.subproblem import FactoredSubproblem, QuadraticProgram, adversary_of
from saddleback.subproblem.qp import few_losses, quadratic_program
from saddleback.subproblem.qp.few_losses import solve_few


def subproblem(seed: int, J: int, rank: int, *, worst_weight: float = 1.0, gamma: float = 0.0, unit: float = 1.0):
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(J))
    adversary = adversary_of(sb.Contamination(worst_weight, prior), sb.Quadratic(gamma * unit), J)
    F = rng.standard_normal((J, rank)) * 10.0 ** rng.uniform(-2, 2)
    # Some losses are copies of others, so that faces are degenerate.
    copies = rng.integers(0, J, J // 3)
    F[: copies.size] = F[copies]
    c = rng.standard_normal(J)
    c[: copies.size] = c[copies]
    return FactoredSubproblem(np.sqrt(unit) * F, unit * c, adversary)


@given(
    seed=st.integers(0, 10**6),
    J=st.integers(2, 32),
    rank=st.integers(1, 6),
    worst_weight=st.sampled_from([1e-11, 1e-3, 0.2, 1.0]),
    gamma=st.sampled_from([0.0, 0.1]),
    unit=st.sampled_from([1e-100, 1.0, 1e100]),
)
def test_optimal_from_any_start(seed: int, J: int, rank: int, worst_weight: float, gamma: float, unit: float) -> None:
    D = subproblem(seed, J, rank, worst_weight=worst_weight, gamma=gamma, unit=unit)
    constraints = D.adversary.linear_constraints
    assert constraints is not None
    assert constraints.is_simplex_above
    start = D.adversary.dual_set.restore(np.random.default_rng(seed).dirichlet(np.full(J, 1.2 / J)))
    lam, _, solved = solve_few(D, constraints.lower, start)
    assert D.adversary.dual_set.contains(lam, 1e-9)
    if solved:
        assert D.cross_evaluation_gap(D.adversary.dual_set.restore(lam)) <= 4 * D.rounding_floor


@given(seed=st.integers(0, 10**6), J=st.integers(2, 32), rank=st.integers(1, 20))
def test_the_solver_reaches_its_tolerance_by_this_way_or_by_piqp(seed: int, J: int, rank: int) -> None:
    D = subproblem(seed, J, rank)
    start = D.adversary.best_response(D.c).lam
    solution = QuadraticProgram().solve(D, 1e-11 * D.scale, start)
    assert solution.converged
    other = QuadraticProgram().solve(D, 1e-11 * D.scale)
    assert D.objective(solution.lam) == pytest.approx(D.objective(other.lam), abs=1e-10 * D.scale)


@pytest.mark.parametrize(("J", "rank", "gamma"), [(4, 3, 0.0), (12, 20, 10.0)])
def test_a_start_within_the_tolerance_is_improved(J: int, rank: int, gamma: float) -> None:
    """Else a run whose lam is accurate to the rounding errors of (D) would keep it for ever."""
    D = subproblem(0, J, rank, gamma=gamma)
    best = QuadraticProgram().solve(D, 0.0, D.adversary.dual_set.center(J)).lam
    assert (best > 0).sum() > few_losses.CONTROL.most_by_loops or J == 4
    start = D.adversary.dual_set.restore(best + 1e-7)
    solution = QuadraticProgram().solve(D, 1.0, start)
    np.testing.assert_allclose(solution.lam, best, atol=1e-11)
    assert solution.gap < D.cross_evaluation_gap(start)


@pytest.mark.parametrize("dual_set", [sb.Box(0.0, 1.0), sb.CappedSimplex(0.5), sb.Chi2Ball(1.0), sb.Contamination(0.0)])
def test_other_sets_take_the_other_ways(dual_set: sb.DualSet) -> None:
    adversary = adversary_of(dual_set, sb.Zero(), 4)
    constraints = adversary.linear_constraints
    assert constraints is None or not constraints.is_simplex_above


def test_more_losses_are_left_to_piqp(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(quadratic_program, "solve_few", fail)
    D = subproblem(1, few_losses.CONTROL.most_losses + 1, 5)
    assert QuadraticProgram().solve(D, 1e-10, D.adversary.dual_set.center(D.c.size)).converged
    monkeypatch.setattr(quadratic_program, "FEW", replace(few_losses.CONTROL, most_losses=3))
    D = subproblem(1, 4, 5)
    assert QuadraticProgram().solve(D, 1e-10, D.adversary.dual_set.center(4)).converged
