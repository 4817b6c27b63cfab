"""Held-out figures: the same as by scikit-learn and fairlearn on the same splits, from rows without part in the fit."""

from __future__ import annotations

import fairlearn.metrics as fm
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import saddleback as sb
from learn.people import people
from saddleback.learn.data.folds import stratified_folds
from saddleback.learn.evidence import splitting
from saddleback.learn.evidence.challenger_models import read_challengers
from saddleback.learn.evidence.evaluation import evaluate
from saddleback.learn.evidence.splitting import split_rows
from saddleback.learn.evidence.subject import read_subject
from saddleback.learn.groups import read_sensitive_features

DATA = people(500)
FRAME = pd.DataFrame(DATA.X, columns=["age", "income", "rate"]).assign(town=DATA.town, sex=DATA.sex)
L2 = 0.05
CHOICE = {"worst_weights": [0, 0.5, 1], "priors": [0], "l2s": [L2], "cv": 3, "repeats": 1, "group_by": ["town", "sex"]}
Y = DATA.y == "yes"


@pytest.fixture(scope="module")
def folds():
    groups = read_sensitive_features(FRAME[["town", "sex"]], 500)
    numbers = stratified_folds(groups, Y.astype(np.intp), 5, np.random.default_rng(0))
    return PredefinedSplit(numbers)


@pytest.fixture(scope="module")
def model():
    return sb.MinimaxClassifierCV(**CHOICE).fit(FRAME, Y)


@pytest.fixture(scope="module")
def evidence(model):
    return model.evidence(n_bootstrap=5)


def rows_of(evidence, table):
    return {row["group"]: row for row in evidence["groups"][table]["held_out"]}


def table_of(predicted, names):
    metrics = {
        "accuracy": accuracy_score,
        "selection_rate": fm.selection_rate,
        "true_positive_rate": fm.true_positive_rate,
        "false_positive_rate": fm.false_positive_rate,
        "rows": fm.count,
    }
    decided = predicted >= 0.5
    return fm.MetricFrame(metrics=metrics, y_true=Y, y_pred=decided, sensitive_features=FRAME[names]).by_group


def losses_of(predicted):
    return -np.log(np.where(Y, predicted, 1 - predicted))


def test_tables_are_those_of_fairlearn(evidence, model, folds):
    predicted = cross_val_predict(model, FRAME, Y, cv=folds, method="predict_proba")[:, 1]
    losses = losses_of(predicted)
    for table, names in enumerate((["town"], ["sex"], ["town", "sex"]), start=1):
        expected, rows = table_of(predicted, names), rows_of(evidence, table)
        assert len(expected) == len(rows)
        for labels, figures in expected.iterrows():
            labels = (labels,) if isinstance(labels, str) else labels
            row = rows[", ".join(f"{name}={label}" for name, label in zip(names, labels, strict=True))]
            for name in expected.columns:
                assert row[name] == pytest.approx(figures[name], rel=1e-9), name
            own = (FRAME[names] == list(labels)).all(axis=1)
            assert row["loss"] == pytest.approx(log_loss(Y[own], predicted[own], labels=[False, True]), rel=1e-6)
            spread = losses[own].std(ddof=1) / np.sqrt(own.sum())
            assert row["loss_high"] - row["loss"] == pytest.approx(1.97 * spread, rel=0.1), "Student's interval"


def test_average_and_balanced_model_are_those_of_scikit_learn(evidence, folds):
    table = {entry["name"]: entry for entry in evidence["challengers"]}
    sizes = [int((folds.test_fold != k).sum()) for k in range(5)]
    assert min(sizes) == max(sizes)
    features = ["age", "income", "rate"]
    plain = make_pipeline(StandardScaler(), LogisticRegression(C=1 / (sizes[0] * L2), tol=1e-10, max_iter=1000))
    predicted = cross_val_predict(plain, FRAME[features], Y, cv=folds, method="predict_proba")[:, 1]
    assert table["average model"]["average_loss"] == pytest.approx(log_loss(Y, predicted), abs=2e-5)
    chosen = next(entry for entry in evidence["challengers"] if entry["chosen"])
    assert chosen["name"] == "this model"

    groups = evidence["tradeoff"]["groups"]
    worst = groups.index(table["average model"]["worst_group"])
    own = ((FRAME.town + FRAME.sex) == groups[worst].replace("town=", "").replace(", sex=", "")).to_numpy()
    boosted = cross_val_predict(
        HistGradientBoostingClassifier(random_state=0), FRAME[features], Y, cv=folds, method="predict_proba"
    )[:, 1]
    differences = losses_of(boosted)[own] - losses_of(predicted)[own]
    entry = table["gradient boosting"]
    assert entry["difference"] == pytest.approx(differences.mean(), abs=1e-4)
    assert entry["difference_error"] == pytest.approx(differences.std(ddof=1) / np.sqrt(own.sum()), rel=1e-3)
    everyone = losses_of(boosted) - losses_of(predicted)
    assert entry["average_difference_error"] == pytest.approx(everyone.std(ddof=1) / np.sqrt(500), rel=1e-3)
    assert entry["accuracy"] == accuracy_score(Y, boosted >= 0.5)


