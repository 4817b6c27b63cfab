"""Columns of CSV and Parquet files as numbers.

`read_table` reads a file, `table_from_frame` takes a data frame, `learn_encoding` decides what every column means and
how it becomes numbers, and the `Encoding` that it returns does so for any table with the same columns.

It needs the extra ``table``: ``pip install 'saddleback[table]'``.
"""

from __future__ import annotations

from ..errors import MissingDependencyError

try:
    import pyarrow  # noqa: F401
except ImportError as error:
    raise MissingDependencyError(
        "saddleback.tabular needs pyarrow, which is not installed: pip install 'saddleback[table]', or from a copy of "
        "the repository pip install '.[table]'."
    ) from error

from .encoding.encoding import Encoding
from .encoding.finding import Finding
from .encoding.learning import learn_encoding
from .encoding.rules import CategoryRule, ColumnRule, DroppedRule, NumberRule
from .encoding.target_rule import TargetRule
from .frames import table_from_frame
from .reading.read_table import read_table

__all__ = [
    "CategoryRule",
    "ColumnRule",
    "DroppedRule",
    "Encoding",
    "Finding",
    "NumberRule",
    "TargetRule",
    "learn_encoding",
    "read_table",
    "table_from_frame",
]
