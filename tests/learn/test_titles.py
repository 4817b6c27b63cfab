"""Groups as sentences and pictures write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from saddleback.learn.groups import read_sensitive_features
from saddleback.learn.groups.titles import titles_of

SEX, RACE = ["f", "f", "m", "m"], ["b", "w", "b", "w"]


@pytest.mark.parametrize(
    ("features", "options", "titles"),
    [
        ({"sex": SEX, "race": RACE}, {}, ["sex=f, race=b", "sex=f, race=w", "sex=m, race=b", "sex=m, race=w"]),
        ({"sex": SEX, "race": RACE}, {"crossed": False}, ["sex=f", "sex=m", "race=b", "race=w"]),
        ({"sex": SEX}, {}, ["sex=f", "sex=m"]),
        ({"sex": SEX}, {"crossed": False}, ["sex=f", "sex=m"]),
        (pd.Series([0, 0, 1, 1], name="colonial"), {}, ["colonial=0", "colonial=1"]),
        (
            pd.Series([0, 0, 1, None], name="colonial"),
            {"missing_groups": "group"},
            ["colonial=0.0", "colonial=1.0", "colonial=(missing)"],
        ),
        ({"sex": SEX, "race": RACE}, {"min_group_size": 2}, ["(rest)"]),
        (SEX, {}, [None, None]),
        (np.array([SEX, RACE]).T, {}, [None] * 4),
        (list(zip(SEX, RACE, strict=True)), {}, [None] * 4),
    ],
)
def test_titles(features, options, titles):
    assert titles_of(read_sensitive_features(features, 4, **options)) == titles
