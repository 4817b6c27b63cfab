"""Several Parquet files as one table of columns with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ProblemError
from ..kernels import load_compiler
from .block_source import BlockSource
from .joined_blocks import JoinedBlocks
from .parquet_blocks import ParquetBlocks, ParquetFooter, load_parquet
from .rooms import Rooms

MAGIC = b"PAR1"
NO_NUMBERS = (
    "Leave such columns out, table.drop([...]); name those of y and of groups (groups= of GroupedLinear, group_by= or "
    "sensitive_features= of estimators); or have them encoded: saddleback fit does."
)


@dataclass(frozen=True, eq=False)
class ParquetTable:
    """Files with the same columns of the same types, one after the other."""

    footers: tuple[ParquetFooter, ...]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> ParquetTable:
        """Read the ends of the files; files that differ are refused by name."""
        # Arrow takes addresses by the gigabyte once it reads, and under `ulimit -v` leaves none for the compiler.
        load_compiler()
        footers = [ParquetFooter.of(path) for path in paths]
        for footer in footers[1:]:
            _refuse_other(footers[0], footer)
        return cls(tuple(footers))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.footers[0].schema.names)

    @cached_property
    def types(self) -> dict[Any, str]:
        """Arrow's, of every column."""
        return {name: str(_value_type(type_)) for name, type_ in self._arrow_types.items()}

    @property
    def n_rows(self) -> int:
        """Of all files."""
        return sum(footer.n_rows for footer in self.footers)

    def column(self, name: str) -> NDArray[Any]:
        """One column, in memory; texts as objects, which equal ones share."""
        import pyarrow as pa

        if not self.n_rows:
            return np.empty(0)
        text = _is_text(_value_type(self._arrow_types[name]))
        parts = [_column_of(footer, name, text) for footer in self.footers if footer.n_rows]
        joined = pa.chunked_array([chunk for part in parts for chunk in part.chunks])
        if not text:
            return np.asarray(joined.to_numpy())
        joined = joined.unify_dictionaries()
        labels = np.array([*joined.chunk(0).dictionary.to_pylist(), None], dtype=object)
        # A missing text has the number -1, which is that of None.
        codes = [chunk.indices.fill_null(-1).to_numpy() for chunk in joined.chunks]
        return np.asarray(labels[np.concatenate(codes)])

    def blocks(self, columns: Sequence[str]) -> BlockSource:
        """These columns, block by block; columns of anything but numbers are refused."""
        import pyarrow as pa

        for name in columns:
            type_ = _value_type(self._arrow_types[name])
            if not _is_number(type_):
                kind = "texts" if _is_text(type_) else f"values of type {type_}"
                raise ProblemError(f"column {name!r} must hold numbers or booleans; got {kind}. {NO_NUMBERS}")
        types = {_value_type(self._arrow_types[name]) for name in columns}
        dtype = np.dtype(np.float32 if types and types <= {pa.float16(), pa.float32()} else np.float64)
        rooms = Rooms()
        return JoinedBlocks([ParquetBlocks(footer, tuple(columns), dtype, rooms) for footer in self.footers])

    @cached_property
    def _arrow_types(self) -> dict[str, Any]:
        schema = self.footers[0].schema
        return dict(zip(schema.names, schema.types, strict=True))


def _refuse_other(first: ParquetFooter, other: ParquetFooter) -> None:
    """Refuse a file that lacks columns, has further ones, or has one of another type."""
    names, own = first.schema.names, other.schema.names
    here, there = str(other.file.path), str(first.file.path)
    if set(names) != set(own):
        lacking, further = [name for name in names if name not in own], [name for name in own if name not in names]
        differs = f"lacks {lacking[:5]}" if lacking else f"has {further[:5]} besides"
        raise ProblemError(
            f"all files must have the same columns; {here!r} {differs}, unlike {there!r}. Write the files anew with "
            "one set of columns."
        )
    for name in names:
        types = [_value_type(footer.schema.field(name).type) for footer in (first, other)]
        if types[0] != types[1] and not all(map(_is_text, types)):
            raise ProblemError(
                f"the column {name!r} must have one type in all files; it is {types[0]} in {there!r} and {types[1]} in "
                f"{here!r}. Write one of them anew."
            )


def _column_of(footer: ParquetFooter, name: str, text: bool) -> Any:
    """A column of one file; texts as dictionaries."""
    footer.file.check_unchanged()
    try:
        read = load_parquet().ParquetFile
        with read(footer.file.path, read_dictionary=[name] if text else None) as opened:
            column = opened.read(columns=[name]).column(name)
    except Exception as error:
        raise ProblemError(f"column {name!r} of {str(footer.file.path)!r} cannot be read: {error}.") from error
    import pyarrow as pa

    if text:
        return column.cast(pa.dictionary(pa.int32(), pa.string()))
    return column.cast(_value_type(column.type)) if pa.types.is_dictionary(column.type) else column


def _value_type(type_: Any) -> Any:
    import pyarrow as pa

    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _is_text(type_: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def _is_number(type_: Any) -> bool:
    from pyarrow import types

    return any(is_one(type_) for is_one in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal))
