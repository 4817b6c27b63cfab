"""Certificate, coefficients, fingerprint, provenance, plain values."""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

import saddleback as sb
from learn.evidence.models import KINDS, QUICK, evidence_of, fitted, towns
from saddleback.learn.evidence.fingerprint import fingerprint_of
from saddleback.learn.evidence.objective import _with_prior_in_words
from saddleback.learn.evidence.plain import plain
from saddleback.learn.evidence.subject import read_subject
from saddleback.learn.fitting.region import among, region_of


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_those_of_the_model(kind):
    model, certificate = fitted(kind), evidence_of(kind)["certificate"]
    text = " ".join(certificate["words"])
    assert "This is about optimization, not about new data" in text
    assert certificate["gap"] == pytest.approx(certificate["value"] - certificate["lower_bound"], abs=1e-12)
    if getattr(model, "corrected_", True):
        assert certificate["value"] == model.result_.value
        assert certificate["certified"] == model.certified_
        assert text.startswith("The objective, ")
        assert "has less than" in text
    else:
        assert certificate["gap"] == pytest.approx(model.gap_)
        assert "left alone" in text
    assert certificate["largest_loss_bound"] <= certificate["largest_loss"]


def test_the_certificate_says_of_what_it_is():
    words = evidence_of("classifier")["certificate"]["words"][0]
    assert words.startswith(
        "The objective, 0.5 times the average loss + 0.5 times the worst group's loss + penalty, is "
    )


@pytest.mark.parametrize("kind", KINDS)
def test_impact_ratios_are_claimed_where_there_are_two_classes(kind):
    evidence = evidence_of(kind)
    law = evidence["guidance"][0]
    rates = "selection_rate" in evidence["groups"][0]["held_out"][0]
    assert law["where"].startswith("How every group is served" if rates else "Not available for this kind of target")


def test_the_prior_is_named_as_the_page_names_it():
    chosen = [evidence_of(kind)["objective"] for kind in KINDS if fitted(kind).__class__.__name__.endswith("CV")]
    assert all("prior=0," not in objective["why"] and "prior=1," not in objective["why"] for objective in chosen)
    assert _with_prior_in_words("worst_weight=0.1, prior=0, l2=1: x").startswith(
        "worst_weight=0.1, prior=0 (shares), l2"
    )


def test_no_model_of_the_path_has_a_lower_largest_loss_than_the_bound():
    data = towns()
    given = fitted("classifier")
    bound = evidence_of("classifier")["certificate"]["largest_loss_bound"]
    best = sb.MinimaxClassifier(1.0, l2=0.01).fit(
        data.X, data.y, sensitive_features={"town": data.town, "sex": data.sex}
    )
    assert bound <= best.result_.losses.max() <= bound + 1e-5
    assert best.result_.losses.max() < given.result_.losses.max()


def test_a_run_that_was_cut_short_is_not_called_certified():
    data = towns()
    with pytest.warns(sb.ConvergenceWarning):
        model = sb.MinimaxClassifier(1.0, max_iter=1, tol=1e-12).fit(data.X, data.y, sensitive_features=data.town)
    certificate = model.evidence(**QUICK)["certificate"]
    assert not certificate["certified"]
    assert "not certified" in certificate["words"][0]
    assert "'iteration limit'" in certificate["words"][0]


def test_regions_in_words():
    assert region_of(np.array([np.inf, np.inf]), 1.0) == "everywhere"
    assert among(np.array([np.inf, np.inf]), 1.0) == ""
    assert among(np.array([np.inf, 2.0]), 1.0) == " for intercepts within 2 of the one found"
    assert region_of(np.array([np.inf, 2.0, 3.0]), 1.0) == "for intercepts within 2 to 3 of those found"
    assert "within 2 to 3" in region_of(np.array([2.0, 3.0]), 0.0)
    assert "1 of 2" in region_of(np.array([2.0, np.inf]), 0.0)


