"""The table of named columns."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

import saddleback as sb
from saddleback.learn import Table

DATA = {
    "group": [("w", "m"), "<b>|x", None],
    "rows": [1200, 30, 4],
    "loss": np.array([0.51234, 0.1, np.nan]),
    "loss_low": [0.5, 0.05, np.nan],
    "loss_high": [0.52, 0.2, np.nan],
    "small": [False, True, True],
}
CAPTION = "Losses & <intervals>"


@pytest.fixture
def table():
    return Table(DATA, CAPTION, {"level": 0.95})


def test_columns_and_rows(table):
    assert len(table) == 3
    assert table.columns == list(DATA)
    assert table["rows"].dtype.kind == "i"
    assert table["loss"].dtype == np.float64
    assert table["small"].dtype == np.bool_
    assert "loss" in table
    assert "nothing" not in table
    rows = list(table)
    assert rows[1] == {
        "group": "<b>|x",
        "rows": 30,
        "loss": 0.1,
        "loss_low": 0.05,
        "loss_high": 0.2,
        "small": True,
    }
    assert table.row(("w", "m")) == rows[0]
    assert Table({"mixed": [1, 2.5]})["mixed"].dtype == np.float64
    assert Table({"n": []})["n"].tolist() == []


def test_a_table_cannot_be_changed(table):
    with pytest.raises(ValueError, match="read-only"):
        table["rows"][0] = 5
    with pytest.raises(TypeError):
        table.data["rows"] = [1, 2, 3]
    with pytest.raises(AttributeError):
        table.caption = "other"
    values = np.zeros(2)
    own = Table({"x": values})
    values[0] = 1
    assert own["x"].tolist() == [0.0, 0.0]


def test_conversions(table):
    assert table.to_dict()["group"] == DATA["group"]
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    assert frame["rows"].tolist() == [1200, 30, 4]
    assert frame.attrs == {"level": 0.95}


def test_pandas_is_optional(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sb.MissingDependencyError, match="pip install pandas"):
        table.to_pandas()


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_copies(table, again):
    other = again(table)
    assert repr(other) == repr(table)
    assert other.attributes == table.attributes
    with pytest.raises(ValueError, match="read-only"):
        other["rows"][0] = 5


def test_text(table):
    assert repr(table).splitlines() == [
        "Losses & <intervals>",
        "group  rows                     loss  small",
        "w, m   1200  0.5123 [0.5000, 0.5200]  no",
        "<b>|x    30  0.1000 [0.0500, 0.2000]  yes",
        "-         4       -                   yes",
    ]


def test_markdown(table):
    assert table.to_markdown().splitlines() == [
        "Losses & <intervals>",
        "",
        "| group | rows | loss | small |",
        "| :-- | --: | --: | :-- |",
        "| w, m | 1200 | 0.5123 [0.5000, 0.5200] | no |",
        r"| &lt;b>\|x | 30 | 0.1000 [0.0500, 0.2000] | yes |",
        "| - | 4 | - | yes |",
    ]


def test_html_is_escaped(table):
    html = table._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;|x" in html
    assert "<caption>Losses &amp; &lt;intervals&gt;</caption>" in html
    assert html.count("<tr>") == 4


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.00012345, 0.0], ["1.234e-04", "0.000e+00"]),
        ([12.3456, np.nan], ["12.35", "-"]),
        ([123456.7, np.inf], ["123457", "inf"]),
        ([1.5e9, 1.0], ["1.500e+09", "1.000e+00"]),
        ([0.0, 0.0], ["0.0", "0.0"]),
        ([-0.25, 0.125], ["-0.2500", "0.1250"]),
    ],
)
def test_numbers(values, shown):
    assert [line.strip() for line in repr(Table({"x": values})).splitlines()[1:]] == shown


def test_wide_and_long_tables():
    wide = Table({"group": ["a", "b"], **{f"column {j}": [1.0, 2.0] for j in range(20)}})
    lines = repr(wide).splitlines()
    assert max(map(len, lines)) <= 120
    assert sum(line.startswith("group") for line in lines) == 2
    assert lines.count("") == 1
    long = repr(Table({"x": range(1000)})).splitlines()
    assert long[-1] == "... 940 more rows"
    assert Table({"x": range(1000)}).to_markdown().count("\n") == 1001


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "at least one column"),
        ({"a": [1], "b": [1, 2]}, "same length; got {'a': 1, 'b': 2}"),
        ({"a": "text"}, "column 'a' must be a vector or a list; got str"),
        ({"a": 3}, "column 'a' must be a vector or a list; got int"),
        ({"a": {1, 2}}, "column 'a' must be a vector or a list; got set"),
        ({1: [2]}, "names of a table's columns must be strings; got 1"),
    ],
)
def test_bad_tables(data, message):
    with pytest.raises(sb.ProblemError, match=message):
        Table(data)


def test_unknown_names(table):
    with pytest.raises(KeyError, match="no column 'los'; near names are 'loss'"):
        table["los"]
    with pytest.raises(KeyError, match="has 'x' in the column 'group'"):
        table.row("x")
