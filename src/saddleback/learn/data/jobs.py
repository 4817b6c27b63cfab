"""The argument ``n_jobs``: how many fits run side by side."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import Any

import numpy as np

from ...errors import ProblemError


def read_n_jobs(n_jobs: Any) -> int | None:
    """A whole number other than 0, as joblib takes it, or None."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, int | np.integer) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ProblemError(
            f"n_jobs must be a whole number other than 0, or None; got {shortened(n_jobs)}. -1 takes all cores."
        )
    return int(n_jobs)
