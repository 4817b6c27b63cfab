"""Scores as tables and data: objective at equal time, time to equal objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..writing import NOT_REACHED, ratio, small
from .contest import FLOOR, Score
from .roster import OURS

GAPS = (1e-2, 1e-3, 1e-5)
FINEST = 1e-6
NOTHING_YET = "nothing yet"


def rows(optimum: float, scores: Mapping[str, Score]) -> tuple[list[str], list[list[str]]]:
    """Gaps at Saddleback's time and at the end, then times in multiples of Saddleback's."""
    header = ["", f"gap at our time to {FINEST:.0e}", "gap at the end"]
    header += [f"time to {gap:.0e}" for gap in GAPS] + ["set-up"]
    ours = scores[OURS.rows[0]]
    units = {gap: ours.seconds_to(optimum + gap) for gap in (*GAPS, FINEST)}
    body = []
    for name, score in scores.items():
        if score.reason:
            body.append([name, score.reason, *[NOT_REACHED] * (len(header) - 2)])
            continue
        times = [ratio(score.seconds_to(optimum + gap), units[gap]) for gap in GAPS]
        gaps = [gap_text(score.value_at(seconds) - optimum) for seconds in (units[FINEST], np.inf)]
        body.append([name, *gaps, *times, ratio(score.setup, ours.setup)])
    return header, body


def data(optimum: float, scores: Mapping[str, Score]) -> dict[str, Any]:
    """The same numbers for the file, in seconds."""
    return {
        "optimum": optimum,
        **{
            name: {
                "reason": score.reason,
                "setup": score.setup,
                "error_of_its_own_account": score.error,
                "gap": score.value_at(np.inf) - optimum,
                "seconds": {f"{gap:g}": score.seconds_to(optimum + gap) for gap in (*GAPS, FINEST)},
            }
            for name, score in scores.items()
        },
    }


def gap_text(gap: float) -> str:
    if np.isinf(gap):
        return NOTHING_YET
    return f"< {FLOOR:.0e}" if gap < FLOOR else small(gap)