def test_path_is_that_of_single_models(evidence, folds):
    path = evidence["tradeoff"]
    assert path["worst_weights"] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    for k in (0, 5, 10):
        single = sb.MinimaxClassifier(path["worst_weights"][k], l2=L2, group_by=["town", "sex"])
        predicted = cross_val_predict(single, FRAME, Y, cv=folds, method="predict_proba")[:, 1]
        losses = losses_of(predicted)
        expected = pd.Series(losses).groupby([FRAME.town, FRAME.sex]).agg(["mean", "sem"])
        # Models of the path are certified to 1e-5; those of scikit-learn's folds to 1e-6.
        assert path["losses"][k] == pytest.approx(expected["mean"].to_numpy(), abs=2e-3)
        assert path["errors"][k] == pytest.approx(expected["sem"].to_numpy(), rel=0.05)
        assert path["average"][k] == pytest.approx(losses.mean(), abs=1e-3)
        rates = pd.Series(predicted >= 0.5).groupby([FRAME.town, FRAME.sex]).mean()
        assert path["selection_rates"][k] == pytest.approx(rates.to_numpy(), abs=0.03)


def test_held_out_rows_have_no_part_in_any_fit():
    """The targets of a fold are turned over: what all models say of its rows stays the same to the last bit."""
    town, fold = DATA.town[:200], np.arange(200) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    added = [("tree", DecisionTreeClassifier(random_state=0))]
    found = []
    for y in (Y[:200], np.where(fold == 0, ~Y[:200], Y[:200])):
        model = sb.MinimaxClassifierCV([0, 0.5, 1], priors=[0], l2s=[L2], cv=splits)
        subject = read_subject(model.fit(DATA.X[:200], y, sensitive_features=town), None, None, None, None)
        challengers = [*read_challengers("auto", subject), *read_challengers(added, subject)]
        held_out = split_rows(subject, "auto", 0)
        assert [part.test.tolist() for part in held_out.parts] == [test.tolist() for _, test in splits]
        evaluation = evaluate(subject, held_out, challengers, 0, lambda text: None)
        assert not evaluation.failures
        found.append((evaluation.margins, evaluation.path_positive, evaluation.choices[0]))
    (first, path, choice), (second, other_path, other_choice) = found
    assert len(first) == 6
    for name, margins in first.items():
        assert np.array_equal(margins[fold == 0], second[name][fold == 0]), name
        if name != "tree":
            assert not np.array_equal(margins[fold != 0], second[name][fold != 0]), f"{name} learns from other rows"
    assert np.array_equal(path[fold == 0], other_path[fold == 0])
    assert choice.worst_weight == other_choice.worst_weight


def test_many_rows_are_split_once_and_sampled(monkeypatch, model):
    subject = read_subject(model, None, None, None, None)
    monkeypatch.setattr(splitting, "SPLIT_ABOVE", 300)
    held_out = split_rows(subject, "auto", 0)
    assert (held_out.kind, len(held_out.parts), len(held_out), held_out.sampled) == ("split", 1, 100, None)
    monkeypatch.setattr(splitting, "MOST_ROWS", 250)
    held_out = split_rows(subject, "auto", 0)
    (part,) = held_out.parts
    assert len(held_out) == 50
    assert part.train.size == np.unique(part.train).size == 200
    assert "250 of the 500 rows" in held_out.sampled
    sampled = subject.rows.groups.subset(part.train).sizes + held_out.rows.groups.sizes
    assert np.abs(sampled - subject.rows.groups.sizes / 2).max() <= 1, "every group has its share"
    numbers = {tuple(row) for row in held_out.rows.X}
    assert not numbers & {tuple(row) for row in subject.rows.X[part.train]}, "no row trains and judges"
    evidence = model.evidence(n_bootstrap=2, challengers=None)
    assert evidence["rows"]["sampled"] in evidence["limits"][-1]
    assert len(split_rows(subject, 4, 0).parts) == 4, "folds that are asked for are made"


def test_a_model_that_memorizes_is_seen_through():
    rng = np.random.default_rng(0)
    X, y, town = rng.standard_normal((300, 2)), rng.random(300) < 0.5, np.arange(300) % 3
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert tree.score(X, y) == 1.0
    model = sb.WorstGroupCorrection(tree, worst_weights=[0, 1], l2s=[1.0], cv=3).fit(X, y, sensitive_features=town)
    evidence = model.evidence(n_bootstrap=0, challengers=None)
    assert abs(evidence["groups"][0]["held_out"][0]["accuracy"] - 0.5) < 0.1


