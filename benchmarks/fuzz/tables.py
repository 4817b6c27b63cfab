"""CSV, compressed CSV and Parquet through `read_table`, `learn_encoding` and `Encoding.features`."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from saddleback.errors import ProblemError
from saddleback.tabular import Encoding, learn_encoding, read_table

from .target import Target


def read_and_encode(data: bytes) -> str:
    """The bytes as a file, read and encoded; what was promised of the result is checked."""
    file = scratch()
    file.write_bytes(data)
    table = read_table(file)
    names = table.column_names
    try:
        encoding = learn_encoding(table, target=names[-1], groups=names[:1] if len(names) > 2 else ())
    except ProblemError as error:
        if "task=" not in str(error):
            raise
        encoding = learn_encoding(table, target=names[-1], task="classification")
    again = Encoding.from_dict(encoding.to_dict())
    assert again == encoding
    table = table.filter(pa.array(~encoding.target_missing(table)))
    X = encoding.features(table)
    assert X.shape == (table.num_rows, len(encoding.feature_names))
    assert np.isfinite(X).all()
    assert X.tobytes() == again.features(table).tobytes()
    assert len(encoding.target_values(table)) == table.num_rows
    assert all(len(labels) == table.num_rows for labels in encoding.group_labels(table).values())
    return "encoded"


@cache
def scratch() -> Path:
    """A file of this process, in memory where the system has such a folder."""
    memory = Path("/dev/shm")
    folder = memory if memory.is_dir() and os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
    return folder / f"saddleback-fuzz-{os.getpid()}"


def seeds() -> list[bytes]:
    """Small files with every kind of column, in several layouts and compressions."""
    table = sample_table()
    plain = csv_of(table)
    marked = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")
    european = plain.replace(b",", b";").replace(b".", b",")
    quoted = b'name,"a ""b""",y\n"x\ny",1,0\n' + b'"u, v",2,1\n"w",3,1\n' * 12
    texts = [plain, marked, european, plain.replace(b",", b"\t"), quoted]
    compressed = [gzip.compress(text, 6, mtime=0) for text in (plain, quoted)]
    return [*texts, *compressed, *parquet_files(table)]


def sample_table(n: int = 40) -> pa.Table:
    """Rows with every type that files have."""
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "", "grün"])
    return pa.table(
        {
            "group": pa.array(words[rng.integers(0, 3, n)]),
            "id": pa.array(np.arange(n)),
            "x": pa.array(rng.normal(size=n).round(3), mask=rng.random(n) < 0.1),
            "count": pa.array(rng.integers(0, 9, n)),
            "zip": pa.array([f"{k:05d}" for k in rng.integers(0, 30, n)]),
            "word": pa.array(words[rng.integers(0, 5, n)]),
            "truth": pa.array(rng.random(n) < 0.5),
            "note": pa.array([f"said {k}, and then {k * k}" for k in range(n)]),
            "y": pa.array(np.array(["no", "yes"])[rng.integers(0, 2, n)]),
        }
    )


def csv_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pyarrow.csv.write_csv(table, out, pyarrow.csv.WriteOptions(quoting_style="needed"))
    return out.getvalue()


def parquet_files(table: pa.Table) -> list[bytes]:
    n = table.num_rows
    more = table
    extra = {
        "tags": pa.array([[1, 2]] * n),
        "part": pa.array([{"a": 1}] * n),
        "price": pa.array([Decimal(i) / 4 for i in range(n)], pa.decimal128(12, 2)),
        "level": pa.array(["a", "b"] * (n // 2)).dictionary_encode(),
        "none": pa.nulls(n),
        "small": pa.array(np.arange(n) % 3, pa.uint8()),
    }
    for name, column in extra.items():
        more = more.append_column(name, column)
    more = more.select([name for name in more.column_names if name != "y"] + ["y"])
    flat = more.drop_columns(["tags", "part"])
    layouts: list[tuple[pa.Table, dict[str, object]]] = [
        (table, {"compression": "none", "use_dictionary": False}),
        (table, {"compression": "snappy"}),
        (flat, {"compression": "gzip", "row_group_size": 10}),
        (flat, {"compression": "zstd", "data_page_version": "2.0"}),
        (flat, {"compression": "lz4", "use_byte_stream_split": ["x"], "use_dictionary": False}),
        (more, {"compression": "brotli"}),
        (flat, {"compression": "none", "column_encoding": "PLAIN", "use_dictionary": False, "store_schema": False}),
    ]
    files = []
    for rows, options in layouts:
        out = io.BytesIO()
        pq.write_table(rows, out, **options)
        files.append(out.getvalue())
    return files


TABLES = Target("tables", read_and_encode, seeds)
