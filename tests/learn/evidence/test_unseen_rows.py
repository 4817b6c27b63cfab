"""Rows of a test file judge models of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error

import saddleback as sb
from learn.people import people
from saddleback.report import check_evidence

QUICK = {"challengers": None, "n_bootstrap": 3}
TRAIN, TEST = people(240), people(150, seed=7)
TINY = {"worst_weights": [0, 1], "l2s": [0.1], "cv": 2}


def both(data):
    return {"town": data.town, "sex": data.sex}


def test_overlapping_groups():
    model = sb.MinimaxClassifier(0.5, crossed=False).fit(TRAIN.X, TRAIN.y, both(TRAIN))
    town = TEST.town.astype(object).copy()
    town[:5] = "hamlet"
    evidence = check_evidence(model.evidence(test=(TEST.X, TEST.y, {"town": town, "sex": TEST.sex}), **QUICK))
    assert evidence["tradeoff"]["groups"] == ["town=big", "town=mid", "town=small", "sex=f", "sex=m", "town=hamlet"]
    assert evidence["groups"][1]["held_out"][1]["rows"] == 5


def test_merged_groups_are_in_the_rest():
    town = TRAIN.town.astype(object).copy()
    town[:4] = "hamlet"
    model = sb.MinimaxClassifier(0.5, min_group_size=10).fit(TRAIN.X, TRAIN.y, {"town": town})
    labels = TEST.town.astype(object).copy()
    labels[:6] = "hamlet"
    evidence = check_evidence(model.evidence(test=(TEST.X, TEST.y, {"town": labels}), **QUICK))
    rest = evidence["groups"][2]["held_out"][-1]
    assert rest["group"] == "town=(rest)"
    merged = set(model.merged_groups_)
    assert rest["rows"] == sum(label in merged for label in labels)
    assert "town=hamlet" in [row["group"] for row in evidence["groups"][1]["held_out"]]


def test_corrections():
    boosting = HistGradientBoostingRegressor(max_iter=5)
    model = sb.WorstGroupCorrection(boosting, **TINY).fit(TRAIN.X, TRAIN.score, TRAIN.town)
    evidence = check_evidence(model.evidence(test=(TEST.X, TEST.score, TEST.town), **QUICK))
    row = evidence["groups"][0]["held_out"][0]
    assert row["mean_absolute_error"] == pytest.approx(mean_absolute_error(TEST.score, model.predict(TEST.X)))
    alone = np.mean((model.estimator_.predict(TEST.X) - TEST.score) ** 2)
    assert row["average_loss"] == pytest.approx(alone)


def test_weights_and_one_class_only():
    model = sb.MinimaxClassifierCV(**TINY, repeats=1).fit(TRAIN.X, TRAIN.y, TRAIN.town)
    weight = np.arange(150) % 3.0
    evidence = check_evidence(model.evidence(test=(TEST.X, TEST.y, TEST.town, weight), **QUICK))
    right = model.predict(TEST.X) == TEST.y
    assert evidence["rows"]["held_out"] == 100
    assert evidence["groups"][0]["held_out"][0]["accuracy"] == pytest.approx(np.average(right, weights=weight))
    yes = TEST.y == "yes"
    only = check_evidence(model.evidence(test=(TEST.X[yes], TEST.y[yes], TEST.town[yes]), **QUICK))
    assert only["groups"][0]["held_out"][0]["false_positive_rate"] is None


def test_one_group():
    with pytest.warns(UserWarning, match="no groups"):
        model = sb.MinimaxRegressor().fit(TRAIN.X, TRAIN.score)
    evidence = check_evidence(model.evidence(test=(TEST.X, TEST.score), **QUICK))
    assert evidence["outcome"] == "one group"


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ((TEST.X, np.where(TEST.y == "yes", "maybe", "no"), TEST.town), "classes of the fit; got 'maybe'"),
        ((TEST.X, TEST.y[:5], TEST.town), "one entry per row"),
        ((TEST.X, TEST.y, TEST.town[:5]), "one label per row"),
        ((TEST.X[:, :2], TEST.y, TEST.town), "features"),
        ("test.csv", "test must be a tuple"),
    ],
)
def test_refusals(test, message):
    model = sb.MinimaxClassifier(0.5).fit(TRAIN.X, TRAIN.y, TRAIN.town)
    with pytest.raises(ValueError, match=message):
        model.evidence(test=test, **QUICK)


def test_columns_of_groups_are_found_by_their_names():
    sex = pd.Series(TRAIN.sex, name="sex")
    model = sb.MinimaxClassifier(0.5).fit(TRAIN.X, TRAIN.y, sex)
    evidence = check_evidence(model.evidence(test=(TEST.X, TEST.y, TEST.sex), **QUICK))
    assert [row["group"] for row in evidence["groups"][1]["held_out"]] == ["sex=f", "sex=m"]
    crossed = sb.MinimaxClassifier(0.5).fit(TRAIN.X, TRAIN.y, both(TRAIN))
    turned = {"sex": TEST.sex, "other": TEST.sex, "town": TEST.town}
    first, second = (crossed.evidence(test=(TEST.X, TEST.y, labels), **QUICK) for labels in (both(TEST), turned))
    assert first["groups"] == second["groups"]
    with pytest.raises(sb.ProblemError, match="no 'town' among 'sex', 'place'"):
        crossed.evidence(test=(TEST.X, TEST.y, {"sex": TEST.sex, "place": TEST.town}), **QUICK)


def test_labels_of_another_type_are_refused():
    code = np.where(TRAIN.sex == "f", 1, 0)
    model = sb.MinimaxClassifier(0.5).fit(TRAIN.X, TRAIN.y, {"code": code})
    texts = np.where(TEST.sex == "f", "1", "0")
    with pytest.raises(sb.ProblemError, match="'0', that of the fit 0"):
        model.evidence(test=(TEST.X, TEST.y, {"code": texts}), **QUICK)


def test_the_rows_of_the_fit_are_no_test_rows():
    model = sb.MinimaxClassifier(0.5).fit(TRAIN.X, TRAIN.y, both(TRAIN))
    order = np.random.default_rng(0).permutation(len(TRAIN.y))
    same = (TRAIN.X[order], TRAIN.y[order], {name: labels[order] for name, labels in both(TRAIN).items()})
    with pytest.raises(sb.ProblemError, match="got the 240 rows of the fit"):
        model.evidence(test=same, **QUICK)


def test_repeated_rows_and_other_groups_are_told():
    model = sb.MinimaxClassifier(0.5).fit(TRAIN.X, TRAIN.y, {"town": TRAIN.town})
    assert (
        "equal to a training row"
        not in model.evidence(test=(TEST.X, TEST.y, TEST.town), **QUICK)["rows"]["held_out_words"]
    )
    town = np.concatenate([TRAIN.town[:50], TEST.town]).astype(object)
    X, y = np.concatenate([TRAIN.X[:50], TEST.X]), np.concatenate([TRAIN.y[:50], TEST.y])
    kept = town != "mid"
    town[-3:] = "hamlet"
    words = model.evidence(test=(X[kept], y[kept], {"town": town[kept]}), **QUICK)["rows"]["held_out_words"]
    assert "% of them are equal to a training row" in words
    assert "Without test rows: town=mid." in words
    assert "Unknown to the fit: town=hamlet." in words
