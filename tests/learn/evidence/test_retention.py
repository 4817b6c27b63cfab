"""A fitted model remembers the rows of its fit in memory, and nowhere else."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import saddleback as sb
from learn.evidence.models import KINDS, QUICK, evidence_of, fitted, three_classes, towns


def arguments_of(kind):
    data = towns()
    if kind == "three classes":
        data, y = three_classes()
        return data.X, y, data.town
    y = data.score if "regressor" in kind else data.y
    return data.X, y, data.town if kind == "corrected regressor" else {"town": data.town, "sex": data.sex}


def without_date(evidence):
    return evidence | {"provenance": {**evidence["provenance"], "created": ""}}


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_pickles_do_not_carry_rows(self, kind):
        loaded = pickle.loads(pickle.dumps(fitted(kind)))
        with pytest.raises(sb.ProblemError, match="Pass the rows: X, y, sensitive_features"):
            loaded.evidence()
        with pytest.raises(sb.ProblemError, match="Pass the rows"):
            loaded.report("never.json")

    def test_saved_models_give_the_same_evidence_with_the_rows(self, kind, tmp_path):
        if kind == "corrected regressor":
            # A single tree is none of the models that are saved.
            with pytest.raises(sb.ProblemError):
                fitted(kind).save(tmp_path / "model.safetensors")
            return
        fitted(kind).save(tmp_path / "model.safetensors")
        loaded = sb.load(tmp_path / "model.safetensors")
        with pytest.raises(sb.ProblemError, match="Pass the rows"):
            loaded.evidence()
        again = loaded.evidence(*arguments_of(kind), **QUICK)
        expected = without_date(evidence_of(kind))
        if kind == "corrected classifier":
            # The estimator of a loaded correction is its stored trees.
            again["provenance"]["settings"] = expected["provenance"]["settings"]
        assert without_date(again) == expected

    def test_rows_that_are_passed_are_recognized(self, kind):
        loaded = pickle.loads(pickle.dumps(fitted(kind)))
        assert without_date(loaded.evidence(*arguments_of(kind), **QUICK)) == without_date(evidence_of(kind))

    def test_copies_and_clones(self, kind):
        model = fitted(kind)
        assert model._retained is not None
        assert clone(model)._retained is None
        assert copy.deepcopy(model)._retained is None


def test_nothing_is_copied():
    data = towns()
    X = np.ascontiguousarray(data.X)
    model = sb.MinimaxClassifierCV(l2s=[0.1], cv=2, repeats=1).fit(X, data.y, sensitive_features=data.town)
    assert model._retained.X is X
    assert model._retained.scores.dtype == np.float32


def test_the_size_of_a_pickle_does_not_grow_with_the_rows():
    sizes = []
    for n in (200, 20_000):
        data = towns(n)
        sizes.append(len(pickle.dumps(sb.MinimaxClassifier(0.5).fit(data.X, data.y, sensitive_features=data.town))))
    assert sizes[1] < sizes[0] + 2_000


def test_other_rows_are_told():
    data, model = towns(250, seed=4), fitted("classifier")
    evidence = model.evidence(data.X, data.y, {"town": data.town, "sex": data.sex}, **QUICK)
    assert "not those of the fit" in evidence["limits"][0]
    assert evidence["rows"]["train"] == 250
    assert "not those of the fit" not in evidence_of("classifier")["limits"][0]
    changed = towns().X + 0.1
    same_sizes = model.evidence(changed, towns().y, {"town": towns().town, "sex": towns().sex}, **QUICK)
    assert "not those of the fit" in same_sizes["limits"][0]


def test_models_of_a_path_have_the_rows_too():
    data = towns()
    path = sb.fairness_path(data.X, data.y, data.town, worst_weights=[0, 0.5, 1], l2=0.1, cv=2, repeats=1)
    chosen, single = path.models[1], sb.MinimaxClassifier(0.5, l2=0.1).fit(data.X, data.y, data.town)
    own, other = (model.evidence(**QUICK)["challengers"][1] for model in (chosen, single))
    assert own["name"] == "this model"
    assert own == other


def test_a_fit_that_fails_keeps_the_rows_of_the_last_one():
    data = towns()
    model = sb.MinimaxClassifier(0.5).fit(data.X, data.y, sensitive_features=data.town)
    with pytest.raises(sb.ProblemError):
        model.fit(data.X, data.y, sensitive_features=np.zeros(300))
    assert model._retained.X is data.X


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_reports_are_written(tmp_path, suffix):
    path = fitted("classifier").report(tmp_path / f"report.{suffix}", **QUICK, owner="someone", title="Loans")
    text = path.read_text(encoding="utf-8")
    assert "Loans" in text
    assert "someone" in text


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    told = []
    with pytest.raises(sb.ProblemError):
        fitted("classifier").report(tmp_path / "no folder" / "report.json", tell=told.append)
    with pytest.raises(sb.ProblemError):
        fitted("classifier").report(tmp_path / "report.docx", tell=told.append)
    assert told == []
