"""Target, groups and weight of all rows of many files: what an estimator keeps in memory, in few bytes per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..._types import Vector
from ...errors import ProblemError
from ...tabular.encoding.target_rule import CLASSIFICATION, TargetRule
from ...tabular.names import refuse_unknown
from ...tabular.reading.parquet_files import ParquetFiles
from ..weights import check_weights, weights_of
from .coded_labels import CodedLabels, LabelReader, smallest_type

MOST_VALUES = 10_000
"""Different values of a target up to which each is known; more are numbers, of which a sample tells as much."""


@dataclass(frozen=True, eq=False)
class RowLabels:
    """Of the rows that have a target, in the order of the files."""

    y: NDArray[np.generic]
    """Numbers, or the number of each row's class."""
    groups: dict[str, CodedLabels]
    weight: Vector | None
    kept: list[NDArray[np.bool_] | None]
    """Which rows of each cut have a target; None for all of them."""
    left_out: int

    def __len__(self) -> int:
        return self.y.size

    @property
    def lengths(self) -> list[int | None]:
        """The rows of each cut that have a target; None for all of them."""
        return [None if kept is None else int(kept.sum()) for kept in self.kept]


def target_values(files: ParquetFiles, target: str) -> pa.ChunkedArray | None:
    """Every value of the target once, and a null where it is missing; None where there are very many."""
    refuse_unknown(target, files.names, "target")
    values: pa.Array | None = None
    for piece in files.pieces([target]):
        own = _plain(piece.column(target).unique())
        values = own if values is None else pa.concat_arrays([values, own]).unique()
        if len(values) > MOST_VALUES:
            return None
    return None if values is None else pa.chunked_array([values])


def read_labels(
    files: ParquetFiles, cuts: Sequence[ParquetFiles], target: TargetRule, groups: Sequence[str], weight: str | None
) -> RowLabels:
    """One pass over the few columns that are needed; labels are numbered as they are met."""
    columns = list(dict.fromkeys([target.name, *groups, *([] if weight is None else [weight])]))
    readers = {name: LabelReader(name) for name in groups}
    y, weights, kept_of_cuts, left_out = [], [], [], 0
    kind = smallest_type(len(target.classes)) if target.task == CLASSIFICATION else np.float64
    for cut in cuts:
        kept_of_cut = []
        for piece in cut.pieces(columns):
            kept = ~target.missing(piece.column(target.name))
            kept_of_cut.append(kept)
            for name, reader in readers.items():
                reader.add(piece.column(name), kept)
            if not kept.all():
                left_out += int((~kept).sum())
                piece = piece.filter(pa.array(kept))
            y.append(target.coded(piece.column(target.name)).astype(kind))
            if weight is not None:
                weights.append(weights_of(piece, weight))
        whole = np.concatenate(kept_of_cut)
        kept_of_cuts.append(None if whole.all() else whole)
    responses = np.concatenate(y) if y else np.empty(0)
    if not responses.size:
        raise ProblemError(f"the target {target.name!r} is missing in all {left_out} rows.")
    of_rows = None if weight is None else np.concatenate(weights)
    if of_rows is not None and weight is not None:
        check_weights(of_rows, weight)
    found = {name: reader.read() for name, reader in readers.items()}
    return RowLabels(responses, found, of_rows, kept_of_cuts, left_out)


def _plain(values: pa.Array) -> pa.Array:
    """Without a dictionary, whose values differ between pieces."""
    return pc.cast(values, values.type.value_type) if pa.types.is_dictionary(values.type) else values
