"""Inner solvers check the time limit between iterations, and begin nothing that would exceed it."""

from __future__ import annotations

import numpy as np
import pytest
from ticks import Ticks

import saddleback as sb
from saddleback.machine.clock import Clock, OutOfTime
from saddleback.subproblem import (
    DualSubproblem,
    FactoredSubproblem,
    PathFollowing,
    QuadraticProgram,
    ResponseNewton,
    TrustConstr,
    adversary_of,
)
from saddleback.subproblem.qp import quadratic_program

RNG = np.random.default_rng(4)
F, C = RNG.standard_normal((12, 5)), RNG.standard_normal(12)
POLYTOPE = sb.Polytope(np.vstack((-np.eye(12), RNG.random((9, 12)))), np.repeat([0.0, 1.0], [12, 9]))


def problem(dual_set, regularizer, clock, *, factored=False):
    adversary = adversary_of(dual_set, regularizer, 12).timed(clock)
    return FactoredSubproblem(F, C, adversary) if factored else DualSubproblem(F @ F.T, C, adversary)


CASES = [
    (PathFollowing(), sb.Simplex(), sb.Zero(), False),
    (PathFollowing("paper"), sb.Simplex(), sb.Quadratic(0.1), False),
    (PathFollowing(), sb.KLBall(0.3), sb.Entropy(0.1), False),
    (PathFollowing(), POLYTOPE, sb.Entropy(0.1), False),
    (ResponseNewton(), sb.Simplex(), sb.Entropy(0.1), True),
    (TrustConstr(), sb.CappedSimplex(0.3), sb.Quadratic(0.1), False),
]


@pytest.mark.parametrize(("solver", "dual_set", "regularizer", "factored"), CASES)
def test_one_look_per_iteration_at_least(solver, dual_set, regularizer, factored, monkeypatch):
    ticks, clock = Ticks(monkeypatch, per_look=1.0), Clock()
    clock.limit(1e9)
    subproblem = problem(dual_set, regularizer, clock, factored=factored)
    before = ticks.looks
    n_iter = solver.solve(subproblem, 1e-9).n_iter
    looks = ticks.looks - before
    assert looks >= n_iter > 0
    for share in (0.0, 0.3, 0.9):
        clock.limit(ticks.now + share * looks)
        with pytest.raises(OutOfTime):
            solver.solve(subproblem, 1e-9)


def test_rounds_of_the_active_set_look_too(monkeypatch):
    """From a start with the wrong active set, PIQP's answer is refined round by round."""
    ticks, clock = Ticks(monkeypatch, per_look=1.0), Clock()
    clock.limit(1e9)
    subproblem = problem(sb.CappedSimplex(0.3), sb.Zero(), clock)
    start = subproblem.adversary.dual_set.center(12)
    QuadraticProgram(max_iter=2).solve(subproblem, 0.0, start)
    # Two rounds before PIQP, which looks once, and many after it.
    assert ticks.looks > 4


@pytest.mark.parametrize(
    ("solver", "dual_set", "regularizer", "n", "r"),
    [
        (QuadraticProgram(), sb.CappedSimplex(0.3), sb.Zero(), 150, 150),
        (QuadraticProgram(), sb.Simplex(), sb.Zero(), 2000, 50),
        (PathFollowing(), sb.Simplex(), sb.Zero(), 320, 320),
        (PathFollowing(), sb.Simplex(), sb.Zero(), 2500, 50),
        (PathFollowing(), sb.Spectrahedron(), sb.Zero(), 325, 325),
        (ResponseNewton(), sb.Simplex(), sb.Entropy(0.1), 2500, 50),
    ],
)
def test_what_would_take_hours_is_not_begun(solver, dual_set, regularizer, n, r, monkeypatch):
    """On a machine of one operation per second, with an hour left."""
    monkeypatch.setattr("saddleback.machine.clock.flops_per_second", lambda: 1.0)
    monkeypatch.setattr(quadratic_program, "new_solver", lambda *settings: pytest.fail("PIQP was set up"))
    factor, c = RNG.standard_normal((n, r)), RNG.standard_normal(n)
    clock = Clock()
    clock.limit(3600.0)
    with pytest.raises(OutOfTime):
        solver.solve(FactoredSubproblem(factor, c, adversary_of(dual_set, regularizer, n).timed(clock)), 1e-9)


def test_an_adversary_under_a_clock_is_the_same_adversary():
    adversary, clock = adversary_of(POLYTOPE, sb.Entropy(0.1), 12), Clock()
    timed = adversary.timed(clock)
    assert timed.clock is clock
    assert adversary.clock is not clock
    np.testing.assert_array_equal(timed.best_response(C).lam, adversary.best_response(C).lam)
