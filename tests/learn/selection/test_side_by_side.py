"""Fits on several splits that share the reads of one table: the results of fits one by one."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from losses.grouped.partitions.tables import lazy

import saddleback as sb
from saddleback.learn.data.files import features_in_files
from saddleback.learn.data.partitions import Partitions
from saddleback.learn.data.remote import RemoteMatrix
from saddleback.learn.data.rows import Rows
from saddleback.learn.data.standardization import Standardization
from saddleback.learn.fitting.candidate import Candidate, NoCorrection
from saddleback.learn.fitting.prepared import Prepared
from saddleback.learn.fitting.setting import Setting
from saddleback.learn.groups.groups import Groups
from saddleback.learn.selection import predicted_hessians, side_by_side, split_fits, together
from saddleback.learn.selection.cells import Cells, Parts
from saddleback.learn.selection.out_of_fold import out_of_fold
from saddleback.learn.selection.predicted_hessians import PredictionControl
from saddleback.learn.selection.scores import find_score
from saddleback.learn.selection.shared_table import SharedTable
from saddleback.losses.grouped.partitions.features import PartitionedFeatures
from saddleback.losses.grouped.pointwise_losses import LOSSES

CANDIDATES = [Candidate(p, 0.0, l2) for l2 in (0.1, 0.01) for p in (0.0, 0.5, 1.0)]


@pytest.fixture
def small(monkeypatch):
    """Reads are shared also by fits to small tables."""
    monkeypatch.setattr(side_by_side, "LEAST_BYTES", 0)
    monkeypatch.setattr(side_by_side, "FEWEST_FITS", 0)
    monkeypatch.setattr(side_by_side, "ROWS_PER_CELL", 0)
    monkeypatch.setattr(side_by_side, "CONTROL", PredictionControl(rows_per_parameter=0))


def draw(n=240, loss="logistic", *, overlap=False, weighted=False, offset=False, sparse=False, seed=1, **options):
    rng = np.random.default_rng(seed)
    X, town = rng.standard_normal((n, 3)) * [1.0, 30.0, 0.1] + [0.0, 10.0, 1.0], np.arange(n) % 3
    eta = X[:, 0] + np.where(town == 1, -1.0, 0.5) * (X[:, 1] - 10.0) / 30.0 + rng.logistic(size=n)
    real = LOSSES[loss].response == "real"
    y = eta + 50.0 if real else np.digitize(eta, [-0.7, 0.7]) if loss == "softmax" else (eta > 0).astype(np.intp)
    numbers = town[:, np.newaxis].astype(np.intp)
    names = ["a", "b", "c"]
    if overlap:
        numbers, names = np.column_stack([numbers, 3 + rng.integers(0, 2, n)]), [*names, "x", "y"]
    X = sp.csr_array(np.where(np.abs(X) > np.median(np.abs(X)), X, 0.0)) if sparse else X
    given = rng.random(n) + 0.5 if weighted else None, rng.standard_normal(n) if offset else None
    classes = 0 if real else 3 if loss == "softmax" else 2
    return Rows(X, y, Groups(names, numbers), *given), Setting(LOSSES[loss], n_classes=classes, tol=1e-9, **options)


def folds(n, k=4, repeats=1):
    rng, splits = np.random.default_rng(0), []
    for _ in range(repeats):
        fold = rng.permutation(n) % k
        splits += [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k)]
    return splits


def scores_of(rows, setting, splits, candidates=CANDIDATES, n_jobs=None):
    classes = np.arange(setting.n_classes) if setting.n_classes else None
    return out_of_fold(rows, setting, candidates, splits, find_score(None, setting.loss, classes), n_jobs)


CASES = {
    "logistic": {},
    "three classes": {"loss": "softmax"},
    "numbers": {"loss": "squared"},
    "weights and offsets": {"weighted": True, "offset": True},
    "offsets of numbers": {"loss": "huber", "offset": True},
    "overlap": {"overlap": True, "weighted": True},
    "sparse": {"sparse": True},
    "no intercept": {"fit_intercept": False},
    "as they are": {"standardize": False, "loss": "squared"},
    "quasi-Newton": {"method": "quasi-newton"},
    "average as reference": {"reference": "average"},
    "own models as reference": {"reference": "own"},
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_fits_one_by_one(case, monkeypatch):
    monkeypatch.setattr(split_fits, "SELECTION_TOL", 0.0)
    rows, setting = draw(**CASES[case])
    splits = folds(len(rows), 3)
    shared = scores_of(rows, setting, splits)
    monkeypatch.setattr(side_by_side, "LEAST_BYTES", np.inf)
    alone = scores_of(rows, setting, splits)
    assert shared.n_failed == alone.n_failed == 0
    assert (shared.scores != alone.scores).any()
    # Certified gaps of 1e-9 leave errors of their root.
    unit = max(1.0, float(np.abs(alone.scores).max()))
    np.testing.assert_allclose(shared.scores, alone.scores, atol=2e-4 * unit)


@pytest.mark.usefixtures("small")
def test_splits_of_any_kind(monkeypatch):
    """Rows that are trained on twice or never, held out twice or never, and a group that a split lacks."""
    monkeypatch.setattr(split_fits, "SELECTION_TOL", 0.0)
    rows, setting = draw()
    everything, town = np.arange(240), rows.groups.codes
    splits = [
        (np.repeat(everything[40:150], 2), everything[:40]),
        (everything[:200][town[:200] != 2], everything[200:]),
        (everything[30:210], np.array([5, 5, 220])),
    ]
    shared = scores_of(rows, setting, splits)
    monkeypatch.setattr(side_by_side, "LEAST_BYTES", np.inf)
    alone = scores_of(rows, setting, splits)
    np.testing.assert_allclose(shared.scores, alone.scores, atol=2e-4)
    np.testing.assert_array_equal(np.isnan(shared.scores), np.isnan(alone.scores))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("control", ["computed", "predicted"])
def test_bits_do_not_depend_on_what_goes_on_at_a_time(control, monkeypatch):
    if control == "predicted":
        always = PredictionControl(least_work=0.0, rows_per_parameter=0, group_rows_per_parameter=0.0)
        monkeypatch.setattr(predicted_hessians, "CONTROL", always)
    rows, setting = draw()
    splits = folds(240, 4)
    scores = scores_of(rows, setting, splits).scores
    for module, name, value in (
        (side_by_side, "MOST_FITS", 1),
        (side_by_side, "MOST_FITS", 4),
        (together, "MOST_NUMBERS", 1),
        (together, "MOST_NUMBERS", 400),
        (together, "WIDEST", 3),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, name, value)
            np.testing.assert_array_equal(scores_of(rows, setting, splits).scores, scores)


@pytest.fixture(params=["Dask", "files"])
def elsewhere(request, tmp_path):
    """The rows of a table, and the same with features that are in partitions of Dask or in a file."""
    rows, setting = draw()
    if request.param == "files":
        np.save(tmp_path / "table.npy", rows.X)
        features = features_in_files(sb.FileTable(tmp_path / "table.npy", memory=1000))
    else:
        features = PartitionedFeatures.of(lazy(rows.X, (100, 0, 90, 50)))
    return rows, replace(rows, X=RemoteMatrix(Partitions(features))), setting


def test_rows_elsewhere_answer_hessians_together(elsewhere, monkeypatch):
    """With the bits of Hessians one by one, whatever goes on at a time."""
    always = PredictionControl(least_work=0.0, rows_per_parameter=0, group_rows_per_parameter=0.0)
    monkeypatch.setattr(predicted_hessians, "CONTROL", always)
    monkeypatch.setattr(side_by_side, "ROWS_PER_CELL", 0)
    known, rows, setting = elsewhere
    asked, answers = [], together.Together.answers

    def counted(self, questions):
        asked.append(sum(question.hessians for question in questions))
        return answers(self, questions)

    splits = folds(240, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(together.Together, "answers", counted)
        shared = scores_of(rows, setting, splits).scores
    pilot = asked.index(6)
    assert max(asked[:pilot]) <= 2, "the fits of the first split, one chain for each penalty"
    assert max(asked[pilot + 1 :]) == 4
    for module, name, value in (
        (side_by_side, "MOST_FITS", 1),
        (together, "MOST_NUMBERS", 1),
        (together, "MOST_NUMBERS", 100),
        (together, "WIDEST", 3),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, name, value)
            np.testing.assert_array_equal(scores_of(rows, setting, splits).scores, shared)
    # Certified gaps of 1e-6 leave errors of their root.
    np.testing.assert_allclose(shared, scores_of(known, setting, splits).scores, atol=5e-3)


@pytest.mark.usefixtures("small")
def test_evaluations_are_answered_together(monkeypatch):
    """The reads of the table are a small part of the evaluations."""
    asked, answers = [], together.Together.answers

    def counted(self, questions):
        asked.append(len(questions))
        return answers(self, questions)

    monkeypatch.setattr(together.Together, "answers", counted)
    rows, setting = draw()
    scores_of(rows, setting, folds(240, 9))
    assert max(asked) == 16
    assert sum(asked) > 5 * len(asked)


@pytest.mark.usefixtures("small")
def test_corrections_without_any(monkeypatch):
    rows, setting = draw(offset=True)
    shared = scores_of(rows, setting, folds(240), [NoCorrection(), *CANDIDATES])
    monkeypatch.setattr(side_by_side, "LEAST_BYTES", np.inf)
    alone = scores_of(rows, setting, folds(240), [NoCorrection(), *CANDIDATES])
    np.testing.assert_array_equal(shared.scores[:, 0], alone.scores[:, 0])
    assert shared.n_fits == alone.n_fits == 4 * len(CANDIDATES)


@pytest.mark.usefixtures("small")
def test_fits_that_fail_are_told_once():
    rows, setting = draw(max_iter=1)
    with pytest.warns(sb.ConvergenceWarning, match="23 of 24 fits for the selection ended above the tolerance") as told:
        assert scores_of(rows, setting, folds(240)).n_failed == 23
    assert len(told) == 1
    with pytest.warns(UserWarning, match="filters are as before"):
        warnings.warn("filters are as before", sb.ConvergenceWarning, stacklevel=1)


class Failing:
    """The logistic loss, which raises an exception at its n-th call."""

    response, convex, bounded_below = "binary", True, True

    def __init__(self, error, calls):
        self.error, self.calls = error, calls

    def value_and_slope(self, eta, y):
        self.calls -= 1
        if self.calls == 0:
            raise self.error
        return LOSSES["logistic"].value_and_slope(eta, y)

    def curvature(self, eta, y):
        return LOSSES["logistic"].curvature(eta, y)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("calls", [20, 60, 150])
@pytest.mark.parametrize("error", [ValueError("of the loss"), KeyboardInterrupt()])
def test_an_error_of_the_loss_ends_all_fits(error, calls):
    X, town = np.random.default_rng(0).standard_normal((300, 2)), np.arange(300) % 2
    model = sb.MinimaxClassifierCV(loss=Failing(error, calls), cv=3, l2s=[0.1, 0.01], worst_weights=[0.5])
    with pytest.raises(type(error)):
        model.fit(X, (X[:, 0] > 0) ^ (town == 1) ^ (X[:, 1] > 1.0), town)


def test_it_pays_where_a_read_takes_long(monkeypatch):
    rows, setting = draw()

    def pays(rows=rows, setting=setting, n_splits=4, candidates=CANDIDATES, n_jobs=None):
        return side_by_side.pays(split_fits.Task(rows, setting, candidates, None), folds(len(rows), n_splits), n_jobs)

    assert not pays()
    monkeypatch.setattr(side_by_side, "LEAST_BYTES", 240 * 3 * 8)
    monkeypatch.setattr(side_by_side, "ROWS_PER_CELL", 20)
    monkeypatch.setattr(side_by_side, "FEWEST_FITS", 6)
    assert not pays()  # 240 rows are too few for predicted Hessians
    assert pays(setting=draw(method="quasi-newton")[1])
    monkeypatch.setattr(side_by_side, "CONTROL", PredictionControl(rows_per_parameter=80))
    assert pays()
    assert pays(setting=draw(method="newton")[1])
    assert not pays(n_jobs=1)
    assert not pays(n_splits=3)  # 4 fits at a time
    assert not pays(candidates=[NoCorrection()])
    assert not pays(setting=draw(method="accelerated")[1])
    assert not pays(n_splits=5)  # 15 cells of 16 rows
    monkeypatch.setattr(side_by_side, "ROWS_PER_CELL", 0)
    each = Rows(rows.X, rows.y, Groups(list(range(240)), np.arange(240)[:, None]))
    assert not pays(each)
    assert pays(draw(sparse=True, n=2000)[0])
    monkeypatch.setattr(side_by_side, "LEAST_BYTES", 240 * 3 * 8 + 1)
    assert not pays()


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n_splits=st.integers(1, 4), overlap=st.booleans(), weighted=st.booleans())
def test_losses_of_a_split_are_combinations_of_those_of_cells(seed, n_splits, overlap, weighted):
    """Also of splits that train on a row several times, or on none of a group."""
    rows, setting = draw(60, overlap=overlap, weighted=weighted, seed=seed)
    rng = np.random.default_rng(seed)
    splits = [(rng.integers(0, 60, rng.integers(20, 90)), np.arange(1)) for _ in range(n_splits)]
    table = SharedTable.of(rows, setting, splits, Parts.of(splits, 60))
    split = int(rng.integers(n_splits))
    training = rows.subset(splits[split][0])
    shared, own = table.prepared(split, table.training(split)), Prepared.of(training, setting)
    np.testing.assert_array_equal(shared.nonempty, own.nonempty)
    np.testing.assert_allclose(shared.weights, own.weights, rtol=1e-12)
    np.testing.assert_allclose(shared.standardization.scale, own.standardization.scale, rtol=1e-10)
    np.testing.assert_allclose(shared.standardization.center, own.standardization.center, rtol=1e-10, atol=1e-12)
    w, lam = rng.standard_normal(4), rng.dirichlet(np.ones(own.losses.n_losses))
    mine, theirs = shared.losses.with_l2(0.3), own.losses.with_l2(0.3)
    for x, expected in zip(mine.evaluate(w), theirs.evaluate(w), strict=True):
        np.testing.assert_allclose(x, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(mine.values(w), theirs.values(w), rtol=1e-10)
    np.testing.assert_allclose(mine.hessian(w, lam), theirs.hessian(w, lam), rtol=1e-8, atol=1e-10)
    which = np.arange(own.losses.n_losses)[::-1][:2]
    np.testing.assert_allclose(mine.loss_hessians(w, which), theirs.loss_hessians(w, which), rtol=1e-8, atol=1e-10)


def test_standardizations_of_splits_where_digits_would_cancel():
    """A column that varies on the rows of one split only, a constant one, and one that is far from zero."""
    rows, _ = draw()
    X = np.column_stack([rows.X, np.where(np.arange(240) < 60, rows.X[:, 0], 3.0), np.full(240, 7.0)])
    X[:, 1] += 1e6
    rows = Rows(X, rows.y, rows.groups)
    splits = [(np.arange(60, 240), np.arange(60)), (np.arange(200), np.arange(200, 240))]
    for intercept in (True, False):
        table = SharedTable.of(rows, draw(fit_intercept=intercept)[1], splits, Parts.of(splits, 240))
        for split, (train, _) in enumerate(splits):
            own = Standardization.of(X[train], None, intercept=intercept)
            shared = table._standardization(split, rows.subset(train))
            np.testing.assert_allclose(shared.scale, own.scale, rtol=1e-8)
            np.testing.assert_allclose(shared.center, own.center, rtol=1e-12)
        assert (table._of_splits[0] is None, table._of_splits[1] is None) == (True, not intercept)


def test_rows_in_one_part_are_trained_on_by_the_same_splits():
    splits = [
        (np.array([0, 1, 1]), np.array([3])),
        (np.array([0, 2]), np.array([1])),
        (np.array([0, 2]), np.array([1])),
    ]
    parts = Parts.of(splits, 5)
    assert parts.times[parts.of_rows].tolist() == [[1, 1, 1], [2, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert len(parts.times) == 4
    assert parts.trained.tolist() == [True, True, True, False, False]
    cells = Cells.of(Groups(["a", "b"], np.array([[1], [0], [0], [0], [1]])), parts)
    assert list(zip(cells.groups.tolist(), parts.times[cells.of_cells].tolist(), strict=True)) == [
        (0, [0, 1, 1]),
        (0, [2, 0, 0]),
        (1, [1, 1, 1]),
    ]
    M, weights = cells.combinations(0, np.array([1.0, 3.0, 5.0]), np.array([0, 1]))
    assert M.tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert weights.tolist() == [6.0, 5.0]
