"""The sample of rows that a selection of a very large table is made by."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit

import saddleback as sb
from saddleback.learn.data.folds import restricted
from saddleback.learn.data.rows import Rows
from saddleback.learn.groups import Groups
from saddleback.learn.selection import drawn_rows
from saddleback.learn.selection.choosing import memberships_of
from saddleback.learn.selection.drawn_rows import LEAST_ROWS, Drawn, allocated, draw_rows
from saddleback.learn.selection.one_se import LEVEL, choose_one_se
from saddleback.learn.selection.sample import Sample

GRID = {"worst_weights": [0.0, 0.5], "priors": [0.0], "l2s": [1e-2], "cv": 3, "repeats": 1}


def table(n=4000, seed=0, n_classes=2, overlap=False, weighted=False):
    """Groups of 70, 25, 4 and 1 % of the rows; the second class is rare."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice(4, n, p=[0.7, 0.25, 0.04, 0.01])[:, None]
    if overlap:
        numbers = np.column_stack([numbers, 4 + rng.integers(0, 2, n)])
    y = (rng.random(n) < 0.05).astype(np.intp) if n_classes else rng.standard_normal(n)
    groups = Groups([f"group {j}" for j in range(6 if overlap else 4)], numbers)
    return Rows(rng.standard_normal((n, 2)), y, groups, rng.random(n) + 0.5 if weighted else None)


def towns(n=3000, seed=0):
    """A small town whose second feature points the other way."""
    rng = np.random.default_rng(seed)
    X, town = rng.standard_normal((n, 2)), np.where(np.arange(n) % 10 == 0, "small", "big")
    return X, X[:, 0] + np.where(town == "big", 1.0, -1.0) * X[:, 1] + rng.logistic(size=n) > 0, town


class TestAllocation:
    @pytest.mark.parametrize("sizes", [[700, 250, 40, 10], [1000], [1] * 50 + [1000], [500, 500], [90, 100, 5000]])
    @pytest.mark.parametrize("size", [60, 200, 499, 1000])
    def test_small_strata_are_kept_and_the_rest_is_shared_out(self, sizes, size):
        sizes = np.array(sizes)
        counts = allocated(sizes, size)
        n = sizes.sum()
        assert (counts <= sizes).all()
        assert (counts >= np.minimum(sizes, LEAST_ROWS)).all()
        size = min(size, n)
        # Half of the sample in proportion, and half in equal parts, of which a stratum that is too small needs less.
        assert (counts >= np.minimum(sizes, 0.5 * size * sizes / n + 0.5 * size / sizes.size)).all()
        assert size <= counts.sum() <= size + LEAST_ROWS * sizes.size

    def test_more_rows_than_there_are(self):
        assert allocated(np.array([3, 100]), 1000).tolist() == [3, 100]


class TestDraw:
    @pytest.mark.parametrize("n_classes", [0, 2])
    @pytest.mark.parametrize("overlap", [False, True])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_weights_of_groups_are_those_of_the_table(self, n_classes, overlap, weighted):
        rows = table(n_classes=n_classes, overlap=overlap, weighted=weighted)
        drawn, index = draw_rows(rows, n_classes, 600, np.random.default_rng(0))
        assert 600 <= index.size < 900
        assert (np.diff(index) > 0).all()
        np.testing.assert_array_equal(drawn.X, rows.X[index])
        np.testing.assert_array_equal(drawn.y, rows.y[index])
        np.testing.assert_array_equal(drawn.groups.numbers, rows.groups.numbers[index])
        np.testing.assert_allclose(drawn.groups.counts(drawn.weight), rows.groups.counts(rows.weight), rtol=1e-12)
        if n_classes:
            rare = [np.average(part.y, weights=part.weight) for part in (drawn, rows)]
            assert rare[0] == pytest.approx(rare[1], rel=1e-12)

    def test_small_groups_and_rare_classes_are_kept(self):
        rows = table()
        drawn, _ = draw_rows(rows, 2, 1400, np.random.default_rng(0))
        assert drawn.groups.sizes[2:].tolist() == rows.groups.sizes[2:].tolist()
        assert drawn.y.sum() == rows.y.sum()

    def test_same_seed_same_rows(self):
        first, second, other = (draw_rows(table(), 2, 500, np.random.default_rng(seed))[1] for seed in (0, 0, 1))
        np.testing.assert_array_equal(first, second)
        assert not np.array_equal(first, other)

    def test_offsets_stay_with_their_rows(self):
        rows = table().with_offset(np.arange(4000.0))
        drawn, index = draw_rows(rows, 2, 500, np.random.default_rng(0))
        np.testing.assert_array_equal(drawn.offset, index)


