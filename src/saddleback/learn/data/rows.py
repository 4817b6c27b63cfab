"""The rows that a model is fitted on or judged by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ..groups import Groups
from .remote import RemoteMatrix
from .taken import TakenRows


@dataclass(frozen=True, eq=False)
class Rows:
    """Features, responses and groups, with one entry per row each."""

    X: Any
    """A dense matrix, a sparse one in CSR format, a `RemoteMatrix`, or rows of these that are still to be taken."""
    y: NDArray[Any]
    """Numbers, or the classes as 0, ..., K - 1."""
    groups: Groups
    weight: Vector | None = None
    """Sample weights > 0."""
    offset: Vector | Matrix | None = None
    """Added to the margins."""
    kept: NDArray[np.bool_] | None = None
    """Which of the user's rows these are, where those of weight 0 were left out."""

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def subset(self, index: NDArray[np.intp]) -> Rows:
        """Some of the rows. A group may have none of them; the names of the groups stay."""
        return self._of(self.X[index], index)

    def view(self, index: NDArray[np.intp]) -> Rows:
        """The same, without a copy of the features: these are taken where some of the rows are."""
        X = self.X[index] if isinstance(self.X, RemoteMatrix) else TakenRows(self.X, index)
        return self._of(X, index)

    def _of(self, X: Any, index: NDArray[np.intp]) -> Rows:
        return Rows(
            X,
            self.y[index],
            self.groups.subset(index),
            None if self.weight is None else self.weight[index],
            None if self.offset is None else self.offset[index],
        )

    def compact(self) -> Rows:
        """The same rows; where features are remote, copied so that no other row is read with them."""
        return replace(self, X=self.X.compact()) if isinstance(self.X, RemoteMatrix) else self

    def with_offset(self, offset: Vector | Matrix) -> Rows:
        """The same rows with another offset."""
        return replace(self, offset=offset)
