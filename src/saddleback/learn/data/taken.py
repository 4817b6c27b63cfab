"""Rows of a matrix in memory that are copied only where they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._types import Indices


@dataclass(frozen=True, eq=False)
class TakenRows:
    """Some rows of X, by their numbers. Some of these are a copy."""

    X: Any
    rows: Indices

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.size, self.X.shape[1]

    def __getitem__(self, index: Any) -> Any:
        return self.X[self.rows[index]]
