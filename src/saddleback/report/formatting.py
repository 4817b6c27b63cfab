"""Numbers as text: one way for the page, the model card and the labels of the charts.

A code says how a number is written, so that a reader or a test can write it again from the JSON:

    d      1,234           a whole number
    f3     1,234.500       3 digits after the point
    p1     12.3            percent with 1 digit after the point; the sign stands in the head of the column
    e2     1.23e+09        one digit before the point, 2 after it
    g      0.25            as short as it goes, six digits at most: settings
    +f3    +0.024          the same with a sign; zero has none

Null is written as NOTHING. How many digits there are follows from the errors: one digit of the error is shown, or two
that begin with 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, isfinite, log10
from statistics import median

NOTHING = "–"  # noqa: RUF001 (an en dash, as tables have it)
"""What stands for null."""
LEAST_EXPONENT = 1e7
"""Numbers from here on are written with an exponent."""
LARGEST_FRACTION = 1e-4
"""A column whose numbers are all below this is written with exponents."""
MOST_DECIMALS = 6
"""More digits after the point than this are not read."""
HALF_WIDTH = 1.96
"""Standard errors of a normal distribution on either side that hold 95 %."""


def write_number(value: float | None, code: str) -> str:
    """A number in the form of a code.

    >>> write_number(0.0241, "+f3"), write_number(0.5, "p1"), write_number(None, "f2"), write_number(-0.0001, "f2")
    ('+0.024', '50.0', '–', '0.00')
    """
    if value is None:
        return NOTHING
    plain = code.lstrip("+")
    kind, digits = plain[0], plain[1:]
    if kind == "g":
        written = f"{value:.6g}"
    elif kind == "d":
        written = f"{round(value):,d}"
    elif kind == "p":
        written = f"{value * 100:,.{digits}f}"
    else:
        written = f"{value:,.{digits}{kind}}"
    if not written.strip("-+0.,e"):
        return written.lstrip("-")
    return f"+{written}" if code.startswith("+") and value > 0 else written


def decimals_of_error(error: float) -> int:
    """The digits after the point that show one digit of an error, or two that begin with 1.

    >>> decimals_of_error(0.053), decimals_of_error(0.012), decimals_of_error(30.0)
    (2, 3, 0)
    """
    return max(-_power(error), 0)


def code_for(
    values: Iterable[float | None], errors: Iterable[float | None] = (), *, percent: bool = False, signed: bool = False
) -> str:
    """The code of a column: digits by the typical error, and one more where the least error needs it.

    >>> code_for([0.577, 0.43], [0.053, 0.04]), code_for([3e9, 2.0]), code_for([0.1], percent=True)
    ('f2', 'e3', 'p1')
    """
    sign, scale = "+" if signed else "", 100.0 if percent else 1.0
    known = [abs(value) * scale for value in values if value is not None]
    largest = max(known, default=0.0)
    usable = sorted(error * scale for error in errors if error is not None and isfinite(error) and error > 0.0)
    if not percent and (largest >= LEAST_EXPONENT or 0.0 < largest < LARGEST_FRACTION):
        return f"{sign}e{3 if not usable else _exponent_digits(largest, median(usable))}"
    if usable:
        decimals = min(decimals_of_error(usable[0]), decimals_of_error(median(usable)) + 1)
    elif percent:
        decimals = 1
    else:
        decimals = 3 - floor(log10(largest)) if largest > 0.0 else 1
    return f"{sign}{'p' if percent else 'f'}{min(max(decimals, 0), MOST_DECIMALS)}"


def code_with_error(code: str, error: float | None) -> str:
    """The code of one number: that of its column, with more digits where its error would be written as zero."""
    if not error or write_number(error, code.lstrip("+")).strip("0.,"):
        return code
    sign, kind = code[: -len(code.lstrip("+"))], code.lstrip("+")[0]
    decimals = decimals_of_error(error * (100.0 if kind == "p" else 1.0))
    return f"{sign}{kind}{decimals}" if kind in "fp" and decimals <= MOST_DECIMALS + 2 else f"{sign}e1"


def spread(low: float | None, high: float | None) -> float | None:
    """The standard error that an interval of 95 % stands for."""
    return None if low is None or high is None else (high - low) / (2 * HALF_WIDTH)


def interval(value: float | None, error: float | None) -> tuple[float | None, float | None]:
    """The interval of 95 % around a number with a standard error."""
    if value is None or error is None:
        return None, None
    return value - HALF_WIDTH * error, value + HALF_WIDTH * error


def join_words(parts: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> join_words(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def _exponent_digits(value: float, error: float) -> int:
    return min(max(floor(log10(value)) - _power(error), 0), MOST_DECIMALS)


def _power(error: float) -> int:
    """The power of ten of the last digit that an error leaves. The least floats have no half: 1e-300 is taken."""
    return floor(log10(max(error, 1e-300) / 2.0) + 1e-12)
