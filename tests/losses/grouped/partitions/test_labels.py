"""Names of groups and classes: those of the same table in memory, in the same order."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import saddleback as sb

from .tables import assert_same_facts, lazy, lazy_frame, table

X, Y, GROUPS = table()
N = len(X)


def of_codes(*labels):
    names = np.empty(len(labels), dtype=object)
    names[:] = labels
    return names[GROUPS]


CASES = {
    "integers": GROUPS * 10 - 7,
    "floats": GROUPS / 4,
    "texts": np.array(["b", "a", "d", "c"])[GROUPS],
    # Sorted by text, which is wider in some partitions.
    "widths of texts": np.array(["b", "aaaa", "d", "c"])[GROUPS],
    "objects": of_codes("b", "a", "d", "c"),
    "tuples": of_codes((1, "b"), (0, "b"), (1, "a"), (0, "a")),
    # These have no order: groups are named in the order of their first rows.
    "without order": of_codes("b", 1, ("c",), 2.5),
    "booleans": GROUPS > 1,
}


@pytest.mark.parametrize("case", CASES)
def test_labels(case):
    labels = CASES[case]
    known = sb.GroupedLinear(X, Y, labels)
    assert_same_facts(sb.GroupedLinear(lazy(X), lazy(Y), lazy(labels)), known)
    assert_same_facts(sb.GroupedLinear(lazy(X), lazy(Y), list(labels)), known)


def test_labels_without_order_in_the_last_partitions():
    """The first row decides, wherever the partition of it ends."""
    labels = np.array(["x"] * N, dtype=object)
    labels[:3], labels[150], labels[190] = [2, "x", 1], ("t",), 0
    known = sb.GroupedLinear(X, Y, labels)
    assert known.group_names == [2, "x", 1, ("t",), 0]
    assert_same_facts(sb.GroupedLinear(lazy(X), Y, lazy(labels)), known)


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_keep_their_order(ordered):
    town = pd.Categorical.from_codes(GROUPS, ["south", "north", "west", "east"], ordered=ordered)
    frame = pd.DataFrame({"town": town, "y": Y})
    known = sb.GroupedLinear(X, frame["y"], frame["town"])
    assert known.group_names == ["south", "north", "west", "east"]
    on_dask = lazy_frame(frame)
    assert_same_facts(sb.GroupedLinear(lazy(X), Y, on_dask["town"]), known)
    more = lazy_frame(frame["town"].cat.add_categories("away").to_frame())["town"]
    with pytest.raises(sb.ProblemError, match="every group must have rows; got none for group 'away'"):
        sb.GroupedLinear(lazy(X), Y, more)


def test_categories_that_differ_between_partitions_are_labels():
    parts = [pd.Series(list("ab") * 50).astype("category"), pd.Series(list("bca") * 33 + ["b", "b"]).astype("category")]
    known = sb.GroupedLinear(X, Y, np.concatenate([part.astype(str) for part in parts]))
    labels = dd.from_map(lambda k: parts[k], [0, 1], meta=pd.Series(dtype="category"))
    assert_same_facts(sb.GroupedLinear(lazy(X, (100, 101)), Y, labels), known)


def test_classes_that_some_partitions_lack():
    y = np.where(np.arange(N) < 180, "no", np.where(np.arange(N) % 2, "yes", "maybe"))
    known = sb.GroupedLinear(X, y, GROUPS, loss="softmax")
    losses = sb.GroupedLinear(lazy(X), lazy(y), lazy(GROUPS), loss="softmax")
    assert losses.classes == ["maybe", "no", "yes"]
    assert_same_facts(losses, known)


def test_weights_that_are_equal_within_groups_only():
    """Equal weights have a shorter formula, which must not be taken for these."""
    weight = 1.0 + GROUPS
    known = sb.GroupedLinear(X, Y, GROUPS, sample_weight=weight)
    assert_same_facts(sb.GroupedLinear(lazy(X), lazy(Y), lazy(GROUPS), sample_weight=lazy(weight)), known)
    assert_same_facts(
        sb.GroupedLinear(lazy(X), Y, GROUPS, sample_weight=0.0 * weight + 0.3),
        sb.GroupedLinear(X, Y, GROUPS, sample_weight=0.0 * weight + 0.3),
    )
