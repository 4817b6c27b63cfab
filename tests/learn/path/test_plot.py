"""The picture: what its lines, bands, marks and words are."""

from __future__ import annotations

import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest

import saddleback as sb
from learn.path.test_rules import two_towns
from saddleback.learn.path.plot import COLOURS, GREY, MOST_LABELS, spread
from saddleback.learn.selection.selection import in_brackets

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.text import Text


@pytest.fixture(scope="module")
def path():
    return sb.fairness_path(*two_towns())


@pytest.fixture
def ax(path):
    yield path.plot()
    plt.close("all")


def line(ax, label):
    return next(line for line in ax.lines if line.get_label() == label)


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_lines_are_the_held_out_curves(ax, path):
    for j, name in enumerate(path.group_names):
        np.testing.assert_array_equal(line(ax, name).get_xdata(), path.worst_weights)
        np.testing.assert_array_equal(line(ax, name).get_ydata(), path.held_out.group_losses[:, j])
    average = line(ax, "average of all rows")
    np.testing.assert_array_equal(average.get_ydata(), path.held_out.average)
    assert average.get_linewidth() > 1.5 * line(ax, "small").get_linewidth()


def test_bands_are_paired_errors(ax, path):
    vertices = ax.collections[0].get_paths()[0].vertices
    j = path.group_names.index("small")
    at_the_end = vertices[np.isclose(vertices[:, 0], 1.0), 1]
    height = at_the_end.max() - at_the_end.min()
    assert height == pytest.approx(2 * path.held_out.change_errors[-1, j])
    at_zero = vertices[np.isclose(vertices[:, 0], 0.0), 1]
    assert np.ptp(at_zero) < 1e-12


def test_axes_and_caption(ax):
    assert ax.get_xlabel().startswith("worst weight p")
    assert ax.get_ylabel() == "held-out log loss (nats per row)"
    caption = " ".join(next(text for text in words(ax) if text.startswith("Lines")).split())
    assert "rows that the model had not seen (10 splits)" in caption
    assert "one standard error of the change from p = 0 on the same rows" in caption


def test_title_states_the_finding(ax, path):
    selection = path.selection()
    title = " ".join(ax.get_title(loc="left").split())
    assert title.startswith(f"p = {path.select().worst_weight:g} lowers the held-out loss of group small")
    assert f"by {in_brackets(selection.gain, selection.gain_error)}, at" in title
    assert f"at {in_brackets(selection.price, selection.price_error)} more" in title


def test_choice_and_knee_are_marked(path):
    for rule in ("one_se", "best", 0.9):
        ax = path.plot(rule=rule)
        chosen = path.select(rule).worst_weight
        upright = {float(line.get_xdata()[0]) for line in ax.lines if len(line.get_xdata()) == 2}
        assert upright == {chosen, path.knee}
        assert any(f"p = {chosen:g}" in text for text in words(ax))
        assert any(text.startswith("knee") for text in words(ax))
        plt.close("all")


def test_nothing_to_gain_is_the_title():
    ax = sb.fairness_path(*two_towns(opposite=1.0), worst_weights=[0.5]).plot()
    assert ax.get_title(loc="left").startswith("Nothing to gain for the worst-off group")
    assert not any("knee" in text for text in words(ax))
    plt.close("all")


def test_given_axes_are_used(path):
    figure, axes = plt.subplots(1, 2)
    assert path.plot(axes[1]) is axes[1]
    assert not axes[0].lines
    figure.canvas.draw()
    plt.close(figure)


def test_many_groups_are_grey_and_names_do_not_overlap():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((900, 3)), rng.standard_normal(900)
    for n_groups in (10, 18):
        groups = [f"g{i % n_groups}" for i in range(900)]
        path = sb.fairness_path(X, y, groups, worst_weights=[0.5], cv=3)
        ax = path.plot()
        ax.figure.canvas.draw()
        grey = [line for line in ax.lines if line.get_color() == GREY]
        assert len(grey) == n_groups - len(COLOURS)
        largest = path.held_out.group_losses.max(axis=0)
        shown = {line.get_label() for line in ax.lines if line.get_color() in COLOURS}
        assert shown == {path.group_names[j] for j in np.argsort(-largest)[: len(COLOURS)]}
        names = [text for text in ax.texts if text.get_text() in [*path.group_names, "average of all rows"]]
        assert len(names) == (n_groups if n_groups < MOST_LABELS else len(COLOURS)) + 1
        # Of the text alone: an annotation's own extent has its arrow.
        boxes = sorted((Text.get_window_extent(text) for text in names), key=lambda box: box.y0)
        assert all(lower.y1 <= upper.y0 + 1.0 for lower, upper in pairwise(boxes))
        plt.close("all")


def test_names_with_dollar_signs_are_no_formulas():
    X, y, town = two_towns(500)
    groups = np.where(town == "big", "$ < 10^", "$ >= 10^$")
    ax = sb.fairness_path(X, y, groups, worst_weights=[0.5], cv=3).plot()
    ax.figure.canvas.draw()
    plt.close("all")


def test_long_names_are_wrapped_and_not_cut():
    X, y, town = two_towns(500)
    groups = {"town_of_residence_in_1990": town, "highest_degree": np.resize(["none", "doctorate (or equal)"], 500)}
    ax = sb.fairness_path(X, y, groups, worst_weights=[0.5], cv=3).plot()
    ax.figure.canvas.draw()
    names = [text for text in ax.texts if "town_of_residence" in text.get_text()]
    joined = {" ".join(text.get_text().split()) for text in names}
    assert "town_of_residence_in_1990=small, highest_degree=doctorate (or equal)" in joined
    boxes = sorted((Text.get_window_extent(text) for text in names), key=lambda box: box.y0)
    assert all(lower.y1 <= upper.y0 + 1.0 for lower, upper in pairwise(boxes))
    assert max(box.x1 for box in boxes) <= ax.figure.bbox.x1
    plt.close("all")


def test_spread_moves_as_little_as_possible():
    np.testing.assert_allclose(spread(np.array([0.1, 0.5, 0.9]), np.full(2, 0.1)), [0.1, 0.5, 0.9])
    np.testing.assert_allclose(spread(np.array([0.5, 0.5]), np.array([0.2])), [0.4, 0.6])
    np.testing.assert_allclose(np.diff(spread(np.array([0.1, 0.11, 0.12, 0.8]), np.full(3, 0.1))), [0.1, 0.1, 0.59])
    np.testing.assert_allclose(np.diff(spread(np.array([0.5, 0.5, 0.5]), np.array([0.1, 0.3]))), [0.1, 0.3])


def test_without_matplotlib(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(sb.MissingDependencyError, match=r"pip install 'saddleback\[plot\]'"):
        path.plot()
