"""A page of a sample of the rows of a fit, judged by rows of their own."""

import numpy as np
import pytest

import saddleback as sb
from saddleback.learn.evidence.collect import collect_evidence

RNG = np.random.default_rng(0)
X, TOWN = RNG.standard_normal((600, 2)), RNG.choice(["big", "small"], 600, p=[0.8, 0.2])
Y = X[:, 0] * np.where(TOWN == "small", -0.5, 1.0) + RNG.logistic(size=600) > 0
FITTED, SAMPLE, NEW = slice(500), slice(200), slice(500, 600)


@pytest.fixture(scope="module")
def model():
    return sb.MinimaxClassifier(0.5).fit(X[FITTED], Y[FITTED], TOWN[FITTED])


def rows(part):
    return X[part], Y[part], TOWN[part]


def test_the_page_is_about_all_rows_and_says_what_a_sample_is_compared_with(model):
    evidence = collect_evidence(
        model, *rows(SAMPLE), n_fitted=500, test=rows(NEW), challengers=None, n_bootstrap=0, random_state=0
    )
    assert (evidence["rows"]["train"], evidence["rows"]["held_out"]) == (500, 100)
    assert "fitted to 500 rows" in evidence["rows"]["sampled"]
    assert "fitted to 200 of them" in evidence["rows"]["sampled"]
    certificate = evidence["certificate"]
    assert (certificate["value"], certificate["gap"]) == (model.result_.value, model.gap_)
    assert certificate["largest_loss_bound"] is None
    assert not any("are not those of the fit" in limit for limit in evidence["limits"])


@pytest.mark.parametrize(("n_fitted", "test"), [(500, None), (100, rows(NEW))])
def test_a_sample_is_judged_by_other_rows_and_no_larger_than_the_fit(model, n_fitted, test):
    with pytest.raises(sb.ProblemError, match=f"n_fitted is the number of rows .* got {n_fitted} for 200 rows"):
        collect_evidence(model, *rows(SAMPLE), n_fitted=n_fitted, test=test)
