"""Python values in files keep their types; what is not such a value is refused in both directions."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import saddleback as sb
from saddleback.storage import Parts, Reader, Unreadable, json_array, json_from
from saddleback.storage.values import unpack_value

plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters()),
    st.sampled_from([np.int8(3), np.uint64(2**63), np.float32(0.1), np.float16(2), np.str_("a"), np.True_]),
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
    ),
    max_leaves=12,
)


def again(value):
    parts = Parts()
    parts.under("a").value("b", value)
    return Reader(parts.texts, parts.arrays).under("a").value("b")


def same(one, two):
    if type(one) is not type(two):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and all(map(same, one.ravel().tolist(), two.ravel().tolist()))
    return repr(one) == repr(two)


@given(values)
def test_values_keep_their_types(value):
    assert same(again(value), value)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        {"a": (np.arange(3), [np.eye(2), np.array(["x", "yy"]), np.array(["", ""])])},
        np.array(["a", None, 3, (1, 2)], dtype=object),
        [np.arange(2)] * 3,
        np.array([], dtype=str),
        np.array([True, False]),
        {1: "whole", (1, "a"): "tuple", None: "none"},
    ],
)
def test_arrays_and_keys(value):
    assert same(again(value), value)


@pytest.mark.parametrize(
    "value",
    [
        2**64,
        1j,
        b"bytes",
        {1, 2},
        object(),
        print,
        np.array([b"a"]),
        np.zeros((1, 1, 1)),
        np.datetime64("2020"),
        range(3),
    ],
)
def test_what_cannot_be_stored(value):
    with pytest.raises(sb.ProblemError, match=r"a\.b cannot be stored: .* got "):
        again([value])


def test_deep_values():
    nested = []
    for _ in range(30):
        nested = [nested]
    with pytest.raises(sb.ProblemError, match="cannot be stored"):
        again(nested)


def no_arrays(name):
    raise Unreadable("no array")


@pytest.mark.parametrize(
    "packed",
    [
        10**30,
        {},
        {"float": "1.0"},
        {"float": 3},
        {"tuple": 3},
        {"dict": [[1]]},
        {"dict": [[[], 1]]},
        {"dict": [[1, 1], [1, 2]]},
        {"scalar": ["int8", 128]},
        {"scalar": ["int8", True]},
        {"scalar": ["int8", 1.0]},
        {"scalar": ["float64", 1]},
        {"scalar": ["object", 1]},
        {"scalar": ["str", 1]},
        {"scalar": [[], 1]},
        {"array": "elsewhere.0"},
        {"array": "name.0"},
        {"array": []},
        {"texts": ["a"], "type": "<U999999"},
        {"texts": ["a"], "type": "<U0"},
        {"texts": [1], "type": "<U1"},
        {"texts": ["a"], "type": ["<U1"]},
        {"texts": ["a"]},
        {"objects": {}},
        {"object": "Anything", "fields": {}},
        {"object": 3, "fields": {}},
        {"fields": {}, "object": "Anything"},
        {"unknown": 1},
        [[[[[[[[[[[[[[1]]]]]]]]]]]]]],
    ],
)
def test_what_is_no_value(packed):
    with pytest.raises(Unreadable):
        unpack_value(packed, "name", no_arrays)


def test_texts_of_very_different_lengths_take_little_memory():
    texts = [*["a"] * 20_000, "b" * 100_000]
    with pytest.raises(Unreadable, match="too much memory"):
        unpack_value({"texts": texts, "type": "<U100000"}, "name", no_arrays)


# --- JSON -------------------------------------------------------------------------------------------------------------


def test_json_comes_back():
    value = {"a": [1, 2.5, None, True, "\u2603 \ud800"]}
    assert json_from(json_array(value), "it") == value


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, object(), {(1, 2): 3}])
def test_what_is_no_json(value):
    with pytest.raises(sb.ProblemError, match="not JSON"):
        json_array([value])


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "it is not JSON"),
        (b"{", "it is not JSON"),
        (b"[NaN]", "it holds NaN"),
        (b"[-Infinity]", "it holds -Infinity"),
        (b'{"a": 1, "a": 2}', "a name occurs twice"),
        (b"\xff", "it is not JSON"),
        (b"[" * 100_000, "too many lists"),
        (b"[" * 9_000, "it is not JSON"),
        (b"9" * 10_000, "it is not JSON"),
        (b" " * 2000, "at most 1000 bytes of JSON; got 2000"),
    ],
)
def test_hostile_json(raw, message):
    with pytest.raises(sb.ProblemError, match=message) as caught:
        json_from(np.frombuffer(raw, np.uint8), "it", 1000 if raw[:1] == b" " else 10**6)
    assert "\n" not in str(caught.value)


def test_json_in_arrays_of_another_kind():
    raw = np.frombuffer(json.dumps([1, 2, 3]).encode(), np.uint8)
    for array in (raw.astype(np.int64), raw.reshape(1, -1), np.array(3.0)):
        with pytest.raises(sb.ProblemError, match="an array of bytes"):
            json_from(array, "it")
