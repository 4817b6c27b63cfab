"""Predictions for the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils.validation import check_is_fitted

from ..errors import ProblemError
from ..tabular import Encoding, Finding
from ..tabular.names import refuse_unknown

BLOCK_ROWS = 200_000
"""Rows that are encoded at a time: a wide table of numbers is several times its file."""

PREDICTION, PROBABILITY, MARGIN = "prediction", "probability", "margin"
NO_ROWS = "The table has no rows, and neither have the predictions."


def predictions(
    encoding: Encoding, model: Any, table: pa.Table, keep: Sequence[str] = ()
) -> tuple[pa.Table, tuple[Finding, ...]]:
    """The kept columns and the predictions, row by row; and what the rows have that the training rows had not."""
    check_is_fitted(model)
    _check_kept(keep, table.column_names)
    parts: list[dict[str, Any]] = []
    findings: dict[tuple[str, str], Finding] = {}
    for start in range(0, max(table.num_rows, 1), BLOCK_ROWS):
        X, found = encoding.encode(table.slice(start, BLOCK_ROWS))
        for finding in found:
            findings.setdefault((finding.column, finding.kind), finding)
        parts.append(_columns(encoding, model, X))
    made = {name: pa.chunked_array([pa.array(part[name]) for part in parts]) for name in parts[0]}
    _check_names(keep, list(made))
    predicted = pa.table({**{name: table.column(name) for name in keep}, **made})
    if table.num_rows == 0:
        return predicted, (Finding("", "file", "note", NO_ROWS),)
    return predicted, tuple(findings.values())


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
