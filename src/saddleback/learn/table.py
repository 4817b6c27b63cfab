"""A small table of named columns, printed as text, Markdown or HTML; pandas is not needed for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingDependencyError, ProblemError
from .table_text import as_html, as_markdown, as_text


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Named columns of equal length, which cannot be changed.

    ``len(table)`` is the number of rows, ``table["loss"]`` a column, and iteration gives the rows as dicts. In print,
    three columns ``x``, ``x_low`` and ``x_high`` are shown as one: x with its interval.

    Parameters
    ----------
    data : mapping
        Names and columns: vectors or lists.
    caption : str
        What is printed above the table.
    attributes : mapping
        How the columns were computed, by name.

    Examples
    --------
    >>> table = Table({"group": ["a", "b"], "loss": [0.25, 1.5], "loss_low": [0.2, 1.0], "loss_high": [0.3, 2.0]})
    >>> table["loss"].max()
    np.float64(1.5)
    >>> table.row("b")["loss_high"]
    2.0
    >>> table
    group                  loss
    a      0.250 [0.200, 0.300]
    b      1.500 [1.000, 2.000]
    """

    data: Mapping[str, Any]
    caption: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = {name: _column(name, values) for name, values in self.data.items()}
        if not columns:
            raise ProblemError("a table must have at least one column; got none.")
        lengths = {name: column.size for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ProblemError(f"the columns of a table must have the same length; got {lengths}.")
        object.__setattr__(self, "data", MappingProxyType(columns))
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.data)

    def __len__(self) -> int:
        return next(iter(self.data.values())).size

    def __contains__(self, name: object) -> bool:
        return name in self.data

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.data:
            near = get_close_matches(str(name), self.columns, n=3) or self.columns
            raise KeyError(f"the table has no column {name!r}; near names are {', '.join(map(repr, near))}")
        return self.data[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lists = self.to_dict()
        return (dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True))

    def row(self, key: Any) -> dict[str, Any]:
        """The first row whose entry of the first column is ``key``."""
        entries = self.data[self.columns[0]].tolist()
        if key not in entries:
            raise KeyError(f"no row of the table has {key!r} in the column {self.columns[0]!r}")
        at = entries.index(key)
        return {name: values[at] for name, values in self.to_dict().items()}

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {name: column.tolist() for name, column in self.data.items()}

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` of the columns, whose ``attrs`` are the attributes; it needs pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingDependencyError(
                "to_pandas needs pandas, which is not installed: pip install pandas; to_dict needs nothing."
            ) from error
        frame = pd.DataFrame({name: column.copy() for name, column in self.data.items()})
        frame.attrs.update(self.attributes)
        return frame

    def to_markdown(self) -> str:
        """The table as Markdown."""
        return as_markdown(self.data, self.caption)

    def __repr__(self) -> str:
        return as_text(self.data, self.caption)

    def _repr_html_(self) -> str:
        return as_html(self.data, self.caption)

    def __reduce__(self) -> Any:
        return Table, (dict(self.data), self.caption, dict(self.attributes))


def _column(name: Any, values: Any) -> NDArray[Any]:
    """A copy of a column that cannot be written to. What is not numbers or booleans is kept as it is, as objects."""
    if not isinstance(name, str):
        raise ProblemError(f"the names of a table's columns must be strings; got {name!r}.")
    if isinstance(values, str | bytes | Mapping | Set) or not hasattr(values, "__len__"):
        raise ProblemError(f"column {name!r} must be a vector or a list; got {type(values).__name__}.")
    kinds = {type(value) for value in values}
    numbers = bool not in kinds and all(issubclass(kind, int | float | np.integer | np.floating) for kind in kinds)
    column = np.array(values if numbers or len(kinds) == 1 else [None])
    if column.ndim != 1 or column.dtype.kind not in "biuf":
        column = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):
            column[i] = value
    column.flags.writeable = False
    return column
