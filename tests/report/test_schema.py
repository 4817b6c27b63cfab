"""Evidence that is wrong is refused, with the place where it is."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from report.evidence_samples import bare, evidence, without_numbers
from saddleback.errors import ProblemError
from saddleback.report import check_evidence

GOOD = {
    "classification": evidence(),
    "regression": evidence(task="regression"),
    "many classes": evidence(n_classes=4),
    "hostile names": evidence(16, hostile=True),
    "bare": bare(),
    "no numbers": without_numbers(evidence()),
    "one group": evidence(1, 1),
}


@pytest.mark.parametrize("name", GOOD)
def test_evidence_is_taken_as_it_is(name):
    before = copy.deepcopy(GOOD[name])
    assert check_evidence(GOOD[name]) is GOOD[name]
    assert GOOD[name] == before
    assert check_evidence(json.loads(json.dumps(GOOD[name]))) == before


def at(data: Any, *keys: Any) -> Any:
    for key in keys:
        data = data[key]
    return data


WRONG = {
    "format": (("format",), "a page", "/format must be 'saddleback report'; got 'a page'"),
    "old version": (("version",), 0, "/version must be 1; got 0"),
    "version of another type": (("version",), True, "/version must be 1; got True"),
    "newer version": (("version",), 2, "has version 2; this version of saddleback reads version 1 only"),
    "NaN": (("groups", 0, "train", 0, "loss"), float("nan"), "/groups/0/train/0/loss must be a finite number or null"),
    "infinity": (("certificate", "gap"), float("inf"), "/certificate/gap must be a finite number or null"),
    "huge number": (("certificate", "gap"), 10**400, "got a whole number of more than 20 digits"),
    "text for a number": (("objective", "l2"), "0.1", "/objective/l2 must be a finite number or null; got '0.1'"),
    "true for a number": (("objective", "l2"), True, "/objective/l2 must be a finite number or null; got True"),
    "negative rows": (("rows", "train"), -1, "/rows/train must be a whole number from 0 on; got -1"),
    "number for a text": (("groups", 0, "train", 0, "group"), 3, "/groups/0/train/0/group must be a text; got 3"),
    "surrogate": (("title",), "\ud800", "/title must be a text that UTF-8 can hold"),
    "too long": (("title",), "x" * 100_001, "/title must be a text of at most 100,000 characters"),
    "two sentences": (("answer",), ["a", "b"], "/answer must be a list of 3 entries"),
    "object for a list": (("limits",), {}, "/limits must be a list; got a dict of 0 entries"),
    "list for an object": (("rows",), [], "/rows must be an object; got a list of 0 entries"),
    "outcome": (
        ("outcome",),
        "win",
        "/outcome must be 'gain' or 'not confirmed' or 'costs more' or 'harm' or 'nothing to gain' or 'given' or",
    ),
    "ragged losses": (
        ("tradeoff", "losses", 1),
        [0.1],
        "/tradeoff/losses/1 must have as many entries as groups, 5; got 1",
    ),
    "short average": (("tradeoff", "average"), [], "/tradeoff/average must have as many entries as worst_weights, 7"),
    "empty path": (("tradeoff", "worst_weights"), [], "/tradeoff must have at least one worst_weight and one group"),
    "chosen too large": (("tradeoff", "chosen"), 7, "/tradeoff/chosen must be below 7; got 7"),
    "coefficients": (
        ("coefficients", "rows", 0, "value"),
        [1.0, 2.0],
        "must have as many entries as intercepts, 1; got 2",
    ),
    "settings of objects": (("provenance", "settings"), {"a": object()}, "/settings/a must be a finite number or null"),
    "settings by numbers": (("provenance", "settings"), {1: 2}, "/provenance/settings (a key) must be a text; got 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_evidence_is_refused_where_it_is_wrong(name):
    keys, value, message = WRONG[name]
    data = evidence()
    at(data, *keys[:-1])[keys[-1]] = value
    with pytest.raises(ProblemError) as caught:
        check_evidence(data)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [None, [], "text", 3, object()], ids=["none", "list", "text", "number", "object"])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(ProblemError, match="the evidence at / must be an object"):
        check_evidence(data)


def test_every_key_of_the_first_level_is_needed():
    for key in evidence():
        data = evidence()
        del data[key]
        with pytest.raises(ProblemError, match=f"must have the key '{key}', which is missing"):
            check_evidence(data)


def test_unknown_keys_are_refused_with_a_near_name():
    data = evidence()
    data["groups"][1]["held_out"][0]["acuracy"] = 0.5
    with pytest.raises(
        ProblemError, match=r"/groups/1/held_out/0 has the unknown key 'acuracy'; a known one is 'accuracy'"
    ):
        check_evidence(data)
    data = evidence() | {"x" * 1000: 1}
    with pytest.raises(ProblemError, match="unknown key 'xxx") as caught:
        check_evidence(data)
    assert len(str(caught.value)) < 500


def test_deep_settings_are_refused_before_the_stack_ends():
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    data = evidence()
    data["provenance"]["settings"] = deep
    with pytest.raises(ProblemError, match="must be at most 12 levels deep"):
        check_evidence(data)
    while isinstance(deep, list):
        deep = deep.pop()


def test_keys_with_slashes_are_written_as_pointers():
    data = evidence()
    data["provenance"]["versions"] = {"a/b~c": 3}
    with pytest.raises(ProblemError, match="/provenance/versions/a~1b~0c must be a text"):
        check_evidence(data)
