"""MinimaxClassifierCV and MinimaxRegressorCV: what is chosen by held-out rows, and what is said about it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import LeaveOneGroupOut, ShuffleSplit, StratifiedKFold

import saddleback as sb
from learn.people import people
from saddleback.learn.data.folds import make_splits
from saddleback.learn.data.rows import Rows
from saddleback.learn.groups import read_sensitive_features
from saddleback.learn.selection.one_se import LEVEL
from saddleback.learn.selection.selection import in_brackets, plain, with_error

DATA = people()
SMALL = {"worst_weights": [0.0, 0.3, 1.0], "priors": [0.0, 1.0], "l2s": [1e-3, 1e-1], "cv": 3}


def towns(n, opposite, seed=0):
    """A small town in which the second feature has another coefficient; with 1 there are no differences."""
    rng = np.random.default_rng(seed)
    X, town = rng.standard_normal((n, 2)), np.where(np.arange(n) % 5 == 0, "small", "big")
    eta = X[:, 0] + np.where(town == "big", 1.0, opposite) * X[:, 1]
    return X, eta + rng.logistic(size=n) > 0, town


def classifier(**parameters):
    return sb.MinimaxClassifierCV(**{**SMALL, **parameters})


def fitted(data=DATA, y=DATA.y, groups=DATA.town, sample_weight=None, **parameters):
    return classifier(**parameters).fit(data.X, y, sensitive_features=groups, sample_weight=sample_weight)


@pytest.fixture(scope="module")
def gain():
    return classifier().fit(*towns(1500, -0.5))


class TestWhatIsChosen:
    def test_exchangeable_groups_have_nothing_to_gain(self):
        """At most ``LEVEL`` of 20 tables, and three standard errors of that share: 5 % + 14.6 %."""
        found = []
        for seed in range(20):
            X, y, _ = towns(500, 1.0, seed)
            groups = np.random.default_rng(100 + seed).integers(0, 3, 500)
            model = classifier().fit(X, y, groups)
            nothing = model.selection_.nothing_to_gain
            assert model.selection_.sentence.startswith("Nothing to gain: the average model is kept.") == nothing
            assert ((model.worst_weight_, model.prior_) == (0.0, 0.0)) >= nothing
            found.append(not nothing)
        assert np.mean(found) <= LEVEL + 3.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / 20)

    def test_average_model_is_kept_to_the_last_bit(self):
        X, y, town = towns(500, 1.0)
        model = classifier().fit(X, y, town)
        average = sb.MinimaxClassifier(0.0, l2=model.l2_).fit(X, y, town)
        assert model.selection_.nothing_to_gain
        assert np.array_equal(model.coef_, average.coef_)
        assert np.array_equal(model.intercept_, average.intercept_)
        assert model.selection_.gain == model.selection_.price == 0.0

    def test_average_model_of_a_regression_is_kept(self):
        rng = np.random.default_rng(0)
        X, groups = rng.standard_normal((400, 2)), np.arange(400) % 2
        y = X[:, 0] + rng.standard_normal(400)
        model = sb.MinimaxRegressorCV(**SMALL).fit(X, y, groups)
        average = sb.MinimaxRegressor(0.0, l2=model.l2_).fit(X, y, groups)
        assert model.selection_.nothing_to_gain
        assert np.array_equal(model.coef_, average.coef_)

    def test_clear_gain_is_found_and_is_real_on_fresh_rows(self, gain):
        assert not gain.selection_.nothing_to_gain
        assert gain.selection_.group == "small"
        X, y, town = towns(40_000, -0.5, seed=7)
        average = sb.MinimaxClassifier(0.0, l2=gain.l2_).fit(*towns(1500, -0.5))
        fresh = {
            name: [log_loss(y[town == name], model.predict_proba(X[town == name])) for model in (average, gain)]
            for name in ("big", "small")
        }
        worst = np.array(list(fresh.values())).max(axis=0)
        real, error = worst[0] - worst[1], gain.selection_.gain_error
        assert real > 0.04
        assert abs(real - gain.selection_.gain) < 3 * error

    def test_gain_of_a_regression(self):
        rng = np.random.default_rng(0)
        X, town = rng.standard_normal((800, 2)), np.arange(800) % 5 == 0
        y = X[:, 0] + np.where(town, -1.0, 1.0) * X[:, 1] + rng.standard_normal(800)
        model = sb.MinimaxRegressorCV(**SMALL).fit(X, 1e6 * y, town)
        assert not model.selection_.nothing_to_gain
        assert model.selection_.group
        assert model.worst_weight_ > 0 or model.prior_ > 0
        unit = sb.MinimaxRegressorCV(**SMALL).fit(X, y, town)
        assert unit.selection_.chosen == model.selection_.chosen
        assert unit.selection_.gain == pytest.approx(1e-12 * model.selection_.gain, rel=1e-3)

    def test_best_takes_the_least_worst_loss(self):
        model = fitted(rule="best")
        table = model.selection_.candidates
        assert model.selection_.chosen == int(np.argmin(table["worst_loss"]))
        assert table["chosen"].tolist().index(True) == model.selection_.chosen
        assert model.selection_.rule == "best"

    def test_chosen_candidate_is_fitted_to_all_rows(self, gain):
        X, y, town = towns(1500, -0.5)
        same = sb.MinimaxClassifier(gain.worst_weight_, prior=gain.prior_, l2=gain.l2_).fit(X, y, town)
        assert np.array_equal(gain.coef_, same.coef_)
        row = list(gain.selection_.candidates)[gain.selection_.chosen]
        assert (row["worst_weight"], row["prior"], row["l2"]) == (gain.worst_weight_, gain.prior_, gain.l2_)

    def test_one_group_chooses_the_penalty(self):
        with pytest.warns(UserWarning, match="no groups"):
            model = fitted(groups=None)
        table = model.selection_.candidates
        assert len(table) == 2
        assert model.l2_ == table["l2"][int(np.argmin(table["average_loss"]))]
        assert model.selection_.sentence.startswith("One group: worst_weight=0, prior=0, l2=")


class TestCandidates:
    COLUMNS = (
        "worst_weight prior l2 worst_loss worst_loss_error worst_group average_loss average_loss_error gain gain_error "
        "price price_error admissible chosen"
    )

    def test_columns(self, gain):
        table = gain.selection_.candidates
        assert table.columns == self.COLUMNS.split()
        # Without the prior where the worst weight is 1: 2 x (3 + 2).
        assert len(table) == 10
        kept = gain.selection_.kept
        for name in ("gain", "gain_error", "price", "price_error"):
            assert table[name][kept] == 0.0

    @pytest.mark.parametrize("priors", ["balanced", ["balanced"], [1.0, 1], (), [{"big": 1, "mid": 2, "small": 3}]])
    def test_average_is_always_among_them_and_nothing_twice(self, priors):
        table = fitted(worst_weights=[1.0, 0.5, 0.5], priors=priors, l2s=[1e-2, 1e-2]).selection_.candidates
        weights, prior = table["worst_weight"].tolist(), table["prior"].tolist()
        assert (weights[0], prior[0]) == (0.0, 0.0)
        assert weights == ([0.0, 0.5, 1.0] if priors == () else [0.0, 0.5, 1.0, 0.0, 0.5])
        assert "prior" in repr(table)

    def test_figures_are_those_of_the_rows(self):
        """One split, so that the table can be computed from a model that is fitted by hand."""
        train, test = np.arange(0, 200), np.arange(200, 300)
        model = fitted(cv=[(train, test)], l2s=[1e-2], tol=1e-9)
        losses = {}
        for p in (0.0, 1.0):
            one = sb.MinimaxClassifier(p, l2=1e-2, tol=1e-9).fit(DATA.X[train], DATA.y[train], DATA.town[train])
            proba = one.predict_proba(DATA.X[test])
            losses[p] = -np.log(proba[np.arange(100), (DATA.y[test] == "yes").astype(int)])
        table = model.selection_.candidates
        for p, row_losses in losses.items():
            row = table["worst_weight"].tolist().index(p)
            means = {name: row_losses[DATA.town[test] == name].mean() for name in ("big", "mid", "small")}
            name = max(means, key=means.get)
            own = row_losses[DATA.town[test] == name]
            assert table["worst_group"][row] == name
            assert table["worst_loss"][row] == pytest.approx(means[name], abs=2e-3)
            assert table["worst_loss_error"][row] == pytest.approx(own.std(ddof=1) / np.sqrt(own.size), rel=0.02)
            assert table["average_loss"][row] == pytest.approx(row_losses.mean(), abs=2e-3)


class TestFolds:
    def test_groups_and_classes_are_shared_out(self):
        groups = read_sensitive_features({"town": DATA.town, "sex": DATA.sex}, 300)
        codes = (DATA.y == "yes").astype(int)
        splits = make_splits(5, 2, Rows(DATA.X, codes, groups), 0)
        assert len(splits) == 10
        for j in range(len(groups.names)):
            for c in (0, 1):
                cell = (groups.codes == j) & (codes == c)
                counts = [cell[test].sum() for _, test in splits]
                assert max(counts) - min(counts) <= 2
        for train, test in splits:
            assert np.array_equal(np.sort(np.r_[train, test]), np.arange(300))
            assert test.size == 60

    def test_tiny_group_that_is_absent_from_folds(self):
        groups = DATA.town.astype(object)
        groups[:2] = "tiny"
        splits = [(np.arange(2, 300), np.arange(2)), (np.r_[0:2, 100:300], np.arange(2, 100))]
        for cv in (3, splits):
            model = fitted(groups=groups, cv=cv, min_group_size=1)
            assert "tiny" in model.group_names_
            assert np.isfinite(model.selection_.candidates["worst_loss"]).all()

    def test_every_group_left_out_once(self):
        splits = list(LeaveOneGroupOut().split(DATA.X, DATA.y, DATA.town))
        model = fitted(cv=splits, priors=[1.0, [1.0, 2.0, 3.0]])
        assert np.isfinite(model.selection_.candidates["average_loss"]).all()

    def test_splitters_lists_generators_and_masks_are_the_same_splits(self):
        splitter = StratifiedKFold(3, shuffle=True, random_state=1)
        splits = list(splitter.split(DATA.X, DATA.y))
        masks = [tuple(np.isin(np.arange(300), part) for part in split) for split in splits]
        expected = fitted(cv=splitter).selection_.candidates["worst_loss"]
        for cv in (splits, iter(splits), masks):
            assert np.array_equal(fitted(cv=cv).selection_.candidates["worst_loss"], expected)

    def test_rows_that_are_never_held_out_do_not_count(self):
        model = fitted(cv=ShuffleSplit(2, test_size=0.2, random_state=0))
        assert np.isfinite(model.selection_.candidates["average_loss"]).all()

    def test_splits_count_the_rows_of_weight_zero(self):
        weight = (np.arange(300) % 4 > 0).astype(float)
        splits = list(StratifiedKFold(3).split(DATA.X, DATA.y))
        number = np.cumsum(weight > 0) - 1
        kept = weight > 0
        moved = [tuple(number[part[kept[part]]] for part in split) for split in splits]
        weighted = fitted(cv=splits, sample_weight=weight)
        without = classifier(cv=moved).fit(DATA.X[kept], DATA.y[kept], DATA.town[kept])
        for name in ("worst_loss", "average_loss"):
            np.testing.assert_allclose(
                weighted.selection_.candidates[name], without.selection_.candidates[name], rtol=1e-3
            )

    def test_none_is_five_stratified_folds(self):
        none, five = (fitted(cv=cv).selection_.candidates["worst_loss"] for cv in (None, 5))
        assert np.array_equal(none, five)

    def test_splits_of_the_user_are_not_repeated(self):
        splitter = StratifiedKFold(3, shuffle=True, random_state=1)
        one, two = (fitted(cv=splitter, repeats=k).selection_.candidates["worst_loss"] for k in (1, 2))
        assert np.array_equal(one, two)

    def test_repeats_average_over_draws(self):
        one, two = fitted(repeats=1), fitted(repeats=4)
        again = fitted(repeats=4)
        assert np.array_equal(two.selection_.candidates["worst_loss"], again.selection_.candidates["worst_loss"])
        assert not np.array_equal(one.selection_.candidates["worst_loss"], two.selection_.candidates["worst_loss"])

    def test_random_state_draws_the_folds(self):
        tables = [fitted(random_state=state).selection_.candidates["average_loss"] for state in (0, 0, 1)]
        assert np.array_equal(tables[0], tables[1])
        assert not np.array_equal(tables[0], tables[2])

    def test_class_that_folds_leave_out(self):
        y = DATA.y.astype(object)
        y[0] = "maybe"
        with pytest.raises(sb.ProblemError, match="every class must be among the training rows of every fold"):
            fitted(y=y)


class TestScoring:
    SPLIT = (np.arange(0, 200), np.arange(200, 300))

    def average(self, scoring, **parameters):
        """The held-out figures of the average model on one split, and its predictions there."""
        train, test = self.SPLIT
        model = fitted(cv=[self.SPLIT], l2s=[1e-2], scoring=scoring, **parameters)
        one = sb.MinimaxClassifier(0.0, l2=1e-2).fit(DATA.X[train], DATA.y[train], DATA.town[train])
        return model.selection_, one.predict(DATA.X[test]), one.predict_proba(DATA.X[test]), DATA.y[test]

    def test_error_rate(self):
        selection, predicted, _, y = self.average("error_rate")
        assert selection.candidates["average_loss"][0] == pytest.approx((predicted != y).mean())
        assert selection.scoring == "error_rate"
        assert "held-out error_rate" in selection.sentence

    @pytest.mark.parametrize(("scoring", "label"), [("false_negative_rate", "yes"), ("false_positive_rate", "no")])
    def test_rates_of_one_class(self, scoring, label):
        selection, predicted, _, y = self.average(scoring)
        assert selection.candidates["average_loss"][0] == pytest.approx((predicted != y)[y == label].mean())

    def test_brier_and_a_function_of_labels_and_probabilities(self):
        def squares(y, proba):
            return (proba[:, 1] - (y == "yes")) ** 2

        named, _, proba, y = self.average("brier")
        own, _, _, _ = self.average(squares)
        assert named.candidates["average_loss"][0] == pytest.approx(squares(y, proba).mean(), rel=1e-3)
        assert np.array_equal(own.candidates["average_loss"], named.candidates["average_loss"])
        assert own.scoring == "squares"

    def test_function_may_leave_rows_out(self):
        of_yes = self.average(lambda y, proba: np.where(y == "yes", (proba[:, 1] <= 0.5).astype(float), np.nan))[0]
        named = self.average("false_negative_rate")[0]
        assert of_yes.candidates["average_loss"][0] == pytest.approx(named.candidates["average_loss"][0])

    def test_numbers(self):
        model = sb.MinimaxRegressorCV(**{**SMALL, "cv": [self.SPLIT], "l2s": [1e-2]}, scoring="absolute_error")
        model.fit(DATA.X, DATA.score, DATA.town)
        train, test = self.SPLIT
        one = sb.MinimaxRegressor(0.0, l2=1e-2).fit(DATA.X[train], DATA.score[train], DATA.town[train])
        error = np.abs(one.predict(DATA.X[test]) - DATA.score[test]).mean()
        assert model.selection_.candidates["average_loss"][0] == pytest.approx(error, rel=1e-3)

    def test_rates_need_two_classes_and_probabilities_a_likelihood(self):
        y = np.digitize(DATA.score, [-100.0, 50.0])
        assert fitted(y=y, scoring="error_rate").selection_.scoring == "error_rate"
        with pytest.raises(sb.ProblemError, match="scoring must be one of 'loss', 'error_rate', 'brier'"):
            fitted(y=y, scoring="false_negative_rate")
        with pytest.raises(sb.ProblemError, match="got 'brier'"):
            fitted(loss="squared_hinge", scoring="brier")


class TestSentence:
    def test_groups_are_named_as_the_user_names_them(self):
        """Not by the repr of NumPy's numbers."""
        X, y, town = towns(1500, -0.5)
        selection = classifier().fit(X, y, np.where(town == "small", 9, 7)).selection_
        assert not selection.nothing_to_gain
        assert "np." not in selection.sentence
        assert "group 9" in selection.sentence

    def test_groups_of_named_columns_are_column_and_label(self):
        X, y, town = towns(1500, -0.5)
        columns = {"town": town, "half": np.arange(1500) % 2}
        selection = classifier().fit(X, y, columns).selection_
        assert isinstance(selection.group, tuple)
        assert f"group town={selection.group[0]}, half={selection.group[1]}" in selection.sentence
        assert "group town=small" in classifier(crossed=False).fit(X, y, {"town": town}).selection_.sentence

    def test_one_other_candidate(self):
        X, y, town = towns(500, 1.0)
        for seed in range(5):
            model = sb.MinimaxClassifierCV([1.0], priors=[0], l2s=[0.01], cv=3, random_state=seed).fit(X, y, town)
            sentence = model.selection_.sentence
            assert "; the other candidate lowers the" in sentence or "and the other candidate has no lower" in sentence
            assert "among so many" not in sentence
        alone = sb.MinimaxClassifierCV([0.0], priors=[0], l2s=[0.01], cv=3).fit(X, y, town)
        assert "there is no other candidate" in alone.selection_.sentence

    @pytest.mark.parametrize(
        ("value", "error", "shown"),
        [
            (0.0261, 0.0052, "0.026 (0.005)"),
            (12704.3, 9712.4, "12704 (9712)"),
            (1234567.0, 12345.0, "1.235e+06 (1.2e+04)"),
            (5.0, np.inf, "5 (inf)"),
        ],
    )
    def test_numbers_below_a_million_have_no_exponent(self, value, error, shown):
        assert in_brackets(value, error) == shown

    def test_significant_digits(self):
        assert [plain(x, 3) for x in (0.5969, 4912.3, 999.7, 999999.4, 2.5e6, 1.3e-5)] == [
            "0.597",
            "4912",
            "1000",
            "999999",
            "2.5e+06",
            "1.3e-05",
        ]

    def test_candidates_as_a_data_frame(self, gain):
        frame = gain.selection_.to_pandas()
        assert list(frame.columns) == gain.selection_.candidates.columns
        assert len(frame) == 10

    def test_gain_and_price_are_those_of_the_table(self, gain):
        selection = gain.selection_
        row, kept = (list(selection.candidates)[c] for c in (selection.chosen, selection.kept))
        text = selection.sentence
        assert text == str(selection)
        assert repr(selection) == f"{text}\n\n{selection.candidates!r}"
        named = f"worst_weight={row['worst_weight']:g}, prior={row['prior']:g}, l2={row['l2']:g}: "
        assert text.startswith(named)
        before, after = (with_error(loss["worst_loss"], row["gain_error"])[0] for loss in (kept, row))
        assert f"falls by {in_brackets(row['gain'], row['gain_error'])}, from {before} to {after}" in text
        rises = "rises" if row["price"] > 0 else "falls"
        price = in_brackets(abs(row["price"]), row["price_error"])
        assert f"The average of all rows {rises} by {price}." in text
        assert (selection.gain, selection.price) == (row["gain"], row["price"])

    def test_group_that_has_become_the_worst_is_named(self, gain):
        selection = gain.selection_
        worst = selection.candidates["worst_group"][selection.chosen]
        if worst == selection.group:
            assert f"of group {selection.group!r}, the worst off" in selection.sentence
        else:
            assert f"(group {worst!r})" in selection.sentence
            assert f"(group {selection.group!r}, under the average model)" in selection.sentence

    def test_bound_is_certified(self, gain):
        bound = gain.selection_.bound
        assert bound.value == pytest.approx(gain.result_.losses.max(), rel=1e-12)
        optimum = sb.MinimaxClassifier(1.0, l2=gain.l2_, tol=1e-9).fit(*towns(1500, -0.5)).result_.value
        assert bound.lower_bound <= optimum <= bound.value + 1e-9
        penalized = gain.result_.losses.max() - gain.group_losses_.max()
        assert penalized == pytest.approx(0.5 * gain.l2_ * np.sum((gain.coef_ * towns(1500, -0.5)[0].std(axis=0)) ** 2))
        within = f"(certified for intercepts within {bound.result.reach[-1]:.3g} of the one found)."
        said = f"{bound.value:.3g} with the penalty, by more than {bound.gap:.2g} {within}"
        assert gain.selection_.sentence.endswith(said)

    def test_a_bound_without_penalty_and_intercept(self):
        X, y, town = towns(300, -0.5)
        model = sb.MinimaxClassifierCV(l2s=[0.0], cv=3, repeats=1).fit(X, y, sensitive_features=town)
        assert "with the penalty" not in model.selection_.sentence
        assert "(certified for parameters, in standardized units, within" in model.selection_.sentence
        model = sb.MinimaxClassifierCV(fit_intercept=False, cv=3, repeats=1).fit(X, y, sensitive_features=town)
        assert model.selection_.sentence.endswith(" (certified).")

    def test_nothing_tells_the_best_of_the_others(self):
        X, y, town = towns(500, 1.0)
        selection = classifier().fit(X, y, town).selection_
        kept, choice = list(selection.candidates)[selection.kept], selection.choice
        loss = in_brackets(kept["worst_loss"], kept["worst_loss_error"])
        assert f"is {selection.group!r}, with a held-out loss of {loss}" in selection.sentence
        best = choice.best
        if choice.gains[best] > 0:
            gain = in_brackets(choice.gains[best], choice.gain_errors[best])
            assert (
                f"the best of 9 other candidates lowers the largest one by {gain}, which chance" in selection.sentence
            )
        else:
            assert "none of 9 other candidates has a lower largest one" in selection.sentence

    def test_group_of_few_rows_confirms_nothing(self):
        """15 rows with a certain gain: the reason is their number, not the price."""
        rng = np.random.default_rng(0)
        X, few = rng.standard_normal((600, 2)), np.arange(600) < 15
        y = np.where(few, -3.0, 3.0) * X[:, 0] + 0.3 * rng.logistic(size=600) > 0
        selection = classifier(priors=[0.0]).fit(X, y, np.where(few, "few", "many")).selection_
        assert selection.nothing_to_gain
        assert selection.group == "few"
        assert "which a group of so few rows cannot confirm" in selection.sentence


