"""Evidence with wrong parts: it is refused in one line, or every form of the report can be written."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.evidence_samples import HOSTILE, bare, evidence
from saddleback.errors import ProblemError
from saddleback.report import check_evidence, render_html, render_json, render_markdown

SAMPLES = (evidence(3, 4), evidence(3, 4, "regression"), evidence(3, 4, n_classes=3), bare())
EXTREMES = [0.0, -0.0, 1e308, -1e308, 5e-324, 1e-9, 1e9, 2**62, -(2**62), float("nan"), float("inf"), 10**400, True]
BAD_PLACE = re.compile(r' (?:[xy][12]?|c[xy]|r|width|height|points)="[^"]*(?:nan|inf|e)[^"]*"')
"""A place in a chart that is no number."""
values = st.one_of(
    st.none(),
    st.sampled_from(EXTREMES),
    st.sampled_from(HOSTILE),
    st.floats(),
    st.integers(),
    st.text(max_size=20),
    st.builds(list),
    st.builds(dict),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, entry in entries for place in places(entry, (*path, key)))]


PLACES = [places(sample)[1:] for sample in SAMPLES]


def replace(data: Any, path: tuple[Any, ...], value: Any) -> None:
    """Replace what is at a path, where an earlier change has left the path."""
    for key in path[:-1]:
        if key not in (range(len(data)) if isinstance(data, list) else data if isinstance(data, dict) else ()):
            return
        data = data[key]
    if isinstance(data, dict) or (isinstance(data, list) and path[-1] in range(len(data))):
        data[path[-1]] = value


changes = st.integers(0, len(SAMPLES) - 1).flatmap(
    lambda which: st.tuples(
        st.just(which), st.lists(st.tuples(st.sampled_from(PLACES[which]), values), min_size=1, max_size=4)
    )
)


def refusal(data: Any) -> str:
    """What the check of the evidence says, or nothing."""
    try:
        check_evidence(data)
    except ProblemError as error:
        return str(error)
    return ""


def check(data: Any) -> None:
    message = refusal(data)
    if message:
        assert "\n" not in message
        assert len(message) < 600
        return
    page = render_html(data)
    assert not BAD_PLACE.search(page)
    render_markdown(data).encode()
    render_json(data).encode()


def check_changed(which: int, parts: list[tuple[tuple[Any, ...], Any]]) -> None:
    data = copy.deepcopy(SAMPLES[which])
    for path, value in parts:
        replace(data, path, copy.deepcopy(value))
    check(data)


@settings(max_examples=150)
@given(changes)
def test_mutated_evidence(change):
    check_changed(*change)


@pytest.mark.slow
@settings(max_examples=600)
@given(changes)
def test_much_mutated_evidence(change):
    check_changed(*change)


@pytest.mark.parametrize("value", EXTREMES[:9], ids=repr)
def test_extreme_numbers_everywhere(value):
    """Every float of the evidence is the same extreme number."""

    def everywhere(entry: Any) -> Any:
        if isinstance(entry, dict):
            return {key: everywhere(part) for key, part in entry.items()}
        if isinstance(entry, list):
            return [everywhere(part) for part in entry]
        return float(value) if isinstance(entry, float) else entry

    check(everywhere(SAMPLES[0]))


def test_numbers_that_alternate_between_extremes():
    signs = [0]

    def everywhere(entry: Any) -> Any:
        if isinstance(entry, dict):
            return {key: everywhere(part) for key, part in entry.items()}
        if isinstance(entry, list):
            return [everywhere(part) for part in entry]
        signs[0] += 1
        return (-1) ** signs[0] * 1.7e308 if isinstance(entry, float) else entry

    check(everywhere(SAMPLES[0]))