def test_rows_of_a_test_file(model):
    other = people(400, seed=5)
    frame = pd.DataFrame(other.X, columns=["age", "income", "rate"]).assign(town=other.town, sex=other.sex)
    frame.loc[:9, "town"] = "hamlet"
    frame.loc[10:14, "town"] = None
    y = other.y == "yes"
    evidence = model.evidence(test=(frame, y), challengers=[("tree", DecisionTreeClassifier(max_depth=2))])
    share = float(np.mean(y))
    assert evidence["rows"] | {"held_out_words": ""} == {
        "guess_loss": pytest.approx(-(share * np.log(share) + (1 - share) * np.log(1 - share)), rel=1e-3),
        "train": 500,
        "held_out": 400,
        "held_out_kind": "test file",
        "held_out_words": "",
        "sampled": None,
        "weighted": False,
    }
    predicted = model.predict_proba(frame)[:, 1]
    for group, row in rows_of(evidence, 1).items():
        own = (frame.town.fillna("(missing)") == group.removeprefix("town=")).to_numpy()
        assert row["rows"] == own.sum()
        assert row["accuracy"] == pytest.approx(accuracy_score(y[own], predicted[own] >= 0.5))
    assert rows_of(evidence, 1)["town=(missing)"]["unknown"]
    path = evidence["tradeoff"]
    assert path["groups"][:6] == [f"town={town}, sex={sex}" for town in ("big", "mid", "small") for sex in "fm"]
    assert "town=hamlet, sex=f" in path["groups"][6:], "groups that the fit does not know are visible"
    assert path["train_losses"][0][6:] == [None] * len(path["groups"][6:])
    assert evidence["stability"]["fold_choices"] is None


def test_the_train_table_is_that_of_the_fitted_model(evidence, model):
    predicted = model.predict_proba(FRAME)[:, 1]
    crossed = evidence["groups"][3]["train"]
    assert [row["loss"] for row in crossed] == pytest.approx(model.group_losses_)
    assert [row["rows"] for row in crossed] == model.group_sizes_.tolist()
    assert evidence["groups"][0]["train"][0]["accuracy"] == accuracy_score(Y, predicted >= 0.5)
    average = sb.MinimaxClassifier(0.0, l2=L2, group_by=["town", "sex"]).fit(FRAME, Y)
    assert [row["average_loss"] for row in crossed] == pytest.approx(average.group_losses_, abs=1e-5)
    # The model is the average model, whose own column would differ by the tolerance of the solver, and is left out.
    assert evidence["outcome"] == "nothing to gain"
    first = evidence["coefficients"]["rows"][0]
    assert first["average_model"] is None
    assert first["value"] == pytest.approx(average.coef_[:, 0], abs=1e-5)


def test_calibration_is_that_of_the_held_out_rows(evidence, model, folds):
    predicted = cross_val_predict(model, FRAME, Y, cv=folds, method="predict_proba")[:, 1]
    bins = np.minimum((predicted * 10).astype(int), 9)
    expected = (
        pd.DataFrame({"p": predicted, "y": Y}).groupby(bins).agg(rows=("y", "size"), p=("p", "mean"), y=("y", "mean"))
    )
    everyone = evidence["calibration"][0]["bins"]
    assert [entry["rows"] for entry in everyone] == expected.rows.tolist()
    assert [entry["predicted"] for entry in everyone] == pytest.approx(expected.p.to_numpy())
    assert [entry["observed"] for entry in everyone] == pytest.approx(expected.y.to_numpy())
    assert all(entry["low"] <= entry["observed"] <= entry["high"] for entry in everyone)


def test_a_model_that_is_left_alone_is_judged_by_what_it_predicts():
    """Also where a probability is nearer to 0 than the floor of the margins that a correction would start from."""
    data = DATA
    none = {"worst_weights": [0], "priors": [0], "l2s": [1e9], "cv": 3, "fit_intercept": False}
    model = sb.WorstGroupCorrection(Sure(0.0001), **none)
    model.fit(data.X, data.y, sensitive_features=data.town)
    assert not model.corrected_
    evidence = model.evidence(challengers=None, n_bootstrap=0, folds=2)
    p = model.predict_proba(data.X)[np.arange(len(data.y)), np.searchsorted(model.classes_, data.y)]
    expected = -np.log(p).mean()
    assert model._read_margin.floor > 0.0001
    for challenger in evidence["challengers"][:2]:
        assert challenger["average_loss"] == pytest.approx(expected)
        assert "certain" not in challenger["words"]
    certain = sb.WorstGroupCorrection(Sure(0.0), **none)
    certain.fit(data.X, data.y, sensitive_features=data.town)
    told = certain.evidence(challengers=None, n_bootstrap=0, folds=2)
    assert "It is certain of some rows" in told["challengers"][0]["words"]
    assert told["limits"][0].startswith("Your model is certain of some rows")
    assert told["challengers"][0]["average_loss"] is not None


class Sure(ClassifierMixin, BaseEstimator):
    """Gives the second class all rows with a positive first feature, but for a probability ``p``."""

    def __init__(self, p=0.0):
        self.p = p

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        second = np.where(np.asarray(X)[:, 0] > 40.0, 1.0 - self.p, self.p)
        return np.column_stack([1.0 - second, second])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
