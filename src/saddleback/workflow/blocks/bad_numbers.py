"""What is no number in a column of numbers, where the column's rule was learned on a sample of the rows."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from ...errors import ProblemError
from ...tabular import Encoding
from ...tabular.content.numbers import floats, number_column, refuse_infinite
from ...tabular.content.types import checked, is_number
from ...tabular.encoding.rules import NumberRule
from ...tabular.names import shown_path, to_type
from ...tabular.reading.parquet_files import ParquetFiles
from .encoding_sample import sample_size


def located(error: ProblemError, piece: pa.Table, files: ParquetFiles, encoding: Encoding) -> ProblemError:
    """The refusal of a piece of a file, with the row of the file and what helps."""
    (file,) = files.files
    like = f"the sample of {sample_size(files):,} rows that its rule was learned on"
    for rule in encoding.columns:
        if not isinstance(rule, NumberRule) or _refusal(piece, rule, 0, like) is None:
            continue
        first_row = 0
        # The piece may lack rows, those without a target, and does not know how many are before it.
        for own in replace(files, groups=None).pieces([rule.name]):
            refused = _refusal(own, rule, first_row, like)
            if refused is not None:
                return ProblemError(f"{refused}{_remedy(rule, own)} (In {shown_path(file)}.)")
            first_row += own.num_rows
    return ProblemError(f"{error} (In {shown_path(file)}.)")


def _refusal(table: pa.Table, rule: NumberRule, first_row: int, like: str) -> ProblemError | None:
    try:
        column = number_column(checked(table.column(rule.name), rule.name), rule.name, rule.style, first_row, like)
        refuse_infinite(floats(column), rule.name, first_row)
    except ProblemError as error:
        return error
    return None


def _remedy(rule: NumberRule, table: pa.Table) -> str:
    """For texts, which the rows of the sample had not."""
    if is_number(table.schema.field(rule.name).type):
        return ""
    return (
        f" Or say that its values are categories: {to_type('--category', [rule.name])} (categories=), or leave it out: "
        f"{to_type('--drop', [rule.name])} (drop=)."
    )
