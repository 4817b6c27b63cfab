"""Several Parquet files as one table, and what they must have in common."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import saddleback as sb
from saddleback.tabular import read_table
from saddleback.tabular.reading import parquet_files
from saddleback.tabular.reading.parquet_files import ParquetFiles


def frame(first, n, **more):
    return {"id": np.arange(first, first + n), "job": [f"job {k % 3}" for k in range(first, first + n)], **more}


def written(folder, *tables, group=7):
    for k, columns in enumerate(tables):
        pq.write_table(pa.table(columns), folder / f"part-{k}.parquet", row_group_size=group)
    return folder


def test_a_folder_and_a_pattern_are_one_table(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 5)
    written(tmp_path, frame(0, 20), frame(20, 0), frame(20, 11))
    for path in (tmp_path, str(tmp_path / "*.parquet")):
        table = read_table(path)
        assert table.column("id").to_pylist() == list(range(31))
        assert table.column("job").to_pylist() == [f"job {k % 3}" for k in range(31)]
        assert read_table(path, columns=["job"]).column_names == ["job"]
    files = ParquetFiles.of(tmp_path)
    assert files.n_rows == 31
    assert max(piece.num_rows for piece in files.pieces()) <= 5


def test_samples_are_spread_over_the_files(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 5)
    files = ParquetFiles.of(written(tmp_path, frame(0, 100), frame(100, 100)))
    ids = np.array(files.sample(40).column("id"))
    assert 35 <= ids.size <= 45
    assert ids.min() == 0
    assert ids.max() >= 190
    assert np.diff(ids).max() <= 40
    assert files.sample(1000).num_rows == 200


def test_a_column_of_nulls_has_the_type_of_the_others(tmp_path):
    written(tmp_path, frame(0, 3, x=pa.nulls(3)), frame(3, 2, x=[1.5, None]))
    assert read_table(tmp_path).column("x").to_pylist() == [None, None, None, 1.5, None]


def test_texts_may_be_written_in_several_ways(tmp_path):
    ways = [pa.array(["a", "b"]), pa.array(["b", "a"], pa.large_string()), pa.array(["c", "c"]).dictionary_encode()]
    written(tmp_path, *({"x": way} for way in ways))
    assert read_table(tmp_path).column("x").to_pylist() == ["a", "b", "b", "a", "c", "c"]


def test_columns_may_stand_in_another_order(tmp_path):
    written(tmp_path, frame(0, 3), dict(reversed(frame(3, 3).items())))
    assert read_table(tmp_path).column("id").to_pylist() == list(range(6))


REFUSED = {
    "another type": (frame(0, 3, x=[1, 2, 3]), frame(3, 3, x=[1.0, 2.0, 3.5])),
    "text": (frame(0, 3, x=[1, 2, 3]), frame(3, 3, x=["1", "2", "3"])),
    "lacking": (frame(0, 3, x=[1, 2, 3]), frame(3, 3)),
    "further": (frame(0, 3), frame(3, 3, x=[1, 2, 3])),
}
SAID = {
    "another type": r"'x' must have one type in all files; it is int64 in '.*part-0.parquet' and double in '.*part-1",
    "text": r"it is int64 in '.*part-0.parquet' and string in",
    "lacking": r"part-1.parquet' lacks 'x', unlike '.*part-0",
    "further": r"part-1.parquet' has 'x' besides, unlike '.*part-0",
}


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_differ_are_refused_before_rows_are_read(case, tmp_path, monkeypatch):
    written(tmp_path, *REFUSED[case])
    monkeypatch.setattr(ParquetFiles, "pieces", None)
    with pytest.raises(sb.ProblemError, match=SAID[case]):
        read_table(tmp_path)


def test_a_cut_file_in_the_middle_is_named(tmp_path):
    written(tmp_path, frame(0, 5), frame(5, 5), frame(10, 5))
    file = tmp_path / "part-1.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(sb.ProblemError, match=r"part-1\.parquet' is a damaged Parquet file"):
        read_table(tmp_path)
    file.unlink()
    with pytest.raises(sb.ProblemError, match="number 1 is missing"):
        read_table(tmp_path)


def test_a_file_that_has_gone_since_its_end_was_read_is_not_called_damaged(tmp_path):
    written(tmp_path, frame(0, 5), frame(5, 5))
    files = ParquetFiles.of(tmp_path)
    file = tmp_path / "part-1.parquet"
    file.unlink()
    for read in (files.table, lambda: list(files.ends())):
        with pytest.raises(sb.ProblemError, match=r"part-1\.parquet' is no longer there: it was removed or renamed"):
            read()
    file.mkdir()
    with pytest.raises(sb.ProblemError, match=r"part-1\.parquet' cannot be read any more: "):
        list(files.ends())


def test_suffixes_in_capitals(tmp_path):
    written(tmp_path, frame(0, 5), frame(5, 5))
    (tmp_path / "part-1.parquet").rename(tmp_path / "part-1.PARQUET")
    assert read_table(tmp_path).num_rows == 10


def test_no_rows(tmp_path):
    written(tmp_path, frame(0, 0), frame(0, 0))
    with pytest.raises(sb.ProblemError, match="2 columns and no rows"):
        read_table(tmp_path)
    assert read_table(tmp_path, empty=True).column_names == ["id", "job"]
