"""What a fitted estimator keeps of its fit in memory, for its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from .rows import Rows

MOST_SCORES = 20_000_000
"""Out-of-fold scores that are kept at most, as numbers of four bytes: 80 MB."""


@dataclass(frozen=True, eq=False)
class Trained:
    """What a fit to some rows has used."""

    rows: Rows
    """The rows; with offsets where a user's model is corrected."""
    scores: Matrix | None = None
    """(n, C): the out-of-fold scores of all candidates, where there was a selection."""


@dataclass(frozen=True, eq=False)
class Retained:
    """References to the arguments of ``fit``: nothing is copied. Pickles and saved files leave them out."""

    X: Any
    y: Any
    sensitive_features: Any
    sample_weight: Any
    scores: NDArray[np.float32] | None
    """The out-of-fold scores; None where there was no selection, or where they are more than ``MOST_SCORES``."""
    offset: Vector | Matrix | None = None
    """The cross-fitted margins of a user's model that is corrected."""

    @classmethod
    def of(cls, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, trained: Trained) -> Retained:
        """The arguments of a fit, and its scores if they are few enough."""
        scores = trained.scores
        kept = None if scores is None or scores.size > MOST_SCORES else scores.astype(np.float32)
        return cls(X, y, sensitive_features, sample_weight, kept, trained.rows.offset)
