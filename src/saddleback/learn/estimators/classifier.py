"""Linear classification for the average, for the worst group, or in between."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from ..._types import Matrix, Vector
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...losses.grouped.pointwise_losses import Logistic, Softmax
from ..data.files import with_columns_read
from ..data.lazily import by_partitions
from ..data.partitions import computed
from ..data.targets import read_classes
from ..fitting.pointwise import classification_loss
from .base import LinearMinimax
from .single import SingleModel


def _has_probabilities(model: LinearClassifier) -> bool:
    """The logistic loss is a likelihood; the others give margins only."""
    loss = model.loss
    return isinstance(loss, Logistic | Softmax) or (isinstance(loss, str) and loss in ("auto", "logistic", "softmax"))


class LinearClassifier(ClassifierMixin, LinearMinimax):  # type: ignore[misc]
    """A linear classifier that is trained for groups."""

    def _read_target(self, y: Any) -> NDArray[Any]:
        self.classes_, codes = read_classes(y)
        return codes

    def _pointwise_loss(self) -> PointwiseLoss:
        return classification_loss(self.loss, self.classes_.size)

    @by_partitions
    def decision_function(self, X: Any) -> Vector | Matrix:
        """The margins x'w + b: of the second class, of shape (n,), or of every class, of shape (n, K)."""
        eta = self._margins(X)
        return eta if eta.shape[1] > 1 else eta[:, 0]

    @by_partitions
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest margin."""
        eta = self.decision_function(X)
        best = eta.argmax(axis=1) if eta.ndim == 2 else (eta > 0).astype(np.intp)
        return self.classes_[best]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of the rows, by their weights, whose class is predicted.

        Of a `FileTable`, y and weights may be names of columns, and features are chosen by their names.
        """
        _, y, _, sample_weight = with_columns_read(X, y, None, sample_weight)
        y, predicted, sample_weight = computed(y, self.predict(X), sample_weight)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @by_partitions
    def predict_proba(self, X: Any) -> Matrix:
        """The probability of each class, of shape (n, K); for the logistic loss."""
        eta = self.decision_function(X)
        return np.column_stack([expit(-eta), expit(eta)]) if eta.ndim == 1 else np.asarray(softmax(eta, axis=1))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @by_partitions
    def predict_log_proba(self, X: Any) -> Matrix:
        """The logarithms of the probabilities, without underflow."""
        eta = self.decision_function(X)
        if eta.ndim == 1:
            return -np.logaddexp(0.0, np.column_stack([eta, -eta]))
        return eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)


class MinimaxClassifier(SingleModel, LinearClassifier):
    """A linear classifier between the best average and the best worst group.

    Minimizes (1 - p) <prior, f(w)> + p max_j f_j(w), where f_j is the mean loss of group j plus l2/2 |w|^2 and
    p = ``worst_weight``: p = 0 is the ordinary (logistic) regression, p = 1 the model with the least worst-group loss.

    Parameters
    ----------
    worst_weight : float
        p, between 0 and 1.
    l2 : float
        The penalty l2/2 |w|^2 beside mean losses: LogisticRegression's C = 1/(n l2). The intercept is not penalized.
    loss : str or object
        "logistic" (the same as "auto"; softmax where there are more than two classes), "squared_hinge", or your own
        (see `saddleback.losses.PointwiseLoss`).
    prior : "shares", "balanced", float, array or dict
        The weights of the groups in the average: their shares of the rows, equal weights, a number from 0 (shares) to 1
        (balanced), or one positive number for each group.
    dual_set : DualSet, optional
        Another set of weights in place of (1 - p) prior + p simplex, such as ``CappedSimplex(0.3)``; then worst_weight
        and prior have no effect and stay at their defaults.
    regularizer : Regularizer, optional
        R, such as ``Entropy(0.1)``: a smoothed worst group.
    reference : None, "average", "own" or array
        What is subtracted from the losses of the groups, so that regret is minimized: the losses of the average model,
        or the best loss that the rows of each group alone allow, by cross-fitting.
    group_by : column, list of columns, "classes" or "rows"
        The groups are the labels in these columns of X, the classes of y, or the single rows; the alternative to
        ``sensitive_features``.
    keep_group_columns : bool
        Whether the columns of ``group_by`` are features, too. By default they are not, and need not be there at
        prediction.
    crossed : bool
        Whether several columns are crossed, or (False) every label of every column is a group, and these overlap.
    min_group_size : int, optional
        Groups with fewer rows are merged into one, named "(rest)". By default none is merged, and a group of a single
        row is refused; 1 accepts it.
    missing_groups : "error" or "group"
        Whether rows without a group are refused or make a group of their own, named "(missing)".
    fit_intercept : bool
        Whether the margin is x'w + b or x'w.
    standardize : bool
        Whether the penalty is measured in standard deviations of the features, as in glmnet. Coefficients are always
        in the units of X; a sparse X stays sparse.
    method, tol, max_iter
        Those of `saddleback.solve`. ``tol`` bounds the certified gap of the objective.
    warm_start : bool
        Whether a fit starts from the coefficients of the one before.
    n_jobs : int, optional
        Threads that evaluate the losses.

    Attributes
    ----------
    classes_ : array
        The classes; the margin is that of the second where there are two.
    coef_, intercept_ : arrays
        (1, d) and (1,); with K > 2 classes (K, d) and (K,).
    group_names_, group_sizes_, merged_groups_
        The groups, their rows, and the groups that were merged with their rows.
    group_losses_ : array
        The mean loss of each group on the training rows, without the penalty.
    group_weights_ : array
        lam, the adversary's weights of the groups, by which the gap is certified.
    gap_, certified_ : float, bool
        On the training rows no linear model within the region of ``result_`` has an objective that is lower by more
        than ``gap_``; whether this is certified. With l2 > 0 the region holds all coefficients, and intercepts within
        ``result_.reach[-1]`` of this one.
    result_ : Result
        The run, in standardized units.
    n_iter_, n_features_in_, feature_names_in_
        As usual in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> rng = np.random.default_rng(0)
    >>> X, town = rng.standard_normal((200, 2)), np.repeat(["big", "small"], [160, 40])
    >>> y = X[:, 0] + np.where(town == "big", 1.0, -1.0) * X[:, 1] + rng.logistic(size=200) > 0
    >>> model = sb.MinimaxClassifier(worst_weight=0.0).fit(X, y, sensitive_features=town)
    >>> model.group_names_, (model.group_losses_[1] > model.group_losses_[0] + 0.1).item()
    (['big', 'small'], True)
    >>> model = sb.MinimaxClassifier(worst_weight=1.0).fit(X, y, sensitive_features=town)
    >>> bool(np.ptp(model.group_losses_) < 1e-4), model.certified_
    (True, True)
    """