class TestInvariances:
    @pytest.mark.slow
    def test_n_jobs_and_runs_give_the_same_bits(self):
        """On a table that is large enough for threads."""
        X, y, town = towns(30_000, 0.5)
        small = {"worst_weights": [0.5], "priors": [0.0], "l2s": [1e-3], "cv": 2}
        models = [classifier(**small, n_jobs=n_jobs).fit(X, y, town) for n_jobs in (1, 1, 2)]
        for other in models[1:]:
            assert np.array_equal(other.coef_, models[0].coef_)
            assert repr(other.selection_) == repr(models[0].selection_)

    def test_unit_of_the_weights_does_not_matter(self):
        weight = np.resize([1.0, 2.0, 0.5], 300)
        one, other = (fitted(sample_weight=unit * weight) for unit in (1.0, 2.0**20))
        plain, ones = fitted(), fitted(sample_weight=np.ones(300))
        for a, b in ((one, other), (plain, ones)):
            assert a.selection_.chosen == b.selection_.chosen
            for name in ("worst_loss", "average_loss_error", "gain", "price"):
                np.testing.assert_allclose(
                    a.selection_.candidates[name], b.selection_.candidates[name], rtol=1e-6, atol=1e-9
                )
        assert not np.allclose(one.selection_.candidates["gain"], plain.selection_.candidates["gain"])

    def test_overlapping_groups(self):
        model = fitted(groups={"town": DATA.town, "sex": DATA.sex}, crossed=False)
        assert len(model.group_names_) == 5
        assert model.selection_.group in model.group_names_
        assert np.isfinite(model.selection_.candidates["gain_error"]).all()

    def test_selection_pickles(self, gain):
        loaded = pickle.loads(pickle.dumps(gain.selection_))
        assert repr(loaded) == repr(gain.selection_)
        assert loaded.chosen == gain.selection_.chosen
        assert np.array_equal(loaded.choice.gains, gain.selection_.choice.gains)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "two_se"}, "rule must be one of 'one_se', 'best'; got 'two_se'"),
        ({"rule": 1.0}, "rule must be one of"),
        ({"worst_weights": [2.0]}, "worst_weights must be between 0 and 1; got 2"),
        ({"worst_weights": "all"}, "worst_weights must be a list of numbers"),
        ({"worst_weights": []}, "worst_weights must hold at least one number"),
        ({"priors": ["equal"]}, "prior must be 'shares', 'balanced'"),
        ({"priors": [[1.0, 2.0]]}, "prior must have length 3"),
        ({"priors": None}, "prior"),
        ({"l2s": [-1.0]}, "l2s must be a finite number >= 0"),
        ({"l2s": 0.1}, "l2s must be a list of numbers"),
        ({"cv": 1}, "cv must be a whole number >= 2"),
        ({"cv": 301}, "cv must be at most the number of rows, 300; got 301"),
        ({"cv": "five"}, "cv must be a number of folds, a splitter or a list of splits"),
        ({"cv": True}, "cv must be a number of folds"),
        ({"cv": []}, "cv must give splits with rows"),
        ({"cv": [([0, 1], np.array([], int))]}, "cv must give splits with rows"),
        ({"cv": [([0, 1], [300])]}, "numbers of rows from 0 to 299"),
        ({"repeats": 0}, "repeats must be a whole number >= 1"),
        ({"scoring": "gini"}, "scoring must be one of 'loss', 'error_rate'"),
        ({"scoring": ["loss"]}, "scoring must be one of"),
        ({"scoring": lambda y, prediction: 1.0}, "must return one number per row, 100; got shape"),
        ({"random_state": "today"}, "random_state must be a whole number"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(sb.ProblemError, match=message):
        fitted(**parameters)
