"""Linear regression for the average, for the worst group, or in between."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from ..._types import Vector
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ..data.files import with_columns_read
from ..data.lazily import by_partitions
from ..data.partitions import computed
from ..data.rows import Rows
from ..data.targets import read_numbers
from ..fitting.pointwise import regression_loss
from .base import LinearMinimax
from .single import SingleModel


class LinearRegressor(RegressorMixin, LinearMinimax):  # type: ignore[misc]
    """A linear regressor that is trained for groups."""

    def _read_target(self, y: Any) -> NDArray[Any]:
        return read_numbers(y, self.group_by)

    def _pointwise_loss(self) -> PointwiseLoss:
        return regression_loss(self.loss)

    @by_partitions
    def predict(self, X: Any) -> Vector:
        """x'w + b; for counts its exponential, the mean."""
        eta: Vector = self._margins(X)[:, 0]
        return np.exp(eta) if self._pointwise_loss().response == "count" else eta

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2, the share of the variance of y, by the weights of the rows, that is predicted.

        Of a `FileTable`, y and weights may be names of columns, and features are chosen by their names.
        """
        _, y, _, sample_weight = with_columns_read(X, y, None, sample_weight)
        y, predicted, sample_weight = computed(y, self.predict(X), sample_weight)
        return float(r2_score(y, predicted, sample_weight=sample_weight))

    def _keep(self, fit: Any, rows: Rows) -> None:
        super()._keep(fit, rows)
        self.coef_ = fit.coef[0]
        self.intercept_ = float(fit.intercept[0])


class MinimaxRegressor(SingleModel, LinearRegressor):
    """A linear regressor between the best average and the best worst group.

    Minimizes (1 - p) <prior, f(w)> + p max_j f_j(w), where f_j is the mean loss of group j plus l2/2 |w|^2 and
    p = ``worst_weight``. With p = 0 and the squared loss it is ridge regression with alpha = n l2/2.

    Parameters
    ----------
    worst_weight : float
        p, between 0 and 1.
    l2 : float
        The penalty l2/2 |w|^2 beside mean losses; the intercept is not penalized.
    loss : str or object
        "squared" (the same as "auto"; without 1/2), "huber", "quantile" (the median; smoothed, and so are its
        ``group_losses_``), "poisson" (predictions are means), an object with options such as
        ``sb.losses.Quantile(0.9, smoothing=0.05)``, or your own (see `saddleback.losses.PointwiseLoss`).
    standardize : bool
        Whether the penalty is measured in standard deviations of the features and of y, and ``delta`` of Huber's loss
        and ``smoothing`` of a quantile's in those of y: then the model is the same in every unit. Otherwise all are in
        the units of the data.
    tol : float
        Bounds the certified gap, relative to the loss of a constant prediction, so that units of y do not matter.
    prior, dual_set, regularizer, reference, group_by, keep_group_columns, crossed, min_group_size, missing_groups, \
fit_intercept, method, max_iter, warm_start, n_jobs
        As in `MinimaxClassifier`.

    Attributes
    ----------
    coef_, intercept_ : (d,) array, float
        In the units of X and y.
    group_names_, group_sizes_, merged_groups_, group_losses_, group_weights_, gap_, certified_, result_, n_iter_
        As in `MinimaxClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> X, y, town = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 6.0], ["a", "a", "b", "b"]
    >>> model = sb.MinimaxRegressor(l2=0.0).fit(X, y, sensitive_features=town)
    >>> model.group_losses_.round(4).tolist(), model.predict([[4.0]]).round(2).tolist()
    ([0.2383, 0.2383], [7.43])
    """
