"""Evaluations at points that are not iterates of the method, and random directions to such points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .._types import Matrix, Vector
from ..errors import ProblemError
from ..machine.clock import OutOfTime
from .evaluation import Evaluation
from .oracle import Oracle

# Random directions with more entries are not cached but drawn again each time.
MOST_KEPT_ENTRIES = 2000


def visit(oracle: Oracle, w: Vector, *, anew: bool = False) -> Evaluation | None:
    """The evaluation at a point that is not an iterate of the method; None where the losses are not defined."""
    with np.errstate(all="ignore"):
        try:
            there = oracle.evaluate(w, watch=False, anew=anew)
        except (ProblemError, OutOfTime):
            raise
        except Exception:  # losses may raise anything outside their domain
            return None
    return there if there.finite else None


def random_directions(d: int, seed: int, count: int) -> Matrix:
    """Unit vectors of R^d, one per row, the same in every run."""
    return _drawn(d, seed, count) if d <= MOST_KEPT_ENTRIES else _drawn.__wrapped__(d, seed, count)


@lru_cache(maxsize=16)
def _drawn(d: int, seed: int, count: int) -> Matrix:
    rays = np.random.default_rng(seed).standard_normal((count, d))
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    rays.flags.writeable = False
    return rays
