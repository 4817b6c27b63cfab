"""The fitted models against other solvers."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.metrics import log_loss

import saddleback as sb
from learn.people import people
from saddleback.losses import Huber, Quantile

L2 = 1e-2


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("groups", [True, False])
def test_average_is_logistic_regression(groups):
    data = people()
    X = standardized(data.X)
    model = sb.MinimaxClassifier(worst_weight=0.0, l2=L2, standardize=False, tol=1e-12)
    if groups:
        model.fit(X, data.y, sensitive_features=data.town)
    else:
        with pytest.warns(UserWarning, match="no groups"):
            model.fit(X, data.y)
    other = LogisticRegression(C=1 / (300 * L2), tol=1e-12, solver="newton-cholesky").fit(X, data.y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, other.intercept_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_average_with_many_classes_is_multinomial_regression():
    data = people()
    X, y = standardized(data.X), np.digitize(data.score, [-100.0, 50.0])
    model = sb.MinimaxClassifier(worst_weight=0.0, l2=L2, standardize=False, tol=1e-12)
    model.fit(X, y, sensitive_features=data.town)
    other = LogisticRegression(C=1 / (300 * L2), tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)), atol=1e-12)


def test_average_is_ridge_regression():
    data = people()
    X, weight = standardized(data.X), np.resize([1.0, 2.0, 0.5], 300)
    model = sb.MinimaxRegressor(worst_weight=0.0, l2=L2, standardize=False, tol=1e-14)
    model.fit(X, data.score, sensitive_features=data.town, sample_weight=weight)
    other = Ridge(alpha=weight.sum() * L2 / 2).fit(X, data.score, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-6)


def test_standardized_penalty_in_the_units_of_the_user():
    """glmnet's convention: the penalty of standardized columns, coefficients of the columns as they are."""
    data = people()
    model = sb.MinimaxRegressor(worst_weight=0.0, l2=L2, tol=1e-13).fit(
        data.X, data.score, sensitive_features=data.town
    )
    other = Ridge(alpha=300 * L2 / 2).fit(standardized(data.X), data.score)
    np.testing.assert_allclose(model.coef_ * data.X.std(axis=0), other.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict(data.X), other.predict(standardized(data.X)), atol=1e-6)


def test_counts():
    data = people()
    X, counts = standardized(data.X), np.floor(np.exp(0.01 * data.score))
    model = sb.MinimaxRegressor(worst_weight=0.0, l2=L2, loss="poisson", standardize=False, tol=1e-12)
    model.fit(X, counts, sensitive_features=data.town)
    other = PoissonRegressor(alpha=L2, tol=1e-12, max_iter=10000, solver="newton-cholesky").fit(X, counts)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=1e-6)


def worst_group_value(X, y, groups, loss, shares, p):
    """min (1 - p) average + p worst, by CVXPY."""
    w, b = cp.Variable(X.shape[1]), cp.Variable()
    eta = X @ w + b
    losses = [loss(eta[groups == g], y[groups == g]) for g in np.unique(groups)]
    average = sum(share * f for share, f in zip(shares, losses, strict=True))
    objective = (1 - p) * average + p * cp.max(cp.hstack(losses)) + L2 / 2 * cp.sum_squares(w)
    problem = cp.Problem(cp.Minimize(objective))
    problem.solve(solver=cp.CLARABEL)
    return problem.value, w.value, float(b.value)


@pytest.mark.parametrize("p", [0.3, 1.0])
def test_the_worst_group_against_cvxpy(p):
    data = people()
    X = standardized(data.X)
    signs, shares = np.where(data.y == "yes", 1.0, -1.0), np.unique(data.town, return_counts=True)[1] / 300
    value, w, b = worst_group_value(
        X, signs, data.town, lambda eta, y: cp.sum(cp.logistic(cp.multiply(-y, eta))) / y.size, shares, p
    )
    model = sb.MinimaxClassifier(worst_weight=p, l2=L2, standardize=False, tol=1e-10)
    model.fit(X, data.y, sensitive_features=data.town)
    assert model.certified_
    assert model.result_.value == pytest.approx(value, abs=1e-6)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, b, atol=1e-5)


def test_the_worst_group_of_a_regression_against_cvxpy():
    data = people()
    X, y, shares = standardized(data.X), data.score / 100, np.ones(3) / 3
    value, _, _ = worst_group_value(X, y, data.town, lambda eta, y: cp.sum_squares(eta - y) / y.size, shares, 1.0)
    model = sb.MinimaxRegressor(l2=L2, standardize=False, tol=1e-9).fit(X, y, sensitive_features=data.town)
    assert model.result_.value == pytest.approx(value, abs=1e-6)


def test_losses_of_the_groups_are_those_of_their_rows():
    data = people()
    model = sb.MinimaxClassifier(worst_weight=0.5).fit(data.X, data.y, sensitive_features=data.town)
    proba = model.predict_proba(data.X)
    for name, loss in zip(model.group_names_, model.group_losses_, strict=True):
        rows = data.town == name
        assert loss == pytest.approx(log_loss(data.y[rows], proba[rows], labels=model.classes_), rel=1e-9)
    assert model.group_weights_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["squared", "huber", "quantile", Quantile(0.9), Huber(0.3)])
