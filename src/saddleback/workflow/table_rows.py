"""The rows of a table as an estimator takes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .._types import Matrix, Vector
from ..errors import ProblemError
from ..tabular import Encoding, Finding, read_table, table_from_frame
from .weights import check_weights, weights_of

OF = "SHA-256 of the rows with a target as they were fitted: encoded features, target, groups and weights"


@dataclass(frozen=True, eq=False)
class TableRows:
    """Features, targets, groups and weights of the rows that have a target."""

    X: Matrix
    y: NDArray[Any]
    """Classes as they are in the file, or numbers."""
    groups: dict[str, NDArray[np.object_]]
    weight: Vector | None
    left_out: int
    """Rows without a target."""
    findings: tuple[Finding, ...] = ()
    """What the rows have that those of the encoding had not."""
    n_columns: int = 0
    """Of the table that they come from."""

    @property
    def arguments(self) -> tuple[Any, Any, Any, Any]:
        """X, y, sensitive_features and sample_weight, as ``fit`` takes them."""
        return self.X, self.y, self.groups, self.weight

    def __len__(self) -> int:
        return len(self.X)

    def fingerprint(self) -> dict[str, Any]:
        """Equal for the same rows, of CSV or of Parquet."""
        digest = sha256(str(self.X.shape).encode())
        digest.update(np.ascontiguousarray(self.X, dtype="<f8").data)
        if self.y.dtype.kind == "f":
            digest.update(np.ascontiguousarray(self.y, dtype="<f8").data)
        else:
            _put_labels(digest, "target", self.y)
        for name, labels in self.groups.items():
            _put_labels(digest, name, labels)
        if self.weight is not None:
            digest.update(np.ascontiguousarray(self.weight, dtype="<f8").data)
        return {"sha256": digest.hexdigest(), "rows": len(self), "columns": self.X.shape[1], "of": OF}


def _put_labels(digest: Any, name: str, labels: NDArray[Any]) -> None:
    """The name, the labels that occur, and the number of every row's label among these."""
    listed = [str(label) for label in labels.tolist()]
    number = {label: k for k, label in enumerate(sorted(set(listed)))}
    digest.update(repr((name, list(number))).encode("utf-8", "backslashreplace"))
    digest.update(np.array([number[label] for label in listed], dtype="<i8").data)


def as_table(data: Any, text: Iterable[str] = (), *, empty: bool = False) -> pa.Table:
    """A table of a file, a frame or a dict of columns; ``text`` are columns to be read as text.

    ``empty``: whether a file may have no rows.
    """
    return read_table(data, text=text, empty=empty) if isinstance(data, str | PathLike) else table_from_frame(data)


def rows_of(encoding: Encoding, table: pa.Table, weight: str | None = None) -> TableRows:
    """The rows with a target, by the rules of an encoding; ``weight`` names the column of weights."""
    missing = encoding.target_missing(table)
    left_out = int(missing.sum())
    if left_out == len(missing):
        raise ProblemError(f"the target {encoding.target.name!r} is missing in all {left_out} rows.")
    if left_out:
        table = table.filter(pa.array(~missing))
    X, findings = encoding.encode(table)
    y = encoding.target_values(table)
    weights = None
    if weight is not None:
        check_weights(weights := weights_of(table, weight), weight)
    return TableRows(X, y, encoding.group_labels(table), weights, left_out, findings, table.num_columns)
