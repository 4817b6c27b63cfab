"""Hessians on one split from those on another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import saddleback as sb
from saddleback.learn.data.rows import Rows
from saddleback.learn.fitting.candidate import Candidate
from saddleback.learn.fitting.setting import Setting
from saddleback.learn.fitting.trainer import Trainer
from saddleback.learn.groups.groups import Groups
from saddleback.learn.selection import out_of_fold, predicted_hessians, split_fits
from saddleback.learn.selection.predicted_hessians import PilotHessians, PredictionControl, SplitHessians
from saddleback.losses.grouped.pointwise_losses import LOSSES

ALWAYS = PredictionControl(least_work=0.0, rows_per_parameter=0, group_rows_per_parameter=0.0)
CANDIDATES = [Candidate(p, 0.0, l2) for l2 in (0.1, 0.01) for p in (0.0, 0.5, 1.0)]


def draw(n: int = 240, loss: str = "logistic") -> tuple[Rows, Setting]:
    rng = np.random.default_rng(1)
    X, town = rng.standard_normal((n, 3)), np.arange(n) % 3
    eta = X[:, 0] + np.where(town == 1, -1.0, 0.5) * X[:, 1] + rng.logistic(size=n)
    y = np.digitize(eta, [-0.7, 0.7]) if loss == "softmax" else (eta > 0).astype(np.intp)
    groups = Groups(["a", "b", "c"], town[:, np.newaxis].astype(np.intp))
    return Rows(X, y, groups), Setting(LOSSES[loss], n_classes=3 if loss == "softmax" else 2, tol=1e-9)


def splits_of(n: int, k: int = 4) -> list[tuple[np.ndarray, np.ndarray]]:
    fold = np.random.default_rng(0).permutation(n) % k
    return [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k)]


def scores_with(control: PredictionControl, monkeypatch, loss: str = "logistic", n_jobs: int | None = None):
    monkeypatch.setattr(predicted_hessians, "CONTROL", control)
    if n_jobs is None:
        monkeypatch.setattr(split_fits, "SELECTION_TOL", 0.0)  # other processes would not know of it
    rows, setting = draw(loss=loss)
    score = sb.learn.selection.scores.find_score(None, setting.loss, np.arange(setting.n_classes))
    return out_of_fold.out_of_fold(rows, setting, CANDIDATES, splits_of(len(rows)), score, n_jobs)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "softmax"])
def test_scores_are_those_of_computed_hessians(loss, monkeypatch):
    computed = scores_with(PredictionControl(least_work=np.inf), monkeypatch, loss)
    predicted = scores_with(ALWAYS, monkeypatch, loss)
    assert predicted.n_failed == computed.n_failed == 0
    # Certified gaps of 1e-9 leave errors of their root.
    np.testing.assert_allclose(predicted.scores, computed.scores, atol=1e-4)
    assert (predicted.scores != computed.scores).any()


def test_scores_do_not_depend_on_the_number_of_processes(monkeypatch):
    alone, in_two = (scores_with(ALWAYS, monkeypatch, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (alone.scores == in_two.scores).all()


def test_a_wrong_prediction_is_given_up(monkeypatch):
    """Hessians of the pilot that are a tenth of the truth cost steps, and nothing else."""
    of = PilotHessians.of.__func__

    def wrong(cls, *args):
        made = of(cls, *args)
        return PilotHessians({c: H * (0.1 if c % 2 else 5.0) for c, H in made.of_candidates.items()}, made.groups)

    computed = scores_with(PredictionControl(least_work=np.inf), monkeypatch)
    monkeypatch.setattr(PilotHessians, "of", classmethod(wrong))
    misled = scores_with(ALWAYS, monkeypatch)
    assert misled.n_failed == 0
    np.testing.assert_allclose(misled.scores, computed.scores, atol=1e-4)


def test_differences_that_all_candidates_share_are_predicted_without_error():
    rng = np.random.default_rng(2)
    known = {c: rng.standard_normal((2, 3, 3)) for c in range(3)}
    shared, both = rng.standard_normal((2, 3, 3)), np.arange(2)
    split = SplitHessians(PilotHessians(known, both))
    assert not split.predicts()
    split.learn(1, both, known[1] + shared)
    assert split.predicts()
    np.testing.assert_allclose(split.predicted(2, both), known[2] + shared)
    np.testing.assert_allclose(split.predicted(0, np.array([1])), (known[0] + shared)[[1]])
    split.learn(0, np.array([0]), known[0][[0]])
    np.testing.assert_allclose(split.predicted(2, both), [known[2][0], known[2][1] + shared[1]])


def test_the_first_hessians_are_computed_and_later_ones_after_two_predictions():
    rows, setting = draw()
    trainer, every, w = Trainer(rows, setting), np.arange(3), np.array([0.3, -0.2, 0.1, 0.05])
    losses, pilot = trainer.penalized(0.1), PilotHessians({0: np.ones((3, 4, 4))}, np.arange(3))
    split = SplitHessians(pilot)
    first = split.put(0, losses)
    np.testing.assert_array_equal(first.loss_hessians(w, np.array([1])), losses.loss_hessians(w, np.array([1])))
    second = split.put(0, losses)
    for _ in range(2):
        np.testing.assert_allclose(second.loss_hessians(2.0 * w, every), losses.loss_hessians(w, every))
    np.testing.assert_array_equal(second.loss_hessians(2.0 * w, every), losses.loss_hessians(2.0 * w, every))
    third, lam = split.put(0, losses), np.array([0.2, 0.3, 0.5])
    np.testing.assert_array_equal(third.hessian(w, lam), losses.hessian(w, lam))
    assert (third.evaluate(w)[1] == losses.evaluate(w)[1]).all()
    assert (third.values(w) == losses.values(w)).all()


def test_they_are_predicted_where_this_pays(monkeypatch):
    rows, setting = draw()
    trainer, w = Trainer(rows, setting), [np.zeros(4)] * len(CANDIDATES)
    assert PilotHessians.of(trainer, CANDIDATES, w) is None
    monkeypatch.setattr(predicted_hessians, "CONTROL", ALWAYS)
    made = PilotHessians.of(trainer, CANDIDATES, w)
    assert made is not None
    assert {H.shape for H in made.of_candidates.values()} == {(3, 4, 4)}
    assert PilotHessians.of(Trainer(rows, Setting(setting.loss, 2, method="quasi-newton")), CANDIDATES, w) is None
    for refused in ({"most_entries": 100}, {"rows_per_parameter": 61}, {"group_rows_per_parameter": 21.0}):
        monkeypatch.setattr(predicted_hessians, "CONTROL", replace(ALWAYS, **refused))
        assert PilotHessians.of(trainer, CANDIDATES, w) is None
    for allowed in ({"rows_per_parameter": 60}, {"group_rows_per_parameter": 20.0}):
        monkeypatch.setattr(predicted_hessians, "CONTROL", replace(ALWAYS, **allowed))
        assert PilotHessians.of(trainer, CANDIDATES, w) is not None


def test_splits_with_other_groups_have_no_prediction():
    rows, setting = draw()
    task = split_fits.Task(rows, setting, CANDIDATES, None)
    for pilot in (split_fits.Pilot(split_fits.WarmStarts(), PilotHessians({}, np.array([0, 1]))), None):
        assert split_fits.SplitFits(task, rows, lambda rows: Trainer(rows, setting), pilot).hessians() is None
