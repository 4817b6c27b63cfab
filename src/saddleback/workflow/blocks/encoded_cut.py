"""Some row groups of a file as features, read and encoded by whoever needs them: this process or a worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..._types import Matrix
from ...errors import ProblemError
from ...tabular import Encoding
from ...tabular.reading.parquet_files import ParquetFiles
from .bad_numbers import located


@dataclass(frozen=True, eq=False)
class EncodedCut:
    """The rows of some row groups that have a target."""

    files: ParquetFiles
    """Row groups of one file."""
    kept: NDArray[np.bool_] | None
    """Which of their rows have a target; None for all."""
    n_rows: int
    """Those with a target."""

    def absolute(self) -> EncodedCut:
        """The same rows, for processes with other working directories."""
        return replace(self, files=replace(self.files, files=tuple(file.absolute() for file in self.files.files)))

    def features(self, encoding: Encoding) -> Matrix:
        """All of them, in C order."""
        X = np.empty((self.n_rows, len(encoding.feature_names)))
        done = 0
        for piece in self.pieces(encoding):
            X[done : done + piece.num_rows] = self.encoded(piece, encoding)
            done += piece.num_rows
        return X

    def encoded(self, piece: pa.Table, encoding: Encoding) -> Matrix:
        """The features of a piece; what cannot be encoded is told with its file and row."""
        try:
            return encoding.features(piece)
        except ProblemError as error:
            raise located(error, piece, self.files, encoding) from error

    def pieces(self, encoding: Encoding) -> Iterator[pa.Table]:
        """The columns of the features, in pieces; a file that has other rows by now is refused."""
        read = left = 0
        for piece in self.files.pieces(encoding.input_columns):
            kept = None if self.kept is None else self.kept[read : read + piece.num_rows]
            read += piece.num_rows
            if read > self.files.n_rows:
                break
            if kept is not None and not kept.all():
                piece = piece.filter(pa.array(kept))
            left += piece.num_rows
            if piece.num_rows:
                yield piece
        if read != self.files.n_rows or left != self.n_rows:
            raise ProblemError(
                f"{str(self.files.files[0])!r} has changed since its end was read: it has other rows. Begin anew when "
                "the files are complete."
            )
