"""FileTable: what it says of its files before anything is read, columns, and features chosen lazily."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import saddleback as sb
from saddleback.losses.grouped.partitions.streaming import streamed_features

from .samples import GROUPS, WAYS, D, N, X, Y, arrow_table


@pytest.fixture
def mixed(tmp_path):
    """A Parquet file with columns of many types, in two row groups."""
    table = pa.table(
        {
            "number": [1.5, 2.5, -3.0],
            "single": pa.array([1.0, 2.0, 3.0], pa.float32()),
            "whole": pa.array([1, 2, 2**40]),
            "flag": [True, False, True],
            "decimal": pa.array([1, 2, 3], pa.decimal128(9, 2)),
            "levels": pa.array([0.5, 0.25, 0.5]).dictionary_encode(),
            "text": ["b", "a", None],
            "category": pa.array(["u", "v", "u"]).dictionary_encode(),
            "day": pa.array([0, 1, 2], pa.date32()),
        }
    )
    pq.write_table(table, tmp_path / "mixed.parquet", row_group_size=2)
    return tmp_path / "mixed.parquet"


def whole(table):
    source = table.blocks()
    return np.concatenate([source.read(k).copy() for k in range(len(source.lengths))])


@pytest.mark.parametrize("way", WAYS)
def test_all_rows_in_their_order(way, tmp_path):
    table = sb.FileTable(WAYS[way](tmp_path))
    assert table.shape == (N, D)
    assert len(table) == N
    assert set(table.dtypes.values()) <= {"float64", "double"}
    assert len(table.files) == (4 if "of" in way else 1)
    np.testing.assert_array_equal(whole(table), X)
    key = table.columns[3]
    np.testing.assert_array_equal(table[key], X[:, 3])
    np.testing.assert_array_equal(whole(table[table.columns[5:2:-1]]), X[:, 5:2:-1])
    dropped = table.drop([key])
    assert dropped.shape == (N, D - 1)
    np.testing.assert_array_equal(whole(dropped), np.delete(X, 3, axis=1))


def test_its_repr(tmp_path):
    path = WAYS["folder of Parquet"](tmp_path)
    gigabytes = sum(file.stat().st_size for file in path.iterdir()) / 2**30
    expected = f"FileTable({str(path)!r}, {N} x 1, 4 files of {gigabytes:.2g} GB)"
    assert repr(sb.FileTable(path, columns=["x1"])) == expected


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "f8", ">f8", "g", "i1", "u8", "i4", "?"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_types_and_versions_of_npy(order, dtype, version, tmp_path):
    matrix = np.asarray(np.abs(np.round(X[:100, :5])).astype(dtype), order=order)
    with open(tmp_path / "table.npy", "wb") as file:
        np.lib.format.write_array(file, matrix, version)
    table = sb.FileTable(tmp_path / "table.npy")
    read = whole(table)
    assert read.dtype == (np.float32 if dtype in ("f2", "f4", ">f4") else np.float64)
    np.testing.assert_array_equal(read, matrix.astype(np.float64))
    np.testing.assert_array_equal(table[2], matrix[:, 2])


def test_columns_of_parquet_in_memory(mixed):
    table = sb.FileTable(mixed)
    assert table.dtypes["levels"] == "double"
    assert table["whole"].tolist() == [1, 2, 2**40]
    assert table["flag"].tolist() == [True, False, True]
    assert table["text"].tolist() == ["b", "a", None]
    assert table["category"].tolist() == ["u", "v", "u"]
    assert table["levels"].tolist() == [0.5, 0.25, 0.5]


def test_columns_of_parquet_as_features(mixed):
    numbers = ["decimal", "number", "flag", "levels", "whole"]
    expected = [[1, 1.5, 1, 0.5, 1], [2, 2.5, 0, 0.25, 2], [3, -3.0, 1, 0.5, 2**40]]
    assert whole(sb.FileTable(mixed)[numbers]).tolist() == expected
    assert sb.FileTable(mixed)[["single"]].blocks().dtype == np.float32


@pytest.mark.parametrize(("column", "kind"), [("text", "texts"), ("category", "texts"), ("day", "type date32")])
def test_columns_that_are_no_numbers(mixed, column, kind):
    with pytest.raises(sb.ProblemError, match=rf"column '{column}' must hold numbers.*{kind}.*table\.drop"):
        sb.GroupedLinear(sb.FileTable(mixed)[["number", column]], [0, 1, 0], [0, 1, 0])


def test_files_are_sorted_by_their_numbers(tmp_path):
    for k in (2, 10, 1):
        np.save(tmp_path / f"part-{k}.npy", np.full((1, 1), float(k)))
    # The numbers begin with 1, and so 3, ..., 9 are missing.
    with pytest.raises(sb.ProblemError, match="number 3 is missing"):
        sb.FileTable(tmp_path)
    (tmp_path / "part-1.npy").unlink()
    assert whole(sb.FileTable(tmp_path)).ravel().tolist() == [2.0, 10.0]


def test_pieces_of_a_row_group_in_any_order(tmp_path, monkeypatch):
    monkeypatch.setattr("saddleback.losses.grouped.files.parquet_blocks.BLOCK_BYTES", 8 * D * 1000)
    pq.write_table(arrow_table(), tmp_path / "table.parquet", row_group_size=7_500)
    source = sb.FileTable(tmp_path / "table.parquet").blocks()
    assert source.lengths[:9] == [1000] * 7 + [500, 1000]
    assert source.sections == list(range(0, 64, 8))
    for number in [0, 2, 3, 1, 7, 8, 63, 62]:
        first = sum(source.lengths[:number])
        np.testing.assert_array_equal(source.read(number), X[first : first + source.lengths[number]])
        assert source.row(number) == first


def test_several_blocks_of_a_file_in_fortran_order(tmp_path, monkeypatch):
    monkeypatch.setattr("saddleback.losses.grouped.files.cutting.COLUMN_BLOCK_BYTES", 8 * D * 10_000)
    table = sb.FileTable(WAYS["Fortran order"](tmp_path))
    assert table.blocks().lengths == [10_000] * 6
    np.testing.assert_array_equal(whole(table), X)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["nothing"], "has no column 'nothing'; it has 'x0', 'x1'"),
        ([3], "has no column 3"),
        (["x0", "x0"], "columns must be different"),
        ("x0", "columns must be a list"),
    ],
)
def test_unknown_columns(columns, message, tmp_path):
    with pytest.raises(sb.ProblemError, match=message):
        sb.FileTable(WAYS["Parquet"](tmp_path), columns=columns)


def test_unknown_names_in_arguments(tmp_path):
    table = sb.FileTable(WAYS["Parquet"](tmp_path))
    with pytest.raises(sb.ProblemError, match="has no column 'y'"):
        sb.GroupedLinear(table, "y", "race")
    with pytest.raises(sb.ProblemError, match="has no column 20"):
        table[20]


@pytest.mark.parametrize("load", [np.asarray, list, lambda table: np.linalg.norm(table)])
def test_it_is_not_loaded_by_accident(load, tmp_path):
    with pytest.raises(sb.ProblemError, match=r"a FileTable is not loaded as a whole.*table\['name'\]"):
        load(sb.FileTable(WAYS["Parquet"](tmp_path)))


@pytest.mark.parametrize("position", [2, np.int64(2)])
def test_positions_are_read_by_the_user(position, tmp_path):
    table = sb.FileTable(WAYS["npy"](tmp_path))
    with pytest.raises(sb.ProblemError, match=r"y must have an entry per row of X.*y = table\[2\], X = table\.drop"):
        sb.GroupedLinear(table, position, GROUPS)
    with pytest.raises(sb.ProblemError, match=r"groups must have an entry per row.*groups = table\[2\]"):
        sb.GroupedLinear(table, Y, position)


@pytest.mark.slow
def test_the_compiler_is_there_before_arrow_takes_addresses(tmp_path):
    WAYS["Parquet"](tmp_path)
    program = "import sys, saddleback as sb; sb.FileTable(sys.argv[1]); print('numba' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "table.parquet"], capture_output=True, text=True, check=True
    )
    assert told.stdout == "True\n"


class NoRoom:
    """Blocks that there is no memory for."""

    lengths, sections, n_columns, names, dtype = (5,), (0,), 3, None, np.dtype(float)

    def read(self, number):
        return np.empty(2**50)

    def place(self, number):
        return "t.npy"


def test_no_memory_for_a_block():
    said = r"no memory for a block of 5 rows of 't\.npy' \(Unable to allocate .*memory='100MB'.*ulimit -v"
    with pytest.raises(MemoryError, match=said):
        streamed_features(NoRoom())
