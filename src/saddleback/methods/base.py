"""What several methods ask of a problem."""

from __future__ import annotations

from ..errors import IncompatibleError
from ..regularizers import Regularizer


def require_strong_convexity(name: str, regularizer: Regularizer) -> None:
    """Refuse a nonsmooth g by name, before anything is evaluated."""
    if not regularizer.strong_convexity > 0:
        raise IncompatibleError(
            f"{name} needs a strongly convex regularizer: with {regularizer!r}, g is a maximum and has no gradient "
            "where losses tie, which is where its minimum lies. Use method='quasi-newton' (or 'auto'), or add "
            "Quadratic(gamma) or Entropy(gamma) with gamma > 0."
        )