def test_what_no_model_does_is_said_of_the_models_of_the_region():
    """Both sentences, the first of which `saddleback fit` prints alone; without an intercept nothing is left out."""
    certificate, result = evidence_of("classifier")["certificate"], fitted("classifier").result_
    assert certificate["region"] == f"for intercepts within {result.reach[-1]:.3g} of the one found"
    assert f"{certificate['region']}, so that" in certificate["words"][0]
    assert "penalty included" in certificate["words"][1]
    assert "for intercepts within" in certificate["words"][1]
    data = towns()
    model = sb.MinimaxClassifier(0.5, l2=0.01, fit_intercept=False).fit(data.X, data.y, sensitive_features=data.town)
    certificate = model.evidence(**QUICK)["certificate"]
    assert certificate["region"] == "everywhere"
    assert not any("within" in sentence for sentence in certificate["words"])


def test_coefficients_by_name():
    data = towns()
    evidence = fitted("classifier").evidence(**QUICK, feature_names=["age", "income", "rate"])
    rows = evidence["coefficients"]["rows"]
    assert [row["feature"] for row in rows] == ["age", "income", "rate"]
    for k, row in enumerate(rows):
        assert row["value"] == [fitted("classifier").coef_[0, k]]
        assert row["standardized"] == pytest.approx([row["value"][0] * data.X[:, k].std()])
    assert evidence["coefficients"]["intercept"] == fitted("classifier").intercept_.tolist()
    three = evidence_of("three classes")["coefficients"]
    assert three["classes"] == ["high", "low", "mid"]
    assert len(three["rows"][0]["value"]) == len(three["intercept"]) == 3
    assert [row["feature"] for row in three["rows"]] == ["x0", "x1", "x2"]


def test_the_fingerprint_is_as_stated():
    """Computed here by its description alone."""
    X, y, town = (
        np.array([[1.0, -0.0], [2.5, 3.0], [0.0, 1e9], [4.0, 4.0]]),
        [1.5, 2.0, -1.0, 0.0],
        ["a", "b", None, "a"],
    )
    model = sb.MinimaxRegressor(0.5, missing_groups="group", min_group_size=1)
    model.fit(X, y, sensitive_features={"town": town})
    mark = model.evidence(folds=2, challengers=None, n_bootstrap=0)["provenance"]["fingerprint"]
    parts = [np.array([4, 2], "<i8").tobytes(), np.array([[1, 0], [2.5, 3], [0, 1e9], [4, 4]], "<f8").tobytes()]
    parts += [np.array(y, "<f8").tobytes()]
    for text in ("town", "a", "b", "(missing)", "a"):
        parts += [len(text).to_bytes(8, "little"), text.encode()]
    assert mark["sha256"] == sha256(b"".join(parts)).hexdigest()
    assert (mark["rows"], mark["columns"]) == (4, 2)


def test_fingerprints_differ_where_rows_do():
    data = towns()
    prints = set()
    for X, y, town in (
        (data.X, data.y, data.town),
        (data.X + 1e-9, data.y, data.town),
        (data.X, np.roll(data.y, 1), data.town),
        (data.X, data.y, np.roll(data.town, 1)),
    ):
        subject = read_subject(sb.MinimaxClassifier(0.5).fit(X, y, sensitive_features=town), None, None, None, None)
        prints.add(fingerprint_of(subject.rows, subject.labels(subject.rows.y), subject.attributes)["sha256"])
    assert len(prints) == 4


def test_provenance():
    origin = evidence_of("classifier, chosen")["provenance"]
    assert origin["purpose"] is origin["owner"] is origin["command"] is None
    assert origin["versions"]["saddleback"] == sb.__version__
    assert origin["versions"]["numpy"] == np.__version__
    assert origin["settings"]["cv"] == 3
    assert origin["settings"]["estimator class"] == "MinimaxClassifierCV"
    mark = {"sha256": "0" * 64, "rows": 1, "columns": 2, "of": "the file"}
    own = fitted("classifier").evidence(
        **QUICK, fingerprint=mark, settings={"a": 1}, command="saddleback fit", purpose="loans", owner="me"
    )["provenance"]
    assert (own["fingerprint"], own["settings"], own["command"]) == (mark, {"a": 1}, "saddleback fit")
    assert (own["purpose"], own["owner"]) == ("loans", "me")


