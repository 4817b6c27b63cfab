"""Refits to resamples that share one table: the binding groups of refits one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from losses.grouped.own_losses import Foreign
from sklearn.base import clone

import saddleback as sb
from saddleback.learn.evidence import refits, stability
from saddleback.learn.evidence.refits import SharedRefits, shares_reads
from saddleback.learn.evidence.resampling import Strata
from saddleback.learn.evidence.subject import read_subject
from saddleback.learn.fitting.candidate import NoCorrection
from saddleback.learn.fitting.reference import References
from saddleback.learn.fitting.trainer import Trainer
from saddleback.learn.groups.groups import Groups
from saddleback.learn.selection import predicted_hessians
from saddleback.learn.selection.predicted_hessians import PredictionControl

ALWAYS = PredictionControl(least_work=0.0, rows_per_parameter=0, group_rows_per_parameter=0.0)


def table(n=600, *, classes=2, overlap=False):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 3)) * [1.0, 30.0, 0.1] + [0.0, 10.0, 1.0]
    town = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    eta = X[:, 0] + np.where(town == "b", -1.0, 0.5) * (X[:, 1] - 10.0) / 30.0 + rng.logistic(size=n)
    y = eta if classes == 0 else np.digitize(eta, [-0.7, 0.7]) if classes == 3 else (eta > 0).astype(int)
    groups = {"town": town, "sex": rng.integers(0, 2, n)} if overlap else town
    return X, y, groups


CASES = {
    "worst group": sb.MinimaxClassifier(1.0, l2=0.01),
    "mixture": sb.MinimaxClassifier(0.5, l2=0.01),
    "average": sb.MinimaxClassifier(0.0, l2=0.01),
    "quasi-Newton": sb.MinimaxClassifier(0.5, l2=0.01, method="quasi-newton"),
    "own set": sb.MinimaxClassifier(l2=0.01, dual_set=sb.CappedSimplex(0.6)),
    "regret": sb.MinimaxClassifier(0.5, l2=0.01, reference="average"),
    "own loss": sb.MinimaxClassifier(0.5, l2=0.01, loss=Foreign("logistic")),
    "no intercept": sb.MinimaxClassifier(0.5, l2=0.01, fit_intercept=False),
    "as they are": sb.MinimaxClassifier(0.5, l2=0.01, standardize=False),
    "numbers": sb.MinimaxRegressor(0.5, l2=0.01),
    "three classes": sb.MinimaxClassifier(0.5, l2=0.01),
    "overlap": sb.MinimaxClassifier(0.5, l2=0.01, crossed=False),
    "sparse": sb.MinimaxClassifier(0.5, l2=0.01),
    "weights": sb.MinimaxClassifier(0.5, l2=0.01),
}


def subject_of(case):
    classes = {"numbers": 0, "three classes": 3}.get(case, 2)
    X, y, groups = table(classes=classes, overlap=case == "overlap")
    X = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)) if case == "sparse" else X
    weight = np.random.default_rng(0).random(len(y)) + 0.5 if case == "weights" else None
    model = clone(CASES[case]).fit(X, y, sensitive_features=groups, sample_weight=weight)
    return read_subject(model, None, None, None, None)


@pytest.mark.parametrize("predicted", [False, True], ids=["computed", "predicted"])
@pytest.mark.parametrize("case", CASES)
def test_fits_are_those_of_refits_one_by_one(case, predicted, monkeypatch):
    """Coefficients, losses and weights of the groups, and which of them bind."""
    monkeypatch.setattr(refits, "LEAST_BYTES", 0)
    if predicted:
        monkeypatch.setattr(predicted_hessians, "CONTROL", ALWAYS)
    subject = subject_of(case)
    rows, candidate, setting = subject.trained.rows, subject.candidate, stability._setting(subject)
    assert shares_reads(rows, setting, candidate)
    shared = SharedRefits.of(rows, setting, candidate, stability._model(subject), 1e-9)
    assert (shared.hessians is not None) == (predicted and case != "quasi-Newton")
    rng = np.random.default_rng(1)
    times = np.stack([Strata.of(rows.groups).counted(rng) for _ in range(3)])
    for (trainer, fit), of_one in zip(shared.fits(times), times, strict=True):
        alone = Trainer(stability._resample(rows, of_one), setting)
        own = alone.fit(candidate, reference=References(alone).at(candidate.l2), tol=1e-9)
        np.testing.assert_array_equal(trainer.nonempty, alone.nonempty)
        np.testing.assert_allclose(trainer.shares, alone.shares, rtol=1e-12)
        assert fit.result.success
        # Certified gaps of 1e-9 leave errors of their root.
        np.testing.assert_allclose(fit.losses, own.losses, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(fit.coef, own.coef, rtol=1e-2, atol=2e-4 * np.abs(own.coef).max())
    counts, weights = stability._binding(subject, rows, 5, np.random.default_rng(2))
    monkeypatch.setattr(refits, "LEAST_BYTES", np.inf)
    expected, expected_weights = stability._binding(subject, rows, 5, np.random.default_rng(2))
    np.testing.assert_array_equal(counts, expected)
    np.testing.assert_array_equal(weights, expected_weights)


def test_fits_do_not_depend_on_what_goes_on_at_a_time(monkeypatch):
    """Up to the rounding of standardizations."""
    monkeypatch.setattr(refits, "LEAST_BYTES", 0)
    subject = subject_of("mixture")
    known = None
    for at_a_time in (1, 2, 48):
        monkeypatch.setattr(refits, "most_fits", lambda trainer, number=at_a_time: number)
        shared = SharedRefits.of(
            subject.trained.rows, stability._setting(subject), subject.candidate, stability._model(subject), 1e-6
        )
        assert shared.at_a_time == at_a_time
        rng = np.random.default_rng(1)
        times = np.stack([Strata.of(subject.rows.groups).counted(rng) for _ in range(4)])
        fits = [fit for first in range(0, 4, at_a_time) for _, fit in shared.fits(times[first : first + at_a_time])]
        coefficients = np.stack([fit.coef for fit in fits])
        known = coefficients if known is None else known
        np.testing.assert_allclose(coefficients, known, rtol=1e-10)


def test_another_score_of_the_average_model(monkeypatch):
    """The worst-off group of an average model is that of the score, not of the loss."""
    monkeypatch.setattr(refits, "LEAST_BYTES", 0)
    X, y, town = table()
    model = sb.MinimaxClassifierCV(worst_weights=[0], priors=[0], l2s=[0.01], cv=3, repeats=1, scoring="error_rate")
    subject = read_subject(model.fit(X, y, sensitive_features=town), None, None, None, None)
    shares, _ = stability._binding(subject, subject.trained.rows, 5, np.random.default_rng(2))
    monkeypatch.setattr(refits, "LEAST_BYTES", np.inf)
    expected, _ = stability._binding(subject, subject.trained.rows, 5, np.random.default_rng(2))
    np.testing.assert_array_equal(shares, expected)


def test_large_tables_share_reads_and_are_refitted_more_often(monkeypatch):
    subject = subject_of("mixture")
    rows, setting, candidate = subject.trained.rows, subject.setting, subject.candidate
    assert not shares_reads(rows, setting, candidate)
    assert stability._affordable(subject, rows) == stability.REFIT_NUMBERS // 1800
    monkeypatch.setattr(refits, "LEAST_BYTES", rows.X.nbytes)
    assert shares_reads(rows, setting, candidate)
    assert stability._affordable(subject, rows) == int(2e11 / (600 * 2009))
    each = Groups(list(range(600)), np.arange(600)[:, np.newaxis])
    assert not shares_reads(replace(rows, groups=each), setting, candidate)
    assert not shares_reads(rows, replace(setting, method="accelerated"), candidate)
    assert not shares_reads(rows, replace(setting, reference="own"), candidate)
    assert shares_reads(rows, replace(setting, reference="average"), candidate)
    assert not shares_reads(rows, setting, NoCorrection())
