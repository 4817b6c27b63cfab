"""Prediction by a user's model and its correction; the user's model alone where there is none."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import MetaEstimatorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._types import Matrix, Vector
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...losses.grouped.pointwise_losses import Logistic, Softmax
from ..data.features import read_input
from ..data.files import with_columns_read
from ..data.lazily import by_partitions
from ..data.partitions import computed
from ..data.rows import Rows
from ..data.targets import read_classes, read_numbers
from ..estimators.base import LinearMinimax
from ..fitting.pointwise import classification_loss, regression_loss
from .feature_columns import FeatureColumns
from .margins import MarginReader
from .user_model import CLASSIFIER, has_method, kind_of


def _is_classifier(model: CorrectedModel) -> bool:
    return kind_of(model.estimator) == CLASSIFIER


def _has_probabilities(model: CorrectedModel) -> bool:
    """The user's model has them, and the corrected margin is that of a likelihood."""
    loss = model.loss
    likelihood = isinstance(loss, Logistic | Softmax) or (
        isinstance(loss, str) and loss in ("auto", "logistic", "softmax")
    )
    return likelihood and _is_classifier(model) and has_method(model._user_model(), "predict_proba")


class CorrectedModel(MetaEstimatorMixin, LinearMinimax):  # type: ignore[misc]
    """eta = o + x'w + b, o the margin of the user's model; a classifier or a regressor, as that is."""

    estimator: Any
    estimator_: Any
    corrected_: bool
    features: Any
    regularizer = None
    reference = None
    method = "auto"
    _read_margin: MarginReader
    _columns: FeatureColumns

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        kind = kind_of(self.estimator)
        own = get_tags(self.estimator) if has_method(self.estimator, "__sklearn_tags__") else None
        tags.estimator_type = kind
        if own is not None:
            tags.classifier_tags, tags.regressor_tags = deepcopy(own.classifier_tags), deepcopy(own.regressor_tags)
            tags.input_tags.sparse = own.input_tags.sparse
            # The correction needs numbers in its own features only.
            tags.input_tags.allow_nan = own.input_tags.allow_nan and self.features is not None
        return tags

    def _user_model(self) -> Any:
        """The fitted model, once there is one."""
        return getattr(self, "estimator_", self.estimator)

    # Training.

    def _read_target(self, y: Any) -> NDArray[Any]:
        if _is_classifier(self):
            self.classes_, codes = read_classes(y)
            return codes
        # A fit before may have been that of a classifier.
        self.__dict__.pop("classes_", None)
        return read_numbers(y, self.group_by)

    def _pointwise_loss(self) -> PointwiseLoss:
        if _is_classifier(self):
            return classification_loss(self.loss, self.classes_.size)
        return regression_loss(self.loss)

    def _keep(self, fit: Any, rows: Rows) -> None:
        super()._keep(fit, rows)
        if not _is_classifier(self):
            self.coef_, self.intercept_ = fit.coef[0], float(fit.intercept[0])

    # Prediction.

    def _input(self, X: Any) -> Any:
        """X as the user's model takes it."""
        check_is_fitted(self)
        return read_input(self, X, self._dropped_columns(), reset=False)

    def _margins(self, X: Any) -> Matrix:
        """o + X coef' + intercept, of shape (n, K)."""
        given = self._input(X)
        offset = self._read_margin(self.estimator_, given)
        offset = offset if offset.ndim == 2 else offset[:, np.newaxis]
        if not self.corrected_:
            return offset
        matrix = self._columns.read(X, given, fit=False)
        return offset + np.asarray(matrix @ np.atleast_2d(self.coef_).T) + self.intercept_

    @by_partitions
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest corrected margin, or the corrected number; for counts the mean."""
        given = self._input(X)
        if not self.corrected_:
            return self.estimator_.predict(given)
        eta = self._margins(X)
        if _is_classifier(self):
            return self.classes_[eta.argmax(axis=1) if eta.shape[1] > 1 else (eta[:, 0] > 0).astype(np.intp)]
        return np.exp(eta[:, 0]) if self._pointwise_loss().response == "count" else eta[:, 0]

    @available_if(_is_classifier)  # type: ignore[untyped-decorator]
    @by_partitions
    def decision_function(self, X: Any) -> Vector | Matrix:
        """The corrected margins, of shape (n,), or (n, K) for K > 2 classes.

        Without a correction, what the user's model returns; the logarithms of its odds or probabilities if it has no
        ``decision_function``.
        """
        given = self._input(X)
        if not self.corrected_ and has_method(self.estimator_, "decision_function"):
            return self.estimator_.decision_function(given)
        eta = self._margins(X)
        return eta if eta.shape[1] > 1 else eta[:, 0]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @by_partitions
    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each class, of shape (n, K)."""
        given = self._input(X)
        if not self.corrected_:
            return self.estimator_.predict_proba(given)
        eta = self._margins(X)
        if eta.shape[1] > 1:
            return np.asarray(softmax(eta, axis=1))
        return np.column_stack([expit(-eta[:, 0]), expit(eta[:, 0])])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @by_partitions
    def predict_log_proba(self, X: Any) -> Matrix:
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of a classifier, R^2 of a regressor."""
        score = accuracy_score if _is_classifier(self) else r2_score
        _, y, _, sample_weight = with_columns_read(X, y, None, sample_weight)
        y, predicted, sample_weight = computed(y, self.predict(X), sample_weight)
        return float(score(y, predicted, sample_weight=sample_weight))
