"""What a fitted estimator keeps of its fit in memory, for its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from .remote import RemoteMatrix
from .rows import Rows

MOST_SCORES = 20_000_000
"""Out-of-fold scores that are kept at most, as numbers of four bytes: 80 MB."""


@dataclass(frozen=True, eq=False)
class Trained:
    """What a fit to some rows has used."""

    rows: Rows
    """The rows; with offsets where a user's model is corrected."""
    scores: NDArray[np.float32] | None = None
    """(n, C): the out-of-fold scores of all candidates; None where there was no selection, or where there are more than
    ``MOST_SCORES``."""
    index: NDArray[np.intp] | None = None
    """The numbers of the rows that have scores, where these are a sample of ``rows``; None for all."""
    weight: Vector | None = None
    """The weights of the rows that have scores: those of a sample make up for the rows that were not drawn."""

    @classmethod
    def by(cls, rows: Rows, scores: Matrix, index: NDArray[np.intp] | None, weight: Vector | None) -> Trained:
        """The scores of a selection, if they are few enough."""
        return cls(rows, None if scores.size > MOST_SCORES else scores.astype(np.float32), index, weight)


@dataclass(frozen=True, eq=False)
class Retained:
    """References to the arguments of ``fit``: nothing is copied. Pickles and saved files leave them out."""

    X: Any
    y: Any
    sensitive_features: Any
    sample_weight: Any
    scores: NDArray[np.float32] | None
    index: NDArray[np.intp] | None = None
    weight: Vector | None = None
    """The out-of-fold scores, their rows and the weights of these, as in `Trained`."""
    offset: Vector | Matrix | None = None
    """The cross-fitted margins of a user's model that is corrected."""

    @classmethod
    def of(cls, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, trained: Trained) -> Retained | None:
        """The arguments of a fit, and the scores of its selection; None where features are not in memory."""
        if isinstance(trained.rows.X, RemoteMatrix):
            return None
        scored = trained.scores, trained.index, trained.weight
        return cls(X, y, sensitive_features, sample_weight, *scored, trained.rows.offset)
