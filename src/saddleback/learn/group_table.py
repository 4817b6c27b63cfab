"""How well every group is served: losses, accuracies and rates with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._validation import number
from .data.partitions import computed
from .group_caption import caption_of
from .groups import Groups, read_sensitive_features
from .groups.groups import everyone, row_weights
from .metrics.impact import reference_groups, rows_without_label
from .metrics.interval_kinds import intervals_of_kind
from .metrics.outcome import read_outcome
from .metrics.ratios import Ratio, calibration_errors, divide, ratios_of
from .metrics.row_losses import row_losses
from .table import Table


def group_table(
    y: Any,
    prediction: Any,
    sensitive_features: Any,
    *,
    sample_weight: Any = None,
    kind: str = "auto",
    classes: Any = None,
    positive: Any = None,
    threshold: float = 0.5,
    loss: Any = None,
    crossed: bool = True,
    missing_groups: str = "group",
    min_group_size: int | None = None,
    level: float = 0.95,
    interval: str = "wilson",
    n_boot: int = 1000,
    random_state: Any = 0,
    small_share: float = 0.02,
) -> Table:
    """One row for every group: its rows, loss, accuracy and rates, with intervals.

    Parameters
    ----------
    y : vector
        The targets.
    prediction : vector or matrix
        Probabilities of the positive class, probabilities of every class in columns, predicted labels, or numbers.
    sensitive_features : vector of labels, or columns of labels
        The groups, as in `saddleback.learn.read_sensitive_features`; or the `saddleback.learn.Groups` that it returns.
    sample_weight : vector, optional
        Weights of the rows. What Dask holds, of these four, is computed.
    kind : {"auto", "probability", "label", "value"}
        What ``prediction`` is. By default a matrix holds probabilities. If y has two values, a vector of these values
        holds labels, and numbers from 0 to 1 are probabilities; other numbers are refused. If y has more, predictions
        of text or of whole numbers of y are labels, and other numbers are values. The caption says which it was.
    classes : vector, optional
        The classes in the order of the columns of ``prediction``, where y does not hold all of them.
    positive : label, optional
        The positive class of two; by default the larger one.
    threshold : float
        A row is selected, that is predicted to be positive, if its probability is at least this.
    loss : str or callable, optional
        "log", "brier" or "zero_one" for probabilities, "zero_one" for labels, "squared" or "absolute" for values; the
        first of them by default. Or a function of the arrays (y, prediction) that returns the loss of every row.
    crossed, missing_groups
        As in `saddleback.learn.read_sensitive_features`. With ``crossed=False`` every attribute is shown alone. Rows
        without a label make a group of their own here, where nothing should be hidden; estimators refuse them unless
        told. Where several columns are crossed, every combination with a missing label is a group.
    min_group_size : int, optional
        Groups with fewer rows are merged into one, named "(rest)", as in the estimators; by default none is.
    level : float
        The probability with which an interval covers what it estimates.
    interval : {"wilson", "bootstrap"}
        "wilson": score intervals of rates, Student's t for means, the interval of Katz et al. for impact ratios,
        and the ratios of the ends of score intervals where one of the two rates is 0 or 1; weights enter by the
        effective number of rows, (sum w)^2 / sum w^2. Losses that are never negative have lower ends of at least 0.
        "bootstrap": percentiles over resampled rows of each group; these are too short for groups of few rows, and
        have no length where a rate is 0 or 1.
    n_boot, random_state
        The number of bootstrap draws, and their seed or generator.
    small_share : float
        Groups with a smaller share of the rows are marked as small. None is left out.

    Returns
    -------
    Table
        The columns ``group``, ``rows``, ``share`` (of the rows; ``weight_share`` if there are weights), ``small``,
        ``loss``, and

        - for two classes ``accuracy``, ``true_positive_rate``, ``false_positive_rate``, ``true_negative_rate``,
          ``false_negative_rate``, ``base_rate`` (share of positives), ``selection_rate``, ``impact_ratio`` (selection
          rate relative to the largest one among groups that are known and not small, so that a small group may have
          more than 1); for probabilities also ``calibration`` (mean probability minus
          base rate) and ``calibration_error`` (expected calibration error in ten bins);
        - for more classes ``accuracy``;
        - for values ``mean_absolute_error`` and ``mean_error`` (prediction minus y).

        Each but the calibration error has its interval in ``*_low`` and ``*_high``. What cannot be computed, such as
        the true positive rate of a group without positives, is nan. ``attributes`` has the same figures over all rows
        ("overall"), the kinds of interval, the reference groups, and predicted labels that y never has.

    Examples
    --------
    >>> import saddleback as sb
    >>> y = [1, 0, 1, 0, 1, 0]
    >>> table = sb.group_table(y, [0.9, 0.2, 0.6, 0.4, 0.3, 0.6], ["a", "a", "a", "b", "b", "b"])
    >>> table["accuracy"]
    array([1.        , 0.33333333])
    >>> table.row("b")["rows"]
    3
    """
    number(small_share, "small_share", minimum=0.0)
    intervals = intervals_of_kind(interval, level, n_boot, random_state)
    y, prediction, sensitive_features, sample_weight = computed(y, prediction, sensitive_features, sample_weight)
    outcome = read_outcome(y, prediction, kind=kind, classes=classes, positive=positive, threshold=threshold)
    groups = (
        sensitive_features
        if isinstance(sensitive_features, Groups)
        else read_sensitive_features(
            sensitive_features,
            outcome.y.size,
            crossed=crossed,
            missing_groups=missing_groups,
            min_group_size=1 if min_group_size is None else min_group_size,
        )
    )
    weights = row_weights(sample_weight, groups.n_rows)
    loss_name, losses = row_losses(outcome, loss, y, prediction)
    of_losses = Ratio("loss", losses, rate=loss_name == "zero_one", nonnegative=bool((losses >= 0).all()))
    ratios = [of_losses, *ratios_of(outcome)]

    small = groups.sizes < small_share * groups.n_rows
    columns: dict[str, Any] = {"group": groups.names, "rows": groups.sizes, "share": groups.sizes / groups.n_rows}
    if sample_weight is not None:
        columns["weight_share"] = groups.shares(weights)
    columns["small"] = small
    values, reference = {}, None
    for ratio in ratios:
        values[ratio.name] = ratio.of(groups, weights)
        if ratio.name == "selection_rate":
            reference = reference_groups(values[ratio.name], groups, small)
            values["impact_ratio"] = divide(values[ratio.name], values[ratio.name][reference])
    ends = intervals.of(ratios, groups, weights, reference)
    for name, value in values.items():
        columns |= {name: value, f"{name}_low": ends[name][0], f"{name}_high": ends[name][1]}
    if "calibration" in values:
        columns["calibration_error"] = calibration_errors(outcome, groups, weights)
    attributes = {
        "kind": outcome.kind,
        "loss": loss_name,
        "intervals": intervals.words(ratios),
        "level": intervals.level,
        "small_share": float(small_share),
        "rows": groups.n_rows,
        "rows_without_label": rows_without_label(groups),
        "merged": dict(groups.merged),
        "overall": {ratio.name: float(ratio.of(everyone(groups.n_rows), weights)[0]) for ratio in ratios},
    }
    if outcome.unseen:
        attributes["unseen_labels"] = list(outcome.unseen)
    if outcome.positive is not None:
        attributes["positive"] = outcome.classes[outcome.positive]
    if outcome.positive is not None and outcome.kind == "probability":
        attributes["threshold"] = outcome.threshold
    if reference is not None:
        attributes["reference"] = [groups.names[j] for j in np.unique(reference)]
    return Table(columns, caption_of(attributes), attributes)
