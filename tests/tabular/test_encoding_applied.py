"""An encoding applied to tables that differ from the one that it was learned from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import learn_encoding, read_table, table_from_frame
from saddleback.tabular.content.texts import texts_of

N = 90
FRAME = {
    "age": [20 + i % 40 for i in range(N)],
    "zip": [["00501", "10115", "90210"][i % 3] for i in range(N)],
    "truth": [i % 4 == 0 for i in range(N)],
    "group": [["u", "v"][i * i % 7 % 2] for i in range(N)],
    "y": [["no", "yes"][i * i % 11 % 2] for i in range(N)],
}
ENCODING = learn_encoding(table_from_frame(FRAME), target="y", groups=["group"])
X = ENCODING.features(table_from_frame(FRAME))


def test_columns_in_another_order_and_more_columns():
    frame = {"new": [1] * N, **dict(reversed(FRAME.items()))}
    np.testing.assert_array_equal(ENCODING.features(table_from_frame(frame)), X)


def test_numbers_as_text_are_parsed():
    frame = {**FRAME, "age": [f" {age}.0" for age in FRAME["age"]], "truth": [str(t).upper() for t in FRAME["truth"]]}
    np.testing.assert_array_equal(ENCODING.features(table_from_frame(frame)), X)


def test_what_cannot_be_parsed_is_named():
    frame = {**FRAME, "age": ["20", "?", "old", *map(str, FRAME["age"][3:])]}
    with pytest.raises(ProblemError, match=r"the column 'age' must hold numbers.*got 'old' in row 3"):
        ENCODING.features(table_from_frame(frame))
    mixed = {**FRAME, "age": ["20", "true", *map(str, FRAME["age"][2:])]}
    with pytest.raises(ProblemError, match="got 'true' in row 2"):
        ENCODING.features(table_from_frame(mixed))


def test_a_date_where_a_number_was():
    frame = {**FRAME, "age": pa.array([0] * N, pa.date32())}
    with pytest.raises(ProblemError, match=r"'age' must hold numbers, as in the training table; got date32"):
        ENCODING.features(table_from_frame(frame))


def test_a_list_where_a_number_was():
    with pytest.raises(ProblemError, match=r"'age' is of type 'list<item: int64>'; expected numbers or text"):
        ENCODING.features(table_from_frame({**FRAME, "age": [[1]] * N}))


def test_codes_of_a_file_that_lacks_leading_zeros(tmp_path):
    (tmp_path / "t.csv").write_text("age,zip,truth\n31,10115,true\n32,90210,false\n")
    table = read_table(tmp_path / "t.csv")
    found = ENCODING.features(table)
    assert found[:, ENCODING.feature_names.index("zip=10115")].tolist() == [1.0, 0.0]
    assert ENCODING.text_columns == ("zip", "y")
    as_text = read_table(tmp_path / "t.csv", text=ENCODING.text_columns)
    assert as_text.column("zip").to_pylist() == ["10115", "90210"]
    np.testing.assert_array_equal(ENCODING.features(as_text), found)


def test_truths_where_texts_were():
    frame = {"x": [["True", "False", "unknown"][i % 3] for i in range(N)], "z": FRAME["age"], "y": FRAME["y"]}
    encoding = learn_encoding(table_from_frame(frame), target="y")
    found = encoding.features(table_from_frame({"x": [True, False], "z": [1, 2]}))
    np.testing.assert_array_equal(found[:, :3], [[0, 1, 0], [1, 0, 0]])


def test_whole_numbers_where_texts_were():
    frame = {"x": [["1", "2", "A"][i % 3] for i in range(N)], "z": FRAME["age"], "y": FRAME["y"]}
    encoding = learn_encoding(table_from_frame(frame), target="y")
    for column in ([1, 2], [1.0, 2.0]):
        found = encoding.features(table_from_frame({"x": column, "z": [1, 2]}))
        np.testing.assert_array_equal(found[:, :3], np.eye(3)[:2])


def test_a_table_without_rows():
    empty = table_from_frame(FRAME).slice(0, 0)
    assert ENCODING.features(empty).shape == (0, X.shape[1])
    assert ENCODING.group_labels(empty)["group"].size == 0
    assert ENCODING.target_values(empty).size == 0


def test_less_precision():
    table = table_from_frame(FRAME)
    found = ENCODING.features(table, dtype=np.float32)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X.astype(np.float32))
    with pytest.raises(ProblemError, match="'age' holds numbers that float32 cannot hold"):
        ENCODING.features(table_from_frame({**FRAME, "age": [1e39] * N}), dtype="float32")
    with pytest.raises(ProblemError, match="dtype must be float64 or float32; got 'int8'"):
        ENCODING.features(table, dtype="int8")


def test_what_is_no_table():
    with pytest.raises(ProblemError, match=r"expected a table.*got dict"):
        ENCODING.features(FRAME)
    with pytest.raises(ProblemError, match=r"expected a table.*got list"):
        learn_encoding([1], target="y")
    twice = pa.table([[1], [2], ["a"], [True]], names=["age", "age", "zip", "truth"])
    with pytest.raises(ProblemError, match="several columns named 'age'"):
        ENCODING.features(twice)


def test_group_labels_are_text():
    frame = {**FRAME, "group": [1.0, 2.5, None] * 30, "sex": [1, 0, None] * 30, "day": pa.array([1] * N, pa.date32())}
    encoding = learn_encoding(table_from_frame(frame), target="y", groups=["group", "sex", "day"])
    labels = encoding.group_labels(table_from_frame(frame))
    assert labels["group"].tolist()[:3] == ["1", "2.5", None]
    assert labels["sex"].tolist()[:3] == ["1", "0", None]
    assert labels["day"].tolist()[0] == "1970-01-02"
    told = [(f.column, f.severity) for f in encoding.findings if f.kind == "group"]
    assert told == [("group", "warning"), ("sex", "warning")]
    assert next(f.message for f in encoding.findings if f.column == "sex") == (
        "The group column 'sex' has no label in 30 of 90 rows. They have the label '(missing)', a group like any "
        "other; --missing-groups error (missing_groups='error') refuses them."
    )


def test_many_groups_are_told():
    frame = {**FRAME, "group": [f"family {i % 45}" for i in range(N)]}
    encoding = learn_encoding(table_from_frame(frame), target="y", groups="group")
    assert [f.message for f in encoding.findings if f.kind == "group"] == [
        "The group column 'group' has 45 labels in 90 rows; such groups tell little."
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"target": "yy"}, "there is no column 'yy', which target names. Did you mean 'y'?"),
        ({"target": 3}, "target must be the name of a column; got 3"),
        ({"groups": ["grupo"]}, "there is no column 'grupo', which groups names. Did you mean 'group'?"),
        ({"groups": 5}, "groups must be names of columns; got 5"),
        ({"groups": [5]}, "groups must be names of columns, which are text; got 5"),
        ({"groups": ["group", "group"]}, "groups names the column 'group' twice"),
        ({"groups": ["y"]}, "'y' is the target and named by groups as well"),
        ({"drop": ["y"]}, "'y' is the target and named by drop as well"),
        ({"drop": ["q"]}, "The columns are 'age', 'zip', 'truth', 'group', 'y'."),
        ({"drop": ["age"], "keep": ["age"]}, "'age' cannot be both dropped and kept"),
        ({"keep_groups": "no"}, "keep_groups must be True or False"),
        ({"categories": "agee"}, "there is no column 'agee', which categories names. Did you mean 'age'"),
        ({"categories": 5}, "categories must be names of columns; got 5"),
        ({"categories": "y"}, "'y' is the target and named by categories as well"),
        ({"drop": ["age"], "categories": ["age"]}, "'age' cannot be both dropped and a category"),
    ],
)
def test_arguments(options, told):
    with pytest.raises(ProblemError) as caught:
        learn_encoding(table_from_frame(FRAME), **{"target": "y", **options})
    assert told in str(caught.value)


def test_a_file_without_names(tmp_path):
    (tmp_path / "t.csv").write_text("1,2,x\n3,4,y\n")
    with pytest.raises(ProblemError, match="does the file lack a first line with names"):
        learn_encoding(read_table(tmp_path / "t.csv"), target="income")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_frames(make):
    table = table_from_frame(make(FRAME))
    assert learn_encoding(table, target="y", groups=["group"]) == ENCODING
    np.testing.assert_array_equal(ENCODING.features(table), X)


def test_frames_of_categories_and_gaps():
    frame = pd.DataFrame({"c": pd.Categorical(["a", None, "b"]), "x": [1.0, np.nan, 2.0]}, index=[5, 6, 7])
    table = table_from_frame(frame)
    assert table.column_names == ["c", "x"]
    assert texts_of(table.column("c")).codes.tolist() == [0, -1, 1]
    polars = pl.DataFrame({"c": pl.Series(["a", None, "b"], dtype=pl.Categorical)})
    assert texts_of(table_from_frame(polars).column("c")).levels.to_pylist() == ["a", "b"]


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (3, "a table must be a data frame"),
        ({"a": [1], "b": [1, 2]}, "a table must be a data frame"),
        ({"a": [1, "x"]}, "the column 'a' must hold values of one kind"),
        ({1: [1]}, "names of columns must be text; got 1"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "names of columns must differ; got 'a' more than once"),
        (pd.DataFrame([[1, 2]]), "names of columns must be text; got 0"),
        (pa.table([[1], [2]], names=["a", "a"]), "names of columns must differ"),
    ],
)
def test_frames_that_are_refused(frame, told):
    with pytest.raises(ProblemError) as caught:
        table_from_frame(frame)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
