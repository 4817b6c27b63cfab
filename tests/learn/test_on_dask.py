"""Estimators on Dask collections: the models of the same rows in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import saddleback as sb

RNG = np.random.default_rng(1)
N = 1500
X = RNG.standard_normal((N, 4)) * [1.0, 5.0, 0.1, 1.0] + [0.0, 20.0, 0.0, 1.0]
TOWN = RNG.permutation(np.repeat(["big", "mid", "small"], [900, 400, 200]))
SEX = RNG.integers(0, 2, N)
Y = np.where(X[:, 0] + np.where(TOWN == "small", -1, 1) * (X[:, 3] - 1) + RNG.logistic(size=N) > 0, "yes", "no")
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(town=TOWN, sex=SEX)
WEIGHT = RNG.integers(0, 3, N).astype(float)
CHUNKS = (700, 0, 1, 799)
CV = {"l2s": [1e-3, 1e-2], "worst_weights": [0.5, 1.0], "priors": [1.0], "cv": 3, "repeats": 1}


def lazy(x):
    return da.from_array(x, chunks=(CHUNKS, *((size,) for size in x.shape[1:])))


def agree(model, expected):
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.group_losses_, expected.group_losses_, rtol=1e-5)
    assert model.group_names_ == expected.group_names_
    np.testing.assert_array_equal(model.group_sizes_, expected.group_sizes_)
    if hasattr(expected, "selection_"):
        assert model.selection_.chosen == expected.selection_.chosen
        own, known = model.selection_.candidates, expected.selection_.candidates
        np.testing.assert_allclose(own["worst_loss"], known["worst_loss"], rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "make", [sb.MinimaxClassifier, lambda **more: sb.MinimaxClassifierCV(**CV, **more)], ids=["one", "cv"]
)
def test_arrays(make, weighted):
    weight = WEIGHT if weighted else None
    expected = make().fit(X, Y, TOWN, weight)
    model = make().fit(lazy(X), lazy(Y), lazy(TOWN), lazy(weight) if weighted else None)
    agree(model, expected)
    assert model.classes_.tolist() == ["no", "yes"]
    agree(make().fit(lazy(X), Y, {"town": lazy(TOWN)}, weight), make().fit(X, Y, {"town": TOWN}, weight))


@pytest.mark.parametrize("kept", [False, True])
def test_frames_with_columns_of_groups(kept):
    frame = FRAME.drop(columns="town") if kept else FRAME
    by = ["sex"] if kept else ["town", "sex"]
    make = lambda: sb.MinimaxClassifier(group_by=by, keep_group_columns=kept)  # noqa: E731
    expected = make().fit(frame, Y)
    model = make().fit(dd.from_pandas(frame, npartitions=3, sort=False), Y)
    agree(model, expected)
    assert model.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))


def test_columns_of_groups_in_a_matrix():
    matrix = np.column_stack([SEX, X])
    expected = sb.MinimaxClassifier(group_by=[0]).fit(matrix, Y)
    agree(sb.MinimaxClassifier(group_by=[0]).fit(lazy(matrix), Y), expected)
    with pytest.raises(sb.ProblemError, match="group_by must name columns of X; got 7"):
        sb.MinimaxClassifier(group_by=[7]).fit(lazy(matrix), Y)


def test_regression_by_classes_and_corrections():
    target = X @ [1.0, 0.1, 2.0, -1.0] + np.where(TOWN == "small", 3.0, 0.0) * np.sin(X[:, 0])
    agree(
        sb.MinimaxRegressorCV(**CV).fit(lazy(X), lazy(target), TOWN), sb.MinimaxRegressorCV(**CV).fit(X, target, TOWN)
    )
    by_class = sb.MinimaxClassifier(group_by="classes")
    agree(by_class.fit(lazy(X), lazy(Y)), sb.MinimaxClassifier(group_by="classes").fit(X, Y))
    frozen = FrozenEstimator(LogisticRegression(C=1e-3).fit(X, Y))
    expected = sb.WorstGroupCorrection(frozen, cv=3, l2s=[1e-2]).fit(X, Y, TOWN)
    model = sb.WorstGroupCorrection(frozen, cv=3, l2s=[1e-2]).fit(lazy(X), lazy(Y), TOWN)
    agree(model, expected)
    np.testing.assert_allclose(model.predict_proba(lazy(X)).compute(), expected.predict_proba(X), atol=1e-6)


def test_predictions_are_lazy():
    model = sb.MinimaxClassifier().fit(X, Y, TOWN)
    with pytest.raises(sb.ProblemError, match="X must be a Dask array or a Dask data frame; got Delayed"):
        model.predict(dask.delayed(X))
    for method in ("predict", "predict_proba", "decision_function", "predict_log_proba"):
        lazily = getattr(model, method)(lazy(X))
        assert isinstance(lazily, da.Array)
        assert lazily.shape == getattr(model, method)(X).shape
        expected = getattr(model, method)(X)
        if method == "predict":
            np.testing.assert_array_equal(lazily.compute(), expected)
        else:
            # BLAS multiplies fewer rows in another order.
            np.testing.assert_allclose(lazily.compute(), expected, rtol=1e-12, atol=1e-14)
    of_frame = sb.MinimaxClassifier().fit(FRAME[list("abcd")], Y, TOWN)
    predicted = of_frame.predict(dd.from_pandas(FRAME[list("abcd")], npartitions=3))
    np.testing.assert_array_equal(predicted.compute(), of_frame.predict(FRAME[list("abcd")]))


def test_a_dask_target_of_rows_in_memory_is_computed():
    agree(sb.MinimaxClassifier().fit(X, lazy(Y), lazy(TOWN)), sb.MinimaxClassifier().fit(X, Y, TOWN))


def test_a_sample_of_the_rows():
    make = lambda: sb.MinimaxClassifierCV(**CV, selection_rows=500)  # noqa: E731
    model = make().fit(lazy(X), Y, TOWN)
    agree(model, make().fit(X, Y, TOWN))
    assert model.selection_.sampled


REFUSED = {
    "lengths": (lambda: (lazy(X), Y[:-1], TOWN), "y must have one entry per row of X, 1500; got 1499"),
    "groups": (lambda: (lazy(X), Y, TOWN[:-1]), "sensitive_features must have one entry per row of X, 1500; got 1499"),
    "columns": (lambda: (da.from_array(X, chunks=(500, 2)), Y, TOWN), r"X\.rechunk\(\{1: -1\}\)"),
    "nan": (
        lambda: (lazy(np.where(np.arange(len(X))[:, None] == 7, np.nan, X)), Y, TOWN),
        r"must be finite; got nan.*In partition 0 of 4",
    ),
    "text": (lambda: (dd.from_pandas(FRAME, npartitions=2), Y, TOWN), r"column 'town' of X must hold real numbers"),
    "delayed": (lambda: (dask.delayed(X), Y, TOWN), r"got Delayed\w*\. Make it one by dask\.array\.from_delayed"),
    "sparse": (lambda: (lazy(X).map_blocks(sp.csr_matrix), Y, TOWN), "estimators take dense partitions"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input(case):
    arguments, said = REFUSED[case]
    with pytest.raises(sb.ProblemError, match=said):
        sb.MinimaxClassifier().fit(*arguments())


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_and_tables_of_groups(weighted):
    frame = FRAME.assign(y=Y, weight=WEIGHT + 1.0)
    given = dd.from_pandas(frame, npartitions=3, sort=False)
    model = sb.MinimaxClassifier().fit(frame[list("abcd")], Y, TOWN)
    weights = (frame["weight"], given["weight"]) if weighted else (None, None)
    features = given[list("abcd")]
    expected = model.score(frame[list("abcd")], Y, weights[0])
    assert model.score(features, given["y"], weights[1]) == pytest.approx(expected, rel=1e-12)
    table = sb.group_table(Y, model.predict(frame[list("abcd")]), TOWN, sample_weight=weights[0])
    assert str(sb.group_table(given["y"], model.predict(features), given["town"], sample_weight=weights[1])) == str(
        table
    )
    scorer, of_rows = sb.worst_group_scorer(), {"sensitive_features": TOWN, "sample_weight": weights[0]}
    of_dask = {"sensitive_features": given["town"], "sample_weight": weights[1]}
    expected = scorer(model, frame[list("abcd")], Y, **of_rows)
    assert scorer(model, features, given["y"], **of_dask) == pytest.approx(expected, rel=1e-12)
    assert sb.MinimaxRegressor().fit(X, X[:, 0], TOWN).score(lazy(X), lazy(X[:, 0])) > 0.9


def test_single_rows_are_no_groups():
    with pytest.raises(sb.ProblemError, match="whose Jacobian is a table in memory; got X of type Array"):
        sb.MinimaxClassifier(group_by="rows").fit(lazy(X), Y)


def test_predictions_of_a_frame_warn_of_nothing_that_no_row_does():
    """Dask is told the type of the answer by a row of made-up numbers."""
    model = sb.MinimaxRegressor(loss="poisson").fit(FRAME[list("abcd")], WEIGHT, TOWN)
    model.coef_, model.intercept_ = np.full(4, 1e3), 0.0
    np.testing.assert_array_equal(model.predict(dd.from_pandas(0.0 * FRAME[list("abcd")], npartitions=2)), 1.0)


def test_an_array_without_names_is_one_warning():
    model = sb.MinimaxRegressor().fit(FRAME[list("abcd")], WEIGHT, TOWN)
    with pytest.warns(UserWarning, match="X does not have valid feature names") as told:
        predicted = model.predict(lazy(X)).compute()
    assert len(told) == 1
    np.testing.assert_allclose(predicted, model.predict(FRAME[list("abcd")]), rtol=1e-12, atol=1e-14)
