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


def test_weights_of_groups_are_the_same_only_as_the_same_object():
    starts, prior = WarmStarts(), np.array([0.5, 0.5])
    starts.add(Candidate(0.0, 0.0, 0.1), np.zeros(1))
    starts.add(Candidate(0.0, prior, 0.1), np.ones(1))
    assert starts.predicted(Candidate(0.1, prior, 0.1)) == [1.0]
    assert starts.predicted(Candidate(0.1, prior.copy(), 0.1)) is not None
