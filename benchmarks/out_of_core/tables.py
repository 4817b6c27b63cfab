"""Generated tables of any size, written piece by piece: logistic labels, whose rule differs from group to group."""

from __future__ import annotations

from pathlib import Path

import numpy as np

COLUMNS = 100
GROUPS = 10
ROWS_PER_PIECE = 100_000


def write_table(folder: Path, gigabytes: float, kind: str) -> Path:
    """A file of so many 10^9 bytes in float64; beside it the labels and the groups, a byte for each row."""
    n = int(gigabytes * 1e9 / (8 * COLUMNS) // ROWS_PER_PIECE) * ROWS_PER_PIECE
    path = folder / f"table.{kind}"
    rng = np.random.default_rng(0)
    common, own = rng.standard_normal(COLUMNS) / 5.0, rng.standard_normal((GROUPS, COLUMNS)) / 10.0
    writer = _Npy(path, n) if kind == "npy" else _Parquet(path)
    y, groups = np.empty(n, np.int8), np.empty(n, np.int8)
    for first in range(0, n, ROWS_PER_PIECE):
        part = slice(first, first + ROWS_PER_PIECE)
        X = rng.standard_normal((ROWS_PER_PIECE, COLUMNS))
        groups[part] = rng.integers(0, GROUPS, ROWS_PER_PIECE)
        margins = X @ common + np.einsum("ij,ij->i", X, own[groups[part]])
        y[part] = rng.random(ROWS_PER_PIECE) < 1.0 / (1.0 + np.exp(-margins))
        writer.write(X)
    writer.close()
    np.save(folder / "y.npy", y)
    np.save(folder / "groups.npy", groups)
    return path


class _Npy:
    def __init__(self, path: Path, n: int) -> None:
        self._file = open(path, "wb")  # noqa: SIM115
        header = {"descr": "<f8", "fortran_order": False, "shape": (n, COLUMNS)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def write(self, X: np.ndarray) -> None:
        X.tofile(self._file)

    def close(self) -> None:
        self._file.close()


class _Parquet:
    """Row groups of 100,000 rows; random numbers, which no dictionary and no compression makes smaller."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._names = [f"x{k}" for k in range(COLUMNS)]
        schema = pa.schema([(name, pa.float64()) for name in self._names])
        self._file = pq.ParquetWriter(path, schema, use_dictionary=False, compression="NONE")

    def write(self, X: np.ndarray) -> None:
        import pyarrow as pa

        self._file.write_table(pa.table({name: X[:, k] for k, name in enumerate(self._names)}))

    def close(self) -> None:
        self._file.close()