@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_units_of_the_target_do_not_matter(loss, shift):
    """Nor does a constant in it, far above its standard deviation."""
    data = people()
    plain = sb.MinimaxRegressor(0.5, l2=L2, loss=loss, tol=1e-9).fit(data.X, data.score, sensitive_features=data.town)
    assert plain.certified_
    for unit in (1e-8, 1e8):
        y = unit * (data.score + shift)
        model = sb.MinimaxRegressor(0.5, l2=L2, loss=loss, tol=1e-9).fit(data.X, y, sensitive_features=data.town)
        assert model.certified_
        np.testing.assert_allclose(model.coef_ / unit, plain.coef_, rtol=1e-3, atol=1e-6 * np.abs(plain.coef_).max())
        np.testing.assert_allclose(model.predict(data.X) / unit - shift, plain.predict(data.X), atol=1e-2)


def test_a_quantile_covers_its_share_in_every_unit():
    data = people(2000)
    for unit in (1e-3, 1.0, 1e5):
        model = sb.MinimaxRegressor(0.0, loss=Quantile(0.9)).fit(
            data.X, unit * data.score, sensitive_features=data.town
        )
        assert 0.88 <= (unit * data.score <= model.predict(data.X)).mean() <= 0.92


def test_without_standardizing_the_objective_is_in_the_units_of_the_data():
    data = people()
    X = standardized(data.X)
    model = sb.MinimaxRegressor(0.0, l2=L2, loss=Huber(20.0), standardize=False, tol=1e-10)
    model.fit(X, data.score, sensitive_features=data.town)
    losses = sb.GroupedLinear(X, data.score, np.zeros(300), loss=Huber(20.0), l2=L2)
    value = sb.solve(sb.Problem(losses), tol=1e-9).value
    assert model.result_.value == pytest.approx(value, rel=1e-7)


def test_overlapping_groups_average_over_the_rows():
    data = people()
    features = {"town": data.town, "sex": data.sex}
    model = sb.MinimaxRegressor(worst_weight=0.0, l2=0.0, crossed=False, tol=1e-13)
    model.fit(data.X, data.score, sensitive_features=features)
    other = LinearRegression().fit(data.X, data.score)
    np.testing.assert_allclose(model.predict(data.X), other.predict(data.X), atol=1e-4)
    assert model.group_names_ == [("town", "big"), ("town", "mid"), ("town", "small"), ("sex", "f"), ("sex", "m")]


class TestReference:
    def test_regret_against_the_average(self):
        """At p = 1 the largest rise of a group's loss over the average model is minimized, and is not above 0."""
        data = people()
        average = sb.MinimaxClassifier(worst_weight=0.0, l2=L2).fit(data.X, data.y, sensitive_features=data.town)
        model = sb.MinimaxClassifier(l2=L2, reference="average").fit(data.X, data.y, sensitive_features=data.town)
        # The average model has the value 0, so that the optimum is not above it.
        assert model.result_.value <= model.result_.gap <= 1e-6
        assert (model.group_losses_ <= average.group_losses_ + 1e-2).all()

    def test_own_losses_are_held_out(self):
        """A group of ten rows and ten features is fitted perfectly in-sample, and not on held-out rows."""
        rng = np.random.default_rng(0)
        X, groups = rng.standard_normal((210, 10)), np.repeat(["many", "few"], [200, 10])
        y = X[:, 0] + rng.standard_normal(210)
        own = sb.MinimaxRegressor(l2=1e-6, reference="own").fit(X, y, sensitive_features=groups)
        assert own.group_losses_[own.group_names_.index("few")] - own.result_.value > 0.3

    def test_numbers_for_each_group(self):
        data = people()
        numbers = [0.0, 0.0, -5.0]
        model = sb.MinimaxClassifier(l2=L2, reference=numbers).fit(data.X, data.y, sensitive_features=data.town)
        np.testing.assert_allclose(model.group_weights_, [0.0, 0.0, 1.0], atol=1e-9)


@pytest.mark.parametrize("worst_share", [0.1, 0.5])
def test_the_worst_rows_against_a_conic_solver(worst_share):
    """The mean loss of the worst rows, by losses of single rows, whose Jacobian is never formed."""
    data = people()
    X, n = standardized(data.X), 300
    score = data.score / data.score.std()
    model = sb.MinimaxRegressor(
        group_by="rows", dual_set=sb.CappedSimplex(worst_share), l2=0.1, standardize=False, tol=1e-9
    ).fit(X, score)
    w, b, t = cp.Variable(X.shape[1]), cp.Variable(), cp.Variable()
    losses = cp.square(score - X @ w - b)
    objective = t + cp.sum(cp.pos(losses - t)) / (worst_share * n) + 0.05 * cp.sum_squares(w)
    cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10)
    assert model.certified_
    assert model.result_.method == "interior-point"
    np.testing.assert_allclose(model.coef_, w.value, atol=1e-4)
    assert model.group_losses_.size == n


def test_labels_of_single_rows_are_groups_like_others():
    """The same model where labels in another order say that every row is a group."""
    data = people()
    X, y = standardized(data.X)[:80], data.y[:80]
    order = np.random.default_rng(0).permutation(80)
    labels = sb.MinimaxClassifier(0.5, tol=1e-9, min_group_size=1).fit(X, y, sensitive_features=order)
    rows = sb.MinimaxClassifier(0.5, group_by="rows", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(labels.coef_, rows.coef_, atol=1e-4)
