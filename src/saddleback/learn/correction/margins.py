"""The margin of a user's model, on the scale of the loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from ..._types import Matrix, Vector
from ...errors import ProblemError
from ...losses.grouped.input.labels import listed
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...losses.grouped.pointwise_losses import Logistic, Softmax
from ..data.rows import Rows
from ..metrics.kinds import are_probabilities
from ..metrics.outcome import SUM_TOLERANCE
from .user_model import has_method

PROBABILITIES, MARGINS = "predict_proba", "decision_function"


def margin_method(model: Any, loss: PointwiseLoss) -> str:
    """The method of a classifier that the margin comes from: for a likelihood the probabilities, if it has them."""
    likelihood = isinstance(loss, Logistic | Softmax)
    for name in (PROBABILITIES, MARGINS) if likelihood else (MARGINS, PROBABILITIES):
        if has_method(model, name):
            return name
    raise ProblemError(
        f"estimator must have predict_proba or decision_function, so that it has a margin to correct; got "
        f"{type(model).__name__}, which has neither. Wrap it in CalibratedClassifierCV, or take another model."
    )


@dataclass(frozen=True, eq=False)
class MarginReader:
    """o(x): the margin at which the loss judges the model as it is.

    Two classes: log p/(1 - p); more: log p_k; numbers: the prediction, and its logarithm for counts. A model that is
    certain has an infinite margin, so that p and the means of counts are kept above a ``floor``.
    """

    loss: PointwiseLoss
    classes: NDArray[Any] | None
    floor: float

    @classmethod
    def of(cls, loss: PointwiseLoss, rows: Rows, classes: NDArray[Any] | None) -> MarginReader:
        """The floor is what n rows say of an event that none of them shows: half an occurrence.

        (0 + 1/2) / (n + K/2) is the estimate of Krichevsky and Trofimov (1981) for one of K classes; for counts it is
        half an occurrence of the mean count. A row of weight 2 is two rows.
        """
        n = len(rows) if rows.weight is None else max(len(rows), float(rows.weight.sum()))
        if classes is not None:
            return cls(loss, classes, 0.5 / (n + 0.5 * classes.size))
        mean = float(np.average(rows.y, weights=rows.weight))
        return cls(loss, None, 0.5 * (mean if mean > 0.0 else 1.0) / (n + 0.5))

    def __call__(self, model: Any, X: Any) -> Vector | Matrix:
        """(n,) numbers; (n, K) for K > 2 classes."""
        if self.classes is None:
            prediction = _finite(model.predict(X), "predict").reshape(-1)
            return np.log(np.maximum(prediction, self.floor)) if self.loss.response == "count" else prediction
        method = margin_method(model, self.loss)
        values = _finite(getattr(model, method)(X), method)
        if method == PROBABILITIES:
            p = np.clip(_checked(self._in_order(model, values)), self.floor, 1.0 - self.floor)
            return logit(p[:, 1]) if self.classes.size == 2 else np.log(p)
        if self.classes.size == 2 and values.ndim == 1:
            return self._in_order(model, np.column_stack([-values, values]))[:, 1]
        return self._in_order(model, values)

    def as_predicted(self, model: Any, X: Any) -> Vector | Matrix:
        """The margins without the floor: those of what the model predicts. Infinite where it is certain."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return replace(self, floor=0.0)(model, X)

    def _in_order(self, model: Any, values: Matrix) -> Matrix:
        """The columns of the model's classes, in the order of ours; other classes are refused."""
        ours = [] if self.classes is None else self.classes.tolist()
        theirs = np.asarray(getattr(model, "classes_", ours)).tolist()
        order = _places(ours, theirs) or _places(list(map(str, ours)), list(map(str, theirs)))
        if order is None or values.ndim != 2 or values.shape[1] != len(ours):
            raise ProblemError(
                f"estimator must have one margin for each class of y, {listed(ours)}; got an array of shape "
                f"{values.shape} for the classes {listed(theirs)}."
            )
        return values[:, order]


def _checked(p: Matrix) -> Matrix:
    """Refuse rows of numbers that are no probabilities of all classes."""
    bad = ~are_probabilities(p).all(axis=1) | (np.abs(p.sum(axis=1) - 1) > SUM_TOLERANCE)
    if bad.any():
        row = int(np.argmax(bad))
        raise ProblemError(
            "predict_proba of the estimator must return probabilities from 0 to 1 that add up to 1 in every row; got "
            f"{', '.join(f'{x:.10g}' for x in p[row, :5])}, with the sum {p[row].sum():.10g}, in row {row}. Divide "
            "them by their sum, or wrap the estimator in CalibratedClassifierCV."
        )
    return p


def _places(ours: list[Any], theirs: list[Any]) -> list[int] | None:
    """Where our classes stand among others of the same number; some models keep booleans as text."""
    place = {label: k for k, label in enumerate(theirs)}
    return [place[label] for label in ours] if len(theirs) == len(ours) and set(place) == set(ours) else None


def _finite(values: Any, method: str) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ProblemError(
            f"{method} of the estimator must return finite numbers; got NaN or inf in row "
            f"{int(np.argwhere(~np.isfinite(numbers))[0][0])}. A correction has nothing to add to there."
        )
    return numbers
