"""Tables of the held-out study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.heldout.recipes import FILES, WOOLDRIDGE, Recipe
from benchmarks.heldout.tables import SMALLEST_GROUP, csv_table, prepare


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 200
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "work": rng.choice(["private", "state", "none"], n),
            "sex": np.repeat(["f", "m"], [80, 120]),
            "rare": np.repeat(["a", "b"], [SMALLEST_GROUP - 1, n - SMALLEST_GROUP + 1]),
            "paid": rng.choice(["yes", "no"], n),
            "wage": rng.gamma(2.0, 1.0, n),
        }
    )


def test_csv_with_two_classes(frame, tmp_path):
    path = tmp_path / "people.csv.gz"
    frame.loc[0, "age"] = np.nan
    frame.to_csv(path, index=False)
    table = csv_table(f"{path}:paid:sex")
    assert table.classes
    assert table.X.shape == (199, 1 + 2 + 1 + 1)
    np.testing.assert_array_equal(table.y, frame["paid"][1:] == "yes")
    assert set(table.groups) == {"sex=f", "sex=m"}


def test_csv_with_numbers_and_crossed_groups_drops_small_ones(frame, tmp_path):
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    table = csv_table(f"{path}:wage:sex,rare")
    assert not table.classes
    assert set(table.groups) == {"sex=f rare=b", "sex=m rare=b"}
    assert not {"sex", "rare", "wage"} & set(table.features)


def test_csv_errors_name_the_column(frame, tmp_path):
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(ValueError, match="no column 'salary'; it has 'age'"):
        csv_table(f"{path}:salary:sex")
    with pytest.raises(ValueError, match="'work' must be a number or have two values; it has 3"):
        csv_table(f"{path}:work:sex")


def test_missing_targets_are_not_a_class(frame):
    frame["grade"] = np.where(np.arange(200) < 50, ".", frame["paid"])
    table = prepare(frame, Recipe("", "grade == 'yes'", "sex", "age"))
    assert table.classes
    np.testing.assert_array_equal(table.y, frame["paid"][50:] == "yes")


@pytest.mark.parametrize("recipe", [*WOOLDRIDGE.values(), *FILES.values()], ids=[*WOOLDRIDGE, *FILES])
def test_groups_and_targets_are_no_features(recipe):
    features = set(recipe.features.split())
    assert not features & set(recipe.groups.split())
    assert not features & set(recipe.target.replace("(", " ").replace(".", " ").split())
    assert set(recipe.categories.split()) <= features
