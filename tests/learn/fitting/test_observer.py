"""Who watches a fit is told of splits and iterations, changes nothing, and is not kept."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import saddleback as sb
from saddleback.learn.fitting import trainer
from saddleback.learn.fitting.observer import Iteration, Observer, observed
from saddleback.result import Status

from ..people import people


class Recorder(Observer):
    def __init__(self):
        self.calls: list[tuple[str, object]] = []

    def begin_splits(self, what, total):
        self.calls.append(("splits", total))

    def end_split(self):
        self.calls.append(("split", None))

    def begin_fit(self, what):
        self.calls.append(("fit", what))

    def iterate(self, iteration):
        self.calls.append(("iteration", iteration))

    def of(self, kind):
        return [value for name, value in self.calls if name == kind]


def selection(**parameters):
    return sb.MinimaxClassifierCV([0, 0.5], priors=[0], l2s=[0.01], cv=3, repeats=2, **parameters)


@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_a_selection_is_followed_to_its_end_and_not_changed_by_it(n_jobs):
    p, recorder = people(), Recorder()
    model = selection(n_jobs=n_jobs)
    with observed(model, recorder):
        model.fit(p.X, p.y, {"town": p.town})
    assert recorder.of("splits") == [6]
    assert len(recorder.of("split")) == 6
    assert len(recorder.of("fit")) == 1
    last = recorder.of("iteration")[-1]
    assert isinstance(last, Iteration)
    assert last.value == pytest.approx(model.result_.value, rel=1e-12)
    assert last.gap == pytest.approx(model.gap_)
    worst = int(np.argmax(model.group_losses_))
    assert last.group == f"town={model.group_names_[worst]}"
    assert last.loss == pytest.approx(model.group_losses_[worst], rel=1e-12)
    alone = selection(n_jobs=n_jobs).fit(p.X, p.y, {"town": p.town})
    assert np.array_equal(alone.coef_, model.coef_)


def test_the_observer_is_not_kept():
    p, model = people(), selection()
    with observed(model, Recorder()):
        model.fit(p.X, p.y, p.town)
    assert "_observer" not in vars(model)
    pickle.dumps(model)
    with pytest.raises(ValueError, match="inconsistent"), observed(model, Recorder()):
        model.fit(p.X, p.y[:5], p.town)
    assert "_observer" not in vars(model)


def test_corrections_and_paths_are_followed():
    p, recorder = people(), Recorder()
    model = sb.WorstGroupCorrection(DecisionTreeClassifier(max_depth=2), worst_weights=[0.5], l2s=[1.0], cv=3)
    with observed(model, recorder):
        model.fit(p.X, p.y, p.town)
    assert recorder.of("splits") == [3, 3]
    assert len(recorder.of("split")) == 6
    recorder = Recorder()
    sb.fairness_path(p.X, p.y, p.town, worst_weights=[0.5], l2=0.1, cv=2, repeats=1, observer=recorder)
    assert recorder.of("splits") == [2]
    assert recorder.of("iteration")[-1].number > 0


@pytest.mark.parametrize("model", [sb.MinimaxClassifier(), selection()])
def test_an_interruption_ends_the_fit(model, monkeypatch):
    """A run that Ctrl-C ends has a best point, but it is no model, and no other run may begin."""
    calls = []

    def interrupted(*args, **options):
        calls.append(1)
        return sb.solve(*args, **options | {"callback": lambda now: True})

    monkeypatch.setattr(trainer, "solve", interrupted)
    p = people()
    assert interrupted(sb.Problem(sb.GroupedLinear(p.X, p.y, p.town))).status is Status.INTERRUPTED
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        model.fit(p.X, p.y, p.town)
    assert len(calls) == 1
