"""Columns that know the target are refused or noticed."""

from __future__ import annotations

import numpy as np
import pytest

from saddleback.errors import ProblemError
from saddleback.tabular import learn_encoding, table_from_frame

N = 600
RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, N)
Z = RNG.normal(size=N)


def learn(x, y=Y, **options):
    return learn_encoding(table_from_frame({"x": x, "z": Z[: len(x)], "y": y}), target="y", **options)


def kinds(encoding):
    return [(f.column, f.kind, f.severity) for f in encoding.findings if f.kind in ("leakage", "proxy")]


NOTICED = [("x", "leakage", "warning")]
NUMBER = 3.0 * Z + RNG.normal(size=N)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (Y, Y),
        (1 - Y, Y),
        (np.array(["no", "yes"])[Y], Y),
        (10.5 * Y, np.array(["no", "yes"])[Y]),
        ([None if v else 1.0 for v in Y], Y),
        (np.arange(N) % 4 * 7, np.array(list("abcd"))[np.arange(N) % 4]),
        (NUMBER, NUMBER),
        (np.exp(NUMBER), NUMBER),
        (-5 * NUMBER + 1, NUMBER),
    ],
)
def test_a_column_that_determines_the_target_is_refused(x, y):
    with pytest.raises(
        ProblemError, match=r"'x' and the target 'y' determine each other.*--drop x \(drop=\).*--keep x"
    ):
        learn(x, y)
    assert kinds(learn(x, y, keep="x")) == NOTICED
    assert kinds(learn(x, y, drop="x")) == []


def test_all_of_them_are_named():
    with pytest.raises(ProblemError, match="--drop x --drop z"):
        learn_encoding(table_from_frame({"x": Y, "z": 1 - Y, "y": Y}), target="y")


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (Y + 0.1 * RNG.normal(size=N), Y),
        (np.where(RNG.random(N) < 0.01, 1 - Y, Y), Y),
        (np.array(["a", "b", "c", "d"])[2 * Y + RNG.integers(0, 2, N)], Y),
        (np.where(Y == 1, RNG.choice([-3.0, 3.0], N), 0.0) + 0.1 * RNG.normal(size=N), Y),
        ([float(v) if Y[i] else None for i, v in enumerate(RNG.normal(size=N))], Y),
        (NUMBER + 0.01 * RNG.normal(size=N), NUMBER),
        (np.array(list("abcdefgh"))[np.arange(N) % 8], (np.arange(N) % 8) ** 2 + 0.1 * RNG.normal(size=N)),
    ],
)
def test_a_column_that_nearly_determines_the_target_is_noticed(x, y):
    assert kinds(learn(x, y)) == NOTICED


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (RNG.normal(size=N), Y),
        (Y + RNG.normal(size=N), Y),
        (np.where(RNG.random(N) < 0.15, 1 - Y, Y), Y),
        (NUMBER + RNG.normal(size=N), NUMBER),
        (np.array([f"street {i % 40}" for i in range(N)]), Y),
        (np.ones(N) * (np.arange(N) == 3), np.arange(N) == 5),
    ],
)
def test_ordinary_columns_are_not(x, y):
    assert kinds(learn(x, y)) == []


def test_few_rows_agree_by_chance():
    assert kinds(learn([0, 1, 0, 1], [0, 1, 0, 1])) == []


def test_proxies_of_groups_are_noted():
    group = np.array(["u", "v", "w"])[np.arange(N) % 3]
    frame = {"x": np.arange(N) % 3 * 2.0, "z": Z, "g": group, "y": Y}
    encoding = learn_encoding(table_from_frame(frame), target="y", groups="g")
    assert kinds(encoding) == [("x", "proxy", "note")]


def test_a_group_may_be_the_target():
    encoding = learn_encoding(table_from_frame({"z": Z, "g": Y, "y": Y}), target="y", groups="g")
    assert kinds(encoding) == []


def test_the_sample_of_a_large_table_suffices():
    n = 250_000
    y = np.arange(n) % 3 == 0
    frame = {"x": np.where(np.arange(n) % 997 == 0, ~y, y).astype(float), "z": np.arange(n) % 17, "y": y}
    assert kinds(learn_encoding(table_from_frame(frame), target="y")) == NOTICED
    with pytest.raises(ProblemError, match="determine each other one to one in all of 100000 sampled rows"):
        learn_encoding(table_from_frame({**frame, "x": y}), target="y")
