"""Predictions for the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils.validation import check_is_fitted

from ..errors import ProblemError
from ..machine.file_listing import is_many
from ..tabular import Encoding, Finding
from ..tabular.names import refuse_unknown
from ..tabular.reading.parquet_files import ParquetFiles
from ..tabular.reading.read_table import PARQUET, checked_file, first_bytes
from .table_rows import as_table

BLOCK_ROWS = 200_000
"""Rows that are encoded at a time: a wide table of numbers is several times its file."""

PREDICTION, PROBABILITY, MARGIN = "prediction", "probability", "margin"
NO_ROWS = "The table has no rows, and neither have the predictions."


def predictions(
    encoding: Encoding, model: Any, table: pa.Table, keep: Sequence[str] = ()
) -> tuple[pa.Table, tuple[Finding, ...]]:
    """The kept columns and the predictions, row by row; and what the rows have that the training rows had not."""
    predicted = Predictions(encoding, model, keep)
    return pa.concat_tables(list(predicted.of([table]))), predicted.findings


class Predictions:
    """Predictions for the rows of tables that come one after the other."""

    def __init__(self, encoding: Encoding, model: Any, keep: Sequence[str] = ()) -> None:
        check_is_fitted(model)
        self.encoding, self.model, self.keep = encoding, model, tuple(keep)
        self.n_rows = 0
        self._found: dict[tuple[str, str], Finding] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the rows so far have that the training rows had not; each the first time that it is met."""
        return tuple(self._found.values())

    def of(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """The kept columns and the predictions of some rows at a time; of no rows, a table without rows."""
        for table in tables:
            _check_kept(self.keep, table.column_names)
            for start in range(0, max(table.num_rows, 1), BLOCK_ROWS):
                yield self._of_rows(table.slice(start, BLOCK_ROWS))
        if self.n_rows == 0:
            self._found = {("", "file"): Finding("", "file", "note", NO_ROWS)}

    def _of_rows(self, rows: pa.Table) -> pa.Table:
        X, found = self.encoding.encode(rows)
        for finding in found:
            self._found.setdefault((finding.column, finding.kind), finding)
        made = _columns(self.encoding, self.model, X)
        _check_names(self.keep, list(made))
        self.n_rows += rows.num_rows
        columns = {name: pa.array(values) for name, values in made.items()}
        return pa.table({**{name: rows.column(name) for name in self.keep}, **columns})


def tables_of(data: Any, encoding: Encoding, keep: Sequence[str]) -> Iterator[pa.Table]:
    """The columns that predictions need: of Parquet files in pieces, of other tables at once."""
    files = None
    if is_many(data) or first_bytes(checked_file(data)).startswith(PARQUET):
        files = ParquetFiles.of(data)
    if files is None or files.n_rows == 0:
        yield as_table(data, encoding.text_columns, empty=True)
        return
    # What is lacking is told by who needs it.
    needed = {*encoding.input_columns, *keep}
    yield from files.pieces([name for name in files.names if name in needed])


def _columns(encoding: Encoding, model: Any, X: Any) -> dict[str, Any]:
    if len(X) == 0:
        # Estimators refuse no rows; a row of zeros has predictions of the same types.
        of_one_row = _columns(encoding, model, np.zeros((1, X.shape[1])))
        return {name: values[:0] for name, values in of_one_row.items()}
    if not encoding.target.classes:
        return {PREDICTION: model.predict(X)}
    classes = model.classes_.tolist()
    columns: dict[str, Any] = {PREDICTION: model.predict(X)}
    probabilities = getattr(model, "predict_proba", None)
    if probabilities is None:
        margins = model.decision_function(X)
        columns[MARGIN] = margins if classes.index(encoding.target.positive) == 1 else -margins
    elif len(classes) == 2:
        columns[PROBABILITY] = probabilities(X)[:, classes.index(encoding.target.positive)]
    else:
        columns |= {f"{PROBABILITY} of {label}": p for label, p in zip(classes, probabilities(X).T, strict=True)}
    return columns


def _check_kept(keep: Sequence[str], names: list[str]) -> None:
    for name in keep:
        refuse_unknown(name, names, "keep")


def _check_names(keep: Sequence[str], made: list[str]) -> None:
    taken = [name for name in keep if name in made]
    if taken:
        raise ProblemError(f"the column {taken[0]!r} cannot be kept: predictions have one of this name. Rename it.")
