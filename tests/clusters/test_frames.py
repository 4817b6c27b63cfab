"""Parquet files as a data frame of Dask: the rows of the files, in partitions that suit, checked before any work."""

from decimal import Decimal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from workflow.tables import people_frame, people_parquet

import saddleback as sb
from saddleback.distributed import connect, read_parquet


@pytest.fixture(scope="module")
def frame():
    return people_frame(500)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    return people_parquet(tmp_path_factory.mktemp("frames") / "people", frame)


def test_all_rows_in_their_order(folder, frame):
    for path in (folder, str(folder / "*.parquet")):
        read = read_parquet(path)
        assert isinstance(read, dd.DataFrame)
        assert read.npartitions == 3
        own = read.compute().reset_index(drop=True).fillna({"job": "?", "race": "?", "approved": "?"})
        expected = frame.fillna({"job": "?", "race": "?", "approved": "?"})
        pd.testing.assert_frame_equal(own, expected, check_dtype=False)


def test_partitions_are_row_groups_or_some_of_them(folder, frame):
    read = read_parquet(folder, ["income", "race"], rows_per_partition=100)
    assert list(read.columns) == ["income", "race"]
    lengths = [len(part) for part in read.partitions]
    assert max(lengths) <= 100
    assert sum(lengths) == 500
    assert read_parquet(folder, rows_per_partition=1).npartitions == 9


def test_whole_numbers_with_gaps_have_one_type(tmp_path):
    for k, values in enumerate(([1, 2], [3, None], [None, None])):
        columns = {"n": pa.array(values, pa.int64()), "full": [k, k], "text": ["a", None]}
        pq.write_table(pa.table(columns), tmp_path / f"part-{k}.parquet")
    read = read_parquet(tmp_path)
    assert [str(kind) for kind in read.dtypes[:2]] == ["float64", "int64"]
    for part in read.partitions:
        assert [str(kind) for kind in part.compute().dtypes] == [str(kind) for kind in read.dtypes]
    assert read["n"].compute().tolist()[:3] == [1.0, 2.0, 3.0]


def test_booleans_with_gaps_and_decimals_are_numbers(tmp_path):
    columns = {
        "yes": [True, None],
        "all": [True, False],
        "price": pa.array([Decimal("1.5"), None], pa.decimal128(9, 2)),
    }
    pq.write_table(pa.table(columns), tmp_path / "part.parquet")
    read = read_parquet(tmp_path)
    assert [str(kind) for kind in read.dtypes] == ["float64", "bool", "float64"]
    assert [str(kind) for kind in read.compute().dtypes] == ["float64", "bool", "float64"]
    assert read["price"].compute()[0] == 1.5


def write(path, values):
    pq.write_table(pa.table({"x": np.array(values, dtype=float)}), path)


def test_files_that_were_written_anew_are_read_anew(tmp_path, cluster):
    """Dask keeps what has the same name, as long as anybody uses it."""
    path = tmp_path / "part.parquet"
    with connect(cluster.scheduler_address):
        write(path, [1.0, 2.0])
        before = read_parquet(path)
        kept = before.persist()
        assert kept["x"].sum().compute() == 3.0
        write(path, [3.0, 4.0])
        assert read_parquet(path).persist()["x"].sum().compute() == 7.0
        assert kept["x"].sum().compute() == 3.0
        with pytest.raises(sb.ProblemError, match="has changed since its end was read"):
            before["x"].max().compute()


def test_an_error_does_not_outlive_its_cause(tmp_path, cluster):
    path = tmp_path / "part.parquet"
    with connect(cluster.scheduler_address):
        write(path, [1.0, 2.0])
        frame = read_parquet(path)
        path.rename(tmp_path / "elsewhere")
        with pytest.raises(sb.ProblemError) as kept:
            sb.GroupedLinear(frame[["x"]], [0, 1], ["a", "b"])
        (tmp_path / "elsewhere").rename(path)
        assert sb.GroupedLinear(read_parquet(path)[["x"]], [0, 1], ["a", "b"]).n_samples == 2
    assert "part.parquet" in str(kept.value)


def test_a_model_of_files_on_a_cluster_is_that_of_the_rows(folder, frame, cluster):
    rows = frame.dropna(subset=["approved"]).assign(race=lambda of: of["race"].fillna("?"))
    expected = sb.MinimaxClassifier(0.05).fit(rows[["income"]], rows["approved"], rows[["sex", "race"]])
    with connect(cluster.scheduler_address):
        read = read_parquet(folder, ["income", "approved", "sex", "race"]).dropna(subset=["approved"])
        groups = read[["sex", "race"]].fillna("?")
        model = sb.MinimaxClassifier(0.05).fit(read[["income"]], read["approved"], groups)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5)
    assert model.group_names_ == expected.group_names_


def test_errors_come_before_any_work(folder, tmp_path):
    with pytest.raises(sb.ProblemError, match="columns"):
        read_parquet(folder, ["incme"])
    with pytest.raises(sb.ProblemError, match="must have at least one column; got none"):
        read_parquet(folder, [])
    with pytest.raises(sb.ProblemError, match="there is no file"):
        read_parquet(tmp_path / "nothing.parquet")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(sb.ProblemError, match=r"is no Parquet file; workers read Parquet\. Convert it"):
        read_parquet(tmp_path / "table.csv")
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "empty.parquet")
    with pytest.raises(sb.ProblemError, match="have no rows; expected at least one"):
        read_parquet(tmp_path / "empty.parquet")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "other.parquet")
    with pytest.raises(sb.ProblemError, match="must have one type in all files"):
        read_parquet(str(tmp_path / "*.parquet"))
