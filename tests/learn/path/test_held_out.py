"""The held-out curves against a loop that is written out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from learn.people import people
from saddleback.learn.selection import split_fits

DATA = people()
L2 = 1e-2
WEIGHTS = [0.0, 0.4, 1.0]
SPLITS = [(np.flatnonzero(np.arange(300) % 4 != k), np.flatnonzero(np.arange(300) % 4 == k)) for k in range(4)]

TARGETS = {
    "logistic": DATA.y,
    "softmax": np.digitize(DATA.score, [-100.0, 50.0]),
    "squared": DATA.score / 100.0,
}


def by_hand(loss, y, weight):
    """The out-of-fold loss of every row at every p, by ``GroupedLinear`` and ``GroupedLinear.on``."""
    rows = np.empty((300, len(WEIGHTS)))
    for train, test in SPLITS:
        mean = np.average(DATA.X[train], axis=0, weights=weight[train])
        scale = np.sqrt(np.average((DATA.X[train] - mean) ** 2, axis=0, weights=weight[train]))
        Z = (DATA.X - mean) / scale
        losses = sb.GroupedLinear(Z[train], y[train], DATA.town[train], loss=loss, l2=L2, sample_weight=weight[train])
        shares = np.array([weight[train][DATA.town[train] == name].sum() for name in losses.group_names])
        held_out = losses.on(Z[test], y[test], DATA.town[test])
        for c, p in enumerate(WEIGHTS):
            dual_set = sb.Contamination(p, shares / shares.sum())
            rows[test, c] = held_out.rows(sb.solve(sb.Problem(losses, dual_set), tol=1e-11).w)
    return rows


def mean_and_error(values, weight):
    """A weighted mean, and its standard error that is robust to the meaning of the weights."""
    u = weight / weight.sum()
    m = u @ values
    return m, np.sqrt(len(u) / (len(u) - 1) * ((u * (values - m)) ** 2).sum())


@pytest.mark.parametrize("loss", TARGETS)
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_are_those_of_a_loop(loss, weighted, monkeypatch):
    monkeypatch.setattr(split_fits, "SELECTION_TOL", 0.0)
    weight = np.resize([1.0, 2.0, 0.5], 300) if weighted else np.ones(300)
    y = TARGETS[loss]
    path = sb.fairness_path(
        DATA.X,
        y,
        DATA.town,
        sample_weight=weight if weighted else None,
        loss=loss,
        worst_weights=WEIGHTS,
        l2=L2,
        cv=SPLITS,
        tol=1e-11,
    )
    rows, held_out = by_hand(loss, y, weight), path.held_out
    changes = rows - rows[:, :1]
    for c in range(len(WEIGHTS)):
        for j, name in enumerate(path.group_names):
            own = DATA.town == name
            expected = mean_and_error(rows[own, c], weight[own])
            got = held_out.group_losses[c, j], held_out.group_errors[c, j]
            np.testing.assert_allclose(got, expected, rtol=1e-5)
            error = mean_and_error(changes[own, c], weight[own])[1]
            np.testing.assert_allclose(held_out.change_errors[c, j], error, rtol=1e-4, atol=1e-9)
        expected = mean_and_error(rows[:, c], weight)
        np.testing.assert_allclose((held_out.average[c], held_out.average_errors[c]), expected, rtol=1e-5)
        error = mean_and_error(changes[:, c], weight)[1]
        np.testing.assert_allclose(held_out.average_change_errors[c], error, rtol=1e-4, atol=1e-9)


def test_tables_show_the_curves():
    path = sb.fairness_path(DATA.X, DATA.y, DATA.town, worst_weights=WEIGHTS, cv=4)
    held_out, table, groups = path.held_out, path.table, path.group_losses
    assert table["worst_weight"].tolist() == WEIGHTS
    worst = held_out.group_losses.argmax(axis=1)
    assert table["worst_group"].tolist() == [path.group_names[j] for j in worst]
    np.testing.assert_allclose(table["worst_loss"], held_out.group_losses.max(axis=1), rtol=1e-12)
    np.testing.assert_allclose(table["worst_loss_error"], held_out.group_errors[range(3), worst], rtol=1e-12)
    np.testing.assert_allclose(table["average_loss"], held_out.average, rtol=1e-12)
    np.testing.assert_allclose(table["average_loss_error"], held_out.average_errors, rtol=1e-12)
    np.testing.assert_allclose(table["price"], held_out.average - held_out.average[0], atol=1e-12)
    np.testing.assert_allclose(table["price_error"], held_out.average_change_errors, rtol=1e-12)
    assert len(groups) == 9
    assert groups["group"].tolist() == ["big"] * 3 + ["mid"] * 3 + ["small"] * 3
    np.testing.assert_allclose(groups["loss"].reshape(3, 3).T, held_out.group_losses)
    np.testing.assert_allclose(groups["change"].reshape(3, 3)[:, 0], 0.0)
    np.testing.assert_allclose(groups["training_loss"].reshape(3, 3)[:, 2], path.models[2].group_losses_)


def test_paired_errors_are_less_than_plain_ones():
    path = sb.fairness_path(DATA.X, DATA.y, DATA.town, worst_weights=[0.1], cv=4)
    assert (path.held_out.change_errors[1] < 0.5 * path.held_out.group_errors[1]).all()


def test_rows_that_a_score_leaves_out_do_not_count():
    path = sb.fairness_path(
        DATA.X, DATA.y, DATA.town, worst_weights=[0.5], l2=L2, cv=SPLITS, scoring="false_negative_rate"
    )
    positive = DATA.y == "yes"
    errors = np.zeros(300)
    for train, test in SPLITS:
        model = sb.MinimaxClassifier(0.0, l2=L2).fit(DATA.X[train], DATA.y[train], DATA.town[train])
        errors[test] = model.predict(DATA.X[test]) != DATA.y[test]
    for j, name in enumerate(path.group_names):
        assert path.held_out.group_losses[0, j] == pytest.approx(errors[positive & (DATA.town == name)].mean())
    assert path.held_out.average[0] == pytest.approx(errors[positive].mean())


def test_overlapping_groups_and_rows_of_weight_zero():
    features = {"town": DATA.town, "sex": DATA.sex}
    weight = (DATA.town != "small").astype(float)
    path = sb.fairness_path(
        DATA.X, DATA.y, features, sample_weight=weight, crossed=False, worst_weights=[0.5], l2=L2, cv=SPLITS
    )
    assert path.group_names == [("town", "big"), ("town", "mid"), ("sex", "f"), ("sex", "m")]
    kept = weight > 0
    number = np.cumsum(kept) - 1
    splits = [tuple(number[part[kept[part]]] for part in split) for split in SPLITS]
    alone = {name: values[kept] for name, values in features.items()}
    other = sb.fairness_path(DATA.X[kept], DATA.y[kept], alone, crossed=False, worst_weights=[0.5], l2=L2, cv=splits)
    np.testing.assert_allclose(path.held_out.group_losses, other.held_out.group_losses, rtol=1e-6)
