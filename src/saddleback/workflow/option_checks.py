"""Numbers that a fit of a table is asked for, refused before the table is read: what, got, expected, remedy."""

from __future__ import annotations

from math import inf
from reprlib import repr as shortened
from typing import Any

import numpy as np

from ..errors import ProblemError

LARGEST_SEED = 2**32 - 1
"""What scikit-learn takes, whose boosting is a challenger; a file holds such numbers as well."""


def check_share(value: Any, name: str) -> None:
    """Refuse what is no number from 0 to 1."""
    if not 0.0 <= _float(value) <= 1.0:
        raise ProblemError(
            f"{name} must be a number from 0, the best average, to 1, the best worst group; got {_shown(value)}. "
            "Leave it out to have it chosen."
        )


def check_penalty(value: Any) -> None:
    """Refuse a penalty that is no number >= 0."""
    if not 0.0 <= _float(value) < inf:
        raise ProblemError(
            f"l2 must be a finite number >= 0, such as 0.01; got {_shown(value)}. Leave it out to have it chosen."
        )


def check_seed(value: Any) -> None:
    """Refuse what not all parts of a fit can take as a seed, or what a file cannot hold."""
    if not _is_whole(value) or not 0 <= value <= LARGEST_SEED:
        raise ProblemError(f"seed must be a whole number from 0 to {LARGEST_SEED}; got {shortened(value)}.")


def check_jobs(value: Any) -> None:
    """Refuse 0 processes."""
    if value is not None and (not _is_whole(value) or value == 0):
        raise ProblemError(
            f"jobs must be a whole number other than 0; got {shortened(value)}. 1 fits one fold after the other, -1 "
            "takes all cores."
        )


def check_count(value: Any, name: str, least: int, remedy: str) -> None:
    """Refuse what is no whole number, or too small."""
    if not _is_whole(value) or value < least:
        raise ProblemError(f"{name} must be a whole number >= {least}; got {shortened(value)}. {remedy}")


def check_weight(weight: Any, target: Any, **features: Any) -> None:
    """Refuse a column of weights that is the target, or that one of the arguments ``features`` names."""
    if weight is None:
        return
    if weight == target:
        raise ProblemError(
            f"weight must name another column than the target; got {weight!r} for both. Leave it out where all rows "
            "count alike."
        )
    for what, names in features.items():
        if weight in ([names] if isinstance(names, str) else list(names)):
            raise ProblemError(
                f"weight must name a column that is no feature; got {weight!r}, which {what} names as well."
            )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _float(value: Any) -> float:
    """nan for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return np.nan
    return float(value)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else shortened(value)
