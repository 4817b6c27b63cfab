"""The base of the estimators: training rows, settings, margins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from ..._types import Matrix, Vector
from ..._validation import flag, number
from ...errors import ProblemError
from ...losses import FileTable
from ...losses.grouped.partitions.collections import is_dask
from ...losses.grouped.pointwise_loss import PointwiseLoss
from ...regularizers import Zero
from ..data.features import read_features
from ..data.files import refuse_path
from ..data.jobs import read_n_jobs
from ..data.partitions import collected
from ..data.retained import Retained
from ..data.rows import Rows
from ..evidence.methods import HasEvidence
from ..fitting.observer import NOBODY, Observer
from ..fitting.pointwise import loss_in_units, units_of
from ..fitting.reference import read_reference
from ..fitting.setting import Setting
from ..fitting.trainer import Fit
from ..groups.exchanged import refuse_exchanged
from ..groups.group_input import group_columns, read_group_input, refuse_rows_elsewhere, without_empty
from ..storage.saving import Saved


class LinearMinimax(HasEvidence, Saved, BaseEstimator):  # type: ignore[misc]
    """A linear model that is trained for groups; base of classifiers and regressors."""

    group_by: Any
    keep_group_columns: bool
    crossed: bool
    min_group_size: int | None
    missing_groups: str
    loss: Any
    dual_set: Any = None
    regularizer: Any
    reference: Any
    fit_intercept: bool
    standardize: bool
    method: Any
    tol: float
    max_iter: int
    n_jobs: int | None
    _observer: Observer = NOBODY
    """Who watches a fit; set by `observed` while it runs."""
    _retained: Retained | None = None
    """The arguments of the fit, for the report."""

    def __getstate__(self) -> dict[str, Any]:
        """The state without the rows of the fit: pickles and copies do not carry them."""
        return {name: value for name, value in super().__getstate__().items() if name != "_retained"}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # What a classifier or a regressor defines.

    def _read_target(self, y: Any) -> NDArray[Any]:
        """y as classes 0, ..., K - 1, or as numbers."""
        raise NotImplementedError

    def _pointwise_loss(self) -> PointwiseLoss:
        """ell(eta, y), after the target has been read."""
        raise NotImplementedError

    # The fit.

    def _read_rows(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Rows:
        """The training rows, checked; those of weight 0 are left out."""
        self._check_arguments(X, y, sensitive_features)
        X, y, sensitive_features, sample_weight = self._here(X, y, sensitive_features, sample_weight)
        matrix = read_features(self, X, self._dropped_columns(), reset=True)
        return self._rows_of(matrix, X, y, sensitive_features, sample_weight)

    def _check_arguments(self, X: Any, y: Any, sensitive_features: Any) -> None:
        """What can be said before X is read."""
        refuse_path(X)
        if is_dask(X) or isinstance(X, FileTable):
            refuse_rows_elsewhere(X, self.group_by)
        else:
            refuse_exchanged(X, sensitive_features, self.group_by)
        if y is None:
            raise ProblemError(f"{type(self).__name__} requires y to be passed, but the target y is None.")

    def _here(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> tuple[Any, Any, Any, Any]:
        """The arguments in memory, but for features that Dask holds."""
        labels = group_columns(self.group_by)
        return collected((X, y, sensitive_features, sample_weight), labels, self._dropped_columns())

    def _rows_of(self, matrix: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Rows:
        """The rows with these features; X is asked for the columns of groups only."""
        target = self._read_target(y)
        check_consistent_length(matrix, target)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, matrix, dtype=np.float64, ensure_non_negative=True)
            if not weight.any():
                raise ProblemError("sample_weight must have a positive entry; got zeros only.")
        groups = read_group_input(
            X,
            y,
            sensitive_features,
            weight,
            matrix.shape[0],
            group_by=self.group_by,
            crossed=self.crossed,
            min_group_size=self.min_group_size,
            missing_groups=self.missing_groups,
        )
        rows = Rows(matrix, target, groups, weight)
        if weight is not None and not weight.all():
            rows = rows.subset(np.flatnonzero(weight))
            rows = replace(rows, groups=without_empty(rows.groups), kept=weight > 0)
        return rows

    def _dropped_columns(self) -> list[Any]:
        """The columns of X that name groups and are not features."""
        return [] if flag(self.keep_group_columns, "keep_group_columns") else group_columns(self.group_by)

    def _setting(self, rows: Rows) -> Setting:
        loss, standardize = self._pointwise_loss(), flag(self.standardize, "standardize")
        if standardize:
            loss = loss_in_units(loss, rows.y, rows.weight)
        units = units_of(loss, rows.y, rows.weight, standardize=standardize)
        return Setting(
            loss=loss,
            n_classes=len(getattr(self, "classes_", ())),
            fit_intercept=flag(self.fit_intercept, "fit_intercept"),
            standardize=standardize,
            dual_set=self.dual_set,
            regularizer=Zero() if self.regularizer is None else self.regularizer,
            reference=read_reference(self.reference, rows.groups.names),
            method=self.method,
            tol=number(self.tol, "tol", minimum=0.0, strict=True) * units.loss,
            units=units,
            max_iter=self.max_iter,
            n_threads=self._n_threads(),
            observer=self._observer,
        )

    def _n_threads(self) -> int | None:
        """Threads of a fit: one where ``n_jobs`` fits run side by side, so that their number does not change bits."""
        return None if read_n_jobs(self.n_jobs) is None else 1

    def _keep(self, fit: Fit, rows: Rows) -> None:
        """The attributes of the fitted model."""
        self.coef_: Matrix = fit.coef
        self.intercept_: Vector | float = fit.intercept
        self.group_names_ = list(rows.groups.names)
        self.merged_groups_ = dict(rows.groups.merged)
        self.group_sizes_ = rows.groups.sizes
        self.group_losses_ = fit.losses
        self.group_weights_ = fit.result.dual
        self.gap_ = fit.result.gap
        self.certified_ = fit.result.certified
        self.n_iter_ = fit.result.n_iter
        self.result_ = fit.result

    # Prediction.

    def _margins(self, X: Any) -> Matrix:
        """X coef' + intercept, of shape (n, K)."""
        check_is_fitted(self)
        matrix = read_features(self, X, self._dropped_columns(), reset=False)
        return np.asarray(matrix @ np.atleast_2d(self.coef_).T) + self.intercept_
