"""Estimators on tables in files: the models, predictions and selections of the same table in memory."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import saddleback as sb

RNG = np.random.default_rng(0)
N, D = 4000, 5
X = RNG.standard_normal((N, D))
CODES = RNG.integers(0, 3, N)
Y = (X[:, 0] + 0.5 * X[:, 1] * (CODES == 2) + RNG.standard_normal(N) > 0.0).astype(int)
NAMES = [f"x{k}" for k in range(D)]
FRAME = pd.DataFrame(X, columns=NAMES).assign(race=np.array(["p", "q", "r"])[CODES], y=Y)


@pytest.fixture
def table(tmp_path):
    FRAME.to_parquet(tmp_path / "table.parquet", row_group_size=1500)
    return sb.FileTable(tmp_path / "table.parquet")


@pytest.fixture
def matrix(tmp_path):
    np.save(tmp_path / "table.npy", X)
    return sb.FileTable(tmp_path / "table.npy")


@pytest.mark.parametrize("standardize", [True, False])
def test_a_model_with_columns_of_groups(table, standardize):
    frame = FRAME.drop(columns="y")
    model = sb.MinimaxClassifier(l2=0.01, group_by=["race"], standardize=standardize)
    expected = sb.MinimaxClassifier(**model.get_params()).fit(frame, Y)
    model.fit(table.drop(["y"]), table["y"])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    assert model.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    # With or without the columns that named the groups.
    for part in (table.drop(["y"]), table.drop(["y", "race"])):
        np.testing.assert_allclose(model.predict_proba(part), expected.predict_proba(frame), rtol=1e-6)
        assert model.predict(part).tolist() == expected.predict(frame).tolist()


def test_a_matrix_with_labels_in_memory(matrix):
    expected = sb.MinimaxClassifier(l2=0.01).fit(X, Y, sensitive_features=CODES)
    model = sb.MinimaxClassifier(l2=0.01).fit(matrix, Y, sensitive_features=CODES)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    assert model.score(matrix, Y) == expected.score(X, Y)


def test_regression(matrix):
    y = X @ np.arange(D) + CODES
    expected = sb.MinimaxRegressor(l2=0.01).fit(X, y, sensitive_features=CODES)
    model = sb.MinimaxRegressor(l2=0.01).fit(matrix, y, sensitive_features=CODES)
    np.testing.assert_allclose(model.predict(matrix), expected.predict(X), rtol=1e-6)


@pytest.mark.parametrize("memory", ["100MB", 1000])
def test_the_selection(tmp_path, memory):
    """Rows of a selection are copied where memory allows, and else read in every pass."""
    np.save(tmp_path / "table.npy", X)
    options = {"selection_rows": 2000, "cv": 3, "random_state": 0}
    expected = sb.MinimaxClassifierCV(**options).fit(X, Y, sensitive_features=CODES)
    table = sb.FileTable(tmp_path / "table.npy", memory=memory)
    model = sb.MinimaxClassifierCV(**options).fit(table, Y, sensitive_features=CODES)
    assert model.worst_weight_ == expected.worst_weight_
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-7)


def test_the_correction_of_a_model_that_knows_names(table):
    features = table.drop(["y", "race"])
    boosted = LogisticRegression().fit(FRAME[NAMES[:2] + NAMES[2:]], Y)
    model = sb.WorstGroupCorrection(FrozenEstimator(boosted)).fit(features, Y, sensitive_features=CODES)
    expected = sb.WorstGroupCorrection(FrozenEstimator(boosted)).fit(FRAME[NAMES], Y, sensitive_features=CODES)
    np.testing.assert_allclose(model.predict_proba(features), expected.predict_proba(FRAME[NAMES]), rtol=1e-6)


def test_columns_that_are_not_there(table):
    with pytest.raises(sb.ProblemError, match="has no column 'sex'"):
        sb.MinimaxClassifier(group_by=["sex"]).fit(table, Y)
    model = sb.MinimaxClassifier(l2=0.01).fit(table.drop(["y", "race"]), Y, sensitive_features=CODES)
    with pytest.raises(ValueError, match=r"feature names should match|features, but"):
        model.predict(table.drop(["y", "race", "x0"]))


@pytest.fixture
def wide(tmp_path):
    """A table that has besides features and target a column of weights and two of labels."""
    frame = FRAME.assign(town=np.where(X[:, 4] > 0, "north", "south"), weight=1.0 + CODES)
    frame.to_parquet(tmp_path / "wide.parquet", row_group_size=1500)
    return sb.FileTable(tmp_path / "wide.parquet"), frame


@pytest.mark.parametrize("groups", ["race", ["race"], ["race", "town"]])
def test_columns_by_their_names(wide, groups):
    table, frame = wide
    others = [name for name in ("race", "town") if name not in groups]
    labels = frame[groups] if isinstance(groups, list) else frame[[groups]]
    expected = sb.MinimaxClassifier(l2=0.01).fit(FRAME[NAMES], Y, labels, frame["weight"])
    model = sb.MinimaxClassifier(l2=0.01).fit(table.drop(others), "y", groups, "weight")
    assert model.feature_names_in_.tolist() == NAMES
    assert model.group_names_ == expected.group_names_
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    # Of a table with more columns, in another order, the features are taken by their names.
    for part in (table, table[NAMES[::-1]]):
        np.testing.assert_allclose(model.predict_proba(part), expected.predict_proba(FRAME[NAMES]), rtol=1e-6)
    assert model.score(table, "y", "weight") == expected.score(FRAME[NAMES], Y, frame["weight"])
    score = sb.worst_group_scorer()
    assert score(model, table, "y", sensitive_features=groups) == pytest.approx(
        score(expected, FRAME[NAMES], Y, sensitive_features=labels), rel=1e-6
    )


def test_columns_of_groups_beside_a_named_target(wide):
    table, frame = wide
    table = table.drop(["town", "weight"])
    expected = sb.MinimaxClassifier(l2=0.01, group_by="race").fit(frame[[*NAMES, "race"]], Y)
    model = sb.MinimaxClassifier(l2=0.01, group_by="race").fit(table, "y")
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    assert model.feature_names_in_.tolist() == [*NAMES, "race"]
    assert model.score(table, "y") == expected.score(FRAME[[*NAMES, "race"]], Y)


def test_names_of_columns_in_a_path_and_a_correction(table):
    options = {"l2": 0.01, "cv": 2, "repeats": 1, "worst_weights": [0, 1]}
    path = sb.fairness_path(table, "y", "race", **options)
    expected = sb.fairness_path(FRAME[NAMES], Y, FRAME["race"], **options)
    for model, other in zip(path.models, expected.models, strict=True):
        np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-5, atol=1e-7)
    own = FrozenEstimator(LogisticRegression().fit(FRAME[NAMES], Y))
    corrected = sb.WorstGroupCorrection(own, cv=2).fit(table, "y", "race")
    same = sb.WorstGroupCorrection(own, cv=2).fit(FRAME[NAMES], Y, FRAME["race"])
    np.testing.assert_allclose(corrected.predict_proba(table), same.predict_proba(FRAME[NAMES]), rtol=1e-6)
    assert corrected.score(table, "y") == same.score(FRAME[NAMES], Y)


def test_names_and_positions_that_are_no_column(table, matrix):
    model = sb.MinimaxClassifier()
    with pytest.raises(sb.ProblemError, match="has no column 'Race'"):
        model.fit(table, "y", "Race")
    with pytest.raises(sb.ProblemError, match=r"y must be one column of X; got the names \['y', 'x0'\]"):
        model.fit(table, ["y", "x0"], "race")
    with pytest.raises(sb.ProblemError, match=r"y must have an entry per row of X.*y = table\[4\]"):
        model.fit(matrix, 4, CODES)
    with pytest.raises(sb.ProblemError, match=r"column 'race' must hold numbers .*group_by= or sensitive_features="):
        model.fit(table, "y", CODES)


def test_single_rows_are_no_groups(matrix):
    with pytest.raises(sb.ProblemError, match="whose Jacobian is a table in memory; got X of type FileTable"):
        sb.MinimaxClassifier(group_by="rows").fit(matrix, Y)


def test_a_path_is_no_table(matrix):
    path = matrix.files[0]
    model = sb.MinimaxClassifier(l2=0.01).fit(X, Y, CODES)
    for use in (lambda: model.fit(str(path), Y, CODES), lambda: model.predict(path), lambda: model.score(path, Y)):
        with pytest.raises(sb.ProblemError, match=r"got the text or path .*Pass saddleback\.FileTable\(path\)"):
            use()


def test_evidence_needs_rows_in_memory(matrix):
    model = sb.MinimaxClassifier(l2=0.01).fit(matrix, Y, CODES)
    with pytest.raises(
        sb.ProblemError, match=r"needs rows in memory.*do not keep them.*Pass the rows: X, y.*in memory"
    ):
        model.evidence()
    with pytest.raises(sb.ProblemError, match="needs rows in memory; got X of type FileTable"):
        model.evidence(matrix, Y, CODES)
    held_out = slice(0, 300)
    assert model.evidence(X[held_out], Y[held_out], CODES[held_out], challengers=None, n_bootstrap=0)["answer"]


def test_columns_without_names_are_one_warning(matrix, monkeypatch):
    monkeypatch.setattr("saddleback.losses.grouped.files.cutting.BLOCK_BYTES", 8 * D * 1000)
    assert len(matrix.blocks().lengths) == 4
    model = sb.MinimaxRegressor().fit(FRAME[NAMES], Y, CODES)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but MinimaxRegressor was") as told:
        predicted = model.predict(matrix)
    assert len(told) == 1
    np.testing.assert_allclose(predicted, model.predict(FRAME[NAMES]), rtol=1e-12, atol=1e-14)
