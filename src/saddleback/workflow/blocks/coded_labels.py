"""Labels of very many rows: a small number for each row, and the label of each number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...tabular.content.labels import group_label, relabelled
from ...tabular.content.texts import texts_of
from ...tabular.content.types import checked


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """A column of labels, read by the estimators as they read a categorical column of pandas."""

    categories: list[str]
    """In their order."""
    codes: NDArray[np.signedinteger[Any]]
    """The number of each row's label; -1 where it is missing."""

    @property
    def dtype(self) -> Self:
        """What has the categories, as in pandas."""
        return self

    def __len__(self) -> int:
        return self.codes.size

    def __getitem__(self, rows: NDArray[Any] | slice) -> CodedLabels:
        """Some of the rows; labels without rows stay."""
        return CodedLabels(self.categories, self.codes[rows])

    def labels(self) -> NDArray[np.object_]:
        """The labels themselves, None where they are missing."""
        return np.array([*self.categories, None], dtype=object)[self.codes]


class LabelReader:
    """Reads a column piece by piece."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._numbers: dict[str, int] = {}
        self._pieces: list[NDArray[Any]] = []

    def add(self, column: pa.ChunkedArray, kept: NDArray[np.bool_]) -> None:
        """The labels of a piece, of those rows that are kept."""
        texts = relabelled(texts_of(checked(column, self.name)), group_label)
        codes = texts.codes[kept]
        used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=texts.n_levels))
        number = np.full(texts.n_levels + 1, -1)
        for code in used.tolist():
            number[code] = self._numbers.setdefault(texts.levels[code].as_py(), len(self._numbers))
        self._pieces.append(number[codes].astype(smallest_type(len(self._numbers))))

    def read(self) -> CodedLabels:
        """All labels in the order of the texts, as those of a table in memory."""
        categories = sorted(self._numbers)
        place = np.empty(len(categories) + 1, dtype=smallest_type(len(categories)))
        place[[self._numbers[label] for label in categories]] = np.arange(len(categories))
        place[-1] = -1
        pieces, self._pieces = self._pieces, []
        # The number -1 takes the last entry.
        return CodedLabels(categories, np.concatenate([place[piece] for piece in pieces]))


def smallest_type(n_labels: int) -> type[np.signedinteger[Any]]:
    """The type that holds -1, ..., n - 1 in the fewest bytes."""
    return next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if n_labels <= np.iinfo(kind).max)
