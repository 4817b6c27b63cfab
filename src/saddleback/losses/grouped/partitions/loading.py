"""The rows of one partition as the user gave them, checked: X in numbers, the other arguments still as they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import ProblemError
from ..input.features import read_features
from ..input.labels import refuse_masked
from ..remedies import ENCODE_ON_WORKERS, IMPUTE_ON_WORKERS
from ..tables.sources import Source
from .sizes import bytes_of

ROWWISE = ("y", "groups", "sample_weight", "offset")
"""The arguments besides X that have an entry per row."""

OPTIONAL = ("sample_weight", "offset")


@dataclass(frozen=True)
class Place:
    """Which partition, for messages."""

    number: int
    """Counted from 0, as in ``X.partitions`` of Dask."""
    count: int
    rows: str = ""
    """Where its rows are, if that is known."""

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say in the message of a refusal which partition it is about."""
        try:
            yield
        except ProblemError as error:
            where = self.rows or f"partition {self.number} of {self.count}, counted from 0"
            raise ProblemError(f"{error} (In {where}; rows are counted from its first one.)") from error


@dataclass(frozen=True)
class Expected:
    """What Dask believes of the partitions of X: the type of every column."""

    dtypes: tuple[str, ...]
    """One for all columns of an array, one per column of a data frame."""
    names: tuple[Any, ...] | None
    """The columns of a data frame."""
    n_columns: int

    def check(self, X: Any) -> None:
        """Refuse a partition that differs."""
        shape: Any = getattr(X, "shape", ())
        if len(shape) != 2 or shape[-1] != self.n_columns:
            raise ProblemError(
                f"every partition of X must have {self.n_columns} columns; got one of shape {shape}. Make the columns "
                "of all partitions alike, before they become a Dask array."
            )
        if self.names is None:
            if str(X.dtype) != self.dtypes[0]:
                raise ProblemError(
                    f"every partition of X must have the type that Dask was told, {self.dtypes[0]}; got {X.dtype}. "
                    f"Convert all of them: X.map_blocks(lambda x: x.astype({self.dtypes[0]!r}))."
                )
            return
        if tuple(X.columns) != self.names:
            raise ProblemError(
                f"every partition of X must have the columns {list(self.names)[:10]}; got {list(X.columns)[:10]}."
            )
        for name, dtype, of_column in zip(self.names, self.dtypes, X.dtypes, strict=True):
            if str(of_column) != dtype:
                raise ProblemError(
                    f"every partition of X must have the types that Dask was told; column {name!r} is of type "
                    f"{of_column}, not {dtype}: a file whose column has another type, as where entries are missing. "
                    "Write the files anew with one type, or convert them one by one before they are joined."
                )


@dataclass(frozen=True, eq=False)
class Part:
    """One partition; ``source`` is None where it has no rows."""

    place: Place
    n_rows: int
    source: Source | None
    rowwise: dict[str, Any]

    def __sizeof__(self) -> int:
        return bytes_of(self)

    def with_arguments(self, more: dict[str, Any]) -> Part:
        """With the rows of arguments that came from the client's memory."""
        return Part(self.place, self.n_rows, self.source, {**self.rowwise, **more})


def load(place: Place, expected: Expected, X: Any, rowwise: dict[str, Any]) -> Part:
    """Read and check one partition."""
    with place.named():
        expected.check(X)
        for name, argument in rowwise.items():
            _check_rows(name, argument, X.shape[0])
            refuse_masked(argument, name)
        if X.shape[0] == 0:
            return Part(place, 0, None, rowwise)
        return Part(place, X.shape[0], read_features(X, ENCODE_ON_WORKERS, IMPUTE_ON_WORKERS)[0], rowwise)


def _check_rows(name: str, argument: Any, n_rows: int) -> None:
    """Refuse partitions of other lengths."""
    shape = np.shape(argument) if isinstance(argument, list | tuple) else getattr(argument, "shape", None)
    if shape is not None and shape[:1] != (n_rows,):
        raise ProblemError(
            f"{name} must have the partitions of X; got {shape[0] if shape else 'no'} rows for {n_rows} rows of X. "
            "Make both from one data frame, or rechunk both to known chunks."
        )
