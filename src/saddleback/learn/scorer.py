"""A scorer of scikit-learn that is the score of the worst group."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.metadata_routing import UNUSED

from ..errors import ProblemError
from .data.files import with_columns_read
from .data.partitions import computed
from .groups import Groups, read_sensitive_features, take_columns
from .groups.groups import row_weights
from .metrics.outcome import Outcome, read_outcome
from .metrics.ratios import Ratio, ratios_of
from .metrics.row_losses import row_losses

GREATER_IS_BETTER = {
    "loss": False,
    "accuracy": True,
    "true_positive_rate": True,
    "true_negative_rate": True,
    "false_positive_rate": False,
    "false_negative_rate": False,
    "selection_rate": True,
    "mean_absolute_error": False,
}
"""The columns of a group table that can be a score."""


class WorstGroupScorer(BaseEstimator):  # type: ignore[misc]
    """The callable that `worst_group_scorer` makes. As an object of scikit-learn it can request metadata."""

    # The metadata of the method score: its first argument is none of it.
    __metadata_request__score = {"estimator": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        metric: str = "loss",
        *,
        group_by: Any = None,
        loss: Any = None,
        threshold: float | None = None,
        positive: Any = None,
        crossed: bool = True,
        missing_groups: str = "group",
        min_group_size: int | None = None,
    ) -> None:
        self.metric = metric
        self.group_by = group_by
        self.loss = loss
        self.threshold = threshold
        self.positive = positive
        self.crossed = crossed
        self.missing_groups = missing_groups
        self.min_group_size = min_group_size

    def score(
        self, estimator: Any, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> float:
        """The least score of any group; for losses and other metrics that should be small, minus the largest."""
        if self.metric not in GREATER_IS_BETTER:
            known = ", ".join(map(repr, GREATER_IS_BETTER))
            raise ProblemError(f"metric must be one of {known}; got {self.metric!r}.")
        _, y, sensitive_features, sample_weight = with_columns_read(X, y, sensitive_features, sample_weight)
        y, sensitive_features, sample_weight = computed(y, sensitive_features, sample_weight)
        outcome, prediction = self._predicted(estimator, X, y)
        groups = self._groups(X, sensitive_features, outcome.y.size)
        values = self._ratio(outcome, y, prediction).of(groups, row_weights(sample_weight, groups.n_rows))
        known_values = values[~np.isnan(values)]
        if not known_values.size:
            return float("nan")
        return float(known_values.min() if GREATER_IS_BETTER[self.metric] else -known_values.max())

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> float:
        return self.score(estimator, X, y, sensitive_features=sensitive_features, sample_weight=sample_weight)

    def _groups(self, X: Any, sensitive_features: Any, n_rows: int) -> Groups:
        if (sensitive_features is None) == (self.group_by is None):
            got = "neither" if self.group_by is None else "both"
            raise ProblemError(
                f"worst_group_scorer needs group_by or sensitive_features; got {got}. Name columns of X as group_by; "
                "or enable metadata routing, call scorer.set_score_request(sensitive_features=True), and pass "
                "params={'sensitive_features': ...}."
            )
        return read_sensitive_features(
            sensitive_features if self.group_by is None else take_columns(X, self.group_by),
            n_rows,
            crossed=self.crossed,
            missing_groups=self.missing_groups,
            min_group_size=1 if self.min_group_size is None else self.min_group_size,
            argument="sensitive_features" if self.group_by is None else "X",
        )

    def _predicted(self, estimator: Any, X: Any, y: Any) -> tuple[Outcome, Any]:
        """Targets and predictions: probabilities only where the metric needs them."""
        if not is_classifier(estimator):
            (prediction,) = computed(estimator.predict(X))
            return read_outcome(y, prediction, kind="value"), prediction
        by_probability = (self.metric == "loss" and self.loss != "zero_one") or self.threshold is not None
        options = {"classes": estimator.classes_, "positive": self.positive}
        if not by_probability:
            (prediction,) = computed(estimator.predict(X))
            return read_outcome(y, prediction, kind="label", **options), prediction
        predict_proba = getattr(estimator, "predict_proba", None)
        if predict_proba is None:
            raise ProblemError(
                f"the metric {self.metric!r} needs probabilities; {type(estimator).__name__} has no predict_proba. Use "
                "loss='zero_one' or metric='accuracy', or calibrate it with CalibratedClassifierCV."
            )
        (prediction,) = computed(predict_proba(X))
        threshold = 0.5 if self.threshold is None else self.threshold
        return read_outcome(y, prediction, kind="probability", threshold=threshold, **options), prediction

    def _ratio(self, outcome: Outcome, y: Any, prediction: Any) -> Ratio:
        if self.metric == "loss":
            return Ratio("loss", row_losses(outcome, self.loss, y, prediction)[1], rate=False)
        ratios = {ratio.name: ratio for ratio in ratios_of(outcome)}
        if self.metric not in ratios:
            raise ProblemError(
                f"the metric {self.metric!r} is not defined for predictions of this kind, {outcome.kind!r} with "
                f"{len(outcome.classes)} classes; expected 'loss' or one of {', '.join(map(repr, ratios))}."
            )
        return ratios[self.metric]


def worst_group_scorer(
    metric: str = "loss",
    *,
    group_by: Any = None,
    loss: Any = None,
    threshold: float | None = None,
    positive: Any = None,
    crossed: bool = True,
    missing_groups: str = "group",
    min_group_size: int | None = None,
) -> WorstGroupScorer:
    """A scorer for ``cross_val_score``, ``GridSearchCV`` and others: what the worst group gets.

    Parameters
    ----------
    metric : str
        "loss", or a column of `group_table`: "accuracy", "true_positive_rate", "true_negative_rate",
        "false_positive_rate", "false_negative_rate", "selection_rate", "mean_absolute_error". Scores are such that
        greater is better: those that should be small come with a minus.
    group_by : name or list of names, optional
        The columns of X that make the groups (positions, where X is an array). Without it, groups come as metadata:
        enable metadata routing, and call ``set_score_request(sensitive_features=True)`` of the scorer.
    loss, positive
        As in `group_table`. The default loss is the log loss of a classifier and the squared loss of a regressor.
    threshold : float, optional
        The probability from which on a row is predicted to be positive; by default ``estimator.predict`` decides.
    crossed : bool
        As in `saddleback.learn.read_sensitive_features`.
    missing_groups : {"group", "error"}
        As in `group_table`: rows without a label make a group of their own, unless "error" refuses them.
    min_group_size : int, optional
        Groups with fewer rows are merged into one. It counts the rows that are scored, those of the test fold: a fifth
        of all rows where ``cv=5``.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sensitive_features=None, sample_weight=None)``. A group without a score, such as a
        true positive rate without positives, is left out.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X = np.column_stack([np.arange(12.0), np.arange(12) % 2])
    >>> y = X[:, 0] + 3 * X[:, 1] * (X[:, 0] % 3 == 0)
    >>> cross_val_score(LinearRegression(), X, y, scoring=sb.worst_group_scorer(group_by=1), cv=2)
    array([-2., -2.])
    """
    return WorstGroupScorer(
        metric,
        group_by=group_by,
        loss=loss,
        threshold=threshold,
        positive=positive,
        crossed=crossed,
        missing_groups=missing_groups,
        min_group_size=min_group_size,
    )
