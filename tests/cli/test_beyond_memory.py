"""The commands on folders of Parquet: rows that are not in memory, predictions piece by piece, errors in one line."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster
from workflow.tables import people_csv, people_frame, people_parquet

import saddleback as sb
from saddleback.distributed import connecting
from saddleback.tabular.reading import parquet_files

from .program import refused, saddleback_program, typed

COLUMNS = ("--target", "approved", "--group", "sex", "--group", "race")
GIVEN = (*COLUMNS, "--worst-weight", "0.5", "--l2", "0.01")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return people_parquet(tmp_path_factory.mktemp("user") / "people", people_frame(600), group=200)


@pytest.fixture(scope="module")
def model(folder):
    """Fitted out of core, with its report."""
    place = folder.parent / "m.safetensors"
    done = typed("fit", folder, *GIVEN, "--memory", "10KB", "--out", place, "--report", folder.parent / "r.html")
    assert done.status == 0, done
    return place, done


def test_a_fit_says_where_the_rows_are(model, folder):
    place, done = model
    said = " ".join(done.out.split())
    assert "Note: 600 rows with 8 features take 0.00011 GB in memory, more than the 9.5e-06 GB that they may" in said
    assert "they are read from the files at every pass." in said
    assert "learning how the columns are read, from 600 rows" in done.err
    assert "reading the rows that judge the model" in done.err
    assert sb.load(place).evidence["rows"]["held_out"] == int(0.2 * sb.load(place).facts["rows"])
    assert (folder.parent / "r.html").stat().st_size > 10_000
    assert typed("report", place, "--out", folder.parent / "card.md").status == 0


def test_the_certificate_holds_for_the_files(model, folder):
    done = typed("certify", model[0], folder, "--json")
    assert done.status == 0, done
    assert json.loads(done.out)["same_rows"]


def test_a_fit_on_a_cluster(folder, tmp_path):
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        options = ("--no-evidence", "--scheduler", address, "--json")
        done = typed("fit", folder, *GIVEN, *options, "--out", tmp_path / "m.safetensors")
    assert done.status == 0, done
    messages = [finding["message"] for finding in json.loads(done.out)["findings"] if finding["kind"] == "memory"]
    assert messages == [f"600 rows with 8 features are in the memory of 1 worker of {address}, with 2 threads."]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_predictions_of_a_folder_are_those_of_the_table(ending, model, folder, tmp_path, monkeypatch):
    expected = sb.load(model[0]).predict(folder, keep=["id", "job"]).to_pandas()
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 64)
    out = tmp_path / f"p{ending}"
    for path in (folder, folder / "*.parquet"):
        done = typed("predict", model[0], path, "--keep", "id", "--keep", "job", "--out", out)
        assert done.status == 0, done
        assert "600 rows with id, job, prediction, probability" in " ".join(done.out.split())
        own = pd.read_parquet(out) if ending == ".parquet" else pd.read_csv(out)
        assert own["id"].tolist() == expected["id"].tolist()
        assert own["job"].astype(object).fillna("?").tolist() == expected["job"].astype(object).fillna("?").tolist()
        assert own["prediction"].tolist() == expected["prediction"].tolist()
        np.testing.assert_allclose(own["probability"], expected["probability"], rtol=1e-12)


def test_predictions_that_fail_in_the_middle_leave_nothing(model, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 64)
    frame = people_frame(600)
    income = frame["income"].to_numpy(copy=True)
    income[500] = np.inf
    bad = people_parquet(tmp_path / "bad", frame.assign(income=income))
    assert "income" in refused("predict", model[0], bad, "--out", tmp_path / "p.parquet", folder=tmp_path)
    assert "'income'" in refused(
        "predict", model[0], folder, "--keep", "incme", "--out", tmp_path / "p.csv", folder=tmp_path
    )


def test_printed_predictions_of_a_folder(model, folder):
    done = saddleback_program("predict", model[0], folder, "--out", "-")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 601


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--scheduler", "tcp://127.0.0.1:1"), "no scheduler of Dask answers at 'tcp://127.0.0.1:1' within"),
        (("--scheduler", "somewhere"), "address must be that of a scheduler"),
        (("--memory", "much"), "--memory must be a number of bytes, or a text such as '1.5GB'"),
        (("--memory", "1GB", "--scheduler", "local"), "--scheduler must be given without --memory: the"),
        (("--out-of-core", "--scheduler", "local"), "--scheduler must be given without --out-of-core: the"),
        (("--in-memory", "--scheduler", "local"), "--scheduler must be given without --in-memory: the"),
        (("--out-of-core", "--jobs", "2"), "--jobs must be left out where rows are not in memory"),
        (("--out-of-core", "--correct", "boosting"), "--correct needs the rows in memory"),
        (("--out-of-core", "--folds", "3"), "--folds must be left out where rows are not in memory"),
    ],
)
def test_bad_options_are_told_in_one_line(options, words, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(connecting, "CONNECT_SECONDS", 0.5)
    line = refused("fit", folder, *GIVEN, *options, "--out", tmp_path / "m.safetensors", folder=tmp_path)
    assert words in line


def test_bad_files_are_told_in_one_line(folder, tmp_path):
    out = ("--out", tmp_path / "m.safetensors")
    csv = people_csv(tmp_path / "people.csv", 40)
    assert "--scheduler takes Parquet files" in refused(
        "fit", csv, *GIVEN, "--scheduler", "local", *out, folder=tmp_path
    )
    assert "--out-of-core takes Parquet files" in refused("fit", csv, *GIVEN, "--out-of-core", *out, folder=tmp_path)
    parts = people_parquet(tmp_path / "parts", people_frame(300), files=4)
    (parts / "part-2.parquet").unlink()
    line = refused("fit", parts / "*.parquet", *GIVEN, "--out-of-core", *out, folder=tmp_path)
    assert "number 2 is missing" in line
    pq.write_table(pa.table({"a": [1]}), parts / "part-2.parquet")
    line = refused("fit", parts, *GIVEN, "--out-of-core", *out, folder=tmp_path)
    assert "all files must have the same columns" in line
    empty = people_parquet(tmp_path / "empty", people_frame(20).iloc[:0], files=1)
    assert "no rows" in refused("fit", empty, *GIVEN, "--out-of-core", *out, folder=tmp_path)


@pytest.mark.slow
def test_workers_on_this_machine(folder, tmp_path):
    """As a program of its own, whose workers import its main module."""
    out = tmp_path / "m.safetensors"
    done = saddleback_program("fit", folder, *GIVEN, "--no-evidence", "--scheduler", "local", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "on this machine, with" in " ".join(done.stdout.split())
    expected = sb.fit_table(
        folder, target="approved", groups=["sex", "race"], worst_weight=0.5, l2=0.01, evidence=False
    )
    np.testing.assert_allclose(sb.load(out).model.coef_, expected.model.coef_, rtol=1e-4, atol=1e-5)
