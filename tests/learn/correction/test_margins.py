"""The margin of a model, on the scale of the loss."""

from __future__ import annotations

import numpy as np
import pytest

import saddleback as sb
from saddleback.learn.correction.margins import MarginReader, margin_method
from saddleback.learn.data.rows import Rows
from saddleback.learn.groups import read_sensitive_features
from saddleback.losses import Logistic, Poisson, Softmax, Squared, SquaredHinge


def rows(y, weight=None):
    n = len(y)
    return Rows(np.zeros((n, 1)), np.asarray(y), read_sensitive_features(np.arange(n) % 2, n), weight)


class Model:
    """A model that knows its answers."""

    def __init__(self, classes=None, **answers):
        if classes is not None:
            self.classes_ = np.array(classes)
        for name, answer in answers.items():
            setattr(self, name, lambda X, answer=answer: np.array(answer))


def read(loss, model, classes, n=9, **parameters):
    reader = MarginReader.of(loss, rows(np.arange(n) % 2, **parameters), None if classes is None else np.array(classes))
    return reader(model, None)


def test_log_odds():
    eta = read(Logistic(), Model([0, 1], predict_proba=[[0.8, 0.2], [0.5, 0.5]]), [0, 1])
    np.testing.assert_allclose(eta, [np.log(0.25), 0.0], atol=1e-15)


def test_a_model_that_is_certain():
    """(0 + 1/2) / (n + 1) is what n rows say of an event that none of them shows."""
    model = Model([0, 1], predict_proba=[[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(read(Logistic(), model, [0, 1]), [-np.log(19.0), np.log(19.0)])
    larger = read(Logistic(), model, [0, 1], n=99)
    np.testing.assert_allclose(larger, [-np.log(199.0), np.log(199.0)])
    doubled = read(Logistic(), model, [0, 1], weight=np.full(9, 11.0))
    np.testing.assert_allclose(doubled, larger, err_msg="a row of weight 11 is 11 rows")
    small = read(Logistic(), model, [0, 1], weight=np.full(9, 1e-6))
    np.testing.assert_allclose(small, [-np.log(19.0), np.log(19.0)], err_msg="weights of sum 1 are no single row")


def test_rounded_probabilities():
    eta = read(Logistic(), Model([0, 1], predict_proba=[[0.5, 0.4995], [1e-12 + 1, -1e-12]]), [0, 1])
    np.testing.assert_allclose(eta, [np.log(0.4995 / 0.5005), -np.log(19.0)])


def test_many_classes():
    eta = read(Softmax(), Model([0, 1, 2], predict_proba=[[0.5, 0.5, 0.0]]), [0, 1, 2])
    np.testing.assert_allclose(eta, np.log([[0.5, 0.5, 0.5 / 10.5]]))


def test_classes_in_another_order_or_as_text():
    swapped = read(Logistic(), Model(["b", "a"], predict_proba=[[0.8, 0.2]]), ["a", "b"])
    np.testing.assert_allclose(swapped, [np.log(4.0)])
    text = read(Logistic(), Model(["False", "True"], predict_proba=[[0.8, 0.2]]), [False, True])
    np.testing.assert_allclose(text, [np.log(0.25)])
    margins = read(Logistic(), Model(["b", "a"], decision_function=[2.0]), ["a", "b"])
    np.testing.assert_allclose(margins, [-2.0])


def test_numbers_and_counts():
    np.testing.assert_array_equal(read(Squared(), Model(predict=[[3.0], [-1.0]]), None), [3.0, -1.0])
    counts = read(Poisson(), Model(predict=[2.0, 0.0, -3.0]), None)
    floor = 0.5 * (4 / 9) / 9.5
    np.testing.assert_allclose(counts, np.log([2.0, floor, floor]))


def test_probabilities_come_first_for_likelihoods_alone():
    both = Model([0, 1], predict_proba=[[0.5, 0.5]], decision_function=[3.0])
    assert margin_method(both, Logistic()) == "predict_proba"
    assert margin_method(both, Softmax()) == "predict_proba"
    assert margin_method(both, SquaredHinge()) == "decision_function"
    assert margin_method(Model(decision_function=[3.0]), Logistic()) == "decision_function"
    with pytest.raises(sb.ProblemError, match=r"predict_proba or decision_function.*got Model"):
        margin_method(Model(predict=[0]), Logistic())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model([0, 2], predict_proba=[[0.5, 0.5]]), "each class of y, 0, 1; got .* for the classes 0, 2"),
        (Model([0, 1, 2], predict_proba=[[0.2, 0.3, 0.5]]), "each class of y, 0, 1"),
        (Model([0, 1], predict_proba=[0.5]), "shape"),
        (Model([0, 1], predict_proba=[[np.nan, 0.5]]), "predict_proba of the estimator must return finite numbers"),
        (Model([0, 1], decision_function=[1.0, np.inf]), "inf in row 1"),
        (
            Model([0, 1], predict_proba=[[0.5, 0.5], [0.5, 0.4]]),
            r"got 0\.5, 0\.4, with the sum 0\.9, in row 1",
        ),
        (Model([0, 1], predict_proba=[[1.5, -0.5]]), r"from 0 to 1.*got 1\.5, -0\.5"),
    ],
)
def test_what_is_refused(model, message):
    with pytest.raises(sb.ProblemError, match=message):
        read(Logistic(), model, [0, 1])
