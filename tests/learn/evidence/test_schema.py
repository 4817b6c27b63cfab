"""The evidence of every kind of model is complete, plain data, and the same twice."""

from __future__ import annotations

import json

import numpy as np
import pytest

import saddleback as sb
from learn.evidence.models import KINDS, QUICK, evidence_of, fitted, towns
from saddleback.report import check_evidence, render_markdown


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_complete_and_plain(self, kind):
        evidence = evidence_of(kind)
        assert check_evidence(evidence) is evidence
        assert json.loads(json.dumps(evidence, allow_nan=False)) == evidence
        assert render_markdown(evidence)

    def test_same_bits_twice_apart_from_the_date(self, kind):
        first, second = evidence_of(kind), fitted(kind).evidence(**QUICK)
        assert first["provenance"].pop("created") <= second["provenance"].pop("created")
        assert first == second
        first["provenance"]["created"] = "2000-01-01T00:00:00+00:00"

    def test_parts_fit_together(self, kind):
        evidence = evidence_of(kind)
        groups = evidence["tradeoff"]["groups"]
        assert evidence["groups"][0]["kind"] == "all"
        finest = evidence["groups"][-1]
        assert [row["group"] for row in finest["held_out"]] == groups
        assert sum(row["rows"] for row in finest["held_out"]) == evidence["rows"]["held_out"] == 300
        (chosen,) = [model for model in evidence["challengers"] if model["chosen"]]
        assert np.allclose(chosen["group_losses"], [row["loss"] for row in finest["held_out"]])
        base = evidence["challengers"][0]
        assert np.allclose(base["group_losses"], [row["average_loss"] for row in finest["held_out"]])
        differences = np.array(chosen["group_losses"]) - base["group_losses"]
        assert np.allclose(differences, [row["change"] for row in finest["held_out"]])
        assert base["difference"] == base["average_difference"] == 0.0
        assert np.allclose(evidence["tradeoff"]["changes"][0], 0.0)
        assert len(evidence["answer"]) == 3
        assert evidence["outcome"] in ("gain", "nothing to gain", "given")


def test_one_group():
    data = towns()
    with pytest.warns(UserWarning, match="no groups"):
        model = sb.MinimaxClassifierCV(l2s=[0.01, 0.1], cv=3, repeats=1).fit(data.X, data.y)
    evidence = check_evidence(model.evidence(**QUICK))
    assert evidence["outcome"] == "one group"
    assert evidence["tradeoff"] is None
    assert evidence["stability"] is None
    assert [table["kind"] for table in evidence["groups"]] == ["all"]
    assert "one group" in evidence["answer"][0]


def test_columns_of_tables_that_apply():
    two = evidence_of("classifier")["groups"][0]["held_out"][0]
    numbers = evidence_of("regressor")["groups"][0]["held_out"][0]
    three = evidence_of("three classes")["groups"][0]["held_out"][0]
    assert {"true_positive_rate", "impact_ratio", "selection_rate_low", "calibration", "base_rate"} <= set(two)
    assert {"mean_absolute_error", "mean_error"} <= set(numbers)
    assert "accuracy" not in numbers
    assert "accuracy" in three
    assert "selection_rate" not in three