def test_names_of_classes_and_the_positive_one():
    model = fitted("classifier")
    usual = evidence_of("classifier")
    other = model.evidence(**QUICK, positive="no", class_names=["refused", "granted"])
    assert (usual["positive"], other["positive"], other["classes"]) == ("yes", "refused", ["refused", "granted"])
    first, second = usual["groups"][0]["held_out"][0], other["groups"][0]["held_out"][0]
    assert first["selection_rate"] == pytest.approx(1.0 - second["selection_rate"])
    assert first["base_rate"] == pytest.approx(1.0 - second["base_rate"])
    assert usual["tradeoff"]["selection_rates"][3][0] == pytest.approx(1 - other["tradeoff"]["selection_rates"][3][0])
    predicted = usual["calibration"][0]["bins"][-1]["predicted"]
    assert other["calibration"][0]["bins"][0]["predicted"] == pytest.approx(1.0 - predicted)


def test_what_is_known_of_the_table_is_passed_on():
    columns = [{"name": "age", "kind": "number", "rule": "standardized"}]
    findings = [{"column": "id", "kind": "identifier", "severity": "warning", "message": "dropped"}]
    data = {"columns": columns, "findings": findings, "missing": "none"}
    told = fitted("classifier").evidence(**QUICK, data=data)["data"]
    assert told["findings"][0] == findings[0]
    assert told | {"findings": findings} == data


def test_plain_values():
    value = {1: np.float32(0.5), "a": [np.nan, np.inf, np.int8(3), True, np.bool_(False)], "b": np.arange(2), "c": None}
    expected = {"1": 0.5, "a": [None, None, 3, True, False], "b": [0, 1], "c": None}
    assert plain(value) == expected
    assert json.dumps(plain({"f": lambda: 0, "long": "x" * 5000, "object": pd.Series([1])}), allow_nan=False)
    assert " at 0x" not in plain(lambda: 0), "the same object gives the same text in every process"
    assert len(plain(pd.Series(range(10_000)))) <= 300


def test_the_loss_of_guessing_is_a_scale():
    data, share = towns(), np.mean(towns().y == "yes")
    expected = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert evidence_of("classifier")["rows"]["guess_loss"] == pytest.approx(expected)
    assert evidence_of("regressor")["rows"]["guess_loss"] == pytest.approx(data.score.var())
    assert 0.0 < evidence_of("three classes")["rows"]["guess_loss"] <= np.log(3) + 1e-12
    assert len(evidence_of("classifier")["coefficients"]["average_intercept"]) == 1


def test_groups_that_can_confirm_nothing_are_a_finding():
    data = towns()
    town = data.town.astype(object)
    town[:7], town[7:20] = "hamlet", "farm"
    model = sb.MinimaxClassifier(0.5).fit(data.X, data.y, sensitive_features={"town": town})
    findings = [f for f in model.evidence(**QUICK)["data"]["findings"] if f["kind"] == "group"]
    assert len(findings) == 1
    assert findings[0]["message"].startswith("2 groups have fewer than 20 rows and can confirm nothing: town=")
    assert "--min-group-size 50" in findings[0]["message"]


def test_intervals_of_the_trade_off_are_those_of_the_tables_of_groups():
    """The model at p = 0.5 is a point of the path: the same rule on the same rows, small groups included."""
    evidence = evidence_of("classifier")
    path = evidence["tradeoff"]
    rows = {row["group"]: row for row in evidence["groups"][-1]["held_out"]}
    for j, group in enumerate(path["groups"]):
        for end in ("low", "high"):
            assert path[f"{end}s"][path["chosen"]][j] == pytest.approx(rows[group][f"loss_{end}"], abs=1e-3)
    whole = evidence["groups"][0]["held_out"][0]
    assert path["average_lows"][path["chosen"]] == pytest.approx(whole["loss_low"], abs=1e-3)
