"""The target: what its values are, which task they ask for, and how they are read from a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import ProblemError
from ..content.labels import class_label
from ..content.numbers import floats, number_column, refuse_infinite
from ..content.texts import Texts, texts_of
from ..content.types import checked
from ..names import listed, quoted

CLASSIFICATION, REGRESSION = "classification", "regression"
TASKS = (CLASSIFICATION, REGRESSION)

# Names of classes beyond this length are kept as objects: an array of fixed width takes 4 bytes for each character.
LONGEST_FIXED = 32

Label = str | int | bool | float


@dataclass(frozen=True)
class TargetRule:
    """How the target is read.

    Attributes
    ----------
    name : str
        The column.
    task : {"classification", "regression"}
        What it asks for.
    classes : tuple
        The classes in order, of the type that they have in the file; empty for a regression.
    positive : class or None
        The positive one of two classes.
    style : str
        How the numbers are written where they are text.
    """

    name: str
    task: str
    classes: tuple[Label, ...] = ()
    positive: Label | None = None
    style: str = "plain"

    def values(self, column: pa.ChunkedArray) -> NDArray[Any]:
        """The classes or numbers of all rows; missing ones are refused."""
        coded = self.coded(column)
        return self.class_array()[coded] if self.task == CLASSIFICATION else coded

    def coded(self, column: pa.ChunkedArray) -> NDArray[Any]:
        """The numbers of all rows, or those of their classes in `class_array`; missing ones are refused."""
        column = checked(column, self.name)
        missing = self.missing(column)
        if missing.any():
            raise ProblemError(
                f"the target {quoted(self.name)} is missing in {int(missing.sum())} of {len(column)} rows, first in "
                f"row {int(np.argmax(missing)) + 1}. Leave these rows out."
            )
        if self.task == REGRESSION:
            return floats(number_column(column, self.name, self.style))
        return self._codes(texts_of(column))

    def missing(self, column: pa.ChunkedArray) -> NDArray[np.bool_]:
        """Which rows have no target."""
        column = checked(column, self.name)
        if self.task == REGRESSION:
            values = floats(number_column(column, self.name, self.style))
            refuse_infinite(values, self.name)
            return np.isnan(values)
        return texts_of(column).codes < 0

    def _codes(self, texts: Texts) -> NDArray[np.intp]:
        """The class of every row; texts that are no class are refused."""
        place = {label_text(label): i for i, label in enumerate(self.classes)}
        times = Counter(text.casefold() for text in place)
        # Capitals do not matter, unless they tell two classes apart.
        folded = {text.casefold(): i for text, i in place.items() if times[text.casefold()] == 1}

        def number_of(text: str) -> int | None:
            label = class_label(text)
            return place.get(text, place.get(label, folded.get(label.casefold())))

        found = [number_of(text) for text in texts.levels.to_pylist()]
        if None in found:
            code = found.index(None)
            raise ProblemError(
                f"the target {quoted(self.name)} must be one of {listed(self.classes)}; got "
                f"{quoted(texts.levels[code].as_py())} in row {texts.first_row(code)}."
            )
        return np.array(found, dtype=np.intp)[texts.codes]

    def class_array(self) -> NDArray[Any]:
        """The classes in order."""
        if all(isinstance(label, str) and len(label) <= LONGEST_FIXED for label in self.classes):
            return np.array(self.classes)
        if any(isinstance(label, str) for label in self.classes):
            return np.array(self.classes, dtype=object)
        return np.array(self.classes)


def label_text(label: Label) -> str:
    """A class as the text that a column of it has."""
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
        return str(int(label))
    return str(label)
