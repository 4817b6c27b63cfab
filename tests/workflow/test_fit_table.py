"""From a table to a model and back from its file, in Python."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pandas as pd
import polars as pl
import pytest

import saddleback as sb
from saddleback.workflow.certify_model import certify_model
from saddleback.workflow.path_table import path_table
from saddleback.workflow.table_model import TableModel

from .tables import COLUMNS, people_csv, people_rows

GROUPS = ["sex", "race"]
QUICK = {"target": "approved", "groups": GROUPS, "evidence": False}
GIVEN = QUICK | {"worst_weight": 0.5, "l2": 0.01}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return people_csv(tmp_path_factory.mktemp("table") / "people.csv")


@pytest.fixture(scope="module")
def model(path):
    return sb.fit_table(path, **GIVEN)


def frame(**options):
    return pd.DataFrame(people_rows(**options), columns=COLUMNS).replace({"": None, "NA": None}).drop(columns="amount")


def test_a_file_a_frame_and_parquet_make_the_same_model(path, model, tmp_path):
    pandas = pd.read_csv(path, keep_default_na=True)
    pandas.to_parquet(tmp_path / "people.parquet")
    for data in (pandas, pl.from_pandas(pandas), tmp_path / "people.parquet"):
        other = sb.fit_table(data, **GIVEN)
        assert np.array_equal(other.model.coef_, model.model.coef_)
        assert other.facts["sha256"] == model.facts["sha256"]


def test_rows_without_a_target_are_left_out_and_counted(path, model):
    table = pd.read_csv(path)
    missing = int(table["approved"].isna().sum())
    assert missing > 0
    assert (model.facts["rows"], model.facts["left_out"]) == (len(table) - missing, missing)
    assert model.model.group_sizes_.sum() == len(table) - missing


def test_predictions_are_in_row_order_and_need_neither_target_nor_groups(path, model):
    table = pd.read_csv(path)
    new = table.drop(columns=["approved", *GROUPS]).sample(frac=1, random_state=0)
    predicted = model.predict(new, keep=["id"]).to_pandas()
    assert predicted["id"].tolist() == new["id"].tolist()
    everything = model.predict(path, keep=["id"]).to_pandas().set_index("id").loc[new["id"]]
    assert np.array_equal(predicted["probability"], everything["probability"])
    assert set(predicted["prediction"]) == {"yes", "no"}
    assert ((predicted["probability"] > 0.5) == (predicted["prediction"] == "yes")).all()


def test_the_positive_class_is_the_one_that_was_named(path, model):
    other = sb.fit_table(path, **GIVEN, positive="no")
    a, b = (which.predict(path).column("probability").to_numpy() for which in (model, other))
    assert a == pytest.approx(1.0 - b, abs=1e-9)


def test_the_file_holds_the_model_to_the_last_bit(path, model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    loaded = sb.load(tmp_path / "m.safetensors")
    assert isinstance(loaded, TableModel)
    assert loaded.predict(path).equals(model.predict(path))
    assert loaded.encoding == model.encoding
    assert loaded.facts == model.facts
    assert loaded.evidence is None
    with pytest.raises(sb.ProblemError, match="no evidence to report"):
        loaded.report(tmp_path / "r.html")


def test_a_regression_and_its_weights(tmp_path):
    path = people_csv(tmp_path / "people.csv", drop=("approved",))
    table = pd.read_csv(path).assign(w=np.arange(400) % 3)
    model = sb.fit_table(table, target="amount", groups="race", weight="w", worst_weight=0.3, evidence=False)
    assert "w" not in model.encoding.feature_names
    assert model.predict(table).column_names == ["prediction"]
    doubled = pd.concat([table[table.w >= 1], table[table.w == 2]])
    same = sb.fit_table(doubled, target="amount", groups="race", drop="w", worst_weight=0.3, evidence=False)
    # The means in place of missing values are those of rows, whatever their weights.
    full = table.dropna(subset=["age"])
    del same
    assert len(model.predict(full)) == len(full)


def test_more_than_two_classes_have_a_probability_each(path):
    table = pd.read_csv(path)
    model = sb.fit_table(table, target="job", groups="sex", worst_weight=0.5, evidence=False)
    predicted = model.predict(table).to_pandas()
    names = [f"probability of {job}" for job in ("clerk", "cook", "nurse")]
    assert predicted.columns.tolist() == ["prediction", *names]
    assert predicted[names].sum(axis=1).to_numpy() == pytest.approx(1.0)


def test_a_loss_without_probabilities_has_margins(path):
    model = sb.fit_table(path, **GIVEN, loss="squared_hinge")
    predicted = model.predict(path).to_pandas()
    assert predicted.columns.tolist() == ["prediction", "margin"]
    assert ((predicted["margin"] > 0) == (predicted["prediction"] == "yes")).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target": "job"},
        {"loss": "squared_hinge"},
        {"target": "age", "task": "regression"},
        {"correct": "boosting"},
    ],
)
def test_no_rows_have_no_predictions_in_columns_of_the_same_types(path, options, tmp_path):
    chosen = QUICK | {"groups": ["sex"], "l2": [0.01], "worst_weight": [0.0]} | options
    model = sb.fit_table(path, **chosen)
    some = model.predict(path, keep=["id"])
    frame = pd.read_csv(path).iloc[:0]
    (tmp_path / "none.csv").write_text(path.read_text().splitlines()[0])
    for data in (frame, {name: [] for name in frame}, frame.convert_dtypes(), tmp_path / "none.csv"):
        none = model.predict(data, keep=["id"])
        assert (none.num_rows, none.column_names) == (0, some.column_names)
        assert none.schema.types[1:] == some.schema.types[1:]
    with pytest.raises(sb.ProblemError, match="lacks the column 'income'"):
        model.predict(frame.drop(columns="income"))


def test_grids_and_given_points(path):
    given = sb.fit_table(path, **QUICK, worst_weight=0.25)
    assert (type(given.model).__name__, given.model.worst_weight) == ("MinimaxClassifier", 0.25)
    chosen = sb.fit_table(path, **QUICK, worst_weight=[0, 1], l2=[0.01])
    assert type(chosen.model).__name__ == "MinimaxClassifierCV"
    assert set(chosen.model.selection_.candidates["worst_weight"]) == {0.0, 1.0}
    assert set(chosen.model.selection_.candidates["l2"]) == {0.01}


def test_a_saved_model_is_corrected_by_other_rows(path, model, tmp_path):
    model.save(tmp_path / "old.safetensors")
    new = people_csv(tmp_path / "new.csv", seed=1)
    fixed = sb.fit_table(new, **QUICK, correct=tmp_path / "old.safetensors", worst_weight=[0.5], l2=[1.0])
    assert fixed.encoding.columns == model.encoding.columns
    offsets = fixed.model.estimator_.predict_proba(fixed.encoding.features(pa_table(new)))[:, 1]
    assert offsets == pytest.approx(model.predict(new).column("probability").to_numpy())
    fixed.save(tmp_path / "fixed.safetensors")
    assert sb.load(tmp_path / "fixed.safetensors").predict(new).equals(fixed.predict(new))
    with pytest.raises(sb.ProblemError, match="the model to correct predicts 'approved'"):
        sb.fit_table(new, target="job", groups="sex", evidence=False, correct=model)


def test_a_saved_model_is_not_corrected_by_its_own_rows(path, model):
    with pytest.raises(sb.ProblemError, match="got the rows of its fit"):
        sb.fit_table(path, **QUICK, correct=model)


def test_boosting_is_corrected_and_saved(path, tmp_path):
    fixed = sb.fit_table(path, **QUICK, correct="boosting", worst_weight=[0.5], l2=[1.0])
    fixed.save(tmp_path / "m.safetensors")
    loaded = sb.load(tmp_path / "m.safetensors")
    a, b = (which.predict(path).column("probability").to_numpy() for which in (fixed, loaded))
    assert a == pytest.approx(b, abs=1e-12)


def test_certificates_are_of_the_rows_of_the_fit(path, model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    loaded = sb.load(tmp_path / "m.safetensors")
    found = certify_model(loaded, path)
    assert found.same_rows
    assert found.holds
    assert found.found.certificate.value == pytest.approx(found.stored_value, rel=1e-12)
    other = people_csv(tmp_path / "other.csv", seed=1)
    assert not certify_model(loaded, other).same_rows
    assert certify_model(loaded, other).found is None
    assert not certify_model(loaded, other, anyway=True).holds


@pytest.mark.parametrize("changes", [{"value": 0.1, "gap": 0.0}, {"gap": -1.0}, {"value": 1e3}])
def test_a_file_that_claims_something_else_than_its_rows_is_found_out(path, model, changes):
    claimed = copy(model.model)
    claimed.result_ = replace(claimed.result_, **changes)
    found = certify_model(replace(model, model=claimed), path)
    assert found.found.holds
    assert not found.agrees
    assert not found.holds


def test_unseen_values_and_missing_columns_at_prediction(path, model):
    table = pd.read_csv(path)
    odd = table.assign(job="astronaut", age=None)
    assert model.predict(odd).num_rows == len(table)
    with pytest.raises(sb.ProblemError, match="lacks the column 'income'"):
        model.predict(table.drop(columns="income"))
    with pytest.raises(sb.ProblemError, match=r"no column 'idd'.*Did you mean 'id'"):
        model.predict(table, keep=["idd"])
    with pytest.raises(sb.ProblemError, match="predictions have one of this name"):
        model.predict(table.assign(prediction=1), keep=["prediction"])


def pa_table(path):
    from saddleback.tabular import read_table

    return read_table(path)


def test_rows_that_are_there_twice_are_told(path, model):
    table = pd.read_csv(path)
    twice = pd.concat([table, table.iloc[::8].assign(id=[f"Q{i}" for i in range(50)])])
    found = [f for f in sb.fit_table(twice, **GIVEN).encoding.findings if f.kind == "copies"]
    labelled = int(table.iloc[::8]["approved"].notna().sum())
    n = int(twice["approved"].notna().sum())
    assert [(f.column, f.severity) for f in found] == [("", "warning")]
    assert found[0].message.startswith(f"{2 * labelled} of {n} rows are exact copies of others, in all features, the ")
    assert "held-out figures are too good where a copy was in training" in found[0].message
    assert not [f for f in model.encoding.findings if f.kind == "copies"]


def test_a_group_without_weight_is_told(path):
    frame = pd.read_csv(path)
    frame["w"] = np.where(frame["sex"] == frame["sex"].iloc[0], 0.0, 1.0)
    frame.loc[frame["sex"].isna(), "w"] = 1.0
    model = sb.fit_table(frame, **(GIVEN | {"groups": ["race", "sex"]}), weight="w")
    found = [finding for finding in model.encoding.findings if "weight 0 in 'w'" in finding.message]
    assert [finding.column for finding in found] == ["sex"]
    assert found[0].severity == "warning"


def test_numbers_are_no_classes(path):
    frame = pd.read_csv(path)
    frame["height"] = np.linspace(1.5, 2.0, len(frame))
    with pytest.raises(sb.ProblemError, match="Classes are expected"):
        sb.fit_table(frame, **(QUICK | {"target": "height", "task": "classification"}))


def test_codes_are_a_category_from_the_fit_to_the_file(tmp_path):
    """Codes 1 to 4, whose middle ones are the risky ones: no number serves them, a category does."""
    rng = np.random.default_rng(0)
    n = 600
    pain, town, z = rng.integers(1, 5, n), rng.choice(["north", "south"], n), rng.normal(size=n)
    y = np.where(np.isin(pain, (2, 3)) * 3 - 1.5 + rng.logistic(size=n) > 0, "ill", "well")
    rows = pd.DataFrame({"pain": pain.astype(float), "z": z, "town": town, "y": y})
    rows.loc[::50, "pain"] = None
    rows.to_csv(tmp_path / "patients.csv", index=False)
    rows.to_parquet(tmp_path / "patients.parquet")
    options = {"target": "y", "groups": "town", "worst_weight": 0.5, "l2": 0.01, "evidence": False}
    model = sb.fit_table(tmp_path / "patients.csv", categories=["pain"], **options)
    assert model.encoding.feature_names == ["pain=1", "pain=2", "pain=3", "pain=4", "pain=(missing)", "z"]
    as_numbers = sb.fit_table(tmp_path / "patients.csv", **options)
    assert model.model.group_losses_.max() < as_numbers.model.group_losses_.max() - 0.05
    for data in (rows, tmp_path / "patients.parquet", rows.assign(pain=rows["pain"].astype("Int64"))):
        other = sb.fit_table(data, categories="pain", **options)
        assert other.facts["sha256"] == model.facts["sha256"]
        assert np.array_equal(other.model.coef_, model.model.coef_)

    model.save(tmp_path / "m.safetensors")
    loaded = sb.load(tmp_path / "m.safetensors")
    expected = model.predict(rows)
    (tmp_path / "whole.csv").write_text((tmp_path / "patients.csv").read_text().replace(".0,", ","), encoding="utf-8")
    for data in (tmp_path / "patients.csv", tmp_path / "whole.csv", tmp_path / "patients.parquet"):
        assert loaded.predict(data).equals(expected)
    assert certify_model(loaded, tmp_path / "whole.csv").holds
    assert loaded.predict({"pain": ["9", None, "2"], "z": [0.0] * 3}).num_rows == 3

    path = path_table(tmp_path / "patients.csv", target="y", groups="town", l2=0.01, categories=["pain"])
    assert path.encoding == model.encoding
    with pytest.raises(sb.ProblemError, match="categories takes no columns where a saved model is corrected"):
        sb.fit_table(rows, target="y", groups="town", correct=loaded, categories="pain")
    with pytest.raises(sb.ProblemError, match="categories must be names of columns; got 5"):
        sb.fit_table(rows, categories=5, **options)


def test_the_evidence_has_the_digests_of_the_files(path, tmp_path):
    test = people_csv(tmp_path / "new.csv", n=150, seed=1)
    made = sb.fit_table(path, **GIVEN | {"evidence": True}, test=test)
    data, other = made.evidence["data"]["files"]
    assert [data["role"], other["role"]] == ["data", "test"]
    for entry, file in ((data, path), (other, test)):
        assert entry["name"] == file.name
        assert entry["sha256"] == sha256(file.read_bytes()).hexdigest()
        assert entry["bytes"] == file.stat().st_size
        assert entry["columns"] == 8
