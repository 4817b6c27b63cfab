"""Gradient boosting that was read from a file: it predicts, and cannot be fitted again."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.extmath import softmax
from sklearn.utils.validation import check_array, validate_data

from ..._types import Matrix, Vector
from ...errors import ProblemError
from ...losses.grouped.input.frames import columns_of
from ..data.features import at_positions
from .stored_trees import StoredTrees

IDENTITY, LOG, LOGIT, SOFTMAX = "identity", "log", "logit", "softmax"


class StoredBoosting(BaseEstimator):  # type: ignore[misc]
    """The trees of scikit-learn's HistGradientBoosting, with what it knows of the columns of X.

    Parameters
    ----------
    trees : StoredTrees
        Features of categories come first, as in scikit-learn.
    link : "identity", "log", "logit" or "softmax"
        How predictions follow from margins.
    categories : list of lists
        The categories of each feature of categories, in the order of their numbers.
    is_categorical : (d,) array of bool
        Which columns of X hold categories.
    """

    def __init__(self, trees: StoredTrees, link: str, categories: list[list[Any]], is_categorical: Any) -> None:
        self.trees = trees
        self.link = link
        self.categories = categories
        self.is_categorical = is_categorical

    def fit(self, X: Any, y: Any) -> NoReturn:
        """Refused: files hold the trees, not how they are grown."""
        raise ProblemError(
            "trees that were read from a file cannot be fitted again. Fit a new HistGradientBoosting model."
        )

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def margins(self, X: Any) -> Matrix:
        """(n, K): the sums of the leaves."""
        return self.trees.margins(self._numbers(X))

    def _numbers(self, X: Any) -> Matrix:
        """X with categories as numbers, which come first; NaN for those that the training rows did not have."""
        options = {"dtype": [np.float64], "ensure_all_finite": False}
        if not self.categories:
            return np.asarray(validate_data(self, X, reset=False, **options))
        columns = columns_of(X)
        X = X if columns is not None else check_array(X, dtype=None, ensure_all_finite=False)
        validate_data(self, X, reset=False, skip_check_array=True)
        kinds = np.asarray(self.is_categorical)
        codes = [
            _codes(X[:, j] if columns is None else columns[j][1], labels)
            for j, labels in zip(np.flatnonzero(kinds).tolist(), self.categories, strict=True)
        ]
        rest = np.flatnonzero(~kinds).tolist()
        numbers = [check_array(at_positions(X, rest), **options)] if rest else []
        return np.column_stack([*codes, *numbers])


class StoredBoostingClassifier(ClassifierMixin, StoredBoosting):  # type: ignore[misc]
    """A classifier; as HistGradientBoostingClassifier predicts."""

    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> Vector | Matrix:
        """The margins, (n,) of two classes, (n, K) of more."""
        eta = self.margins(X)
        return eta.ravel() if eta.shape[1] == 1 else eta

    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each class."""
        eta = self.margins(X)
        if self.link == SOFTMAX:
            return np.asarray(softmax(eta))
        p = expit(eta[:, 0])
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest margin."""
        eta = self.margins(X)
        return self.classes_[(eta[:, 0] > 0).astype(np.intp) if eta.shape[1] == 1 else eta.argmax(axis=1)]


class StoredBoostingRegressor(RegressorMixin, StoredBoosting):  # type: ignore[misc]
    """A regressor; as HistGradientBoostingRegressor predicts."""

    def predict(self, X: Any) -> Vector:
        """The predicted numbers."""
        eta = self.margins(X).ravel()
        return np.exp(eta) if self.link == LOG else eta


def _codes(column: Any, labels: list[Any]) -> Vector:
    """The numbers of the categories in a column; NaN for missing and unknown ones."""
    numbers = {label: float(code) for code, label in enumerate(labels)}
    values = np.asarray(column, dtype=object).tolist()
    try:
        return np.array([numbers.get(value, np.nan) for value in values])
    except TypeError as error:
        raise ProblemError(f"a column of categories must hold labels; got {error}.") from error
