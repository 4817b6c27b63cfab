"""What must hold for all tables."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saddleback.errors import ProblemError
from saddleback.tabular import Encoding, learn_encoding, read_table, table_from_frame

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
PLAUSIBLE = st.sampled_from(["a", "b", "A", " b ", "007", "1", "2", "-05", "00.5", "1,5", "1,234", "true", "TRUE"])
ODD = st.sampled_from(["NA", "?", "", "(other)", "(missing)", "2020-01-02", "2020-01-02 10", "9:30", "1e5", "+3", "5%"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**62), 2**62) | st.integers(-3, 3)
VALUES = {
    "whole": st.integers(-(2**62), 2**62) | st.integers(-3, 3),
    "number": NUMBERS.map(float),
    "truth": st.booleans(),
    "text": TEXTS | PLAUSIBLE,
    "word": PLAUSIBLE | ODD,
    "digits": st.sampled_from(["01", "2", "30", "4.5"]),
}
OFTEN = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def frames(draw):
    """Columns of a few kinds, with gaps, and a target of two classes."""
    n = draw(st.integers(4, 40))
    frame = {}
    for j in range(draw(st.integers(1, 4))):
        values = VALUES[draw(st.sampled_from(sorted(VALUES)))]
        if draw(st.booleans()):
            values = st.sampled_from(draw(st.lists(values, min_size=1, max_size=4)))
        if draw(st.booleans()):
            values = values | st.none()
        frame[f"x{j}"] = draw(st.lists(values, min_size=n, max_size=n))
    frame["y"] = ["no", "yes", *draw(st.lists(st.sampled_from(["no", "yes"]), min_size=n - 2, max_size=n - 2))]
    return frame


def learned(table):
    """The encoding, or None where the table is refused."""
    try:
        return learn_encoding(table, target="y")
    except ProblemError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return None


@OFTEN
@given(frame=frames())
def test_stored_encodings_are_the_same_to_the_bit(frame):
    table = table_from_frame(frame)
    encoding = learned(table)
    if encoding is not None:
        again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict(), allow_nan=False)))
        assert again == encoding
        X = encoding.features(table)
        assert again.features(table).tobytes() == X.tobytes()
        assert np.isfinite(X).all()
        assert X.shape == (table.num_rows, len(encoding.feature_names))
        assert encoding.encode(table)[1] == ()


@OFTEN
@given(frame=frames(), seed=st.integers(0, 99))
def test_rows_are_encoded_one_by_one(frame, seed):
    table = table_from_frame(frame)
    encoding = learned(table)
    if encoding is not None:
        X = encoding.features(table)
        some = np.random.default_rng(seed).integers(0, table.num_rows, 7)
        np.testing.assert_array_equal(encoding.features(table.take(pa.array(some))), X[some])
        pieces = pa.concat_tables([table.slice(0, 3), table.slice(3, 0), table.slice(3)])
        np.testing.assert_array_equal(encoding.features(pieces), X)
        assert learned(pieces) == encoding


@OFTEN
@given(frame=frames())
def test_the_order_of_columns_and_rows_does_not_matter(frame):
    table = table_from_frame(frame)
    encoding, turned = learned(table), learned(table.select(table.column_names[::-1]))
    assert (encoding is None) == (turned is None)
    if encoding is not None:
        assert sorted(map(repr, encoding.columns)) == sorted(map(repr, turned.columns))
        np.testing.assert_array_equal(
            encoding.features(table.select(table.column_names[::-1])), encoding.features(table)
        )
    upside_down = learned(table.take(pa.array(np.arange(table.num_rows)[::-1])))
    if encoding is not None and upside_down is not None:
        assert upside_down.feature_names == encoding.feature_names


def csv_text(frame, separator=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    writer.writerow(frame)
    for row in zip(*frame.values(), strict=True):
        writer.writerow([str(value).lower() if isinstance(value, bool) else value for value in row])
    return out.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@OFTEN
@given(frame=frames())
def test_csv_and_parquet_of_a_table_give_the_same_matrix(tmp_path_factory, separator, frame):
    folder = tmp_path_factory.getbasetemp()
    (folder / "t.csv").write_bytes(csv_text(frame, separator).encode())
    pq.write_table(table_from_frame(frame), folder / "t.parquet")
    from_csv, from_parquet = read_table(folder / "t.csv"), read_table(folder / "t.parquet")
    assert from_csv.num_rows == from_parquet.num_rows
    first, second = learned(from_csv), learned(from_parquet)
    assert (first is None) == (second is None)
    if first is not None:
        assert first.columns == second.columns
        np.testing.assert_array_equal(first.features(from_csv), second.features(from_parquet))
        np.testing.assert_array_equal(first.features(from_parquet), second.features(from_csv))
