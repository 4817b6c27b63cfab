"""Where the rows of a table go: what was asked for, what fits, and what is refused before any work."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import saddleback as sb
from saddleback.tabular.reading.parquet_files import ParquetFiles
from saddleback.workflow.blocks import ways
from saddleback.workflow.blocks.ways import Asked, in_memory_bytes, parquet_of, way_of
from saddleback.workflow.watcher import Watcher

from ..tables import people_csv, people_frame, people_parquet

COLUMNS = {"target": "approved", "groups": ["sex", "race"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return people_parquet(tmp_path_factory.mktemp("ways") / "people", people_frame())


def found(folder, **asked):
    asked = Asked.of(**{"scheduler": None, "memory": None, "out_of_core": None} | asked)
    with way_of(ParquetFiles.of(folder), asked, Watcher(), COLUMNS) as way:
        return way


def test_few_rows_are_read_into_memory(folder):
    assert found(folder) is None
    assert found(folder, memory="1GB") is None
    assert found(folder, memory=1, out_of_core=False) is None


def test_rows_that_take_more_than_they_may_stay_in_their_files(folder):
    n_bytes = in_memory_bytes(400, 8)
    assert found(folder, memory=n_bytes) is None
    way = found(folder, memory=n_bytes - 1)
    (told,) = [finding.message for finding in way.encoding.findings if finding.kind == "memory"]
    assert told.startswith("400 rows with 8 features take ")
    assert told.endswith("that they may take: they are read from the files at every pass.")


def test_the_limit_is_a_share_of_what_is_free(folder, monkeypatch):
    monkeypatch.setattr(ways, "read_memory", lambda asked: 1000.0)
    way = found(folder)
    (told,) = [finding.message for finding in way.encoding.findings if finding.kind == "memory"]
    assert "more than half of the 1.9e-06 GB that are free: they are read from the files at every pass" in told


def test_as_asked_for(folder):
    (told,) = [f.message for f in found(folder, out_of_core=True).encoding.findings if f.kind == "memory"]
    assert told.endswith("in memory: as asked for, they are read from the files at every pass.")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"scheduler": ""}, "scheduler must be 'local', or the address of a scheduler"),
        ({"scheduler": 8786}, "scheduler must be 'local'"),
        ({"memory": "much"}, "memory must be a number of bytes, or a text such as '1.5GB'"),
        ({"out_of_core": "yes"}, "out_of_core must be True, False or None; got 'yes'"),
        ({"scheduler": "local", "memory": "1GB"}, "scheduler must be given without memory: the rows"),
        ({"scheduler": "local", "out_of_core": False}, "scheduler must be given without out_of_core=False: the"),
        ({"out_of_core": True, "jobs": 2}, "jobs must be left out where rows are not in memory"),
        ({"scheduler": "local", "folds": 3}, "folds must be left out where rows are not in memory"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_read(asked, words):
    with pytest.raises(sb.ProblemError, match=words):
        sb.fit_table("nowhere.parquet", **COLUMNS, **asked)


@pytest.mark.parametrize("asked", [{"scheduler": "local"}, {"out_of_core": True}])
def test_only_parquet_can_stay_where_it_is(asked, tmp_path):
    path = people_csv(tmp_path / "people.csv", 40)
    with pytest.raises(sb.ProblemError, match=rf"{next(iter(asked))} takes Parquet files.*CSV\. Convert it to Parquet"):
        sb.fit_table(path, **COLUMNS, **asked)
    with pytest.raises(sb.ProblemError, match=r"got a table of type DataFrame\. Write it to Parquet files"):
        sb.fit_table(people_frame(40), **COLUMNS, **asked)


def test_csv_that_is_too_large_is_refused_with_a_remedy(tmp_path, monkeypatch):
    with pytest.raises(sb.ProblemError, match=r"GB may be taken\. Convert it to Parquet"):
        sb.fit_table(people_csv(tmp_path / "people.csv", 40), **COLUMNS, memory=1000)
    monkeypatch.setattr(ways, "free_memory", lambda: 1000.0)
    with pytest.raises(sb.ProblemError, match=r"is CSV, which is read into memory, and would take .* Convert it"):
        sb.fit_table(people_csv(tmp_path / "people.csv", 40), **COLUMNS)


def test_the_remedy_for_csv_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people_csv(tmp_path / "FILE.csv", 40)
    exec(ways.CONVERT.split('"')[1])
    assert ParquetFiles.of("FOLDER").n_rows == 40


def test_files_that_differ_a_gap_and_a_missing_column_are_told_at_once(tmp_path):
    folder = people_parquet(tmp_path / "people", people_frame())
    asked = {"out_of_core": True, **COLUMNS}
    with pytest.raises(sb.ProblemError, match="target"):
        sb.fit_table(folder, **asked | {"target": "aproved"})
    with pytest.raises(sb.ProblemError, match="weight"):
        sb.fit_table(folder, **asked, weight="wieght")
    pq.write_table(pa.table({"other": [1, 2]}), folder / "part-3.parquet")
    with pytest.raises(sb.ProblemError, match=r"all files must have the same columns; .*part-3\.parquet"):
        sb.fit_table(folder, **asked)
    (folder / "part-3.parquet").unlink()
    (folder / "part-1.parquet").unlink()
    with pytest.raises(sb.ProblemError, match="number 1 is missing"):
        sb.fit_table(str(folder / "*.parquet"), **asked)


def test_parquet_is_known_by_its_first_bytes(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "table.csv")
    assert parquet_of(tmp_path / "table.csv", Asked()).n_rows == 1
    assert parquet_of(pd.DataFrame({"a": np.arange(2)}), Asked()) is None
