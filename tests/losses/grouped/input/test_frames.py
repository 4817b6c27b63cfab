"""Data frames for X and for groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import saddleback as sb
from saddleback.losses.grouped.input.frames import matrix_of

from ..cases import assert_same, make

N = 203


def attributes(n=N):
    """Two attributes of people, text and numbers, whose combinations do not all occur."""
    rng = np.random.default_rng(1)
    race, age = rng.choice(["white", "black", "asian"], n), rng.choice([30, 20], n)
    age[race == "asian"] = 20
    return race, age


def crossed_labels(race, age):
    return list(zip(race.tolist(), age.tolist(), strict=True))


COLUMNS = {
    "text and numbers": lambda race, age: {"race": race, "age": age},
    "objects": lambda race, age: {"race": race.astype(object), "age": age.astype(object)},
    "categories": lambda race, age: {"race": pd.Categorical(race), "age": pd.Categorical(age)},
    "nullable": lambda race, age: {"race": pd.array(race, dtype="string"), "age": pd.array(age, dtype="Int64")},
    "floats beside text": lambda race, age: {"race": race, "age": age.astype(float)},
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_labels_are_crossed(kind):
    case = make("squared")
    race, age = attributes()
    labels = crossed_labels(race, age)
    losses = case.losses(groups=pd.DataFrame(COLUMNS[kind](race, age)))
    names = [("asian", 20), ("black", 20), ("black", 30), ("white", 20), ("white", 30)]
    assert losses.group_names == names, "sorted, and only what occurs"
    assert {type(part) for name in losses.group_names for part in name} <= {str, int, float}
    w = case.point(losses)
    by_tuples = case.losses(groups=labels)
    assert by_tuples.group_names == names
    assert_same(losses.evaluate(w)[1], by_tuples.evaluate(w)[1])


def test_codes_flags_and_dates_are_crossed():
    """Whole numbers other than 0 and 1 are labels, and the other columns are crossed with them."""
    race, _ = attributes(8)
    codes, flags = np.array([0, 1, 2, 2, 0, 1, 2, 0]), np.array([1, 0, 1, 0, 1, 0, 1, 1])
    for second in (flags, flags.astype(bool), flags.astype(float), np.where(flags, "f", "m")):
        losses = sb.GroupedLinear(np.ones((8, 1)), np.arange(8.0), pd.DataFrame({"a": codes, "b": second}), "squared")
        assert losses.group_names == sorted(set(zip(codes.tolist(), second.tolist(), strict=True)))
    days = pd.DataFrame({"a": pd.to_datetime(["2020-01-02", "2020-01-01"] * 4), "b": race})
    losses = sb.GroupedLinear(np.ones((8, 1)), np.arange(8.0), days, "squared")
    assert losses.group_names[0][0] == np.datetime64("2020-01-01")


def test_categories_are_crossed_in_their_own_order():
    race, age = attributes()
    order = ["white", "asian", "black", "nobody"]
    frame = pd.DataFrame({"race": pd.Categorical(race, order), "age": age})
    names = [("white", 20), ("white", 30), ("asian", 20), ("black", 20), ("black", 30)]
    assert make("squared").losses(groups=frame).group_names == names


def test_three_columns_and_columns_of_one_name_are_crossed():
    race, age = attributes()
    frame = pd.DataFrame(np.column_stack([race, race, age.astype(str)]), columns=["a", "a", "b"])
    names = sorted({(r, r, str(a)) for r, a in crossed_labels(race, age)})
    assert make("squared").losses(groups=frame).group_names == names


def test_one_column_of_a_frame_is_a_vector_of_labels():
    case = make("squared")
    race, age = attributes()
    for labels in (race, age, age == 20, pd.Categorical(race, ["white", "asian", "black"]), age / 3):
        groups = pd.DataFrame({"column": labels})
        assert case.losses(groups=groups).group_names == case.losses(groups=labels).group_names


@pytest.mark.parametrize("dtype", [bool, int, float, np.uint8, np.float32, "Int64", "boolean", "Float64"])
def test_dummies_are_memberships(dtype):
    case = make("squared")
    race, age = attributes()
    dummies = pd.get_dummies(pd.Series(race)).astype(dtype)
    losses = case.losses(groups=dummies)
    assert losses.group_names == ["asian", "black", "white"]
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], case.losses(groups=race).evaluate(w)[1])
    both = pd.get_dummies(pd.DataFrame({"race": race, "age": age.astype(str)})).astype(dtype)
    m = np.column_stack([race == r for r in ("asian", "black", "white")] + [age == a for a in (20, 30)])
    losses = case.losses(groups=both)
    assert losses.group_names == ["race_asian", "race_black", "race_white", "age_20", "age_30"]
    assert_same(losses.evaluate(w)[1], case.reference(m=m).jacobian(w))


def test_a_frame_of_weights_is_memberships():
    case = make("squared")
    m = case.rng.random((N, 3)) * (case.rng.random((N, 3)) < 0.6)
    frame = pd.DataFrame(m, columns=["a", "b", "c"])
    losses = case.losses(groups=frame)
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], case.reference(m=m).jacobian(w))
    mixed = pd.DataFrame({"a": m[:, 0], "b": m[:, 1] > 0, "c": (m[:, 2] > 0).astype(int)})
    m[:, 1:] = m[:, 1:] > 0
    assert_same(case.losses(groups=mixed).evaluate(w)[1], case.reference(m=m).jacobian(w))


def table_of_a_user(rng):
    """Numbers, flags, counts and indicators, as pandas.get_dummies leaves them."""
    city = rng.choice(["Ann Arbor", "Berlin", "Cork"], N)
    plain = {"income": rng.standard_normal(N), "owner": rng.random(N) < 0.5, "children": rng.integers(0, 4, N)}
    return pd.get_dummies(pd.DataFrame({**plain, "city": city}))


def as_nullable(frame):
    return frame.convert_dtypes()


@pytest.mark.parametrize("convert", [lambda frame: frame, as_nullable, lambda frame: frame.astype(object)])
def test_a_frame_of_numbers_flags_and_indicators(convert):
    case = make("logistic")
    frame = table_of_a_user(case.rng)
    assert np.asarray(frame).dtype == object, "what NumPy makes of it"
    losses = case.losses(convert(frame))
    X = np.column_stack([frame[name].to_numpy(float) for name in frame])
    w = case.rng.standard_normal(6)
    assert losses.feature_names == ["income", "owner", "children", "city_Ann Arbor", "city_Berlin", "city_Cork"]
    assert_same(losses.evaluate(w)[1], case.reference(X).jacobian(w))


def test_types_of_mixed_frames():
    """Single precision where every column fits into it."""
    case = make("squared", dtype=np.float32)
    flags, counts = case.rng.random(N) < 0.5, case.rng.integers(0, 9, N)
    single = pd.DataFrame({"a": case.X[:, 0], "b": flags, "c": counts.astype(np.int8)})
    double = pd.DataFrame({"a": case.X[:, 0], "b": flags, "c": counts})
    for frame, dtype in ((single, np.float32), (double, np.float64)):
        assert matrix_of(frame, "X").dtype == dtype
        X = np.column_stack([frame[name].to_numpy(float) for name in frame])
        w = case.rng.standard_normal(3)
        assert_same(case.losses(frame).evaluate(w)[1], case.reference(X).jacobian(w))


def test_a_frame_of_one_block_is_not_copied():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((N, 5)))
    assert np.shares_memory(matrix_of(frame, "X"), frame.to_numpy(copy=False))


class Polars:
    """Columns by name, as Polars has them."""

    def __init__(self, frame):
        self._frame, self.shape, self.columns = frame, frame.shape, list(frame.columns)

    def __len__(self):
        return len(self._frame)

    def __getitem__(self, name):
        return self._frame[name].to_numpy()


class Arrow(Polars):
    """The same, as Arrow has them: ``columns`` are the columns themselves."""

    def __init__(self, frame):
        super().__init__(frame)
        self.column_names, self.columns = self.columns, [self[name] for name in frame.columns]


@pytest.mark.parametrize("kind", [Polars, Arrow])
def test_frames_of_other_libraries(kind):
    case = make("logistic")
    X, (race, age) = table_of_a_user(case.rng), attributes()
    groups = pd.DataFrame({"race": race, "age": age})
    losses, expected = case.losses(kind(X), kind(groups)), case.losses(X, groups)
    assert losses.group_names == expected.group_names
    assert losses.feature_names == expected.feature_names
    w = case.point(losses)
    np.testing.assert_array_equal(losses.values(w), expected.values(w))
    dummies = pd.get_dummies(pd.Series(race))
    assert case.losses(groups=kind(dummies)).group_names == ["asian", "black", "white"]
