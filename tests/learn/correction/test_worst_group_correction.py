"""What the correction gains, and that it stays away where there is nothing to gain."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_softmax
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.svm import LinearSVC

import saddleback as sb
from learn.correction.towns import towns

BOOSTING = GradientBoostingClassifier(n_estimators=20, random_state=0)


def row_losses(proba, y):
    return -np.log(proba[np.arange(len(y)), (y == "yes").astype(int)])


class TestLeftAlone:
    """Where the towns are alike, nothing is to be gained."""

    def fitted(self, estimator, **parameters):
        data = towns(slope=1.0)
        return sb.WorstGroupCorrection(estimator, cv=3, **parameters).fit(data.X, data.y, sensitive_features=data.town)

    @pytest.mark.parametrize(
        ("estimator", "loss"),
        [
            (BOOSTING, "auto"),
            (LogisticRegression(), "auto"),
            (RandomForestClassifier(30, random_state=0), "auto"),
            (LinearSVC(), "squared_hinge"),
        ],
        ids=["boosting", "logistic", "forest", "svc"],
    )
    def test_predictions_are_exactly_those_of_the_estimator(self, estimator, loss):
        model, data = self.fitted(estimator, loss=loss), towns(seed=1, slope=1.0)
        own = type(estimator)(**estimator.get_params()).fit(*towns(slope=1.0)[:2])
        assert not model.corrected_
        assert np.array_equal(model.predict(data.X), own.predict(data.X))
        for method in ("predict_proba", "decision_function"):
            if hasattr(own, method):
                assert np.array_equal(getattr(model, method)(data.X), getattr(own, method)(data.X))
        assert hasattr(model, "predict_proba") == hasattr(own, "predict_proba")

    def test_margins_of_a_model_without_them(self):
        model, data = self.fitted(RandomForestClassifier(30, random_state=0)), towns(seed=1, slope=1.0)
        p = np.clip(model.predict_proba(data.X)[:, 1], 0.5 / 801, 1 - 0.5 / 801)
        np.testing.assert_allclose(model.decision_function(data.X), np.log(p / (1 - p)), rtol=1e-12)

    def test_attributes(self):
        model = self.fitted(LogisticRegression())
        assert not model.coef_.any()
        assert not model.intercept_.any()
        assert model.certified_
        assert model.gap_ == model.selection_.bound.gap
        assert model.gap_ < 0.02, "what a correction of a right model may gain on its training rows"
        assert "Nothing to gain: your model is kept" in str(model.selection_)
        assert "no linear correction with l2=0.001" in str(model.selection_)
        assert model.selection_.kept == 0
        assert model.selection_.candidates["l2"][0] == np.inf

    @pytest.mark.parametrize("seed", range(6))
    def test_it_stays_away_from_groups_that_are_alike(self, seed):
        data = towns(n=600, seed=seed, slope=1.0)
        model = sb.WorstGroupCorrection(BOOSTING, cv=3).fit(data.X, data.y, sensitive_features=data.town)
        assert not model.corrected_

    def test_without_groups(self):
        data = towns(slope=1.0)
        with pytest.warns(UserWarning, match="no groups"):
            model = sb.WorstGroupCorrection(LogisticRegression(), cv=3).fit(data.X, data.y)
        assert not model.corrected_
        assert str(model.selection_).startswith("One group: your model is kept")


class TestCorrected:
    def test_it_gains_on_fresh_rows(self):
        """A model without the interaction, judged on rows that neither it nor the correction has seen."""
        data, fresh = towns(n=2000), towns(n=4000, seed=1)
        model = sb.WorstGroupCorrection(BOOSTING).fit(data.X, data.y, sensitive_features=data.town)
        assert model.corrected_
        assert model.certified_
        assert model.selection_.group == "small"
        before = row_losses(model.estimator_.predict_proba(fresh.X), fresh.y)
        after = row_losses(model.predict_proba(fresh.X), fresh.y)
        d = (before - after)[fresh.town == "small"]
        assert d.mean() > 2 * d.std() / np.sqrt(d.size)
        assert (after - before).mean() < d.mean(), "the price is less than the gain"

    def test_a_shifted_intercept_of_one_group(self):
        """A frozen model that is off by 1.5 for the small town; b and the column of the town repair it."""
        data, fresh = towns(n=2000, slope=1.0), towns(n=4000, seed=1, slope=1.0)

        def with_town(data):
            return np.column_stack([data.X, data.town == "small"])

        base = LogisticRegression().fit(with_town(data), data.y)
        base.coef_[0, 3] -= 1.5
        new = towns(n=2000, seed=2, slope=1.0)
        model = sb.WorstGroupCorrection(FrozenEstimator(base)).fit(with_town(new), new.y, sensitive_features=new.town)
        assert model.corrected_
        assert model.estimator_ is model.estimator
        before = row_losses(base.predict_proba(with_town(fresh)), fresh.y)
        after = row_losses(model.predict_proba(with_town(fresh)), fresh.y)
        d = (before - after)[fresh.town == "small"]
        assert d.mean() > 2 * d.std() / np.sqrt(d.size)
        assert after.mean() < before.mean()

    def test_margins_are_those_of_the_estimator_plus_the_correction(self):
        data, fresh = towns(), towns(seed=1)
        model = sb.WorstGroupCorrection(BOOSTING, cv=3, l2s=[0.1], rule="best")
        model.fit(data.X, data.y, sensitive_features=data.town)
        assert model.corrected_
        eta = model.estimator_.decision_function(fresh.X) + fresh.X @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(model.decision_function(fresh.X), eta, rtol=1e-9)
        np.testing.assert_allclose(model.predict_proba(fresh.X)[:, 1], expit(eta), rtol=1e-9)
        np.testing.assert_allclose(model.predict_log_proba(fresh.X), np.log(model.predict_proba(fresh.X)))
        assert np.array_equal(model.predict(fresh.X), np.where(eta > 0, "yes", "no"))

    @pytest.mark.parametrize("p", [0.5, 1.0])
    def test_the_optimum_against_cvxpy(self, p):
        """The offsets are those of scikit-learn's cross_val_predict on the same folds."""
        data, folds = towns(n=600, slope=-2.0), list(KFold(3).split(np.zeros(600)))
        model = sb.WorstGroupCorrection(
            LogisticRegression(),
            worst_weights=[p],
            priors=[0.0],
            l2s=[0.01],
            cv=folds,
            rule="best",
            standardize=False,
            tol=1e-9,
        )
        model.fit(data.X, data.y, sensitive_features=data.town)
        chosen = model.selection_.candidates["worst_weight"][model.selection_.chosen]
        o = cross_val_predict(LogisticRegression(), data.X, data.y, cv=folds, method="decision_function")
        w, b, signs = cp.Variable(3), cp.Variable(), np.where(data.y == "yes", 1.0, -1.0)
        losses = [
            cp.sum(cp.logistic(cp.multiply(-signs[rows], o[rows] + data.X[rows] @ w + b))) / rows.sum()
            for rows in (data.town == "big", data.town == "small")
        ]
        shares = [np.mean(data.town == name) for name in ("big", "small")]
        average = shares[0] * losses[0] + shares[1] * losses[1]
        objective = (1 - chosen) * average + chosen * cp.maximum(*losses) + 0.005 * cp.sum_squares(w)
        problem = cp.Problem(cp.Minimize(objective))
        problem.solve(solver=cp.CLARABEL)
        assert chosen == p
        assert model.certified_
        assert model.result_.value == pytest.approx(problem.value, abs=1e-6)
        np.testing.assert_allclose(model.coef_[0], w.value, atol=1e-4)

    def test_many_classes(self):
        data, fresh = towns(n=1500), towns(n=1500, seed=1)
        y, new = np.digitize(data.score, [-1.0, 1.0]), np.digitize(fresh.score, [-1.0, 1.0])
        model = sb.WorstGroupCorrection(BOOSTING, cv=3, l2s=[0.1, 1.0]).fit(data.X, y, sensitive_features=data.town)
        assert model.corrected_
        assert model.coef_.shape == (3, 3)
        log_p = np.log(model.estimator_.predict_proba(fresh.X))
        eta = log_p + fresh.X @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(model.predict_proba(fresh.X), np.exp(log_softmax(eta, axis=1)), rtol=1e-9)
        assert np.array_equal(model.predict(fresh.X), eta.argmax(axis=1))
        rows, losses = np.arange(1500), np.log(model.predict_proba(fresh.X)) - log_p
        d = losses[rows, new][fresh.town == "small"]
        assert d.mean() > 2 * d.std() / np.sqrt(d.size)

    def test_numbers(self):
        """A correction of a constant for the average is ridge regression of its residuals."""
        data, fresh = towns(slope=0.5), towns(seed=1, slope=0.5)
        model = sb.WorstGroupCorrection(DummyRegressor(), worst_weights=[0.0], priors=[0.0], l2s=[0.1], tol=1e-12)
        model.set_params(rule="best").fit(data.X, data.score, sensitive_features=data.town)
        # Cross-fitted constants are those of the other folds, so that they differ a little.
        Z = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
        ridge = Ridge(alpha=800 * 0.1 / 2).fit(Z, data.score)
        np.testing.assert_allclose(model.coef_ * data.X.std(axis=0), ridge.coef_, atol=0.01)
        assert model.predict(fresh.X).shape == (800,)
        assert model.score(fresh.X, fresh.score) > 0.2

    def test_counts(self):
        data, fresh = towns(n=1500), towns(n=1500, seed=1)
        model = sb.WorstGroupCorrection(PoissonRegressor(), loss="poisson", l2s=[0.01, 0.1], cv=3)
        model.fit(data.X, data.counts, sensitive_features=data.town)
        assert model.corrected_
        eta = np.log(model.estimator_.predict(fresh.X)) + fresh.X @ model.coef_ + model.intercept_
        np.testing.assert_allclose(model.predict(fresh.X), np.exp(eta), rtol=1e-9)

    def test_another_loss_against_scipy(self):
        data = towns(n=300)
        model = sb.WorstGroupCorrection(
            LinearRegression(),
            loss=sb.losses.Huber(delta=0.5),
            worst_weights=[0.0],
            priors=[1.0],
            l2s=[0.01],
            cv=list(KFold(3).split(data.X)),
            rule="best",
            tol=1e-10,
            standardize=False,
        ).fit(data.X, data.score, sensitive_features=data.town)
        assert model.selection_.candidates["prior"][model.selection_.chosen] == 1.0
        o = cross_val_predict(LinearRegression(), data.X, data.score, cv=3)
        small = data.town == "small"
        weight = np.where(small, 0.5 / small.sum(), 0.5 / (~small).sum())

        def objective(w):
            r = np.abs(data.score - o - data.X @ w[:3] - w[3])
            return weight @ np.where(r <= 0.5, 0.5 * r * r, 0.5 * r - 0.125) + 0.005 * w[:3] @ w[:3]

        best = minimize(objective, np.zeros(4), tol=1e-12)
        assert model.result_.value == pytest.approx(best.fun, abs=1e-8)

    def test_group_losses_are_those_of_cross_fitted_margins(self):
        data, folds = towns(n=300), list(KFold(3).split(np.zeros(300)))
        model = sb.WorstGroupCorrection(LogisticRegression(), cv=folds, l2s=[0.1], rule="best")
        model.fit(data.X, data.y, sensitive_features=data.town)
        o = cross_val_predict(LogisticRegression(), data.X, data.y, cv=folds, method="decision_function")
        eta = o + data.X @ model.coef_[0] + model.intercept_[0]
        losses = np.logaddexp(0.0, np.where(data.y == "yes", -eta, eta))
        for name, loss in zip(model.group_names_, model.group_losses_, strict=True):
            assert loss == pytest.approx(losses[data.town == name].mean(), rel=1e-9)

    def test_error_rates_may_be_what_counts(self):
        data = towns(n=2000)
        model = sb.WorstGroupCorrection(BOOSTING, cv=3, l2s=[0.1], scoring="error_rate")
        model.fit(data.X, data.y, sensitive_features=data.town)
        assert model.selection_.scoring == "error_rate"
        own = cross_val_predict(BOOSTING, data.X, data.y, cv=3)
        assert model.selection_.candidates["worst_loss"][0] == pytest.approx(
            np.mean((own != data.y)[data.town == "small"]), abs=0.05
        )


def test_weight_two_is_two_rows():
    """With the same folds; row 2 i + 1 repeats row 2 i."""
    data, model = (
        towns(n=400),
        sb.WorstGroupCorrection(LogisticRegression(tol=1e-10), l2s=[0.1], rule="best", tol=1e-10),
    )
    once, fold = np.arange(0, 400, 2), (np.arange(200) % 4)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    weighted = model.set_params(cv=splits).fit(
        data.X[once], data.y[once], sensitive_features=data.town[once], sample_weight=np.full(200, 2.0)
    )
    coef = weighted.coef_.copy()
    twice = np.repeat(once, 2)
    doubled = [(np.flatnonzero(np.repeat(fold, 2) != k), np.flatnonzero(np.repeat(fold, 2) == k)) for k in range(4)]
    repeated = model.set_params(cv=doubled).fit(data.X[twice], data.y[twice], sensitive_features=data.town[twice])
    assert weighted.corrected_
    np.testing.assert_allclose(coef, repeated.coef_, atol=1e-5)
