"""Ratios of sums over rows: rates such as accuracy, and means such as losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ..groups import Groups
from .outcome import Outcome


@dataclass(frozen=True, eq=False)
class Ratio:
    """sum of w_i x_i over the rows that count, divided by the sum of their w_i."""

    name: str
    x: Vector
    """The quantity at every row; 0 or 1 for a rate."""
    counts: NDArray[np.bool_] | None = None
    """The rows that count; all by default."""
    rate: bool = True
    """Whether it is a share of the rows, and not a mean."""
    nonnegative: bool = False
    """Whether a mean cannot be below 0, as that of losses."""

    def weights(self, weights: Vector) -> Vector:
        """The weights of the rows that count, and 0 for the others."""
        return weights if self.counts is None else weights * self.counts

    def of(self, groups: Groups, weights: Vector) -> Vector:
        """The ratio of each group; nan where no row counts."""
        w = self.weights(weights)
        return divide(groups.matrix.T @ (w * self.x), groups.matrix.T @ w)


def divide(numerator: Any, denominator: Any) -> Any:
    """numerator / denominator, nan where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    return np.divide(numerator, denominator, where=np.asarray(denominator) != 0, out=np.full(shape, np.nan))


def ratios_of(at: Outcome) -> list[Ratio]:
    """What each kind of prediction is measured by, besides its loss."""
    if at.kind == "value":
        error = at.prediction - at.y
        return [
            Ratio("mean_absolute_error", np.abs(error), rate=False, nonnegative=True),
            Ratio("mean_error", error, rate=False),
        ]
    accuracy = Ratio("accuracy", (at.decided == at.y).astype(np.float64))
    if at.positive is None:
        return [accuracy]
    is_positive, selected = at.y == at.positive, at.decided == at.positive
    ratios = [
        accuracy,
        Ratio("true_positive_rate", selected.astype(np.float64), is_positive),
        Ratio("false_positive_rate", selected.astype(np.float64), ~is_positive),
        Ratio("true_negative_rate", (~selected).astype(np.float64), ~is_positive),
        Ratio("false_negative_rate", (~selected).astype(np.float64), is_positive),
        Ratio("base_rate", is_positive.astype(np.float64)),
        Ratio("selection_rate", selected.astype(np.float64)),
    ]
    if at.kind == "probability":
        ratios.append(Ratio("calibration", at.prediction[:, at.positive] - is_positive, rate=False))
    return ratios


def calibration_errors(at: Outcome, groups: Groups, weights: Vector, n_bins: int = 10) -> Vector:
    """The expected calibration error of each group: the mean over bins of |mean probability - share of positives|.

    Bins of equal width, as in Guo et al., On calibration of modern neural networks (ICML 2017), equation (3), for the
    probability of the positive class. It is above 0 also for calibrated probabilities, the more so the smaller a group.
    """
    p, is_positive = at.prediction[:, at.positive], at.y == at.positive
    bins = np.minimum((p * n_bins).astype(np.intp), n_bins - 1)
    of_pair = groups.groups * n_bins + bins[groups.rows]
    excess = (weights * (p - is_positive))[groups.rows]
    sums = np.bincount(of_pair, excess, minlength=len(groups.names) * n_bins)
    return divide(np.abs(sums).reshape(-1, n_bins).sum(axis=1), groups.matrix.T @ weights)
