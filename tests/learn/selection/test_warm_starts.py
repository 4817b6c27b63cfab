"""Predicted starts of the fits of a grid."""

from __future__ import annotations

import numpy as np

from saddleback.learn.fitting.candidate import Candidate
from saddleback.learn.selection.warm_starts import WarmStarts


def solution(candidate: Candidate) -> np.ndarray:
    """A sum of a function of the penalty and one of worst weight and prior: it has no mixed second differences."""
    return np.array([np.log10(candidate.l2) + candidate.worst_weight**2, 3.0 * candidate.prior - candidate.l2])


def test_the_first_fit_has_no_start():
    assert WarmStarts().predicted(Candidate(0.0, 0.0, 0.1)) is None


def test_the_first_penalty_starts_from_the_nearest_neighbor():
    starts = WarmStarts()
    for p in (0.0, 0.1, 0.5):
        starts.add(Candidate(p, 0.0, 0.1), np.array([p]))
    assert starts.predicted(Candidate(0.75, 0.0, 0.1)) == [0.5]
    assert starts.predicted(Candidate(0.0, 0.5, 0.1)) == [0.0]


def test_a_later_penalty_is_predicted_without_error_where_solutions_are_sums():
    starts = WarmStarts()
    grid = [Candidate(p, prior, l2) for l2 in (0.1, 0.01, 0.001) for prior in (0.0, 1.0) for p in (0.0, 0.25, 1.0)]
    for candidate in grid:
        start = starts.predicted(candidate)
        if candidate.l2 < 0.1 and (candidate.worst_weight, candidate.prior) != (0.0, 0.0):
            np.testing.assert_allclose(start, solution(candidate), atol=1e-12)
        starts.add(candidate, solution(candidate))


def other_solution(candidate: Candidate) -> np.ndarray:
    """With mixed second differences of penalty, worst weight and prior."""
    p, l2, prior = candidate.worst_weight, np.log10(candidate.l2), candidate.prior
    return solution(candidate) + np.array([p * prior + l2 * p, 2.0 * l2]) + 0.3 * p * l2 + 0.1


GRID = [Candidate(p, prior, l2) for l2 in (0.1, 0.01, 0.001) for prior in (0.0, 1.0) for p in (0.0, 0.25, 1.0)]


def test_the_first_fit_starts_from_the_solution_of_the_pilot():
    pilot = WarmStarts()
    pilot.add(GRID[0], np.array([3.0]))
    assert WarmStarts(pilot).predicted(GRID[0]) == [3.0]
    assert WarmStarts(pilot).predicted(GRID[1]) is None


def third_order(candidate: Candidate) -> np.ndarray:
    """On other rows, with mixed second differences of rows and penalty and of rows and worst weight."""
    p, l2 = candidate.worst_weight, np.log10(candidate.l2)
    return other_solution(candidate) + np.array([0.2 * p**2, 0.7 * l2 + 0.1 * candidate.prior])


def test_a_pilot_leaves_a_mixed_third_difference():
    pilot, starts = WarmStarts(), WarmStarts()
    for candidate in GRID:
        pilot.add(candidate, third_order(candidate))
    starts = WarmStarts(pilot)
    for candidate in GRID:
        start = starts.predicted(candidate)
        if candidate.l2 < 0.1 and (candidate.worst_weight, candidate.prior) != (0.0, 0.0):
            np.testing.assert_allclose(start, other_solution(candidate), atol=1e-12)
        starts.add(candidate, other_solution(candidate))


def test_rows_that_differ_by_a_constant_are_predicted_without_error():
    pilot = WarmStarts()
    for candidate in GRID:
        pilot.add(candidate, other_solution(candidate))
    starts = WarmStarts(pilot)
    starts.add(GRID[0], other_solution(GRID[0]) + 5.0)
    for candidate in GRID[1:]:
        np.testing.assert_allclose(starts.predicted(candidate), other_solution(candidate) + 5.0, atol=1e-12)
        starts.add(candidate, other_solution(candidate) + 5.0)


def test_weights_of_groups_are_the_same_where_their_numbers_are():
    prior = np.array([0.5, 0.5])
    pilot = WarmStarts()
    pilot.add(Candidate(0.0, prior, 0.1), np.ones(1))
    assert WarmStarts(pilot).predicted(Candidate(0.0, prior.copy(), 0.1)) == [1.0]
    assert WarmStarts(pilot).predicted(Candidate(0.0, np.array([0.4, 0.6]), 0.1)) is None


def test_penalties_whose_fits_began_later_play_no_part():
    """Fits of several penalties may go on side by side."""
    alone, beside = WarmStarts(), WarmStarts()
    for starts in (alone, beside):
        for candidate in GRID[:8]:
            starts.add(candidate, other_solution(candidate))
    beside.add(GRID[12], other_solution(GRID[12]))
    np.testing.assert_array_equal(beside.predicted(GRID[8]), alone.predicted(GRID[8]))
