"""What this machine, or the part of it that this process may use, can do."""

from __future__ import annotations

from functools import cache
from time import perf_counter

import numpy as np
from scipy.linalg.lapack import dpotrf

SAMPLE = 300
"""The rows of the matrix whose factorization is timed: about a millisecond."""


@cache
def flops_per_second() -> float:
    """The rate of a Cholesky factorization, timed once."""
    matrix = np.eye(SAMPLE) + 0.5
    seconds = []
    for _ in range(3):
        started = perf_counter()
        dpotrf(matrix, lower=1)
        seconds.append(perf_counter() - started)
    return SAMPLE**3 / 3 / min(seconds)
