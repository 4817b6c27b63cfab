"""The models that rules take, the knee, and what is said about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import saddleback as sb
from saddleback.learn.path.knee import knee_of
from saddleback.learn.selection.one_se import RESOLUTION, choose_one_se
from saddleback.learn.selection.selection import in_brackets, with_error
from saddleback.losses.grouped.memberships import Memberships


def two_towns(n=2000, opposite=-0.5, seed=0):
    """A second feature that means another thing in the small town."""
    rng = np.random.default_rng(seed)
    X, town = rng.standard_normal((n, 2)), np.where(np.arange(n) % 5 == 0, "small", "big")
    eta = X[:, 0] + np.where(town == "big", 1.0, opposite) * X[:, 1]
    return X, eta + rng.logistic(size=n) > 0, town


@pytest.fixture(scope="module")
def gain():
    X, y, town = two_towns()
    return sb.fairness_path(X, y, town)


@pytest.fixture(scope="module")
def nothing():
    X, y, town = two_towns(opposite=1.0)
    return sb.fairness_path(X, y, town)


class TestSelect:
    def test_rules_take_models_of_the_path(self, gain):
        W, A = gain.table["worst_loss"], gain.table["average_loss"]
        best, one_se = gain.select("best"), gain.select("one_se")
        # Of models that are equally good up to the tolerance of the fits, the first.
        assert best is gain.models[int(np.flatnonzero(np.asarray(W) <= (1.0 + RESOLUTION) * np.min(W))[0])]
        assert gain.select() is one_se
        chosen = gain.models.index(one_se)
        assert chosen > 0
        assert A[chosen] <= A[gain.models.index(best)]
        assert gain.select("knee").worst_weight == gain.knee

    def test_numbers_take_the_model_of_that_worst_weight(self, gain):
        for p in gain.worst_weights:
            assert gain.select(p).worst_weight == p
        assert gain.select(1) is gain.models[-1]
        assert gain.select(0.1 + 0.2).worst_weight == 0.3

    @pytest.mark.parametrize(
        ("rule", "message"),
        [
            ("least", "rule must be one of 'one_se', 'best', 'knee' or a worst weight; got 'least'"),
            (0.55, "rule must be a worst weight of the path, one of 0, 0.1, .*; got 0.55"),
            (None, "rule must be a number"),
            (True, "rule must be a number"),
        ],
    )
    def test_bad_rules(self, gain, rule, message):
        with pytest.raises(sb.ProblemError, match=message):
            gain.select(rule)

    def test_selection_has_the_figures_of_its_row(self, gain):
        for rule in ("one_se", "best", "knee", 0.0, 0.7, 1.0):
            selection = gain.selection(rule)
            row = selection.candidates.row(gain.select(rule).worst_weight)
            assert row["chosen"]
            assert selection.candidates["chosen"].sum() == 1
            for name in ("gain", "gain_error", "price", "price_error"):
                assert getattr(selection, name) == row[name]
            model, bound = gain.select(rule), selection.bound
            assert bound.value == pytest.approx(model.result_.losses.max(), rel=1e-12)
            assert bound.lower_bound <= gain.models[-1].result_.value

    def test_sentence_of_a_gain(self, gain):
        selection = gain.selection()
        text, row = str(selection), selection.candidates.row(gain.select().worst_weight)
        assert f"worst_weight={row['worst_weight']:g}: the held-out loss of group 'small', the worst off" in text
        assert f"falls by {in_brackets(row['gain'], row['gain_error'])}, from" in text
        assert f" to {with_error(row['worst_loss'], row['gain_error'])[0]}. " in text
        assert f"The average of all rows rises by {in_brackets(row['price'], row['price_error'])}." in text
        assert "(certified for intercepts within" in text

    def test_sentence_where_there_is_nothing_to_gain(self, nothing):
        assert nothing.select() is nothing.models[0]
        assert nothing.selection().sentence.startswith("Nothing to gain: the average model is kept.")

    def test_asking_for_the_average_model_is_no_finding(self, gain):
        text = gain.selection(0.0).sentence
        assert text.startswith("This is the average model. Its worst-off group is 'small'")
        assert "Nothing to gain" not in text

    def test_a_loss_that_rises_is_said_to_rise(self):
        """A group of 30 rows and 20 features: its own training loss is overfitted at p = 1."""
        rng = np.random.default_rng(1)
        X, town = rng.standard_normal((600, 20)), np.repeat(["few", "many"], [30, 570])
        y = X[:, 0] + rng.logistic(size=600) * np.where(town == "few", 3.0, 1.0) > 0
        path = sb.fairness_path(X, y, town, l2=1e-4, worst_weights=[0, 1])
        selection = path.selection(1.0)
        assert selection.gain < 0.0
        assert f"rises by {in_brackets(-selection.gain, selection.gain_error)}" in selection.sentence
        assert selection.nothing_to_gain is False

    def test_another_prior_is_not_called_the_average_model(self):
        X, y, town = two_towns()
        path = sb.fairness_path(X, y, town, prior="balanced", worst_weights=[0.5], cv=3)
        assert "the model at worst_weight=0" in path.sentence
        assert "average model" not in path.sentence

    def test_print(self, gain, nothing):
        assert repr(gain) == f"{gain.sentence}\n\n{gain.table!r}"
        assert str(gain) == gain.sentence
        assert gain.sentence.startswith(gain.selection().sentence)
        assert gain.sentence.endswith(f"The knee is at worst_weight={gain.knee:g}.")
        assert nothing.sentence.endswith("There is no knee: no gain is confirmed.")

    def test_no_knee_where_there_is_nothing_to_gain(self, gain):
        """A gain that chance does not explain, but that costs more than it is worth."""
        choice = replace(gain.one_se.choice, chosen=gain.one_se.kept)
        path = replace(gain, one_se=replace(gain.one_se, choice=choice))
        assert knee_of(choice) > 0
        assert path.knee == 0.0
        assert path.select("knee") is path.models[0]
        assert path.sentence.startswith("Nothing to gain")
        assert path.sentence.endswith("There is no knee: no gain is confirmed.")


def choice_of(worst, average, noise=1e-3, n=400):
    """The choice among models with these losses of the worst group and of all rows, of which it is a tenth."""
    worst, average = np.asarray(worst, float), np.asarray(average, float)
    groups = np.repeat([0, 1], [n // 10, n - n // 10]).astype(np.intp)
    others = (average - 0.1 * worst) / 0.9
    losses = np.where(groups[:, None] == 0, worst, others)
    # Of mean zero in the group, and none at p = 0: the errors of the gains are known.
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)[:, None]
    losses = losses + noise * signs * (np.arange(worst.size) > 0)
    members = Memberships.of(n, ["few", "many"], np.arange(n), groups, np.ones(n))
    return choose_one_se(losses, members, 0)


class TestKnee:
    def test_corner(self):
        """Gains come first and prices after: the knee is the corner."""
        assert knee_of(choice_of([1.0, 0.8, 0.6, 0.59, 0.58], [0.3, 0.301, 0.302, 0.32, 0.34])) == 2

    def test_largest_distance_to_the_chord(self):
        gains = np.array([0.0, 0.10, 0.16, 0.19, 0.20])
        prices = np.array([0.0, 0.01, 0.02, 0.03, 0.04])
        expected = int(np.argmax(gains / gains[-1] - prices / prices[-1]))
        assert knee_of(choice_of(1.0 - gains, 0.3 + prices)) == expected == 2

    def test_nothing_gained(self):
        assert knee_of(choice_of([1.0, 1.01, 1.02], [0.3, 0.31, 0.32])) == 0
        assert knee_of(choice_of([1.0, 1.0, 1.0], [0.3, 0.3, 0.3], noise=0.0)) == 0

    def test_gain_within_the_noise_is_none(self):
        curve = [1.0, 0.9, 0.89], [0.3, 0.31, 0.35]
        assert knee_of(choice_of(*curve, noise=1e-3)) == 1
        assert knee_of(choice_of(*curve, noise=1.0)) == 0

    def test_gains_after_the_largest_one_do_not_count(self):
        """Behind p = 2 the worst group loses again, at a price that would stretch the chord."""
        curve = [1.0, 0.85, 0.7, 0.8, 0.9], [0.3, 0.31, 0.32, 0.5, 0.7]
        assert knee_of(choice_of(*curve)) == 2

    def test_free_gain_is_taken_whole(self):
        assert knee_of(choice_of([1.0, 0.9, 0.8], [0.3, 0.29, 0.28])) == 2

    def test_straight_line_has_no_knee_before_its_end(self):
        """Dyadic numbers, so that the distances are exactly zero."""
        gains = np.array([0.0, 0.25, 0.5])
        assert knee_of(choice_of(1.0 - gains, 0.5 + gains / 4, noise=2.0**-10)) in (1, 2)

    def test_gains_that_become_cheaper(self):
        assert knee_of(choice_of([1.0, 0.95, 0.6], [0.3, 0.33, 0.34])) == 2
