"""Features in blocks elsewhere: the figures and the models of the same features in memory."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler

import saddleback as sb
from saddleback.learn.data.remote import RemoteMatrix
from saddleback.learn.data.standardization import Standardization


class InProcess:
    """Blocks in lists: what files and clusters do, without either."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.lengths = np.array([len(block) for block in blocks])
        self.n_columns = blocks[0].shape[1]

    def map(self, function, own, *shared):
        return [function(X, of_block, *shared) for X, of_block in zip(self.blocks, own, strict=True)]

    def taken(self, rows):
        return InProcess([X[own] for X, own in zip(self.blocks, rows, strict=True)])

    def grouped_linear(self, y, groups, **options):
        return sb.GroupedLinear(np.concatenate(self.blocks), y, groups, **options)


RNG = np.random.default_rng(0)
X = RNG.standard_normal((500, 3)) * [1.0, 1e-3, 10.0] + [5.0, 0.0, -3.0]
REMOTE = RemoteMatrix(InProcess(np.split(X, [120, 121, 300])))
INDICES = {
    "all": np.arange(500),
    "mask": RNG.random(500) < 0.4,
    "shuffled": RNG.permutation(500)[:200],
    "of one block": np.arange(130, 140),
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_some_rows(index):
    remote, rows = REMOTE[index], X[index]
    assert remote.shape == rows.shape
    coef = np.arange(6.0).reshape(2, 3)
    for matrix in (remote, remote.compact()):
        np.testing.assert_allclose(matrix.product(coef), coef @ rows.T, rtol=1e-12)
        np.testing.assert_array_equal(matrix.in_memory("X", "Take fewer."), rows)
    np.testing.assert_allclose(remote[np.arange(5, 9)].product(coef), coef @ rows[5:9].T, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_standardization(index, weighted):
    rows = X[index]
    weight = RNG.random(len(rows)) + 0.1 if weighted else None
    expected = Standardization.of(rows, weight, intercept=True)
    own = Standardization.of(REMOTE[index], weight, intercept=True)
    np.testing.assert_allclose(own.center, expected.center, rtol=1e-10)
    np.testing.assert_allclose(own.scale, expected.scale, rtol=1e-12)


def test_a_constant_column_has_scale_one():
    constant = RemoteMatrix(InProcess([np.full((5, 1), 0.1), np.full((9, 1), 0.1)]))
    assert Standardization.of(constant, None, intercept=True).scale.tolist() == [1.0]


@pytest.mark.parametrize("overlap", [False, True])
def test_losses_of_some_rows(overlap):
    index = INDICES["shuffled"]
    y, codes, weight = RNG.integers(0, 2, 200), RNG.integers(0, 3, 200), RNG.random(200) + 0.1
    groups = csr_array(np.eye(3)[codes] + np.eye(3)[(codes + 1) % 3]) if overlap else codes
    offset = RNG.standard_normal(200)
    expected = sb.GroupedLinear(X[index], y, groups, sample_weight=weight, offset=offset)
    own = REMOTE[index].grouped_linear(y, groups, weight, offset)
    w = np.array([0.1, 3.0, -0.1, 0.2])
    np.testing.assert_allclose(own.values(w), expected.values(w), rtol=1e-12)
    np.testing.assert_array_equal(own.group_sizes, expected.group_sizes)
    np.testing.assert_allclose(own.group_weights, expected.group_weights, rtol=1e-14)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1500, 4)) * [1.0, 5.0, 0.1, 1.0] + [0.0, 20.0, 0.0, 1.0]
    town = np.repeat(["big", "mid", "small"], [900, 400, 200])
    y = X[:, 0] + np.where(town == "small", -1.0, 1.0) * (X[:, 3] - 1.0) + rng.logistic(size=1500) > 0
    return X, y, town


CV = {"l2s": [1e-3, 1e-2], "worst_weights": [0.5, 1.0], "priors": [1.0], "cv": 3, "repeats": 1}


@pytest.mark.parametrize(
    "model",
    [
        sb.MinimaxClassifier(),
        sb.MinimaxClassifier(reference="own", fit_intercept=False),
        sb.MinimaxClassifierCV(**CV),
        sb.MinimaxClassifierCV(**CV, selection_rows=600),
        sb.MinimaxRegressorCV(**CV),
        sb.WorstGroupCorrection(LogisticRegression(C=1e-3), cv=3, l2s=[1e-3, 1e-2]),
        sb.WorstGroupCorrection(LinearRegression(), cv=3, l2s=[1e-2]),
    ],
    ids=repr,
)
def test_models_are_those_of_features_in_memory(model, people):
    X, y, town = people
    y = X @ [1.0, 2.0, 3.0, -1.0] + np.sin(X[:, 0]) if is_regressor(model) else y
    expected = dict(vars(model.fit(X, y, town)))
    model.fit(RemoteMatrix(InProcess(np.array_split(X, 7))), y, town)
    assert model.n_features_in_ == 4
    np.testing.assert_allclose(model.coef_, expected["coef_"], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.group_losses_, expected["group_losses_"], rtol=1e-5)
    if "selection_" in expected:
        own, known = model.selection_, expected["selection_"]
        assert own.chosen == known.chosen
        np.testing.assert_allclose(own.candidates["worst_loss"], known.candidates["worst_loss"], rtol=1e-5)


def test_columns_of_groups_elsewhere_are_refused(people):
    X, y, _ = people
    with pytest.raises(sb.ProblemError, match="Pass the labels as sensitive_features"):
        sb.MinimaxClassifier(group_by=[0]).fit(RemoteMatrix(InProcess([X])), y)


def test_a_frozen_model_is_corrected_where_the_rows_are(people, monkeypatch):
    X, y, town = people
    frozen = FrozenEstimator(LogisticRegression(C=1e-3).fit(X, y))
    expected = sb.WorstGroupCorrection(frozen, cv=3, l2s=[1e-2]).fit(X, y, town)

    def refuse(*_):
        raise AssertionError("the rows must stay where they are")

    monkeypatch.setattr(RemoteMatrix, "in_memory", refuse)
    remote = RemoteMatrix(InProcess(np.array_split(X, 7)))
    model = sb.WorstGroupCorrection(frozen, cv=3, l2s=[1e-2]).fit(remote, y, town)
    assert model.corrected_
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-4)
    with pytest.raises(sb.ProblemError, match="features must be all columns"):
        sb.WorstGroupCorrection(frozen, features=StandardScaler()).fit(remote, y, town)


def test_a_report_needs_rows(people):
    X, y, town = people
    model = sb.MinimaxClassifier().fit(RemoteMatrix(InProcess([X])), y, town)
    with pytest.raises(sb.ProblemError, match="Pass the rows"):
        model.evidence()
