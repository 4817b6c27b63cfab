"""Numbers as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddleback.report.formatting import NOTHING, code_for, code_with_error, write_number

numbers = st.floats(-1e15, 1e15, allow_nan=False)
CODES = {
    ("f3", 1234.5): "1,234.500",
    ("f3", -0.0004): "0.000",
    ("+f3", -0.0004): "0.000",
    ("+f3", 0.0241): "+0.024",
    ("+f3", -0.0241): "-0.024",
    ("f0", 0.4): "0",
    ("p1", 0.1234): "12.3",
    ("p0", 1.0): "100",
    ("d", 1234567): "1,234,567",
    ("e2", 1.2345e9): "1.23e+09",
    ("+e1", 1e-12): "+1.0e-12",
    ("g", 0.25): "0.25",
    ("g", 1e-05): "1e-05",
    ("f2", None): NOTHING,
}


@pytest.mark.parametrize(("code", "value"), CODES)
def test_codes(code, value):
    assert write_number(value, code) == CODES[code, value]


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (0.0241, 0.005, "0.024"),
        (0.577, 0.053, "0.58"),
        (0.0008, 0.0012, "0.0008"),
        (1234.0, 30.0, "1,234"),
        (5.0, 0.0, "5.000"),
    ],
)
def test_digits_follow_from_the_error(value, error, expected):
    assert write_number(value, code_for([value], [error])) == expected


def test_a_column_has_the_digits_of_its_typical_error_and_one_more_at_most():
    assert code_for([0.5] * 5, [0.05, 0.05, 0.05, 0.05, 0.00001]) == "f3"
    assert code_for([0.5] * 5, [None, 0.0, None, None, None]) == "f4"
    assert code_for([], []) == "f1"
    assert code_for([None], [None], percent=True) == "p1"
    assert code_for([0.7], [0.0003], percent=True, signed=True) == "+p2"


def test_a_small_error_is_not_written_as_zero():
    assert code_with_error("f2", 0.0003) == "f4"
    assert code_with_error("+f2", 0.0003) == "+f4"
    assert code_with_error("f2", 0.03) == "f2"
    assert code_with_error("f2", None) == "f2"
    assert code_with_error("f2", 1e-30) == "e1"


@given(
    st.lists(st.none() | numbers),
    st.lists(st.none() | st.floats(0, 1e15, allow_nan=False)),
    st.booleans(),
    st.booleans(),
)
def test_every_column_gets_a_code_that_writes_its_numbers(values, errors, percent, signed):
    code = code_for(values, errors, percent=percent, signed=signed)
    for value in values:
        written = write_number(value, code)
        assert written == NOTHING if value is None else float(written.replace(",", "")) is not None
        assert len(written) < 32
    for error in errors:
        own = code_with_error(code, error)
        if error:
            assert float(write_number(error, own.lstrip("+")).replace(",", "")) > 0
