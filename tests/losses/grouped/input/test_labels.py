"""Labels as numbers: integers are numbered by counting, with the numbers of a sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saddleback.losses.grouped.input import label_numbers
from saddleback.losses.grouped.input.label_numbers import encode
from saddleback.losses.grouped.input.labels import read_labels

RNG = np.random.default_rng(0)
INTEGERS = {
    "codes": RNG.integers(0, 7, 500),
    "with gaps": RNG.choice([3, 5, 40, 41], 500),
    "negative": RNG.integers(-20, 3, 500),
    "far from zero": 10**15 + RNG.integers(0, 9, 500),
    "far apart": RNG.choice([-(10**15), 0, 10**15], 500),
    "one label": np.full(9, 4),
    "one row": np.array([-7]),
    "all different": RNG.permutation(500),
    "booleans": RNG.integers(0, 2, 500).astype(bool),
    "only true": np.ones(5, dtype=bool),
    "bytes": RNG.integers(-128, 128, 500).astype(np.int8),
    "unsigned bytes": RNG.integers(0, 256, 500).astype(np.uint8),
    "big-endian": RNG.integers(0, 7, 500).astype(">i4"),
    "every other": np.repeat(RNG.integers(0, 7, 500), 2)[::2],
    "smallest": np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).min + 1] * 9),
    "smallest and largest": np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max] * 9),
    "unsigned": np.array([2**64 - 1, 2**64 - 3] * 9, dtype=np.uint64),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name):
    labels = INTEGERS[name]
    names, codes = read_labels(labels, "y", len(labels))
    distinct, expected = np.unique(labels, return_inverse=True)
    assert names == distinct.tolist()
    assert list(map(type, names)) == list(map(type, distinct.tolist()))
    assert codes.dtype == np.intp
    np.testing.assert_array_equal(codes, expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64, np.bool_])
def test_numbers_of_few_bits_are_numbered_without_a_warning(dtype):
    labels = np.array([1, 0, 1, 1], dtype=dtype)
    names, codes = encode(labels, "groups")
    assert names == [0, 1]
    assert codes.tolist() == [1, 0, 1, 1]


def by_sorting(labels):
    """Distinct labels and numbers as NumPy has them."""
    distinct, codes = np.unique(labels, return_inverse=True)
    return distinct.tolist(), codes


@given(
    st.lists(st.sampled_from(["", "a", "ab", "b", "ba", "\x00", "é", "aa" * 20, "z" * 64, "z" * 65]), min_size=1),
    st.sampled_from(["U", "S", "O"]),
)
def test_texts_are_numbered_as_by_sorting(texts, kind):
    labels = np.char.encode(texts, "utf-8") if kind == "S" else np.array(texts, dtype=kind)
    names, codes = encode(labels, "groups")
    expected = by_sorting(labels)
    assert names == expected[0]
    np.testing.assert_array_equal(codes, expected[1])


def test_texts_that_share_a_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(label_numbers, "MULTIPLIER", np.uint64(1))
    labels = np.array(["ab", "ba", "ab", "aa"])
    names, codes = encode(labels, "groups")
    assert names == ["aa", "ab", "ba"]
    np.testing.assert_array_equal(codes, [1, 2, 1, 0])


@pytest.mark.parametrize("n_labels", [2, 300, 5000])
def test_many_texts_are_numbered_as_by_sorting(n_labels):
    """From few labels, which have places of their own in a table, to many, of which some share one."""
    labels = np.char.add("label ", RNG.integers(0, n_labels, 4 * n_labels).astype(str))
    names, codes = encode(labels, "groups")
    expected = by_sorting(labels)
    assert names == expected[0]
    np.testing.assert_array_equal(codes, expected[1])


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.5, 7.0, 1e300, -np.inf, np.inf, np.nan, 2.0**60]), min_size=1),
    st.sampled_from([np.float64, np.float32]),
)
def test_floats_are_numbered_as_by_sorting(numbers, dtype):
    with np.errstate(over="ignore"):
        labels = np.array(numbers).astype(dtype)
    known = ~np.isnan(labels)
    names, codes = encode(labels, "groups")
    expected = by_sorting(labels[known])
    assert names == expected[0]
    np.testing.assert_array_equal(codes[known], expected[1])
    assert (codes[~known] == -1).all()


@given(st.lists(st.sampled_from([None, float("nan"), "a", "b", ("a", None), ("a", 1), 1, 2.5, True]), min_size=1))
def test_objects_keep_their_first_order_where_they_cannot_be_compared(labels):
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    names, codes = encode(array, "groups")
    missing = [label is None or label != label or label == ("a", None) for label in labels]
    assert [code == -1 for code in codes] == missing
    assert all(names[code] == label for code, label in zip(codes, labels, strict=True) if code >= 0)
    known = [label for label, absent in zip(labels, missing, strict=True) if not absent]
    if {type(label) for label in known} > {str, int}:
        assert names == list(dict.fromkeys(known))