class TestSplits:
    def test_all_rows_up_to_the_limit(self):
        rows = table(500)
        for limit in (None, 500, "auto"):
            drawn = Drawn.of(5, 2, rows, 2, limit, 0)
            assert drawn.rows is rows
            assert drawn.index is None

    def test_folds_are_stratified_in_the_sample(self):
        drawn = Drawn.of(5, 1, table(), 2, 500, 0)
        sizes = [drawn.rows.groups.subset(test).sizes for _, test in drawn.splits]
        assert np.ptp(sizes, axis=0).max() <= 2 * 2
        np.testing.assert_array_equal(
            np.sort(np.concatenate([test for _, test in drawn.splits])), np.arange(len(drawn.rows))
        )

    def test_splits_of_others_are_made_for_all_rows(self):
        rows, person = table(), np.arange(4000) // 4
        drawn = Drawn.of(list(GroupKFold(4).split(rows.X, rows.y, person)), 1, rows, 2, 500, 0)
        for train, test in drawn.splits:
            assert train.size + test.size == len(drawn.rows)
            assert not np.intersect1d(person[drawn.index[train]], person[drawn.index[test]]).size

    def test_a_split_that_has_no_rows_left_is_dropped(self):
        groups = Groups(["all"], np.zeros((3, 1), dtype=np.intp))
        splits = [(np.arange(5, 10), np.arange(5)), (np.array([1, 3]), np.array([0, 2]))]
        ((train, test),) = restricted(splits, np.array([1, 6, 9]), groups.subset([0, 1, 2]))
        assert (train.tolist(), test.tolist()) == ([1, 2], [0])

    def test_a_group_that_is_never_held_out_is_refused(self):
        rows = table()
        largest = np.flatnonzero(rows.groups.codes == 0)
        with pytest.raises(sb.ProblemError, match="cv must hold out rows of every group"):
            Drawn.of([(largest[1:], largest[:1])], 1, rows, 2, 500, 0)


class TestStatistics:
    """A weighted mean of the sample estimates that of the table, and its standard error is right."""

    @staticmethod
    def losses(rows, rng, n_columns):
        """Large for the rare class and noisier in small groups; in expectation the same in all columns."""
        noise = rng.standard_normal((len(rows), n_columns)) * (1.0 + rows.groups.codes)[:, None]
        return 2.0 * rows.y[:, None] * (1.0 + 0.5 * noise) + 0.2 * noise + 0.1 * rows.groups.codes[:, None]

    def test_standard_errors_cover(self):
        """z = (mean - truth) / SE has deviation 1 up to the noise of 300 draws, and is never much less than that."""
        rng, z = np.random.default_rng(0), []
        for seed in range(300):
            rows = table(3000, seed)
            losses = self.losses(rows, rng, 1)
            drawn, index = draw_rows(rows, 2, 500, rng)
            members = memberships_of(drawn)
            found = []
            for j in range(4):
                pairs = np.flatnonzero(members.groups == j)
                sample = Sample.of(members.rows[pairs], members.coefficients[pairs], None)
                of_sample = losses[index]
                truth = 2.0 * 0.05 + 0.1 * j
                found.append((sample.mean(of_sample) - truth) / sample.standard_errors(of_sample[sample.rows]))
            everyone = Sample.of(np.arange(len(drawn)), drawn.weight, None)
            truth = 2.0 * 0.05 + 0.1 * np.array([0.7, 0.25, 0.04, 0.01]) @ np.arange(4)
            found.append((everyone.mean(losses[index]) - truth) / everyone.standard_errors(losses[index]))
            z.append(np.ravel(found))
        z = np.array(z)
        noise = 3.0 / np.sqrt(2.0 * len(z))
        # The group of thirty rows has one or two of the rare class, or none: its z is far from normal.
        assert (z[:, [0, 1, 2, 4]].std(axis=0) < 1.0 + noise).all()
        assert (z[:, [0, 1, 2, 4]].std(axis=0) > 0.75).all()
        assert (np.abs(z[:, [0, 1, 4]].mean(axis=0)) < 3.0 / np.sqrt(len(z)) + 0.1).all()

    def test_gains_that_are_not_there_are_confirmed_as_rarely_as_the_level_says(self):
        rng, found = np.random.default_rng(1), []
        for seed in range(300):
            rows = table(3000, seed)
            losses = 0.3 * self.losses(rows, rng, 1) + 0.7 * self.losses(rows, rng, 8)
            drawn, index = draw_rows(rows, 2, 500, rng)
            choice = choose_one_se(losses[index], memberships_of(drawn), 0, row_weights=drawn.weight)
            found.append(choice.confirmed.any())
        assert np.mean(found) <= LEVEL + 3.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / len(found))


