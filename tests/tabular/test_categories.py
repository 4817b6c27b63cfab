"""Columns of numbers that are codes: categories because they are said to be."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import CategoryRule, DroppedRule, Encoding, NumberRule, learn_encoding, table_from_frame

N = 300
Z = np.random.default_rng(5).normal(size=N)
Y = np.random.default_rng(6).choice(["no", "yes"], N).tolist()


def cycle(values):
    return [values[i % len(values)] for i in range(N)]


def learn(codes, **options):
    table = table_from_frame({"pain": cycle(codes), "z": Z, "y": Y})
    return learn_encoding(table, target="y", **{"categories": "pain", **options})


def encoded(encoding, pain):
    """The columns of the category for new values."""
    return encoding.features(table_from_frame({"pain": pain, "z": [0.0] * len(pain)}))[:, :-1]


def test_only_what_is_said_to_be_a_category_is_one():
    assert isinstance(learn([1, 2, 3, 4], categories=()).columns[0], NumberRule)
    rule = learn([1, 2, 3, 4]).columns[0]
    assert isinstance(rule, CategoryRule)
    assert rule.levels == ("1", "2", "3", "4")
    assert rule.codes
    assert rule.rule.startswith("codes, as told; one column of 0 and 1 for each of 4 levels")


@pytest.mark.parametrize("training", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2.0", "3"], ["1.0", "1", "2.00", "3"]])
@pytest.mark.parametrize("new", [[3, 1, 2], [3.0, 1.0, 2.0], ["3", "1", "2"], ["3.0", "1.00", " 2. "]])
def test_a_level_is_its_number_however_it_is_written(training, new):
    encoding = learn(training)
    assert encoding.feature_names == ["pain=1", "pain=2", "pain=3", "z"]
    np.testing.assert_array_equal(encoded(encoding, new), [[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_fractions_negative_codes_and_leading_zeros():
    encoding = learn([-9, 1.5, 2])
    np.testing.assert_array_equal(encoded(encoding, ["1.50", "-9", "2"]), [[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    assert learn(["007", "7", "8"]).columns[0].levels == ("007", "7", "8")


def test_values_that_the_training_rows_had_not():
    encoding = learn([1, 2, 3])
    X, findings = encoding.encode(table_from_frame({"pain": [9, 1], "z": [0.0, 0.0]}))
    np.testing.assert_allclose(X[:, :3], [[1 / 3] * 3, [1, 0, 0]])
    assert [(f.column, f.kind) for f in findings] == [("pain", "unseen")]
    assert "'9'" in findings[0].message


def test_missing_values_are_a_level():
    encoding = learn([1, 2, None])
    assert encoding.columns[0].all_levels == ("1", "2", "(missing)")
    np.testing.assert_array_equal(encoded(encoding, ["?", "2.0"]), [[0, 0, 1], [0, 1, 0]])
    told = [f.message for f in encoding.findings if f.kind == "missing"]
    assert told == ["'pain' has no value in 100 of 300 rows (33 %): these are the level (missing)."]


def test_rare_codes_are_pooled_and_identifiers_left_out():
    rare = learn([1, 2] * 100 + [7, 8])
    assert rare.columns[0].all_levels == ("1", "2", "(other)")
    assert "(other) is all of 2 rare ones (2 rows)" in rare.columns[0].rule
    assert isinstance(learn(list(range(N))).columns[0], DroppedRule)
    kept = learn(list(range(N)), keep="pain").columns[0]
    assert isinstance(kept, CategoryRule)
    assert kept.other


@pytest.mark.parametrize("codes", [[True, False], ["True", "FALSE"]])
def test_truth_values(codes):
    encoding = learn(codes)
    assert encoding.feature_names == ["pain=true", "z"]
    assert encoded(encoding, [True, False])[:, 0].tolist() == encoded(encoding, ["TRUE", "false"])[:, 0].tolist()


def test_percentages_and_dates_can_be_categories():
    assert learn(["10 %", "20 %"]).columns[0].levels == ("10 %", "20 %")
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    assert learn(days).columns[0].levels == ("2020-01-01", "2020-01-02")


def test_a_group_column_of_codes_can_be_a_feature():
    encoding = learn([1, 2, 3], groups="pain", keep_groups=True)
    assert encoding.feature_names == ["pain=1", "pain=2", "pain=3", "z"]
    assert isinstance(learn([1, 2, 3], groups="pain").columns[0], DroppedRule)


def test_it_is_stored():
    encoding = learn([1, 2, 3])
    again = Encoding.from_dict(encoding.to_dict())
    assert again == encoding
    assert again.text_columns == ("pain", "y")
    np.testing.assert_array_equal(encoded(again, ["2.0"]), [[0, 1, 0]])
    damaged = encoding.to_dict()
    damaged["columns"][0]["codes"] = "yes"
    with pytest.raises(ProblemError, match="codes of column 0 must be true or false"):
        Encoding.from_dict(damaged)


def test_texts_that_were_not_said_to_be_codes_stay_as_they_are():
    encoding = learn(["1", "1.0", "x"], categories=())
    assert encoding.columns[0].levels == ("1", "1.0", "x")
    assert "codes" not in encoding.to_dict()["columns"][0]


def test_codes_that_know_the_target_are_noticed():
    table = table_from_frame({"pain": [1 if y == "yes" else 2 for y in Y], "z": Z, "y": Y})
    with pytest.raises(ProblemError, match="'pain' and the target 'y' determine each other"):
        learn_encoding(table, target="y", categories="pain")


def test_numbers_that_look_like_codes_are_told_how_to_be_categories():
    told = [f.message for f in learn([2**60, 2**61], categories=()).findings if f.column == "pain"]
    assert "make a category of it: --category pain (categories=), or leave it out: --drop pain (drop=)" in told[0]
