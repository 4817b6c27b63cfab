"""Arguments of `GroupedLinear` where X is in files: y, groups and weights may be named columns of the same files."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ProblemError
from ..input.rows import is_rows
from ..opened import GivenRows
from .file_table import FileTable


def is_in_files(X: Any) -> bool:
    """Whether X is a table in files, or the path of one."""
    return isinstance(X, FileTable | str | os.PathLike)


def with_columns_read(given: GivenRows) -> GivenRows:
    """The same arguments with X as a `FileTable` and named columns in memory, which are then no features.

    A text is the name of a column, and a list of such names is several columns, to be crossed as groups.
    """
    table = given.X if isinstance(given.X, FileTable) else FileTable(given.X)
    if is_rows(given.groups):
        raise ProblemError(
            "groups='rows' makes every row a loss, whose Jacobian is a table in memory; got X in files. Load X, or "
            "pass groups of rows."
        )
    arguments: dict[str, Any] = {}
    named: list[str] = []
    for name in ("y", "groups", "sample_weight", "offset"):
        argument = getattr(given, name)
        refuse_number(argument, name)
        columns = named_columns(table, argument)
        if columns:
            in_memory = {column: table[column] for column in columns}
            arguments[name] = in_memory[columns[0]] if len(columns) == 1 else Columns(in_memory)
            named += columns
    features = [column for column in table.columns if column not in named]
    return replace(given, X=table if features == table.columns else table[features], **arguments)


def named_columns(table: FileTable, argument: Any) -> list[str]:
    """The columns that an argument names, by a text or a list of names; none where it holds values."""
    if isinstance(argument, str):
        return [argument]
    return list(argument) if table.has_columns(argument) else []


def refuse_number(argument: Any, name: str) -> None:
    """Refuse one number in the place of a column: columns without names are read by their position."""
    if isinstance(argument, int | float | np.number):
        raise ProblemError(
            f"{name} must have an entry per row of X, or be the name of a column of Parquet files; got {argument}. "
            f"Read a column by its position and leave it out of X: {name} = table[{argument}], "
            f"X = table.drop([{argument}])."
        )


class Columns:
    """Columns in memory, as a data frame has them."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns
        self.columns = list(columns)
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: str | slice) -> Any:
        """A column by its name, or some rows of all."""
        if isinstance(key, str):
            return self._columns[key]
        return Columns({name: column[key] for name, column in self._columns.items()})
