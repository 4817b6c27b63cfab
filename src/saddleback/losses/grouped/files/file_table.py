"""A table in files, as users see it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ....errors import ProblemError
from ....machine.file_listing import files_of, is_many
from ....machine.memory_setting import read_memory
from ....machine.resources import gigabytes
from . import npy_files, parquet_table
from .block_source import BlockSource
from .npy_files import NpyFiles
from .parquet_table import ParquetTable
from .watched_files import WatchedFile, cannot_read

SUFFIXES = (".npy", ".parquet", ".pq")


class FileTable:
    """A table in files that may be larger than memory: `.npy` or Parquet, read piece by piece in every pass.

    Only headers and footers are read at first. Pass a table as X to `GroupedLinear` and to the estimators; columns for
    y, groups and weights are named, or read into memory by ``table["name"]``.

    Parameters
    ----------
    path : str or Path
        A file, a folder, or a pattern such as ``data/*.parquet``. Several files of one format are one table, in the
        order of the numbers in their names; their columns and types must agree.
    columns : list, optional
        The features: names of columns of Parquet files, positions of those of `.npy` files. By default all of them.
    memory : int or str, optional
        Bytes, or a text such as "1.5GB" (2^30 bytes each), for what is kept between passes and for copies of chosen
        rows; half of the memory that is free by default, where the limits of containers and of ``ulimit`` count.
        Besides it, every thread holds a block of 2 MB of a `.npy` file, or at worst a row group of a Parquet file.

    Attributes
    ----------
    columns : list
        The features.
    dtypes : dict
        The type of each feature in the files.
    shape : (int, int)
        Rows and features.
    files : list of Path
        In their order.

    Notes
    -----
    Numbers in float32 or float64 in C order are read as they are; other types of numbers, booleans and Fortran order
    are converted in each pass. Dictionary columns of Parquet files are expanded while they are read. Numbers must be
    finite; one read at the beginning checks this. Files must not change meanwhile: those that did are refused by name.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "part-0.npy", np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.save(folder / "part-1.npy", np.array([[1.0, 1.0]]))
    >>> table = FileTable(folder)
    >>> table.shape, table.drop([1]).columns, table[0].tolist()
    ((3, 2), [0], [1.0, 0.0, 1.0])
    >>> import saddleback as sb
    >>> sb.GroupedLinear(table, ["no", "yes", "yes"], ["a", "b", "b"]).values(np.zeros(3)).round(4).tolist()
    [0.6931, 0.6931]
    """

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[Any] | None = None, memory: Any = None) -> None:
        self.files = _files(path)
        self._path = os.fspath(path)
        self.memory = read_memory(memory)
        self._table = _opened(self.files)
        self.columns: list[Any] = self._table.columns
        if columns is not None:
            self.columns = self._known(columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self._table.n_rows, len(self.columns)

    @property
    def dtypes(self) -> dict[Any, str]:
        """The type of each feature in the files."""
        types = self._table.types
        return {name: types[name] for name in self.columns}

    def __len__(self) -> int:
        return self._table.n_rows

    def __repr__(self) -> str:
        n_bytes = gigabytes(sum(file.stat().st_size for file in self.files if file.exists()))
        count = f"{len(self.files)} files" if len(self.files) > 1 else "1 file"
        return f"FileTable({self._path!r}, {self.shape[0]} x {self.shape[1]}, {count} of {n_bytes})"

    def __iter__(self) -> NoReturn:
        """Refused, as ``np.asarray`` is: it would load all columns, one by one."""
        raise ProblemError(
            "a FileTable is not loaded as a whole; pass it as X to GroupedLinear, to an estimator's fit or to its "
            "predictions, or read columns: table['name']."
        )

    def __array__(self, *arguments: Any, **options: Any) -> NoReturn:
        self.__iter__()

    def __getitem__(self, key: Any) -> Any:
        """A column of the files in memory, or, for a list, a table with these features, of which nothing is read."""
        if isinstance(key, list):
            return self._with(self._known(key))
        (name,) = self._known([key])
        return self._table.column(name)

    def has_columns(self, names: Any) -> bool:
        """Whether names is a list of names of columns, and not one of labels of the rows of a tiny table."""
        known = set(self._table.columns)
        return (
            isinstance(names, list)
            and 0 < len(names) != len(self)
            and all(isinstance(name, str) and name in known for name in names)
        )

    def drop(self, columns: Sequence[Any]) -> FileTable:
        """The table without these features; nothing is read."""
        dropped = set(self._known(columns))
        return self._with([name for name in self.columns if name not in dropped])

    def blocks(self) -> BlockSource:
        """The features in blocks; none, and columns that are no numbers, such as text, are refused."""
        if not self.columns:
            raise ProblemError(
                f"X must have at least one row and one column; got shape {self.shape} of {self._path!r}. Keep features "
                "where columns are dropped or named as y and groups."
            )
        return self._table.blocks(self.columns)

    def _with(self, columns: list[Any]) -> FileTable:
        other = object.__new__(FileTable)
        other.__dict__.update(self.__dict__, columns=columns)
        return other

    def _known(self, names: Sequence[Any]) -> list[Any]:
        """Columns of the files, each once; others are refused."""
        if isinstance(names, str) or not hasattr(names, "__iter__"):
            raise ProblemError(f"columns must be a list of columns; got {names!r:.100}.")
        known, chosen = set(self._table.columns), list(names)
        for name in chosen:
            if not isinstance(name, str | int | np.integer) or isinstance(name, bool) or name not in known:
                shown = ", ".join(map(repr, self._table.columns[:10])) + (", ..." if len(known) > 10 else "")
                raise ProblemError(f"{self._path!r} has no column {name!r:.100}; it has {shown}.")
        if len(set(chosen)) < len(chosen):
            raise ProblemError(f"columns must be different; got {chosen!r:.100}.")
        return chosen


def _files(path: Any) -> list[Path]:
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise ProblemError(f"path must be a file, a folder or a pattern; got {type(path).__name__}.")
    return files_of(path, SUFFIXES) if is_many(path) else [Path(path)]


def _opened(files: list[Path]) -> NpyFiles | ParquetTable:
    """The format is that of the first bytes, whatever the files are called."""
    kinds = {}
    for file in files:
        # Checked before it is opened: to open a pipe is to wait for its other end.
        WatchedFile.of(file)
        try:
            with open(file, "rb") as opened:
                start = opened.read(len(npy_files.MAGIC))
        except OSError as error:
            raise cannot_read(file, error) from error
        kinds[_kind(start, file)] = file
    if len(kinds) > 1:
        (one, a), (other, b) = list(kinds.items())[:2]
        raise ProblemError(f"all files must have one format; {str(a)!r} is {one} and {str(b)!r} is {other}.")
    return NpyFiles.of(files) if ".npy" in kinds else ParquetTable.of(files)


def _kind(start: bytes, file: Path) -> str:
    if start == npy_files.MAGIC:
        return ".npy"
    if start.startswith(parquet_table.MAGIC):
        return "Parquet"
    raise ProblemError(
        f"{str(file)!r} is neither a .npy nor a Parquet file: it begins with {start!r}. Write it by np.save or as "
        "Parquet; saddleback fit reads CSV."
    )
