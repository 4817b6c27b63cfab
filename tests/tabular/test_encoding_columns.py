"""The rule of every kind of column, and what is noticed about it."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import CategoryRule, DroppedRule, NumberRule, learn_encoding, read_table, table_from_frame
from saddleback.tabular.encoding.text_learning import MOST_LEVELS, RARE_ROWS

N = 400
RNG = np.random.default_rng(1)
Y = np.array(["no", "yes"])[RNG.integers(0, 2, N)].tolist()
Z = RNG.normal(size=N)


def learn(column, name="x", target=None, more=None, **options):
    frame = {name: column, "z": Z[: len(column)], **(more or {}), "y": Y[: len(column)] if target is None else target}
    return learn_encoding(table_from_frame(frame), target="y", **options)


def rule(column, name="x", **options):
    return next(rule for rule in learn(column, name, **options).columns if rule.name == name)


def findings(encoding, column="x"):
    return [(f.kind, f.severity) for f in encoding.findings if f.column == column]


def cycle(values, n=N):
    return [values[i % len(values)] for i in range(n)]


def test_whole_numbers_of_few_values_stay_numbers():
    assert isinstance(rule(cycle([1, 2, 3])), NumberRule)
    assert isinstance(rule(cycle([0, 1, 1])), NumberRule)


def test_booleans_are_zero_and_one():
    encoding = learn(cycle([True, False, None]))
    assert encoding.feature_names[:2] == ["x", "x is missing"]
    X = encoding.features(table_from_frame({"x": [True, False, None], "z": [0.0] * 3}))
    # 134 true and 133 false among the training rows.
    np.testing.assert_array_equal(X[:, :2], [[1, 0], [0, 0], [134 / 267, 1]])
    written = learn(cycle(["True", "FALSE", None]))
    assert written.columns[0] == encoding.columns[0]


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal128(9, 2), pa.dictionary(pa.int8(), pa.int16())],
)
def test_numbers_of_every_type(kind):
    values = cycle([1, 2, 3, None, 7])
    if pa.types.is_dictionary(kind):
        column = pa.array(values, pa.int16()).dictionary_encode()
    elif pa.types.is_decimal(kind):
        column = pa.array([None if v is None else Decimal(v) for v in values], kind)
    else:
        column = pa.array(values, pa.int64()).cast(kind)
    encoding = learn(column)
    assert encoding.columns[0] == learn(values).columns[0]
    expected = np.array([encoding.columns[0].mean if v is None else v for v in values], dtype=float)
    np.testing.assert_array_equal(encoding.features(table_from_frame({"x": column, "z": Z}))[:, 0], expected)


def test_large_whole_numbers_are_told():
    encoding = learn(cycle([2**60, 2**60 + 1, 5]))
    assert ("numbers", "note") in findings(encoding)


def test_the_mean_of_large_numbers_is_finite():
    large = rule(cycle([1.5e308, 1.7e308, None]))
    assert 1.5e308 < large.mean < 1.7e308


def test_infinity_is_refused():
    with pytest.raises(ProblemError, match=r"the column 'x' holds infinity in row 3 \(133 such rows"):
        learn(cycle([1.0, 2.0, float("inf")]))
    encoding = learn(cycle([1.0, 2.0]))
    with pytest.raises(ProblemError, match="holds infinity in row 5001"):
        encoding.features(table_from_frame({"x": [0.0] * 5000 + [float("-inf")], "z": [0.0] * 5001}))


def test_nan_is_missing():
    assert rule(cycle([1.0, float("nan"), 3.0])) == rule(cycle([1.0, None, 3.0]))


@pytest.mark.parametrize(
    ("texts", "style", "values"),
    [
        (["1", "2.5", "+3"], "plain", [1, 2.5, 3]),
        (["1,234", "12", "5,000.5"], "thousands", [1234, 12, 5000.5]),
        (["1,5", "2", "0,125"], "decimal comma", [1.5, 2, 0.125]),
        (["1.234,5", "12", "5.000.000"], "thousands with points, decimal comma", [1234.5, 12, 5e6]),
    ],
)
def test_numbers_written_as_text(texts, style, values):
    encoding = learn(cycle([*texts, "?"]))
    assert encoding.columns[0].style == style
    X = encoding.features(table_from_frame({"x": texts, "z": [0.0] * 3}))
    np.testing.assert_array_equal(X[:, 0], values)
    X = encoding.features(table_from_frame({"x": [7, 8], "z": [0.0] * 2}))
    np.testing.assert_array_equal(X[:, 0], [7, 8])


def test_codes_are_categories():
    assert rule(cycle(["00501", "10115", "90210"])).levels == ("00501", "10115", "90210")


def test_numbers_with_signs_are_left_out():
    assert findings(learn([f"{i} %" for i in range(N)])) == [("text", "warning")]
    assert findings(learn([f"${i}.50" for i in range(N)])) == [("text", "warning")]


def test_numbers_with_texts_among_them_are_told_from_identifiers():
    def of_x(values):
        return [finding for finding in learn(values).findings if finding.column == "x"]

    values = [f"{i / 7:.3f}" for i in range(N)]
    for text in ("-", "unknown", "#DIV/0!"):
        (finding,) = of_x([*values[:-1], text])
        assert (finding.kind, finding.severity) == ("text", "warning")
        assert f"most of its values are numbers, but '{text}' is not" in finding.message
    (finding,) = of_x([*values[:-2], "1.2.3", "4,5,6"])
    assert "not all written in the same way" in finding.message
    (finding,) = of_x([f"A{i}" for i in range(N)])
    assert "identifier" in finding.message


def test_points_beside_decimal_commas_may_separate_thousands():
    amounts = [float(f"{1.0 + 0.037 * i:.3f}") for i in range(N)]
    commas = [f"{i / 8:.3f}".replace(".", ",") for i in range(N)]
    names = {"x": amounts, "z": commas, "y": ["no", "yes"] * (N // 2)}
    told = [finding.message for finding in learn_encoding(table_from_frame(names), target="y").findings]
    assert any("'x' holds numbers such as 1.037" in text and "write 1037" in text for text in told)
    for others in ({"z": [i / 8 for i in range(N)]}, {"x": [value / 7 for value in amounts]}):
        told = [f.message for f in learn_encoding(table_from_frame(names | others), target="y").findings]
        assert not any("'x' holds numbers" in text for text in told)


def test_two_levels_make_one_column():
    sexes = rule(cycle(["f", "m", "m"]))
    assert sexes.feature_names == ["x=m"]
    assert sexes.shares == (266 / 400,)


def test_rare_levels_are_pooled():
    column = ["a"] * 200 + ["b"] * 180 + ["rare"] * 7 + ["rarer"] * 7 + ["seldom"] * 6
    # 2 % of 400 rows are 8.
    encoding = learn(column)
    pooled = encoding.columns[0]
    assert (pooled.levels, pooled.other, pooled.missing) == (("a", "b"), True, False)
    assert pooled.shares == (0.5, 0.45, 0.05)
    assert findings(encoding) == [("rare", "note")]
    X = encoding.features(table_from_frame({"x": ["rare", "new", "(other)", "b"], "z": [0.0] * 4}))
    np.testing.assert_array_equal(X[:, :3], [[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 1, 0]])


def test_a_level_of_twenty_rows_is_never_rare():
    n = 5000
    column = ["a"] * (n - 2 * RARE_ROWS + 1) + ["b"] * RARE_ROWS + ["c"] * (RARE_ROWS - 1)
    frame = {"x": column, "y": cycle(["no", "yes"], n)}
    assert learn_encoding(table_from_frame(frame), target="y").columns[0].levels == ("a", "b")


def test_at_most_some_levels():
    n_levels = MOST_LEVELS + 10
    frame = {"x": [f"level {i % n_levels}" for i in range(5000)], "y": cycle(["no", "yes", "no"], 5000)}
    found = learn_encoding(table_from_frame(frame), target="y").columns[0]
    assert (len(found.levels), found.other) == (MOST_LEVELS, True)


def test_missing_texts_are_a_level():
    encoding = learn(cycle(["a", "b", "c", None, "?", " "]))
    assert encoding.feature_names[:4] == ["x=a", "x=b", "x=c", "x=(missing)"]
    X = encoding.features(table_from_frame({"x": ["NA", None, "(missing)", " c "], "z": [0.0] * 4}))
    np.testing.assert_array_equal(X[:, :4], [[0, 0, 0, 1]] * 3 + [[0, 0, 1, 0]])


def test_what_training_had_not_gets_the_training_shares_and_is_told():
    encoding = learn(cycle(["a", "b", "c", "c"]))
    table = table_from_frame({"x": ["new", None, "b", "newer"], "z": [None, 1.0, 2.0, 3.0]})
    X, told = encoding.encode(table)
    np.testing.assert_array_equal(X[:, :3], [[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0, 1, 0], [0.25, 0.25, 0.5]])
    assert X[0, 3] == encoding.columns[1].mean
    assert [(f.column, f.kind) for f in told] == [("x", "missing"), ("x", "unseen"), ("z", "missing")]
    assert "2 rows have values of 'x' that the training rows had not ('new', 'newer')" in told[1].message
    assert encoding.encode(table_from_frame({"x": ["a"], "z": [1.0]}))[1] == ()


def test_constant_columns_are_left_out():
    assert findings(learn([3] * N)) == [("constant", "note")]
    assert findings(learn(["a"] * N)) == [("constant", "note")]
    assert findings(learn([None] * N)) == [("constant", "note")]
    assert isinstance(rule(pa.nulls(N)), DroppedRule)


def test_a_constant_with_gaps_says_where_they_are():
    encoding = learn(cycle([3.0, None, 3.0]))
    assert encoding.feature_names == ["x is missing", "z"]
    assert rule(cycle(["a", None, "a"])).feature_names == ["x=(missing)"]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("nr", list(range(N))),
        ("x", RNG.permutation(N) + 1000),
        ("customer_id", RNG.choice(10**6, N, replace=False)),
        ("customerId", RNG.choice(10**6, N, replace=False).astype(float)),
        ("x", [f"{i:08x}" for i in range(N)]),
        ("x", [f"person {i}" for i in range(N // 2 + 20)] * 2),
    ],
)
def test_identifiers_are_left_out_unless_kept(name, column):
    encoding = learn(column[:N], name)
    assert findings(encoding, name) == [("identifier", "warning")]
    assert isinstance(encoding.columns[0], DroppedRule)
    assert not isinstance(learn(column[:N], name, keep=name).columns[0], DroppedRule)


def test_numbers_that_repeat_are_no_identifiers():
    encoding = learn(cycle([3, 4, 5, 6]), "store_id")
    assert findings(encoding, "store_id") == [("identifier", "note")]
    assert isinstance(encoding.columns[0], NumberRule)


def test_free_text_is_left_out():
    encoding = learn([f"the applicant asked for {i} and got it" for i in range(N)])
    assert findings(encoding) == [("text", "warning")]


def test_texts_that_are_all_rare_are_left_out_unless_kept():
    column = [f"city {i % 150}" for i in range(N)]
    assert findings(learn(column)) == [("text", "warning")]
    kept = learn(column, keep="x").columns[0]
    assert isinstance(kept, CategoryRule)
    assert len(kept.levels) == MOST_LEVELS


@pytest.mark.parametrize(
    "column",
    [
        pa.array([datetime.date(2020, 1, 1 + i % 28) for i in range(N)]),
        pa.array([datetime.datetime(2020, 1, 1 + i % 28) for i in range(N)]),
        pa.array([datetime.time(i % 24) for i in range(N)]),
        pa.array([datetime.timedelta(i) for i in range(N)]),
        [f"{1 + i % 28}/03/2020" for i in range(N)],
        [f"2020-03-{1 + i % 28:02d}T10:00:00Z" for i in range(N)],
        [f"{1 + i % 28} Mar 2020" for i in range(N)],
        [f"March {1 + i % 28}, 2020" for i in range(N)],
        [f"{i % 12 + 1}:30 pm" for i in range(N)],
    ],
)
def test_dates_are_refused(column):
    with pytest.raises(ProblemError, match=r"the column 'x' holds dates or times.*or leave it out: --drop x"):
        learn(column)


def test_a_kept_date_is_a_category():
    assert len(rule(["2020-03-01", "2021-03-01"] * (N // 2), keep="x").feature_names) == 1


def test_everything_unusable_is_refused_in_one_message():
    days, lists = [datetime.date(2020, 1, 1)] * N, [[1, 2]] * N
    more = {"due day": days, "tags": lists, "raw": [b"a"] * N}
    with pytest.raises(ProblemError) as caught:
        learn(days, "day", more=more)
    text = str(caught.value)
    assert "'day', 'due day' hold dates" in text
    assert "'tags' (list<item: int64>), 'raw' (binary)" in text
    assert "--drop day --drop 'due day' --drop tags --drop raw (drop=)" in text
    assert len(learn(days, "day", more=more, drop=["day", *more]).feature_names) == 1


def test_one_column_of_lists_is_refused_in_the_singular():
    with pytest.raises(
        ProblemError, match=r"^the column 'x' \(list.*\) is of a type that is neither a number nor text; "
    ):
        learn([[1, 2]] * N)


def test_one_rare_level_of_one_row():
    encoding = learn(["a", "b"] * (N // 2 - 1) + ["a", "c"])
    assert "(other) is the rare one (1 row)" in encoding.columns[0].rule
    assert any(found.message.endswith("are pooled: 1 row.") for found in encoding.findings)


def test_hostile_names_make_messages_of_one_line():
    name = "a\nb<script>\x1b[31m" + "x" * 10_000
    encoding = learn(list(range(N)), name)
    assert all("\n" not in f.message and len(f.message) < 1000 for f in encoding.findings)
    assert all("\n" not in r.rule and len(r.rule) < 1000 for r in encoding.columns)


def test_names_of_features_differ():
    frame = {"a": cycle([1, 2, None]), "a is missing": Z, "b": cycle(["u", "v", "w"]), "b=u": Z + 1, "b=u (2)": Z**2}
    names = learn_encoding(table_from_frame({**frame, "y": Y}), target="y").feature_names
    assert len(set(names)) == len(names) == 8


def test_no_column_is_left():
    with pytest.raises(ProblemError, match=r"no column is left to predict from.*'x' is left out: it is 1"):
        learn_encoding(table_from_frame({"x": [1] * N, "y": Y}), target="y")


def test_notes_of_the_file_are_findings(tmp_path):
    (tmp_path / "t.csv").write_text("a;y\n1,5;no\n2,5;yes\n3,5;no\n")
    encoding = learn_encoding(read_table(tmp_path / "t.csv"), target="y")
    assert [(f.column, f.kind) for f in encoding.findings] == [("", "file"), ("y", "target"), ("a", "numbers")]


def test_what_is_said_of_missing_numbers():
    encoding = learn(cycle([1.0, 3.0, None, 2.0]))
    assert encoding.columns[0].rule == (
        "a number as it is; missing values are replaced by the mean, 2, and a 0/1 column marks them"
    )
    treatment = "missing values are replaced by the mean, and a 0/1 column marks them"
    told = [f.message for f in encoding.findings if f.kind == "missing"]
    assert told == [f"'x' has no value in 100 of 400 rows (25 %): {treatment}."]
