"""Rows that are no news are told, and a test file that consists of them is refused before the fit."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.errors import ProblemError
from saddleback.workflow import fit_table as module

QUICK = {"target": "paid", "groups": "town", "l2": 0.01}


def people(seed, n=400):
    rng = np.random.default_rng(seed)
    income, age = rng.normal(3, 1, n).round(2), rng.integers(18, 80, n)
    town = rng.choice(["north", "south"], n, p=[0.75, 0.25])
    eta = np.where(town == "north", 1.0, -1.0) * (income - 3) + (age - 50) / 20
    return {"income": income, "age": age, "town": town, "paid": np.where(eta + rng.logistic(size=n) / 2 > 0, "y", "n")}


def part(table, rows):
    return {name: column[rows] for name, column in table.items()}


def joined(*tables):
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def copies(model):
    return [finding.message for finding in model.encoding.findings if finding.kind == "copies"]


@pytest.mark.parametrize("rows", [np.arange(1, 400), np.random.default_rng(0).permutation(400), np.arange(150)])
def test_training_rows_as_test_rows_are_refused_before_the_fit(rows, monkeypatch):
    monkeypatch.setattr(module, "make_estimator", None)
    with pytest.raises(ProblemError, match=f"{rows.size} of {rows.size} are equal to rows of the fit"):
        sb.fit_table(people(0), test=part(people(0), rows), **QUICK)


def test_some_training_rows_among_test_rows_are_told():
    test = joined(people(1), part(people(0), np.arange(60)))
    model = sb.fit_table(people(0), test=test, worst_weight=0.5, **QUICK)
    (message,) = copies(model)
    assert message.startswith("64 of 460 test rows are equal to training rows")
    assert any(finding["message"] == message for finding in model.evidence["data"]["findings"])
    assert "had no part in the fit" not in model.evidence["rows"]["held_out_words"]
    assert copies(sb.fit_table(people(0), test=people(1), worst_weight=0.5, **QUICK)) == []


def test_rows_that_are_equal_by_chance_are_not_told():
    def few_values(seed):
        table = people(seed)
        return {**table, "income": table["income"].round(), "age": table["age"] // 20}

    assert copies(sb.fit_table(few_values(0), test=few_values(1), worst_weight=0.5, **QUICK)) == []


@pytest.mark.slow
def test_a_saved_model_that_has_seen_the_rows_is_told_by_its_loss():
    saved = sb.fit_table(people(0), correct="boosting", evidence=False, **QUICK)
    known = joined(part(people(0), np.arange(1, 400)), part(people(2), np.arange(3)))
    model = sb.fit_table(known, correct=saved, evidence=False, **QUICK)
    (message,) = copies(model)
    assert "seems to have seen these rows" in message
    evidence = model.model.evidence(folds=2, challengers=None, n_bootstrap=0)
    assert "the model that is corrected stayed as it is" in evidence["rows"]["held_out_words"]
    for seed in (3, 4):
        assert copies(sb.fit_table(people(seed), correct=saved, evidence=False, **QUICK)) == []
