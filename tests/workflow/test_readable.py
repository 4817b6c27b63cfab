"""What fit accepts can be saved, and what is saved can be read again; otherwise fit says so."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.errors import ProblemError
from saddleback.workflow.certify_model import certify_model

N = 200
RNG = np.random.default_rng(0)
X, Z, TOWN = RNG.normal(size=N), RNG.normal(size=N), np.repeat(["big", "small"], [150, 50])
PAID = np.where(X + RNG.logistic(size=N) > 0, "yes", "no")
AMOUNT = X + RNG.normal(size=N)
QUICK = {"groups": "town", "worst_weight": 0.5, "l2": 0.01, "folds": 2}


def table(**columns):
    return {"x": X, "z": Z, "town": TOWN, "paid": PAID, **columns}


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"paid": 1e52 * AMOUNT}, {"task": "regression"}),
        ({"x": 1e-300 * X}, {}),
        ({"job": np.where(X > 0, "j" * 100_000, "clerk")}, {}),
        ({"w": np.where(np.arange(N) == 0, 1e6, 1.0)}, {"weight": "w"}),
    ],
)
def test_extreme_tables_have_files_that_can_be_read(tmp_path, columns, options):
    model = sb.fit_table(table(**columns), target="paid", **QUICK, **options)
    model.save(tmp_path / "model.safetensors")
    loaded = sb.load(tmp_path / "model.safetensors")
    loaded.report(tmp_path / "report.html")
    assert loaded.predict(table(**columns)).equals(model.predict(table(**columns)))


def test_no_interval_is_made_of_less_than_two_effective_rows():
    weights = np.where(np.arange(N) == 0, 1e5, 1.0)
    target, predicted = (PAID == "yes").astype(int), np.full(N, 0.6)
    groups = sb.group_table(target, predicted, sensitive_features=TOWN, sample_weight=weights).to_dict()
    big, small = ({name: column[j] for name, column in groups.items()} for j in range(2))
    assert np.isnan(big["loss_high"])
    assert small["loss_low"] < small["loss"] < small["loss_high"] < 2.0


def test_coefficients_that_overflow_are_refused_by_column():
    with pytest.raises(ProblemError, match="values of column 0 of X are too small"):
        sb.fit_table(table(x=1e-310 * X), target="paid", **QUICK)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.where(np.arange(N) == 3, np.inf, 1.0), "at least 0; got inf"),
        (np.where(np.arange(N) == 3, -2.0, 1.0), "at least 0; got -2"),
        (
            np.where(np.arange(N) == 3, 1e308, 1.0),
            "differ too much: from 1 to 1e.308, expected a ratio of at most 1e.12",
        ),
    ],
)
def test_weights_that_cannot_be_meant(weights, message):
    with pytest.raises(ProblemError, match=message):
        sb.fit_table(table(w=weights), target="paid", weight="w", **QUICK)


def test_a_weighted_model_is_certified_by_rows_with_weights():
    weighted = table(w=np.where(X > 0, 2.0, 1.0))
    model = sb.fit_table(weighted, target="paid", weight="w", evidence=False, groups="town", worst_weight=0.5)
    assert certify_model(model, weighted).holds
    with pytest.raises(ProblemError, match="lack the column 'w' of weights"):
        certify_model(model, table())
