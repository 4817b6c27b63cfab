"""Encodings are stored as JSON, and what is read is checked before it is believed."""

from __future__ import annotations

import copy
import json
import random

import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import Encoding, learn_encoding, table_from_frame

N = 60
FRAME = {
    "age": [None if i % 9 == 0 else 20 + i % 37 for i in range(N)],
    "job": [["clerk", "cook", "nurse", None][i % 4] for i in range(N)],
    "fixed": [1] * N,
    "group": [["u", "v"][i * i % 7 % 2] for i in range(N)],
    "y": [["no", "yes"][i * i % 11 % 2] for i in range(N)],
}
ENCODING = learn_encoding(table_from_frame(FRAME), target="y", groups=["group"])
STORED = ENCODING.to_dict()

NOTHING = object()
HOSTILE = [
    None,
    True,
    1,
    -1,
    2**70,
    1e400,
    float("nan"),
    "",
    "x",
    "\ud800",
    [],
    {},
    [None],
    {"a": 1},
    [[]],
    "x" * 10**5,
    NOTHING,
]


def test_round_trip():
    assert Encoding.from_dict(STORED) == ENCODING
    assert Encoding.from_dict(json.loads(json.dumps(STORED, allow_nan=False))).to_dict() == STORED


@pytest.mark.parametrize(
    "y", [[1.5 + i % 7 for i in range(N)], [i % 3 for i in range(N)], [i % 2 == 0 for i in range(N)]]
)
def test_round_trip_of_other_targets(y):
    encoding = learn_encoding(table_from_frame({**FRAME, "y": y}), target="y", drop="job")
    again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert again == encoding
    assert [type(label) for label in again.target.classes] == [type(label) for label in encoding.target.classes]


def places(value, path=()):
    """All places in nested dicts and lists."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def replaced(path, new):
    data = copy.deepcopy(STORED)
    if not path:
        return new
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    if new is NOTHING:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return data


@pytest.mark.parametrize("new", HOSTILE, ids=lambda new: repr(new)[:20])
def test_hostile_values_everywhere(new):
    table = table_from_frame(FRAME)
    for path in places(STORED):
        try:
            encoding = Encoding.from_dict(replaced(path, new))
        except ProblemError as error:
            assert "\n" not in str(error)  # noqa: PT017
            assert len(str(error)) < 1000  # noqa: PT017
            continue
        json.dumps(encoding.to_dict(), allow_nan=False)
        try:
            X = encoding.features(table)
        except ProblemError:
            continue
        assert X.shape == (N, len(encoding.feature_names))


def test_many_changes():
    rng = random.Random(0)
    paths = [path for path in places(STORED) if path]
    refused = 0
    for _ in range(500):
        data = copy.deepcopy(STORED)
        for _ in range(rng.randint(1, 3)):
            path, source = rng.choice(paths), rng.choice(paths)
            try:
                inner, value = data, data
                for key in path[:-1]:
                    inner = inner[key]
                for key in source:
                    value = value[key]
                inner[path[-1]] = copy.deepcopy(value)
            except (KeyError, IndexError, TypeError):
                pass
        try:
            encoding = Encoding.from_dict(data)
            encoding.features(table_from_frame(FRAME))
        except ProblemError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    ("path", "new", "told"),
    [
        ((), 3, "the encoding must be a dict; got int"),
        (("format",), "other", "the encoding must have the format 'saddleback encoding'; got 'other'"),
        (("version",), 2, "the encoding is of version 2"),
        (("extra",), 2, "the encoding must have the keys"),
        (("columns", 0, "mean"), float("inf"), "mean of column 0 must be a finite number; got inf"),
        (("columns", 0, "style"), "roman", "style of column 0 must be one of plain, thousands, decimal comma"),
        (("columns", 1, "shares"), [0.1], "its levels must differ, two or more, each with a share"),
        (("columns", 1, "name"), "age", "names of its columns must differ"),
        (("target", "classes"), ["yes", "yes"], "the target is damaged"),
        (("target", "classes"), ["yes", 3], "the target is damaged"),
        (("target", "positive"), "maybe", "the target is damaged"),
    ],
)
def test_what_is_wrong_is_said(path, new, told):
    with pytest.raises(ProblemError) as caught:
        Encoding.from_dict(replaced(path, new))
    assert told in str(caught.value)
