"""Labels of groups and classes are the same ones however a column is read, and doubtful spellings are told."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import learn_encoding, read_table, table_from_frame
from saddleback.tabular.content.labels import class_label, group_label

N = 120
Z = np.random.default_rng(3).normal(size=N)


def cycle(values):
    return [values[i % len(values)] for i in range(N)]


def learn(groups, y=("no", "yes", "no", "no", "yes"), **options):
    table = table_from_frame({"z": Z, "g": cycle(groups), "y": cycle(y)})
    return learn_encoding(table, target="y", groups="g", **options)


def told(encoding):
    return [(f.column, f.severity, f.message) for f in encoding.findings if f.kind == "label"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("1.0", "1"), ("1.", "1"), ("-2.00", "-2"), ("-0.0", "0"), ("2.50", "2.5"), ("1", "1"), ("x", "x"),
        ("007", "007"), ("00.5", "00.5"), ("1e5", "1e5"), ("1.0.0", "1.0.0"), (f"{2**53 + 1}.0", f"{2**53 + 1}.0"),
    ],
)  # fmt: skip
def test_a_label_that_is_a_number_is_that_number(text, label):
    assert class_label(text) == group_label(text) == label


def test_truth_values_of_groups_are_those_of_a_column_of_them():
    assert [group_label(text) for text in ("True", "FALSE", "Truth")] == ["true", "false", "Truth"]
    assert class_label("True") == "True"


def labels(encoding, column):
    return set(encoding.group_labels(table_from_frame({"g": column}))["g"].tolist())


@pytest.mark.parametrize(
    ("training", "test"),
    [
        (["1.0", "2.0", "unknown"], [1, 2]),
        (["1.0", "2.0", "unknown"], [1.0, 2.0, None]),
        (["1", "2", "unknown"], ["1.0", "2.0"]),
        ([1, 2], ["1.0", "2", "unknown"]),
        ([1.5, 2.5], ["1.50", "2.5", "unknown"]),
        (["True", "False", "unknown"], [True, False]),
        ([True, False], ["TRUE", "False", "unknown"]),
        (["a", "b"], [" a", "b "]),
    ],
)
def test_groups_of_test_rows_are_those_of_the_fit(training, test):
    encoding = learn(training)
    other = {None, "unknown"}
    assert labels(encoding, training) - other == labels(encoding, test) - other


def test_a_column_of_numbers_in_a_file_has_one_label_1(tmp_path):
    rows = "".join(f"{z:.3f},{g},{y}\n" for z, g, y in zip(Z, cycle(["1", "1.0", "2"]), cycle(["a", "b"]), strict=True))
    (tmp_path / "t.csv").write_text(f"z,g,y\n{rows}")
    table = read_table(tmp_path / "t.csv")
    encoding = learn_encoding(table, target="y", groups="g")
    assert set(encoding.group_labels(table)["g"].tolist()) == {"1", "2"}
    assert told(encoding) == []


def test_texts_that_are_the_same_number_are_one_label_and_told():
    encoding = learn(["1", "1.0", "1", "unknown"])
    assert labels(encoding, ["1", "1.0", "unknown"]) == {"1", "unknown"}
    message = "The labels '1' (60 rows) and '1.0' (30 rows) of the group column 'g' are taken for one, '1'."
    assert told(encoding) == [("g", "note", message)]


@pytest.mark.parametrize(
    ("a", "b"), [("Male", "male"), ("New York", "new  york"), ("\uff2dale", "Male"), ("STRASSE", "straße")]
)
def test_labels_that_differ_in_capitals_or_blanks_are_told(a, b):
    encoding = learn([a, a, b, "other"])
    assert len(labels(encoding, [a, b])) == 2
    ((column, severity, message),) = told(encoding)
    assert (column, severity) == ("g", "warning")
    expected = (
        f"The labels {a!r} (60 rows) and {b!r} (30 rows) of the group column 'g' differ only in capitals or blanks"
    )
    assert message == f"{expected}: did you mean the same? They are taken for different ones."


def test_blanks_around_a_label_are_no_part_of_it():
    encoding = learn(["male", "male ", " female"])
    assert labels(encoding, ["male", "male ", "female"]) == {"male", "female"}
    assert told(encoding) == []


def test_only_a_few_pairs_are_told():
    pairs = [letter * 3 for letter in "abcdefg"]
    encoding = learn([*pairs, *(text.upper() for text in pairs)])
    assert len(told(encoding)) == 3


def test_classes():
    encoding = learn(["a", "b"], y=["1.0", "2", "2", "none", "1"])
    assert encoding.target.classes == ("1", "2", "none")
    values = encoding.target_values(table_from_frame({"y": [1.0, 2.0]}))
    assert values.tolist() == ["1", "2"]
    message = "The labels '1' (24 rows) and '1.0' (24 rows) of the target 'y' are taken for one, '1'."
    assert told(encoding) == [("y", "note", message)]
    two = learn(["a", "b"], y=["1.0", "other", "other"], positive="1.00")
    assert two.target.positive == "1"


def test_numbers_as_classes_are_found_in_columns_of_text():
    encoding = learn(["a", "b"], y=[0, 1, 1])
    assert encoding.target_values(table_from_frame({"y": ["0", "1.0"]})).tolist() == [0, 1]


def test_classes_that_differ_in_capitals_stay_two():
    encoding = learn(["a", "b"], y=["Yes", "yes", "no"])
    assert encoding.target.classes == ("Yes", "no", "yes")
    assert [severity for _, severity, _ in told(encoding)] == ["warning"]
    assert encoding.target_values(table_from_frame({"y": ["yes", "Yes", "NO"]})).tolist() == ["yes", "Yes", "no"]
    with pytest.raises(ProblemError, match="got 'YES' in row 1"):
        encoding.target_values(table_from_frame({"y": ["YES"]}))
