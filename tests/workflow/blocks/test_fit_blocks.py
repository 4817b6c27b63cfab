"""Fits of rows that are not in memory: the models, the evidence and the certificate of rows that are."""

import logging

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

import saddleback as sb
from saddleback.tabular.reading import parquet_files
from saddleback.workflow.blocks import encoding_sample, held_out
from saddleback.workflow.blocks.on_cluster import leave_errors_to_the_client
from saddleback.workflow.certify_model import certify_model

from ..tables import COLUMNS, people_csv, people_frame, people_parquet, people_rows

GROUPS = ["sex", "race"]
QUICK = {"target": "approved", "groups": GROUPS, "evidence": False}
GIVEN = QUICK | {"worst_weight": 0.5, "l2": 0.01}
CV = QUICK | {"worst_weight": [0.0, 0.5], "l2": [0.01]}
AGREE = {"rtol": 1e-4, "atol": 1e-5}
"""Of coefficients of two runs whose objectives are certified to 1e-6."""


@pytest.fixture(scope="module")
def frame():
    return people_frame(900)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    return people_parquet(tmp_path_factory.mktemp("blocks") / "people", frame, group=200)


@pytest.fixture(scope="module")
def model(folder):
    return sb.fit_table(folder, **GIVEN)


@pytest.fixture(scope="module")
def scheduler():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


def agree(own, expected):
    assert own.encoding.columns == expected.encoding.columns
    assert own.encoding.target == expected.encoding.target
    assert (own.facts["rows"], own.facts["left_out"]) == (expected.facts["rows"], expected.facts["left_out"])
    assert own.model.group_names_ == expected.model.group_names_
    np.testing.assert_array_equal(own.model.group_sizes_, expected.model.group_sizes_)
    np.testing.assert_allclose(own.model.coef_, expected.model.coef_, **AGREE)
    np.testing.assert_allclose(own.model.result_.value, expected.model.result_.value, atol=1e-8)
    if hasattr(expected.model, "classes_"):
        np.testing.assert_array_equal(own.model.classes_, expected.model.classes_)
        assert own.model.classes_.dtype == expected.model.classes_.dtype


@pytest.mark.parametrize("options", [{}, {"min_group_size": 60}, {"crossed": False}, {"weight": "income"}], ids=str)
def test_the_model_is_that_of_the_rows_in_memory(options, folder):
    expected = sb.fit_table(folder, **GIVEN, **options)
    own = sb.fit_table(folder, **GIVEN, **options, out_of_core=True)
    agree(own, expected)
    assert own.predict(folder).column("prediction").equals(expected.predict(folder).column("prediction"))


def test_a_choice_is_that_of_the_rows_in_memory(folder):
    expected, own = sb.fit_table(folder, **CV), sb.fit_table(folder, **CV, out_of_core=True)
    agree(own, expected)
    assert own.model.selection_.chosen == expected.model.selection_.chosen


def test_on_a_cluster(folder, model, scheduler, monkeypatch):
    monkeypatch.chdir(folder.parent)
    own = sb.fit_table(f"{folder.name}/*.parquet", **GIVEN, scheduler=scheduler)
    agree(own, model)
    (told,) = [finding.message for finding in own.encoding.findings if finding.kind == "memory"]
    assert told.startswith("900 rows with 8 features are in the memory of 2 workers of ")


def test_numbers_and_more_than_two_classes(tmp_path):
    frame = pd.DataFrame(people_rows(600), columns=COLUMNS).replace({"": None, "NA": None})
    frame = frame.assign(age=frame["age"].astype(float)).drop(columns="approved")
    folder = people_parquet(tmp_path / "numbers", frame, group=300)
    asked = GIVEN | {"target": "amount"}
    agree(sb.fit_table(folder, **asked, out_of_core=True), sb.fit_table(folder, **asked))
    classes = frame.assign(amount=np.digitize(frame["amount"], [-500, 800]))
    folder = people_parquet(tmp_path / "classes", classes, group=300)
    own = sb.fit_table(folder, **asked, out_of_core=True)
    agree(own, sb.fit_table(folder, **asked))
    assert own.model.classes_.tolist() == [0, 1, 2]