class TestEstimators:
    def test_the_choice_is_by_a_sample_and_the_fit_to_all_rows(self):
        X, y, town = towns()
        model = sb.MinimaxClassifierCV(**GRID, selection_rows=1000).fit(X, y, town)
        selection = model.selection_
        assert selection.sampled
        assert (selection.n_table_rows, 1000 <= selection.n_rows <= 1010) == (3000, True)
        assert f"It was chosen by a random sample of {selection.n_rows:,} of the 3,000 rows. On the" in str(selection)
        assert model.group_sizes_.sum() == 3000
        again = sb.MinimaxClassifier(model.worst_weight_, prior=model.prior_, l2=model.l2_).fit(X, y, town)
        np.testing.assert_array_equal(model.coef_, again.coef_)
        np.testing.assert_array_equal(model.group_losses_, again.group_losses_)
        assert not selection.nothing_to_gain

    def test_a_saved_model_says_that_there_was_a_sample(self, tmp_path):
        X, y, town = towns()
        model = sb.MinimaxClassifierCV(**GRID, selection_rows=1000).fit(X, y, town)
        model.save(tmp_path / "model.safetensors")
        loaded = sb.load(tmp_path / "model.safetensors")
        assert str(loaded.selection_) == str(model.selection_)
        assert loaded.selection_rows == 1000

    def test_auto_takes_all_rows_of_small_tables_to_the_last_bit(self, monkeypatch):
        X, y, town = towns(600)
        models = [sb.MinimaxClassifierCV(**GRID, selection_rows=rows).fit(X, y, town) for rows in ("auto", None, 600)]
        for model in models[1:]:
            np.testing.assert_array_equal(model.selection_.candidates["gain"], models[0].selection_.candidates["gain"])
        assert "sample" not in str(models[0].selection_)
        monkeypatch.setattr(drawn_rows, "MOST_ROWS", 300)
        assert sb.MinimaxClassifierCV(**GRID).fit(X, y, town).selection_.n_rows < 600
        monkeypatch.setattr(drawn_rows, "ROWS_PER_PARAMETER", 300)
        assert sb.MinimaxClassifierCV(**GRID).fit(X, y, town).selection_.n_rows == 600

    def test_gains_agree_with_those_of_all_rows(self):
        X, y, town = towns(6000)
        of_all, of_sample = (
            sb.MinimaxClassifierCV(**GRID, selection_rows=rows).fit(X, y, town).selection_ for rows in (None, 2000)
        )
        assert of_sample.group == of_all.group == "small"
        apart = np.abs(of_sample.candidates["gain"] - of_all.candidates["gain"])
        assert (apart <= 3.0 * of_sample.candidates["gain_error"]).all()
        assert (of_sample.candidates["gain_error"] <= 1.5 * of_all.candidates["gain_error"]).all()

    def test_regression_path_and_correction(self):
        X, y, town = towns()
        number = y + X[:, 0]
        model = sb.MinimaxRegressorCV(**GRID, selection_rows=800).fit(X, number, town)
        assert model.selection_.sampled
        path = sb.fairness_path(X, y, town, worst_weights=[0.5], l2=0.01, cv=3, repeats=1, selection_rows=800)
        assert path.selection().sampled
        assert path.models[0].group_sizes_.sum() == 3000
        grid = {name: GRID[name] for name in ("worst_weights", "priors", "l2s", "cv")}
        for user, target in ((LogisticRegression(), y), (LinearRegression(), number)):
            corrected = sb.WorstGroupCorrection(user, **grid, selection_rows=800).fit(X, target, town)
            assert corrected.selection_.sampled
            assert corrected.group_sizes_.sum() == 3000

    def test_splitters_and_weights_of_rows(self):
        X, y, town = towns()
        weight = np.arange(3000) % 3
        model = sb.MinimaxClassifierCV(**{**GRID, "cv": ShuffleSplit(3, random_state=0)}, selection_rows=900)
        model.fit(X, y, town, sample_weight=weight)
        assert model.selection_.n_table_rows == 2000
        assert model.selection_.sampled

    @pytest.mark.parametrize("value", [0, -5, 1.5, "all", True, [100]])
    @pytest.mark.parametrize("estimator", [sb.MinimaxClassifierCV(), sb.WorstGroupCorrection(LogisticRegression())])
    def test_what_is_no_number_of_rows_is_refused(self, value, estimator):
        X, y, town = towns(100)
        with pytest.raises(sb.ProblemError, match="selection_rows must be"):
            clone(estimator).set_params(selection_rows=value).fit(X, y, town)
