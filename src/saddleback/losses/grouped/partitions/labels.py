"""The labels of all partitions in one order: that of the same table in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import ProblemError
from ..input.labels import categories_of, read_labels


@dataclass(frozen=True)
class LabelsSeen:
    """The distinct labels of one partition in the order of their first rows, and the categories of the column."""

    labels: list[Any]
    categories: list[Any] | None
    kind: str
    """The kind of NumPy type, which must not differ between partitions: 1 and '1' are two labels."""

    @classmethod
    def of(cls, x: Any, name: str, n_rows: int) -> LabelsSeen:
        """Missing labels are refused."""
        names, codes = read_labels(x, name, n_rows)
        first = np.empty(len(names), dtype=np.intp)
        # Of several rows of one label, the last one written is the first of them.
        first[codes[::-1]] = np.arange(n_rows - 1, -1, -1)
        dtype = getattr(x, "dtype", None)
        return cls([names[k] for k in np.argsort(first)], categories_of(x), getattr(dtype, "kind", "O"))


def merged(seen: Sequence[LabelsSeen], name: str) -> list[Any]:
    """All labels: in the order of the categories, else sorted, else in the order of their first rows."""
    kinds = {of_one.kind for of_one in seen}
    if len(kinds) > 1 and kinds != {"U", "O"}:
        raise ProblemError(
            f"{name} must be of one type in all partitions; got NumPy types of the kinds {sorted(kinds)}. Convert "
            f"them, for example with {name}.astype(str)."
        )
    labels = list(dict.fromkeys(label for of_one in seen for label in of_one.labels))
    categories = shared_categories(seen)
    if categories is not None:
        used = set(labels)
        return [label for label in categories if label in used]
    try:
        return sorted(labels)
    except TypeError:
        return labels


def shared_categories(seen: Sequence[LabelsSeen]) -> list[Any] | None:
    """The categories of a categorical column; None where there are none, or partitions differ in them."""
    first = seen[0].categories
    return first if all(of_one.categories == first for of_one in seen) else None