def test_what_a_sample_has_not_is_known_all_the_same(tmp_path, monkeypatch):
    """A class, a group and a level that are in the last rows of a file only."""
    monkeypatch.setattr(encoding_sample, "SAMPLE_ROWS", 150)
    monkeypatch.setattr(encoding_sample, "LEAST_ROWS", 150)
    monkeypatch.setattr(parquet_files, "SAMPLED_GROUPS", 6)
    frame = people_frame(900)
    last = np.arange(900) >= 880
    frame = frame.assign(
        approved=np.where(last, "later", frame["approved"]),
        race=np.where(last, "d", frame["race"]),
        job=np.where(last, "pilot", frame["job"]),
        town=frame["town"].where(~last, None),
    )
    folder = people_parquet(tmp_path / "people", frame, files=2, group=100)
    model = sb.fit_table(folder, **GIVEN | {"groups": "race"}, out_of_core=True)
    assert model.model.classes_.tolist() == ["later", "no", "yes"]
    assert "d" in model.model.group_names_
    assert not [name for name in model.encoding.feature_names if "pilot" in name]
    (told,) = [finding for finding in model.encoding.findings if finding.kind == "sample"]
    assert told.message.startswith("How columns are read was learned on 150 of 900 rows")
    assert told.message.endswith("they get the mean, or the shares of the levels, of these rows.")
    assert [name for name in model.encoding.feature_names if name.startswith("town")] == ["town=south"]
    missing = [f for f in model.encoding.findings if (f.column, f.kind) == ("approved", "missing")]
    assert [f.message for f in missing] == [
        f"The target 'approved' is missing in {model.facts['left_out']} of 900 rows; these are no training rows."
    ]


def test_a_text_among_numbers_that_a_sample_has_not_is_told_with_its_row_and_remedies(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding_sample, "SAMPLE_ROWS", 150)
    monkeypatch.setattr(encoding_sample, "LEAST_ROWS", 150)
    monkeypatch.setattr(parquet_files, "SAMPLED_GROUPS", 6)
    monkeypatch.setattr(parquet_files, "ROWS_AT_A_TIME", 60)
    frame = people_frame(900)
    code = np.resize(["1", "2", "3"], 900).astype(object)
    code[697] = "abc"
    folder = people_parquet(tmp_path / "people", frame.assign(code=code), files=2, group=150)
    asked = GIVEN | {"out_of_core": True}
    words = (
        r"'code' must hold numbers, as in the sample of 150 rows that its rule was learned on; got 'abc' in row 248\. "
        r".*--category code \(categories=\), or leave it out: --drop code \(drop=\)\. \(In '.*part-1\.parquet'\.\)"
    )
    with pytest.raises(sb.ProblemError, match=words):
        sb.fit_table(folder, **asked)
    assert "code=2" in sb.fit_table(folder, **asked, categories=["code"]).encoding.feature_names
    assert not [name for name in sb.fit_table(folder, **asked, drop=["code"]).encoding.feature_names if "code" in name]
    income = frame["income"].to_numpy(copy=True)
    income[697] = np.inf
    folder = people_parquet(tmp_path / "infinite", frame.assign(income=income), files=2, group=150)
    with pytest.raises(sb.ProblemError, match=r"infinity in row 248 .*drop the column\. \(In '.*part-1\.parquet'\.\)"):
        sb.fit_table(folder, **asked)


def test_workers_of_this_machine_leave_errors_of_tasks_to_the_client():
    logger = logging.getLogger("distributed.worker")
    before = list(logger.filters)
    try:
        leave_errors_to_the_client()
        records = [
            logger.makeRecord(logger.name, logging.ERROR, "", 0, text, (), None)
            for text in ("Compute Failed\nKey: %s", "Unmanaged memory use is high.")
        ]
        assert [bool(logger.filter(record)) for record in records] == [False, True]
    finally:
        logger.filters[:] = before


@pytest.fixture(scope="module")
def judged(folder):
    return sb.fit_table(folder, **GIVEN | {"evidence": True}, out_of_core=True, seed=1)


