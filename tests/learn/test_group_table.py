"""The table of groups: against fairlearn and scikit-learn, its intervals, its kinds of predictions, bad input."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from fairlearn import metrics as fair
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_1samp
from sklearn import metrics

import saddleback as sb
from saddleback.learn import MISSING, Table
from saddleback.learn.metrics.intervals import percentiles, wilson

N = 600


def binary(seed=0, n=N):
    rng = np.random.default_rng(seed)
    groups = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    p = np.clip(rng.beta(2, 2, n) + 0.1 * (groups == "b"), 0, 1)
    return rng.random(n) < p, p, groups, rng.random(n) + 0.1


# --- agreement --------------------------------------------------------------------------------------------------------

SHARED = {
    "accuracy": metrics.accuracy_score,
    "true_positive_rate": fair.true_positive_rate,
    "false_positive_rate": fair.false_positive_rate,
    "true_negative_rate": fair.true_negative_rate,
    "false_negative_rate": fair.false_negative_rate,
    "selection_rate": fair.selection_rate,
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("columns", ["one", "two"])
def test_rates_are_those_of_fairlearn(weighted, columns):
    y, p, groups, weights = binary()
    features = groups if columns == "one" else pd.DataFrame({"g": groups, "h": np.arange(N) % 2})
    params = {name: {"sample_weight": weights} for name in SHARED} if weighted else None
    frame = fair.MetricFrame(
        metrics={**SHARED, "rows": fair.count},
        y_true=y,
        y_pred=p >= 0.5,
        sensitive_features=features,
        sample_params=params,
    )
    table = sb.group_table(y, p, features, sample_weight=weights if weighted else None)
    assert table["group"].tolist() == frame.by_group.index.tolist()
    for name in [*SHARED, "rows"]:
        np.testing.assert_allclose(table[name], frame.by_group[name].to_numpy(float), rtol=1e-12)
        if name != "rows":
            assert table.attributes["overall"][name] == pytest.approx(frame.overall[name], rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_losses_are_those_of_scikit_learn(weighted):
    y, p, groups, weights = binary()
    x, prediction = np.random.default_rng(1).standard_normal((2, N))
    w = weights if weighted else None
    log, brier = (
        sb.group_table(y, p, groups, sample_weight=w),
        sb.group_table(y, p, groups, sample_weight=w, loss="brier"),
    )
    squared = sb.group_table(x, prediction, groups, sample_weight=w)
    absolute = sb.group_table(x, prediction, groups, sample_weight=w, loss="absolute")
    for j, group in enumerate(["a", "b", "c"]):
        own = groups == group
        kwargs = {"sample_weight": weights[own]} if weighted else {}
        assert log["loss"][j] == pytest.approx(metrics.log_loss(y[own], p[own], **kwargs), rel=1e-12)
        assert brier["loss"][j] == pytest.approx(metrics.brier_score_loss(y[own], p[own], **kwargs), rel=1e-12)
        assert squared["loss"][j] == pytest.approx(metrics.mean_squared_error(x[own], prediction[own], **kwargs))
        mae = metrics.mean_absolute_error(x[own], prediction[own], **kwargs)
        assert squared["mean_absolute_error"][j] == pytest.approx(mae)
        assert absolute["loss"][j] == pytest.approx(mae)
        error = np.average(prediction[own] - x[own], weights=weights[own] if weighted else None)
        assert squared["mean_error"][j] == pytest.approx(error)
        calibration = np.average(p[own] - y[own], weights=weights[own] if weighted else None)
        assert log["calibration"][j] == pytest.approx(calibration)


def test_base_rate_impact_ratio_and_calibration_error():
    y, p, groups, _ = binary()
    table = sb.group_table(y, p, groups)
    own = [groups == group for group in "abc"]
    np.testing.assert_allclose(table["base_rate"], [y[rows].mean() for rows in own])
    rates = np.array([(p[rows] >= 0.5).mean() for rows in own])
    np.testing.assert_allclose(table["impact_ratio"], rates / rates.max())
    assert table.attributes["reference"] == ["abc"[rates.argmax()]]
    edges = np.linspace(0, 1, 11)
    for rows, error in zip(own, table["calibration_error"], strict=True):
        bins = np.clip(np.digitize(p[rows], edges) - 1, 0, 9)
        parts = [abs((p[rows] - y[rows])[bins == b].sum()) for b in range(10)]
        assert error == pytest.approx(sum(parts) / rows.sum())


def test_weights_of_two_are_rows_that_come_twice_for_the_values():
    y, p, groups, _ = binary(n=80)
    twice = np.arange(80) % 3 == 0
    again = np.concatenate([np.arange(80), np.flatnonzero(twice)])
    weighted = sb.group_table(y, p, groups, sample_weight=1.0 + twice)
    repeated = sb.group_table(y[again], p[again], groups[again])
    for name in ("loss", "accuracy", "true_positive_rate", "impact_ratio", "calibration", "calibration_error"):
        np.testing.assert_allclose(weighted[name], repeated[name], rtol=1e-12)
    np.testing.assert_allclose(weighted["weight_share"], repeated["share"])


# --- the contract -----------------------------------------------------------------------------------------------------


def test_one_row_for_every_group():
    y, p, groups, _ = binary()
    table = sb.group_table(y, p, sensitive_features=groups)
    assert isinstance(table, Table)
    assert len(table) == 3
    assert table["rows"].sum() == N
    np.testing.assert_allclose(table["share"].sum(), 1)
    for name in [name for name in table.columns if f"{name}_low" in table]:
        inside = (table[f"{name}_low"] <= table[name]) & (table[name] <= table[f"{name}_high"])
        assert (inside | np.isnan(table[f"{name}_low"])).all(), name


def test_missing_and_small_groups_are_shown():
    y, p, groups, _ = binary()
    labels = groups.astype(object)
    labels[:30] = None
    labels[30:32] = "tiny"
    table = sb.group_table(y, p, labels)
    assert table["group"].tolist() == ["a", "b", "c", "tiny", MISSING]
    assert table.row(MISSING)["rows"] == 30
    assert table["small"].tolist() == [False, False, False, True, False]
    assert table.attributes["rows_without_label"] == 30
    assert "Rows without a label of their group: 30" in repr(table)
    with pytest.raises(sb.ProblemError, match="got 30 of 600 rows without one, the first in row 0"):
        sb.group_table(y, p, labels, missing_groups="error")


def test_small_and_unknown_groups_are_no_reference():
    labels = np.array(["a"] * 100 + ["b"] * 100 + ["tiny"] * 2 + [None] * 50, dtype=object)
    selected = np.concatenate([np.arange(100) < 50, np.arange(100) < 25, [True, True], [True] * 50])
    y = np.arange(252) % 2 == 0
    table = sb.group_table(y, selected, labels)
    assert table.attributes["reference"] == ["a"]
    assert table["impact_ratio"].tolist() == [1.0, 0.5, 2.0, 2.0]
    assert sb.group_table(y, selected, labels, small_share=0.0).attributes["reference"] == ["tiny"]
    assert sb.group_table(y, selected, labels, small_share=1.0).attributes["reference"] == ["tiny"]
    assert sb.group_table(y, selected, [None] * 252).attributes["reference"] == [MISSING]
    assert np.isnan(sb.group_table(y, np.zeros(252, bool), labels)["impact_ratio"]).all()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_each_attribute_alone(library):
    y, p, groups, _ = binary()
    frame = library({"g": groups, "h": np.arange(N) % 2})
    table = sb.group_table(library({"y": y})["y"], library({"p": p})["p"], frame, crossed=False)
    assert table["group"].tolist() == [("g", "a"), ("g", "b"), ("g", "c"), ("h", 0), ("h", 1)]
    assert table["rows"].sum() == 2 * N
    for part, labels in ((slice(0, 3), groups), (slice(3, 5), np.arange(N) % 2)):
        alone = sb.group_table(y, p, labels)
        for name in alone.columns[1:]:
            np.testing.assert_allclose(table[name][part].astype(float), alone[name].astype(float), err_msg=name)
    assert len(table.attributes["reference"]) == 2


def test_what_cannot_be_computed_is_nan():
    table = sb.group_table([1, 1, 0, 1, 0], [0.9, 0.4, 0.2, 0.8, 0.1], ["a", "a", "a", "b", "c"])
    assert table["false_positive_rate"].tolist()[:2] == [0.0, pytest.approx(np.nan, nan_ok=True)]
    assert np.isnan(table["true_positive_rate"][2])
    assert np.isnan(table["true_positive_rate_low"][2])
    assert np.isnan(table["loss_low"][1])
    assert np.isfinite(table["accuracy_low"]).all()
    repr(table), table.to_markdown(), table._repr_html_()
    weightless = sb.group_table([1, 0, 1], [0.9, 0.4, 0.2], ["a", "a", "b"], sample_weight=[1.0, 1.0, 0.0])
    assert np.isnan(weightless["loss"][1])


def test_ten_thousand_groups():
    rng = np.random.default_rng(3)
    labels, p = np.arange(30_000) % 10_000, rng.random(30_000)
    table = sb.group_table(rng.random(30_000) < p, p, labels)
    assert len(table) == 10_000
    assert table["small"].all()
    boot = sb.group_table(rng.random(30_000) < p, p, labels, interval="bootstrap", n_boot=20)
    assert np.isfinite(boot["loss_low"]).all()


# --- intervals --------------------------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_that_of_scipy(n, data, level):
    k = data.draw(st.integers(0, n))
    expected = binomtest(k, n).proportion_ci(level, method="wilson")
    low, high = wilson(np.array([k / n]), np.array([float(n)]), level)
    np.testing.assert_allclose([low[0], high[0]], [expected.low, expected.high], atol=1e-12)


def test_intervals_of_rates_and_means():
    y, p, groups, _ = binary()
    table = sb.group_table(y, p, groups, level=0.9)
    for j, group in enumerate("abc"):
        own = groups == group
        hits, n = int(((p >= 0.5) & y)[own].sum()), int(y[own].sum())
        expected = binomtest(hits, n).proportion_ci(0.9, method="wilson")
        assert table["true_positive_rate_low"][j] == pytest.approx(expected.low)
        assert table["true_positive_rate_high"][j] == pytest.approx(expected.high)
        losses = -np.log(np.where(y, p, 1 - p))[own]
        expected = ttest_1samp(losses, 0.0).confidence_interval(0.9)
        assert table["loss_low"][j] == pytest.approx(expected.low)
        assert table["loss_high"][j] == pytest.approx(expected.high)
    assert table.attributes["level"] == 0.9
    assert "Intervals of 90 %: Wilson score for rates, Student's t for means" in table.caption
    for name in ("accuracy", "loss", "impact_ratio"):
        scaled = sb.group_table(y, p, groups, level=0.9, sample_weight=np.full(N, 7.0))
        np.testing.assert_allclose(scaled[f"{name}_low"], table[f"{name}_low"], rtol=1e-9)


def test_caption_names_the_intervals_that_are_there():
    rng = np.random.default_rng(0)
    y, prediction, groups = rng.standard_normal(50), rng.standard_normal(50), np.arange(50) % 2
    caption = sb.group_table(y, prediction, groups).caption
    assert "Student's t for means" in caption
    assert not any(word in caption for word in ("Wilson", "Katz", "impact", "Impact"))
    labels = sb.group_table(np.arange(50) % 3, np.arange(50) % 3, groups, kind="label").caption
    assert "Wilson" in labels
    assert "Katz" not in labels
    assert "Student" not in labels


def test_impact_ratios_where_a_rate_is_0_or_1():
    """Katz's interval would have no length, or none at all: the ends of Wilson's are divided instead."""
    selected = np.array([1, 0] * 10 + [1] * 3 + [0] * 4 + [1, 1, 0])
    groups = ["a"] * 20 + ["b"] * 3 + ["c"] * 4 + ["d"] * 3
    table = sb.group_table(np.ones(30, int), selected, groups, small_share=0.15)
    assert table.attributes["reference"] == ["a"]
    low, high = table["selection_rate_low"], table["selection_rate_high"]
    for j in (1, 2):
        assert table["impact_ratio_low"][j] == pytest.approx(low[j] / high[0])
        assert table["impact_ratio_high"][j] == pytest.approx(high[j] / low[0])
    assert table["impact_ratio_low"][2] == 0.0
    spread = np.exp(1.959964 * np.sqrt((1 / 3) / (3 * 2 / 3) + 0.5 / (20 * 0.5)))
    assert table["impact_ratio_high"][3] == pytest.approx(table["impact_ratio"][3] * spread, rel=1e-6)
    certain = sb.group_table([1] * 23, [1] * 23, ["a"] * 20 + ["b"] * 3, classes=[0, 1]).row("b")
    assert certain["impact_ratio_low"] < 0.5
    assert certain["impact_ratio_high"] > 1.1
    assert "Wilson's ends where a rate is 0 or 1" in table.attributes["intervals"]
    nobody = sb.group_table([1] * 6, [0] * 6, ["a", "b"] * 3, classes=[0, 1])
    assert np.isnan(nobody["impact_ratio_low"]).all()


def test_intervals_of_losses_do_not_reach_below_0():
    y, p = np.array([1, 1, 1, 1, 0, 1]), np.array([0.99, 0.99, 0.01, 0.5, 0.6, 0.7])
    groups = ["a"] * 3 + ["b"] * 3
    assert sb.group_table(y, p, groups)["loss_low"][0] == 0.0
    values = sb.group_table(y + 0.5, p, groups)
    assert (values["loss_low"] >= 0).all()
    assert (values["mean_absolute_error_low"] >= 0).all()
    assert (values["mean_error_low"] < 0).all()
    assert sb.group_table(y, p, groups, loss=lambda y, p: [0.0, 0.0, 9.0, 1.0, 1.0, 1.0])["loss_low"][0] == 0.0
    assert sb.group_table(y, p, groups, loss=lambda y, p: [0.0, -1.0, 9.0, 1.0, 1.0, 1.0])["loss_low"][0] < 0.0


def test_small_groups_are_merged_if_asked():
    y, groups = np.arange(60) % 2, np.repeat(["a", "b", "c", "d"], [40, 16, 2, 2])
    assert len(sb.group_table(y, y, groups)) == 4
    merged = sb.group_table(y, y, groups, min_group_size=4)
    assert merged["group"].tolist() == ["a", "b", "(rest)"]
    assert merged.attributes["merged"] == {"c": 2, "d": 2}
    assert "Merged into (rest): 'c', 'd'." in merged.caption


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [False, True, True, False], ["no", "yes", "yes", "no"]])
def test_y_and_prediction_exchanged(labels):
    probabilities = [0.2, 0.7, 0.9, 0.4]
    assert len(sb.group_table(labels, probabilities, ["a", "a", "b", "b"])) == 2
    with pytest.raises(sb.ProblemError, match=r"Are they exchanged\? The order is \(y, prediction\)"):
        sb.group_table(probabilities, labels, ["a", "a", "b", "b"])


def test_fractions_as_targets():
    """Numbers from 0 to 1 may be predicted by numbers, and by 0 and 1 if that is said."""
    y, groups = [0.2, 0.7, 0.9, 0.4], ["a", "a", "b", "b"]
    assert sb.group_table(y, [0.3, 0.6, 1.0, 0.0], groups).attributes["kind"] == "value"
    assert sb.group_table(y, [0, 1, 1, 0], groups, kind="value").attributes["kind"] == "value"


def test_unequal_weights_widen_intervals():
    y, p, groups, _ = binary()
    weights = np.where(np.arange(N) % 10 == 0, 10.0, 1.0)
    plain, weighted = sb.group_table(y, p, groups), sb.group_table(y, p, groups, sample_weight=weights)
    for name in ("accuracy", "loss"):
        width = [table[f"{name}_high"] - table[f"{name}_low"] for table in (plain, weighted)]
        assert (width[1] > 1.2 * width[0]).all()
    # Rows without weight add nothing: intervals are those of the other rows.
    half = np.arange(N) % 2 == 0
    some = sb.group_table(y, p, groups, sample_weight=half.astype(float))
    alone = sb.group_table(y[half], p[half], groups[half])
    for name in ("accuracy_low", "loss_low", "loss_high", "impact_ratio_high"):
        np.testing.assert_allclose(some[name], alone[name])


def test_bootstrap_agrees_with_formulas_in_large_groups():
    y, p, groups, weights = binary(n=4000)
    for w in (None, weights):
        formulas = sb.group_table(y, p, groups, sample_weight=w)
        boot = sb.group_table(y, p, groups, sample_weight=w, interval="bootstrap", n_boot=800)
        for name in ("loss", "accuracy", "true_positive_rate", "selection_rate", "impact_ratio", "calibration"):
            np.testing.assert_array_equal(boot[name], formulas[name])
            widths = [table[f"{name}_high"] - table[f"{name}_low"] for table in (formulas, boot)]
            # 800 draws give the ends of an interval to about 5 % of its width; the tolerance is four times that.
            np.testing.assert_allclose(widths[1], widths[0], rtol=0.2)
    assert "percentiles of 800 bootstrap samples" in boot.caption


@pytest.mark.parametrize("interval", ["wilson", "bootstrap"])
def test_coverage(interval):
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(400), 50)
    p = np.full(groups.size, 0.3)
    y = rng.random(groups.size) < p
    table = sb.group_table(y, p, groups, level=0.9, interval=interval, n_boot=300)
    truth = {"base_rate": 0.3, "loss": -(0.3 * np.log(0.3) + 0.7 * np.log(0.7)), "calibration": 0.0}
    for name, value in truth.items():
        covered = ((table[f"{name}_low"] <= value) & (value <= table[f"{name}_high"])).mean()
        # 400 groups: a standard error of 0.015; counts of 50 rows move the nominal 0.9 by a few percent.
        assert 0.84 <= covered <= 0.96, name


def test_percentiles_are_those_of_numpy():
    draws = np.random.default_rng(6).standard_normal((50, 3, 2))
    draws[:7, 1], draws[:, 2] = np.nan, np.nan
    low, high = percentiles(draws, 0.9)
    np.testing.assert_allclose([low[:2], high[:2]], np.nanpercentile(draws[:, :2], [5, 95], axis=0))
    assert np.isnan([low[2], high[2]]).all()


def test_bootstrap_is_reproducible():
    y, p, groups, _ = binary(n=100)
    one, two, other = (
        sb.group_table(y, p, groups, interval="bootstrap", n_boot=50, random_state=seed)["loss_low"]
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()
    sb.group_table(y, p, groups, interval="bootstrap", n_boot=50, random_state=np.random.default_rng(0))


# --- kinds of predictions ---------------------------------------------------------------------------------------------

Y = np.array([0, 1, 1, 0])
G = ["a", "a", "b", "b"]
TEXT = np.array(["no", "yes", "yes", "no"])
P = np.array([0.2, 0.7, 0.4, 0.6])
KINDS = {
    "probability": (Y, P, "probability"),
    "bool": (Y == 1, P, "probability"),
    "text and probability": (TEXT, P, "probability"),
    "categories": (pd.Categorical(TEXT, categories=["yes", "no"]), P, "probability"),
    "two columns": (TEXT, np.column_stack([1 - P, P]), "probability"),
    "column": (TEXT, P[:, np.newaxis], "probability"),
    "list": (Y.tolist(), P.tolist(), "probability"),
    "single precision": (Y, P.astype(np.float32), "probability"),
    "one class": (np.zeros(4, int), P, "probability"),
    "one class of booleans": (np.ones(4, bool), P, "probability"),
    "labels": (Y, np.array([0, 1, 0, 1]), "label"),
    "labels as floats": (Y, np.array([0.0, 1.0, 0.0, 1.0]), "label"),
    "booleans": (Y, np.array([False, True, False, True]), "label"),
    "list of booleans": (Y == 1, [False, True, False, True], "label"),
    "text": (TEXT, ["no", "yes", "no", "yes"], "label"),
    "unseen label": (["no"] * 4, ["no", "yes", "no", "yes"], "label"),
    "many whole numbers": (np.array([1, 2, 3, 4]), np.array([1, 2, 2, 4]), "label"),
    "numbers": (np.array([0.5, 1.5, 2.5, 4.0]), P, "value"),
    "numbers and whole numbers": (np.array([0.5, 1.5, 2.5, 4.0]), np.array([1, 2, 3, 4]), "value"),
    "counts": (np.array([1, 2, 3, 4]), np.array([1.0, 2.0, 3.5, 4.0]), "value"),
    "two fractions": (np.array([0.3, 0.9, 0.3, 0.9]), P, "value"),
    "constant": (np.full(4, 5.0), P, "value"),
    "three classes": (np.array([0, 1, 2, 0]), np.full((4, 3), 1 / 3), "probability"),
}


@pytest.mark.parametrize("case", KINDS)
def test_kind_is_recognised(case):
    y, prediction, kind = KINDS[case]
    table = sb.group_table(y, prediction, G)
    assert table.attributes["kind"] == kind
    np.testing.assert_array_equal(sb.group_table(y, prediction, G, kind=kind)["loss"], table["loss"])
    assert ("selection_rate" in table) == ("positive" in table.attributes)


def test_predicted_labels_that_y_never_has():
    y = ["n", "y", "y", "n"]
    table = sb.group_table(y, ["n", "y", "maybe", "n"], G)
    assert table.attributes["unseen_labels"] == ["maybe"]
    assert "Predicted labels that y never has: 'maybe'." in table.caption
    assert "unseen_labels" not in sb.group_table(y, ["n", "y", "y", "y"], G).attributes
    for other in ("Y", " y", "y\n"):
        with pytest.raises(sb.ProblemError, match=f"labels as y has them; got {re.escape(repr(other))}, and y has 'y'"):
            sb.group_table(y, ["n", other, "y", "n"], G, kind="label")
    two = sb.group_table(y, ["n", "Y", "y", "n"], G, classes=["Y", "n", "y"])
    assert two.attributes["unseen_labels"] == ["Y"]


def test_probabilities_up_to_rounding():
    rounded = np.array([-1e-15, 1 + 1e-12, 0.4, 0.6])
    exact = sb.group_table(Y, rounded.clip(0, 1), G)
    for prediction in (rounded, np.column_stack([1 - rounded, rounded])):
        table = sb.group_table(Y, prediction, G)
        assert table.attributes["kind"] == "probability"
        np.testing.assert_allclose(table["loss"], exact["loss"])
    for options in ({}, {"kind": "probability"}):
        with pytest.raises(sb.ProblemError, match=r"got 1\.000002 in row 1"):
            sb.group_table(Y, [0.2, 1.000002, 0.4, 0.6], G, **options)


def test_positive_class_and_threshold():
    assert sb.group_table(TEXT, P, G).attributes["positive"] == "yes"
    one, other = sb.group_table(TEXT, P, G), sb.group_table(TEXT, 1 - P, G, positive="no")
    np.testing.assert_allclose(one["loss"], other["loss"])
    np.testing.assert_allclose(one["true_positive_rate"], other["true_negative_rate"])
    matrix = np.column_stack([1 - P, P])
    np.testing.assert_allclose(sb.group_table(TEXT, matrix, G, positive="no")["base_rate"], other["base_rate"])
    assert sb.group_table(Y, P, G, threshold=0.7)["selection_rate"].tolist() == [0.5, 0.0]
    zero_one = sb.group_table(Y, P, G, threshold=0.7, loss="zero_one")
    np.testing.assert_allclose(zero_one["loss"], 1 - zero_one["accuracy"])
    swapped = sb.group_table(TEXT, matrix[:, ::-1], G, classes=["yes", "no"], positive="yes")
    np.testing.assert_allclose(swapped["loss"], one["loss"])


def test_more_classes():
    rng = np.random.default_rng(4)
    y, matrix = rng.integers(0, 3, N), rng.dirichlet(np.ones(3), N)
    groups = np.arange(N) % 2
    table = sb.group_table(np.array(["x", "y", "z"])[y], matrix, groups)
    assert [name for name in table.columns if "_low" in name] == ["loss_low", "accuracy_low"]
    for j in (0, 1):
        own = groups == j
        assert table["loss"][j] == pytest.approx(metrics.log_loss(y[own], matrix[own], labels=[0, 1, 2]))
        assert table["accuracy"][j] == pytest.approx((matrix[own].argmax(axis=1) == y[own]).mean())
    some = y > 0
    part = sb.group_table(y[some], matrix[some], groups[some], classes=[0, 1, 2])
    assert part["loss"].size == 2
    brier = sb.group_table(y, matrix, groups, loss="brier")["loss"]
    expected = [((matrix - np.eye(3)[y]) ** 2).sum(axis=1)[groups == j].mean() for j in (0, 1)]
    np.testing.assert_allclose(brier, expected)


def test_own_loss():
    def asymmetric(y, prediction):
        return np.where(prediction > y, 1.0, 3.0)

    table = sb.group_table([1.0, 2.5, 3.0, 4.0], [2.0, 0.0, 4.0, 5.0], G, loss=asymmetric)
    assert table["loss"].tolist() == [2.0, 1.0]
    assert table.attributes["loss"] == "asymmetric"


# --- bad input --------------------------------------------------------------------------------------------------------

BAD = {
    "margins": (Y, [-2.0, 3.0, 1.0, 0.5], G, {}, "because y has the values 0, 1; got -2 in row 0.*kind='value'"),
    "nan": (Y, [0.1, np.nan, 0.2, 0.3], G, {}, "prediction must be probabilities.*got nan in row 1"),
    "nan value": ([0.5, 1.5, 2.5, 3.0], [0.1, np.nan, 0.2, 0.3], G, {}, "prediction must be finite; got nan"),
    "nan target": ([0.5, np.nan, 2.5, 3.0], P, G, {}, "y must not hold missing labels; got .*nan.* in row 1"),
    "None": ([0, None, 1, 0], P, G, {}, "y must not hold missing labels; got None in row 1"),
    "no prediction": (Y, None, G, {}, "prediction must be a vector or a matrix; got NoneType"),
    "number": (Y, np.array(0.5), G, {}, "prediction must be a vector or a matrix; got ndarray"),
    "sparse": (Y, sp.csr_array(np.eye(4)), G, {}, "prediction must be a vector or a matrix; got csr_array"),
    "text as prediction": (Y, "abcd", G, {}, "prediction must be a vector or a matrix; got str"),
    "short prediction": (Y, P[:3], G, {}, "prediction must have one entry per row of y, 4; got 3"),
    "short groups": (Y, P, G[:3], {}, "sensitive_features must have one label per row, 4; got 3"),
    "no rows": ([], [], [], {}, "y must have at least one row"),
    "foreign labels": (TEXT, ["a", "b", "a", "b"], G, {}, "must hold labels of y, 'no', 'yes', or probabilities"),
    "numbers for classes": (["a", "b", "c", "a"], P, G, {}, "must hold labels of y, 'a', 'b', 'c'"),
    "columns": (Y, np.full((4, 3), 1 / 3), G, {}, "got 3 for the 2 classes 0, 1. Pass the classes"),
    "sum": (Y, np.full((4, 2), 0.4), G, {}, "must add up to 1; got 0.8 in row 0"),
    "cube": (Y, np.zeros((4, 2, 2)), G, {}, r"got an array of shape \(4, 2, 2\)"),
    "kind": (Y, P, G, {"kind": "score"}, "unknown kind of prediction 'score'; expected one of 'probability'"),
    "kind of text": (Y, ["a"] * 4, G, {"kind": "probability"}, "prediction must be probabilities; got list"),
    "values of text": (TEXT, P, G, {"kind": "value"}, "y must be a vector of numbers"),
    "positive": (Y, P, G, {"positive": "yes"}, "positive must be one of two classes; got 'yes' for the classes 0, 1"),
    "classes": (Y, P, G, {"classes": [1, 2]}, "must hold the classes 1, 2; got 0"),
    "threshold": (Y, P, G, {"threshold": 1.5}, "threshold must be from 0 to 1; got 1.5"),
    "threshold of text": (Y, P, G, {"threshold": "high"}, "threshold must be a number"),
    "loss": (Y, P, G, {"loss": "squared"}, "unknown loss of a probability 'squared'; expected one of 'log', 'brier'"),
    "loss of wrong shape": (Y, P, G, {"loss": lambda y, p: [1.0]}, "must have length 4; got length 1"),
    "weights": (Y, P, G, {"sample_weight": [1, 1, 1, -1]}, "sample weights must be >= 0; got -1 in row 3"),
    "level": (Y, P, G, {"level": 95}, "level must be between 0 and 1; got 95"),
    "interval": (Y, P, G, {"interval": "normal"}, "interval must be 'wilson' or 'bootstrap'; got 'normal'"),
    "n_boot": (Y, P, G, {"interval": "bootstrap", "n_boot": 1}, "n_boot must be a whole number >= 2; got 1"),
    "seed": (Y, P, G, {"interval": "bootstrap", "random_state": "x"}, "random_state must be a whole number"),
    "small_share": (Y, P, G, {"small_share": -1}, "small_share must be a finite number >= 0"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    y, prediction, groups, options, message = BAD[case]
    with pytest.raises(sb.ProblemError, match=message):
        sb.group_table(y, prediction, groups, **options)
