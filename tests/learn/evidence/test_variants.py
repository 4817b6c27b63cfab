"""Every kind of table, loss and setting gives evidence, or a refusal that says why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import saddleback as sb
from learn.evidence.models import GRID
from learn.people import people
from saddleback.learn.evidence.fingerprint import fingerprint_of
from saddleback.learn.evidence.subject import read_subject
from saddleback.report import check_evidence, render_markdown

QUICK = {"n_bootstrap": 4, "challengers": None, "folds": 2}
TINY = {"worst_weights": [0, 1], "priors": [0], "l2s": [0.1], "repeats": 1, "cv": 2}
DATA = people(240)
Z = (DATA.X - DATA.X.mean(axis=0)) / DATA.X.std(axis=0)
WEIGHT = np.random.default_rng(0).integers(0, 3, size=240).astype(float)
BOTH = {"town": DATA.town, "sex": DATA.sex}
COUNTS = np.random.default_rng(3).poisson(np.exp(0.3 * Z[:, 0] + 0.2 * (DATA.town == "small")))


def check(model, **arguments):
    return check_evidence(model.evidence(**{**QUICK, **arguments}))


def error_twice(y, prediction):
    return 2.0 * (prediction[:, 1] - (y == "yes")) ** 2


@pytest.mark.parametrize(
    "model",
    [
        sb.MinimaxClassifier(1.0, l2=0.1),
        sb.MinimaxClassifier(0.3, l2=0.0),
        sb.MinimaxClassifier(0.5, l2=0.1, prior=[0.2, 0.3, 0.5]),
        sb.MinimaxClassifier(0.5, l2=0.1, loss="squared_hinge"),
        sb.MinimaxClassifier(l2=0.1, dual_set=sb.CappedSimplex(0.5)),
        sb.MinimaxClassifier(l2=0.1, regularizer=sb.Entropy(0.1)),
        sb.MinimaxClassifier(l2=0.1, reference="own"),
        sb.MinimaxClassifier(l2=0.1, reference="average", fit_intercept=False),
        sb.MinimaxClassifier(0.0, l2=0.1, standardize=False),
        sb.MinimaxClassifierCV(**TINY, scoring="error_rate"),
        sb.MinimaxClassifierCV(**TINY, scoring="false_negative_rate"),
        sb.MinimaxClassifierCV(**TINY, scoring=error_twice, rule="best"),
        sb.MinimaxClassifierCV(**{**TINY, "priors": [0, [0.2, 0.3, 0.5]]}),
        sb.MinimaxClassifierCV(**{**TINY, "cv": KFold(3, shuffle=True, random_state=0)}),
        sb.MinimaxClassifierCV(**{**TINY, "cv": ShuffleSplit(3, random_state=0)}),
        sb.MinimaxClassifierCV(**{**TINY, "cv": list(GroupKFold(4).split(Z, DATA.y, np.arange(240) // 4))}),
    ],
)
def test_settings_of_classifiers(model):
    model.fit(Z, DATA.y, sensitive_features=DATA.town)
    evidence = check(model, folds="auto" if getattr(model, "cv", 2) != 2 else 2)
    assert len(evidence["tradeoff"]["groups"]) == 3
    assert evidence["rows"]["held_out"] == 240 or isinstance(model.cv, ShuffleSplit)


@pytest.mark.parametrize("loss", ["squared", "huber", "quantile", sb.losses.Quantile(0.9, smoothing=0.2)])
def test_losses_of_regressors(loss):
    evidence = check(sb.MinimaxRegressorCV(**TINY, loss=loss).fit(Z, DATA.score, sensitive_features=BOTH))
    assert evidence["task"] == "regression"
    assert evidence["classes"] is evidence["calibration"] is evidence["threshold"] is None


def test_counts():
    model = sb.MinimaxRegressor(0.5, loss="poisson").fit(Z, COUNTS, sensitive_features=DATA.town)
    evidence = check(model, challengers="auto")
    means = [row["mean_error"] for row in evidence["groups"][0]["train"]]
    assert abs(means[0]) < 0.5, "predictions are means of counts, not their logarithms"
    assert not any("could not be compared" in model["words"] for model in evidence["challengers"])


@pytest.mark.parametrize("X", [pd.DataFrame(Z), pl.DataFrame(Z), Z.astype(np.float32)])
def test_tables(X):
    evidence = check(sb.MinimaxClassifier(0.5).fit(X, DATA.y, sensitive_features=DATA.town))
    assert len(evidence["coefficients"]["rows"]) == 3


def test_sparse_tables_are_written_out_for_boosting():
    model = sb.MinimaxClassifier(0.5).fit(sp.csr_array(Z), DATA.y, sensitive_features=DATA.town)
    evidence = check(model, challengers="auto")
    assert not any("could not be compared" in model["words"] for model in evidence["challengers"])


def test_the_same_numbers_in_other_containers_have_the_same_fingerprint():
    prints = set()
    for X, labels in ((sp.csr_array(Z), DATA.town), (pl.DataFrame(Z), list(DATA.town)), (Z, pd.Series(DATA.town))):
        model = sb.MinimaxClassifier(0.5).fit(X, DATA.y, sensitive_features={"town": labels})
        subject = read_subject(model, None, None, None, None)
        prints.add(fingerprint_of(subject.rows, subject.labels(subject.rows.y), subject.attributes)["sha256"])
    assert len(prints) == 1


def test_columns_of_x_as_groups():
    frame = pd.DataFrame(Z, columns=["a", "b", "c"]).assign(**BOTH)
    evidence = check(sb.MinimaxClassifierCV(**TINY, group_by=["town", "sex"]).fit(frame, DATA.y), challengers="auto")
    assert [table["attribute"] for table in evidence["groups"]] == ["all rows", "town", "sex", "town x sex"]
    assert [row["feature"] for row in evidence["coefficients"]["rows"]] == ["a", "b", "c"]
    assert evidence["tradeoff"]["groups"][0] == "town=big, sex=f"


def test_weights():
    model = sb.MinimaxClassifierCV(**TINY).fit(Z, DATA.y, sensitive_features=BOTH, sample_weight=WEIGHT)
    evidence = check(model, challengers="auto")
    assert evidence["rows"]["weighted"]
    assert evidence["rows"]["train"] == (WEIGHT > 0).sum(), "rows of weight 0 are left out"
    assert not any("could not be compared" in model["words"] for model in evidence["challengers"])


def test_overlapping_groups():
    evidence = check(sb.MinimaxClassifierCV(**TINY, crossed=False).fit(Z, DATA.y, sensitive_features=BOTH))
    assert [table["kind"] for table in evidence["groups"]] == ["all", "alone", "alone"]
    assert len(evidence["tradeoff"]["groups"]) == 5
    for table in evidence["groups"][1:]:
        assert table["caption"].endswith("The groups that the model was trained for: town, sex, each by itself.")
    assert " x " not in str(evidence["groups"])
    assert ", crossed\n" not in render_markdown(evidence)


def test_small_and_unknown_groups_are_visible():
    rare = DATA.town.astype(object).copy()
    rare[:4] = "hamlet"
    rare[4:12] = None
    model = sb.MinimaxClassifierCV(**TINY, min_group_size=10, missing_groups="group")
    evidence = check(model.fit(Z, DATA.y, sensitive_features={"town": rare}))
    alone, merged = evidence["groups"][1:]
    rows = {row["group"]: row for row in alone["held_out"]}
    assert rows["town=hamlet"]["small"]
    assert rows["town=hamlet"]["rows"] == 4
    assert rows["town=(missing)"]["unknown"]
    assert not rows["town=big"]["unknown"]
    assert "hamlet" in merged["caption"]
    assert "### By town, small groups merged" in render_markdown(evidence)
    assert "By town, crossed" not in render_markdown(evidence)
    assert "town=(rest)" in [row["group"] for row in merged["held_out"]]


def test_groups_that_are_classes():
    evidence = check(sb.MinimaxClassifier(0.5, group_by="classes").fit(Z, DATA.y))
    assert evidence["groups"][1]["attribute"] == "class"
    assert evidence["tradeoff"]["groups"] == ["no", "yes"]


def test_groups_of_single_rows_are_refused():
    model = sb.MinimaxClassifier(0.5, group_by="rows").fit(Z[:60], DATA.y[:60])
    with pytest.raises(sb.ProblemError, match="group_by='rows'"):
        model.evidence()


def test_corrections_of_frames_with_text():
    frame = pd.DataFrame(Z, columns=["a", "b", "c"]).assign(**BOTH)
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), (StandardScaler(), ["a", "b", "c"]))
    forest = make_pipeline(encode, RandomForestClassifier(10, max_depth=3, random_state=0))
    model = sb.WorstGroupCorrection(forest, features=encode, worst_weights=[0, 1], l2s=[1.0], cv=2, group_by="town")
    evidence = check(model.fit(frame, DATA.y), challengers="auto")
    names = [challenger["name"] for challenger in evidence["challengers"]]
    assert names[:2] == ["your model", "this model"]
    assert "gradient boosting" in names
    assert evidence["baseline"] == "your model"
    assert len(evidence["coefficients"]["rows"]) == 5


def test_a_frozen_model_is_told():
    frozen = FrozenEstimator(LogisticRegression().fit(Z, DATA.y))
    model = sb.WorstGroupCorrection(frozen, worst_weights=[0, 1], l2s=[1.0], cv=2)
    evidence = check(model.fit(Z, DATA.y, sensitive_features=DATA.town))
    assert "fitted before" in evidence["limits"][0]


def test_challengers_of_the_user():
    class Failing(LogisticRegression):
        def fit(self, X, y):
            raise RuntimeError("no luck\ntoday")

    model = sb.MinimaxClassifier(0.5).fit(Z, DATA.y, sensitive_features=DATA.town)
    others = [
        ("forest", RandomForestClassifier(10, random_state=0)),
        ("half way", sb.MinimaxClassifier(0.5, l2=1e-3)),
        ("failing", Failing()),
        ("wrong kind", sb.MinimaxRegressor()),
    ]
    table = {entry["name"]: entry for entry in check(model, challengers=others)["challengers"]}
    assert table["half way"]["group_losses"] == pytest.approx(table["this model"]["group_losses"], rel=1e-4)
    assert "RuntimeError: no luck" in table["failing"]["words"]
    assert table["failing"]["worst_loss"] is None
    assert "expected a classifier" in table["wrong kind"]["words"]
    assert table["forest"]["worst_loss"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"challengers": "boosting"}, "challengers must be"),
        ({"challengers": [("a", 3)]}, "must have fit and predict"),
        ({"challengers": [LogisticRegression()]}, "pairs"),
        ({"challengers": [("a", LogisticRegression()), ("a", LogisticRegression())]}, "different names"),
        ({"folds": 1}, "folds"),
        ({"folds": 1000}, "at most the number of rows"),
        ({"positive": "maybe"}, "positive must be one of the classes"),
        ({"class_names": ["a"]}, "class_names"),
        ({"test": (Z,)}, "test must be"),
        ({"test": (Z, DATA.y)}, "test needs the groups"),
        ({"n_bootstrap": -1}, "n_bootstrap"),
        ({"X": Z}, "X and y"),
        ({"X": Z[:, :2], "y": DATA.y, "sensitive_features": DATA.town}, "3 columns"),
        ({"X": Z, "y": DATA.score > 0, "sensitive_features": DATA.town}, "classes of the fit"),
    ],
)
def test_refusals(arguments, message):
    model = sb.MinimaxClassifier(0.5).fit(Z, DATA.y, sensitive_features=DATA.town)
    with pytest.raises(sb.ProblemError, match=message):
        model.evidence(**{**QUICK, **arguments})


def test_without_stability():
    model = sb.MinimaxClassifierCV(**GRID).fit(Z, DATA.y, sensitive_features=DATA.town)
    assert check(model, n_bootstrap=0)["stability"] is None


def test_progress_is_told():
    told = []
    check(sb.MinimaxClassifier(0.5).fit(Z, DATA.y, sensitive_features=DATA.town), tell=told.append)
    assert any("part 2 of 2" in text for text in told)
