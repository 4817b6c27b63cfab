"""The time that is left of work in equal parts."""

from __future__ import annotations

import pytest

from saddleback.machine.pace import Pace


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1.0, ""),
        (8.0, "about 20 s left"),
        (30.0, "about 90 s left"),
        (100.0, "about 5 min left"),
        (9e3, "about 8 h left"),
    ],
)
def test_parts_that_are_done_tell_the_time_of_the_others(seconds, words):
    now = [5.0]
    pace = Pace(4, clock=lambda: now[0])
    now[0] += seconds
    assert pace.in_words() == ""
    assert pace.left == 0.0
    pace.end_part()
    assert pace.left == 3.0 * seconds
    assert pace.in_words() == words


def test_nothing_is_left_at_the_end():
    now = [0.0]
    pace = Pace(1, clock=lambda: now[0])
    now[0] = 1e6
    pace.end_part()
    assert pace.left == 0.0
    assert pace.in_words() == ""
