"""The models of a path: exact ends, certificates, and what theory says about the training rows."""

from __future__ import annotations

import pickle
from itertools import pairwise

import dask.array as da
import numpy as np
import polars as pl
import pytest

import saddleback as sb
from learn.people import people
from saddleback.learn.path import models
from saddleback.learn.selection.together import Together

FEATURES = ["age", "income", "rate"]
WEIGHTS = [0.0, 0.2, 0.5, 0.8, 1.0]
DATA = people()


def classes_of(score):
    return np.digitize(score, [-100.0, 50.0])


CASES = {
    "binary": (sb.MinimaxClassifier, DATA.y, {}),
    "three classes": (sb.MinimaxClassifier, classes_of(DATA.score), {}),
    "regression": (sb.MinimaxRegressor, DATA.score, {}),
    "counts": (sb.MinimaxRegressor, np.floor(np.exp(0.01 * DATA.score)), {"loss": "poisson"}),
    "balanced": (sb.MinimaxClassifier, DATA.y, {"prior": "balanced", "fit_intercept": False}),
    "regret": (sb.MinimaxClassifier, DATA.y, {"reference": "average"}),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    kind, y, parameters = CASES[request.param]
    weight = np.resize([1.0, 2.0, 0.5], 300)
    path = sb.fairness_path(
        DATA.X, y, DATA.town, sample_weight=weight, worst_weights=WEIGHTS, l2=1e-2, cv=3, **parameters
    )
    return path, kind, y, parameters, weight


@pytest.mark.parametrize("end", [0, -1])
def test_ends_have_the_bits_of_the_estimators(case, end):
    path, kind, y, parameters, weight = case
    alone = kind(WEIGHTS[end], l2=1e-2, **parameters).fit(DATA.X, y, DATA.town, sample_weight=weight)
    model = path.models[end]
    assert type(model) is kind
    assert model.get_params() == alone.get_params()
    assert np.array_equal(model.coef_, alone.coef_)
    assert np.array_equal(model.intercept_, alone.intercept_)
    assert np.array_equal(model.predict(DATA.X), alone.predict(DATA.X))
    assert model.gap_ == alone.gap_


def test_models_in_between_are_those_of_the_estimators_up_to_their_gaps(case):
    path, kind, y, parameters, weight = case
    for p, model in zip(WEIGHTS, path.models, strict=True):
        alone = kind(p, l2=1e-2, **parameters).fit(DATA.X, y, DATA.town, sample_weight=weight)
        assert model.worst_weight == p
        assert model.certified_
        assert abs(model.result_.value - alone.result_.value) <= max(model.gap_, alone.gap_)


def test_worst_group_falls_and_average_rises_on_training_rows(case):
    """F(q) - F(p) <= ((1 - p) e' + (1 - q) e) / (q - p), A(p) - A(q) <= (q e + p e') / (q - p), for p < q, gaps e, e'.

    F is the largest penalized loss (or regret) of a group, A the average by the prior. Both follow from the optimality
    of either model for its own objective, (1 - p) A + p F.
    """
    path, _, _, parameters, weight = case
    shares = np.array([weight[town == DATA.town].sum() for town in path.group_names]) / weight.sum()
    prior = np.full(3, 1 / 3) if "prior" in parameters else shares
    f = np.array([model.result_.losses for model in path.models])
    if "reference" in parameters:
        f = f - f[0]
    F, A, gaps = f.max(axis=1), f @ prior, [model.gap_ for model in path.models]
    rounding = 1e-12 * np.abs(f).max()
    points = list(zip(WEIGHTS, F, A, gaps, strict=True))
    for (p, Fp, Ap, ep), (q, Fq, Aq, eq) in pairwise(points):
        assert Fq - Fp <= ((1 - p) * eq + (1 - q) * ep) / (q - p) + rounding
        assert Ap - Aq <= (q * ep + p * eq) / (q - p) + rounding
    assert F[0] > F[-1] or "reference" in parameters


def test_training_columns_are_those_of_the_models(case):
    path, _, _, _, weight = case
    losses = np.array([model.group_losses_ for model in path.models])
    shares = np.array([weight[town == DATA.town].sum() for town in path.group_names]) / weight.sum()
    np.testing.assert_array_equal(path.table["training_worst"], losses.max(axis=1))
    np.testing.assert_allclose(path.table["training_average"], losses @ shares, rtol=1e-12)
    np.testing.assert_array_equal(path.table["gap"], [model.gap_ for model in path.models])
    assert path.table["certified"].all()


def test_frames_of_pandas_and_polars():
    plain = sb.fairness_path(DATA.X, DATA.y, DATA.town, worst_weights=[0.5], cv=3)
    frame = DATA.frame[[*FEATURES, "town"]]
    for X in (frame, pl.DataFrame({name: frame[name].to_list() for name in frame})):
        path = sb.fairness_path(X, DATA.y, group_by="town", worst_weights=[0.5], cv=3)
        assert list(path.models[1].feature_names_in_) == [*FEATURES, "town"]
        assert np.array_equal(path.models[1].coef_, plain.models[1].coef_)
        assert np.array_equal(path.models[1].predict(X), plain.models[1].predict(DATA.X))
        assert np.array_equal(path.held_out.group_losses, plain.held_out.group_losses)
    series = sb.fairness_path(frame[FEATURES], pl.Series(DATA.y.tolist()), DATA.town, worst_weights=[0.5], cv=3)
    assert np.array_equal(series.models[1].coef_, plain.models[1].coef_)


@pytest.mark.slow
def test_two_runs_give_the_same_bits_whatever_n_jobs():
    one, two, parallel = (
        sb.fairness_path(DATA.X, DATA.score, DATA.town, worst_weights=WEIGHTS, cv=3, n_jobs=n_jobs)
        for n_jobs in (1, 1, 2)
    )
    for other in (two, parallel):
        assert other.l2 == one.l2
        assert np.array_equal(other.held_out.group_losses, one.held_out.group_losses)
        for a, b in zip(other.models, one.models, strict=True):
            assert np.array_equal(a.coef_, b.coef_)
    assert repr(one) == repr(two)


def test_path_pickles():
    path = sb.fairness_path(DATA.X, DATA.y, DATA.town, worst_weights=[0.5], cv=3)
    loaded = pickle.loads(pickle.dumps(path))
    assert repr(loaded) == repr(path)
    assert np.array_equal(loaded.select(0.5).predict(DATA.X), path.select(0.5).predict(DATA.X))


def test_penalty_is_that_of_the_average_model_with_the_least_held_out_loss():
    splits = [(np.flatnonzero(np.arange(300) % 3 != k), np.flatnonzero(np.arange(300) % 3 == k)) for k in range(3)]
    penalties = [1e-4, 1e-2, 1.0, 100.0]
    averages = [
        sb.fairness_path(DATA.X, DATA.y, DATA.town, l2=l2, worst_weights=[0], cv=splits).held_out.average[0]
        for l2 in penalties
    ]
    path = sb.fairness_path(DATA.X, DATA.y, DATA.town, l2s=penalties, worst_weights=[0], cv=splits)
    assert path.l2 == penalties[int(np.argmin(averages))]
    assert path.l2 not in (penalties[0], penalties[-1])
    assert all(model.l2 == path.l2 for model in path.models)


@pytest.fixture(params=["files", "Dask"])
def elsewhere(request, tmp_path):
    X = np.asarray(DATA.X, dtype=np.float64)
    if request.param == "Dask":
        return X, da.from_array(X, chunks=((100, 0, 150, 50), X.shape[1]))
    np.save(tmp_path / "table.npy", X)
    return X, sb.FileTable(tmp_path / "table.npy", memory=1000)


@pytest.mark.parametrize("parameters", [{}, {"reference": "average", "standardize": False}], ids=["plain", "regret"])
def test_models_of_rows_elsewhere_share_reads(elsewhere, parameters, monkeypatch):
    """With the ends of the estimators to the last bit; models in between are those in memory up to their gaps."""
    X, there = elsewhere
    options = {"worst_weights": WEIGHTS, "l2": 1e-2, "cv": 3, "repeats": 1, **parameters}
    asked, answers = [], Together.answers
    monkeypatch.setattr(Together, "answers", lambda self, some: asked.append(len(some)) or answers(self, some))
    together = []
    fit_together = models._fit_together
    monkeypatch.setattr(
        models, "_fit_together", lambda *given: (asked.clear(), fit_together(*given), together.extend(asked))[1]
    )
    path = sb.fairness_path(there, DATA.y, DATA.town, **options)
    assert together[0] == len(WEIGHTS) - 2
    assert sum(together) > 2 * len(together)
    known = sb.fairness_path(X, DATA.y, DATA.town, **options)
    for model, own, p in zip(path.models, known.models, WEIGHTS, strict=True):
        assert model.certified_
        assert abs(model.result_.value - own.result_.value) <= max(model.gap_, own.gap_) + 1e-12
        if p in (0.0, 1.0):
            alone = sb.MinimaxClassifier(p, l2=1e-2, **parameters).fit(there, DATA.y, DATA.town)
            np.testing.assert_array_equal(model.coef_, alone.coef_)
    monkeypatch.setattr(models, "most_fits", lambda trainer: 1)
    one_by_one = sb.fairness_path(there, DATA.y, DATA.town, **options)
    for model, other in zip(path.models, one_by_one.models, strict=True):
        np.testing.assert_array_equal(model.coef_, other.coef_)
