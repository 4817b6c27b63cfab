"""A model's certificate from its rows alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import saddleback as sb
from saddleback.learn.certificate import certify_estimator

from .people import people


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("l2", [1e-4, 0.1])
def test_the_run_is_confirmed(p, l2):
    them = people()
    model = sb.MinimaxClassifier(p, l2=l2).fit(them.X, them.y, them.town)
    again = certify_estimator(model, them.X, them.y, them.town)
    assert again.holds
    assert again.certificate.value == pytest.approx(model.result_.value, rel=1e-12)


def test_regressions_selections_and_weights():
    them = people()
    weight = np.linspace(0.0, 2.0, len(them.y))
    model = sb.MinimaxRegressorCV([0, 0.5], priors=[0], l2s=[0.1], repeats=1)
    model.fit(them.X, them.score, them.town, sample_weight=weight)
    again = certify_estimator(model, them.X, them.score, them.town, weight)
    assert again.holds
    assert again.certificate.value == pytest.approx(model.result_.value, rel=1e-12)
    three = np.array(["a", "b", "c"])[np.digitize(them.score, [-50, 50])]
    classes = sb.MinimaxClassifier(0.5, l2=0.01).fit(them.X, three, them.town)
    assert certify_estimator(classes, them.X, three, them.town).holds


def test_a_changed_model_and_other_rows_are_found_out():
    them = people()
    model = sb.MinimaxClassifier(0.5).fit(them.X, them.y, them.town)
    assert not certify_estimator(model, them.X[::-1], them.y, them.town).holds
    model.coef_ = model.coef_ * 1.01
    assert not certify_estimator(model, them.X, them.y, them.town).holds


def test_corrections_are_refused():
    them = people()
    model = sb.WorstGroupCorrection(DecisionTreeClassifier(max_depth=2), l2s=[1.0], worst_weights=[0.5])
    model.fit(them.X, them.y, them.town)
    with pytest.raises(sb.ProblemError, match="margins of clones"):
        certify_estimator(model, them.X, them.y, them.town)