def test_the_evidence_is_about_rows_that_had_no_part_in_the_fit(judged, tmp_path):
    rows, n = judged.evidence["rows"], judged.facts["rows"]
    assert rows["held_out"] == int(0.2 * n)
    assert rows["train"] == judged.model.group_sizes_.sum() == n - rows["held_out"]
    assert rows["sampled"] is None
    assert not rows["weighted"]
    assert judged.evidence["provenance"]["fingerprint"]["sha256"] == judged.facts["sha256"]
    judged.save(tmp_path / "model.safetensors")
    judged.report(tmp_path / "report.html")
    assert sb.load(tmp_path / "model.safetensors").evidence == judged.evidence


def test_of_very_many_rows_some_judge_and_others_are_compared_with(folder, monkeypatch):
    monkeypatch.setattr(held_out, "HELD_OUT_ROWS", 100)
    monkeypatch.setattr(held_out, "MOST_ROWS", 300)
    model = sb.fit_table(folder, **GIVEN | {"evidence": True}, out_of_core=True)
    rows, n = model.evidence["rows"], model.facts["rows"]
    assert (rows["held_out"], rows["train"]) == (100, n - 100)
    assert rows["sampled"].startswith(f"The model was fitted to {n - 100} rows. The models that it is compared with")
    certificate = model.evidence["certificate"]
    assert certificate["value"] == model.model.result_.value
    assert certificate["certified"]
    assert certificate["largest_loss_bound"] is None, "some of the rows say nothing certain of all"
    assert "on the rows of the fit" in certificate["words"][0]


def test_a_test_file_judges_a_model_of_all_rows(folder, tmp_path):
    path = people_csv(tmp_path / "test.csv", 300, seed=5)
    model = sb.fit_table(folder, **GIVEN | {"evidence": True}, out_of_core=True, test=path)
    assert model.model.group_sizes_.sum() == model.facts["rows"] == model.evidence["rows"]["train"]
    assert [file["role"] for file in model.evidence["data"]["files"]] == ["test"]
    assert certify_model(model, folder).holds


def test_the_certificate_is_computed_anew_from_the_files(model, judged, folder, tmp_path):
    found = certify_model(judged, folder)
    assert (found.same_rows, found.holds) == (True, True)
    assert found.rows == judged.evidence["rows"]["train"]
    other = people_parquet(tmp_path / "other", people_frame(900, seed=3))
    assert not certify_model(judged, other).same_rows
    assert certify_model(model, folder).holds


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"correct": "boosting"}, "correct needs the rows in memory"),
        ({"jobs": 2}, "jobs must be left out where rows are not in memory"),
        ({"folds": 3}, "folds must be left out where rows are not in memory"),
    ],
)
def test_what_needs_all_rows_in_memory_is_refused(options, words, folder):
    with pytest.raises(sb.ProblemError, match=words):
        sb.fit_table(folder, **QUICK, **options, out_of_core=True)


def test_groups_are_checked_before_the_fit(folder, tmp_path):
    with pytest.raises(sb.ProblemError, match="the group id=P000000 has one row, and 894 more"):
        sb.fit_table(folder, **GIVEN | {"groups": "id"}, out_of_core=True, missing_groups="error")
    with pytest.raises(sb.ProblemError, match="have no label in the group column 'race'"):
        sb.fit_table(folder, **GIVEN, out_of_core=True, missing_groups="error")
    one = people_parquet(tmp_path / "one", people_frame(300).assign(sex="f"))
    with pytest.raises(sb.ProblemError, match=r"the group column 'sex' holds one label in all .* rows, 'f'"):
        sb.fit_table(one, **GIVEN | {"groups": "sex"}, out_of_core=True)


@pytest.mark.parametrize("where", ["files", "cluster"])
def test_a_bad_value_in_the_middle_is_told_before_the_fit(where, frame, tmp_path, scheduler, monkeypatch):
    monkeypatch.setattr(encoding_sample, "SAMPLE_ROWS", 100)
    monkeypatch.setattr(encoding_sample, "LEAST_ROWS", 100)
    monkeypatch.setattr(parquet_files, "SAMPLED_GROUPS", 3)
    values = frame["income"].to_numpy(copy=True)
    values[700] = np.inf
    folder = people_parquet(tmp_path / "people", frame.assign(income=values))
    asked = {"out_of_core": True} if where == "files" else {"scheduler": scheduler}
    with pytest.raises(sb.ProblemError, match=r"'income' holds infinity .*\(In '.*part-2\.parquet'"):
        sb.fit_table(folder, **GIVEN, **asked)
