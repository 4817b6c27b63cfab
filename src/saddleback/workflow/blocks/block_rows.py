"""The rows of many files as an estimator takes them, with features that are not in this process's memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ...learn.data.remote import Blocks, RemoteMatrix
from ...tabular import Encoding
from ...tabular.encoding.learning import without_target
from ...tabular.reading.parquet_files import ParquetFiles
from .coded_labels import CodedLabels
from .encoded_cut import EncodedCut
from .row_labels import read_labels

CUT_ENTRIES = 1 << 23
"""Features of a block, 64 MB, but at least a row group: few blocks cost little, and some of them fit into memory."""

OF = (
    "SHA-256 of the ends of the Parquet files in their order, which have the sizes, the numbers of rows and the "
    "smallest and largest values of all parts of all columns"
)

MakeBlocks = Callable[[Sequence[EncodedCut], Encoding], Blocks]


@dataclass(frozen=True, eq=False)
class BlockRows:
    """Of the rows that have a target."""

    X: RemoteMatrix
    y: NDArray[Any]
    """Numbers, or the number of each row's class."""
    classes: NDArray[Any] | None
    groups: dict[str, CodedLabels]
    weight: Vector | None
    left_out: int
    n_columns: int

    @classmethod
    def read(
        cls,
        files: ParquetFiles,
        encoding: Encoding,
        weight: str | None,
        make: MakeBlocks,
        check: Callable[[Mapping[str, CodedLabels]], None] | None = None,
    ) -> tuple[Encoding, BlockRows]:
        """Targets, groups and weights come here; features stay where ``make`` puts them, once groups are checked."""
        width = max(1, len(encoding.feature_names))
        cuts = files.cut(max(1, CUT_ENTRIES // width))
        target = encoding.target
        labels = read_labels(files, cuts, target, encoding.groups, weight)
        if check is not None:
            check(labels.groups)
        if labels.left_out and not any(f.kind == "missing" and f.column == target.name for f in encoding.findings):
            encoding = encoding.with_findings([without_target(target.name, labels.left_out, files.n_rows)])
        encoded = [
            EncodedCut(cut, kept, cut.n_rows if kept is None else int(kept.sum()))
            for cut, kept in zip(cuts, labels.kept, strict=True)
        ]
        blocks = make([cut for cut in encoded if cut.n_rows], encoding)
        classes = target.class_array() if target.classes else None
        rows = cls(
            RemoteMatrix(blocks), labels.y, classes, labels.groups, labels.weight, labels.left_out, len(files.names)
        )
        return encoding, rows

    def __len__(self) -> int:
        return self.y.size

    def __getitem__(self, rows: NDArray[np.intp]) -> BlockRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        groups = {name: labels[rows] for name, labels in self.groups.items()}
        return BlockRows(self.X[rows], self.y[rows], self.classes, groups, weight, self.left_out, self.n_columns)

    @property
    def arguments(self) -> tuple[Any, Any, Any, Any]:
        """X, y, sensitive_features and sample_weight, as ``fit`` takes them; classes are numbers."""
        return self.X, self.y, self.groups, self.weight

    def fit(self, model: Any) -> None:
        """Fit an estimator, which gets classes as numbers: texts of so many rows would take much memory."""
        model.fit(*self.arguments)
        if self.classes is not None:
            model.classes_ = self.classes[model.classes_]

    def in_memory(self, what: str, remedy: str) -> tuple[Any, Any, Any, Any]:
        """X, y, sensitive_features and sample_weight as arrays, with labels as the user has them."""
        groups = {name: column.labels() for name, column in self.groups.items()}
        y = self.y if self.classes is None else self.classes[self.y]
        return self.X.in_memory(what, remedy), y, groups, self.weight


def fingerprint_of(files: ParquetFiles, n_rows: int, n_features: int) -> dict[str, Any]:
    """Of files whose rows are not all read by this process: another end of a file means another file."""
    digest = sha256()
    for end in files.ends():
        digest.update(len(end).to_bytes(8, "little"))
        digest.update(end)
    return {"sha256": digest.hexdigest(), "rows": n_rows, "columns": n_features, "of": OF}
