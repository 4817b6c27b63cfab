"""The rows of a fit and of its test, read into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Vector
from ..errors import ProblemError
from ..tabular import Encoding, Finding, learn_encoding
from ..tabular.names import column_names, refuse_unknown
from .blocks.coded_labels import CodedLabels
from .evidence_data import name_of
from .known_rows import copies
from .settings import BOOSTING
from .table_model import TableModel
from .table_model_reading import load_table_model
from .table_rows import TableRows, as_table, rows_of
from .watcher import Watcher


def read_for_fit(
    data: Any,
    *,
    target: str,
    groups: Any,
    weight: str | None,
    watcher: Watcher,
    drop: Any = (),
    categories: Any = (),
    corrected: TableModel | None = None,
    **options: Any,
) -> tuple[Encoding, TableRows]:
    """The encoding and the rows; the table itself is let go of, so that the fit has its memory.

    ``options`` are further ones of `learn_encoding`.
    """
    options |= {"categories": column_names(categories, "categories")}
    read = _read(data, target, groups, weight, watcher, drop, corrected, options)
    # Arrow keeps the memory of tables that are gone, as much as the file has bytes.
    pa.default_memory_pool().release_unused()
    return read


def _read(
    data: Any,
    target: str,
    groups: Any,
    weight: str | None,
    watcher: Watcher,
    drop: Any,
    corrected: TableModel | None,
    options: dict[str, Any],
) -> tuple[Encoding, TableRows]:
    watcher.tell(f"reading {name_of(data) or 'the table'}")
    table = as_table(data, options["categories"])
    columns = group_and_dropped_columns(groups, drop, weight, table.column_names)
    encoding = learn_encoding(table, target=target, **columns, **options)
    if corrected is not None:
        encoding = _as_corrected(encoding, corrected.encoding)
    rows = rows_of(encoding, table, weight)
    return encoding.with_findings([*weightless(rows.groups, rows.weight, weight), *copies(rows)]), rows


def weightless(
    groups: Mapping[str, NDArray[Any] | CodedLabels], weights: Vector | None, weight: str | None
) -> list[Finding]:
    """Labels of groups all of whose rows have weight 0, which the model does not see."""
    if weights is None or weight is None:
        return []
    found = []
    for name, labels in groups.items():
        lost = sorted({str(label) for label in _distinct(labels) - _distinct(labels[weights > 0.0])})
        if lost:
            names = ", ".join(map(repr, lost[:5])) + (", ..." if len(lost) > 5 else "")
            message = f"All rows of {names} have weight 0 in {weight!r}: they are in no table and count for nothing."
            found.append(Finding(name, "group", "warning", message))
    return found


def _distinct(labels: NDArray[Any] | CodedLabels) -> set[Any]:
    if isinstance(labels, CodedLabels):
        return {labels.categories[code] for code in np.unique(labels.codes).tolist() if code >= 0}
    return set(labels.tolist())


def _as_corrected(encoding: Encoding, saved: Encoding) -> Encoding:
    """The rules of a saved model's columns, with the groups and findings of these rows."""
    mine, theirs = encoding.target, saved.target
    if (mine.name, mine.task) != (theirs.name, theirs.task):
        raise ProblemError(
            f"the model to correct predicts {theirs.name!r} ({theirs.task}); got the target {mine.name!r} "
            f"({mine.task})."
        )
    return replace(saved, groups=encoding.groups, findings=encoding.findings)


def read_test(test: Any, encoding: Encoding, weight: str | None, watcher: Watcher) -> TableRows:
    """Rows by the rules of the training rows: their classes must be known."""
    watcher.tell(f"reading {name_of(test) or 'the test rows'}")
    table = as_table(test, encoding.text_columns)
    return rows_of(encoding, table, weight)


def corrected_model(correct: Any) -> TableModel | None:
    """The saved model that is to be corrected; None for boosting, or where nothing is."""
    if correct is None or (isinstance(correct, str) and correct == BOOSTING):
        return None
    return correct if isinstance(correct, TableModel) else load_table_model(correct)


def group_and_dropped_columns(groups: Any, drop: Any, weight: str | None, known: list[str]) -> dict[str, Any]:
    """The columns of groups, and those that are no features; that of weights must be known."""
    names, dropped = ([of] if isinstance(of, str) else list(of) for of in (groups, drop))
    if not names:
        raise ProblemError("groups must name at least one column; got none.")
    if weight is not None:
        refuse_unknown(weight, known, "weight")
    return {"groups": names, "drop": list(dict.fromkeys([*dropped, *([] if weight is None else [weight])]))}
