"""Random directions that are the same in every run."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .._types import Matrix

# Longer directions are drawn anew each time instead of being kept.
MOST_KEPT_ENTRIES = 2000


def random_directions(d: int, seed: int, count: int) -> Matrix:
    """Unit vectors of R^d, one per row."""
    return _drawn(d, seed, count) if d <= MOST_KEPT_ENTRIES else _drawn.__wrapped__(d, seed, count)


@lru_cache(maxsize=16)
def _drawn(d: int, seed: int, count: int) -> Matrix:
    rays = np.random.default_rng(seed).standard_normal((count, d))
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    rays.flags.writeable = False
    return rays
