"""What kind of answer the held-out rows give: the badge of a page follows from the figures below it."""

from __future__ import annotations

import numpy as np

from .evaluation import Evaluation, is_left_alone
from .figures import Comparison
from .splitting import TEST
from .subject import Subject

GAIN, NOT_CONFIRMED, COSTS_MORE, HARM = "gain", "not confirmed", "costs more", "harm"
NOTHING, GIVEN, ONE_GROUP = "nothing to gain", "given", "one group"
CONFIRMED = 1.96
"""Standard errors by which a change must differ from 0 to be called more than chance."""


def outcome_of(subject: Subject, at: Comparison) -> str:
    """A choice is judged by rows that had no part in it, not by those that chose."""
    if subject.one_group:
        return ONE_GROUP
    if subject.selection is None:
        return GIVEN
    return NOTHING if subject.selection.nothing_to_gain else effect_of(at)


def effect_of(at: Comparison) -> str:
    """A gain is one that exceeds chance and what all rows lose on average, and no group ends worse than the worst was.

    The last two are the terms of the rule of the selection, `choose_one_se`.
    """
    change = at.changes[at.worst]
    if not is_sure(change, at.change_errors[at.worst]):
        return NOT_CONFIRMED
    if change > 0.0:
        return HARM
    return GAIN if -change > at.average_change and not largest_rises(at) else COSTS_MORE


def largest_rises(at: Comparison) -> bool:
    """Whether the largest loss of any group is larger than before."""
    return bool(at.losses[at.worst_after] > at.baseline[at.worst])


def is_sure(change: float, error: float) -> bool:
    """Whether a change is more than chance explains."""
    return bool(np.isfinite(error) and abs(change) > CONFIRMED * error)


def departures(evaluation: Evaluation) -> tuple[int, int]:
    """In how many folds something else than the baseline was chosen, and of how many; (0, 0) for test rows."""
    choices = [] if evaluation.held_out.kind == TEST else evaluation.choices
    return sum(not is_left_alone(candidate) for candidate in choices), len(choices)
