"""Columns as people mean them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import Encoding, learn_encoding, table_from_frame


def people(n=200):
    rng = np.random.default_rng(0)
    jobs = np.array(["clerk", "cook", "nurse"])
    return {
        "age": [None if i % 10 == 3 else int(x) for i, x in enumerate(rng.integers(20, 60, n))],
        "job": jobs[rng.integers(0, 3, n)].tolist(),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)].tolist(),
        "income": rng.normal(size=n).tolist(),
        "paid": np.array(["no", "yes"])[rng.integers(0, 2, n)].tolist(),
    }


def learn(frame, **options):
    return learn_encoding(table_from_frame(frame), **{"target": "paid", **options})


def test_features():
    frame = people()
    encoding = learn(frame, groups="sex")
    assert encoding.feature_names == ["age", "age is missing", "job=clerk", "job=cook", "job=nurse", "income"]
    X = encoding.features(table_from_frame(frame))
    assert X.shape == (200, 6)
    assert X.flags.c_contiguous
    known = [age for age in frame["age"] if age is not None]
    assert X[3, 0] == np.mean(known)
    np.testing.assert_array_equal(X[:, 1], [age is None for age in frame["age"]])
    np.testing.assert_array_equal(X[:, 2:5].sum(axis=1), 1.0)
    np.testing.assert_array_equal(X[:, 5], frame["income"])
    assert encoding.target_values(table_from_frame(frame)).tolist() == frame["paid"]
    assert encoding.group_labels(table_from_frame(frame))["sex"].tolist() == frame["sex"]
    assert (encoding.target.task, encoding.target.classes, encoding.target.positive) == (
        "classification",
        ("no", "yes"),
        "yes",
    )


def test_groups_are_features_on_request():
    assert "sex=m" in learn(people(), groups="sex", keep_groups=True).feature_names


def test_stored_and_read_again():
    frame = people()
    encoding = learn(frame, groups="sex")
    again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert again == encoding
    table = table_from_frame(frame)
    assert again.features(table).tobytes() == encoding.features(table).tobytes()


def test_unknown_columns():
    with pytest.raises(ProblemError, match=r"there is no column 'payd', which target names. Did you mean 'paid'"):
        learn(people(), target="payd")
    encoding = learn(people())
    with pytest.raises(ProblemError, match="the table lacks the column 'age'"):
        encoding.features(table_from_frame({"job": ["cook"], "sex": ["f"], "income": [1.0], "Age": [3]}))
