"""Intervals of rates, means and ratios of rates, from the rows of each group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm, t
from sklearn.utils import gen_batches

from ..._types import Matrix, Vector
from ..groups import Groups
from .ratios import Ratio, divide

Interval = tuple[Vector, Vector]
"""Lower and upper ends, one of each group."""

NUMBERS_AT_ONCE = 2_000_000
"""Numbers of a bootstrap that are held at once: 16 MB."""


def effective_rows(ratio: Ratio, groups: Groups, weights: Vector) -> Vector:
    """(sum w)^2 / sum w^2 over the rows that count: as many rows of equal weight have the same variance (Kish)."""
    w = ratio.weights(weights)
    return divide((groups.matrix.T @ w) ** 2, groups.matrix.T @ w**2)


def wilson(p: Vector, n: Vector, level: float) -> Interval:
    """The score interval of a rate p of n rows: Wilson, JASA 22 (1927) 209-212; nan without rows."""
    z = norm.isf((1 - level) / 2)
    center = p + z**2 / (2 * n)
    radius = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    shrink = 1 + z**2 / n
    # At p = 0 and p = 1 one end is p itself, which rounding may miss.
    return np.minimum((center - radius) / shrink, p).clip(0, 1), np.maximum((center + radius) / shrink, p).clip(0, 1)


def student(ratio: Ratio, groups: Groups, weights: Vector, level: float) -> Interval:
    """mean -+ t sqrt(v), v = sum w^2 (x - mean)^2 / (sum w)^2 n / (n - 1), n effective rows; nan for less than two.

    The lower end of a mean of losses that cannot be negative is at least 0.
    """
    w, mean, n = ratio.weights(weights), ratio.of(groups, weights), effective_rows(ratio, groups, weights)
    difference = ratio.x[groups.rows] - mean[groups.groups]
    squares = np.bincount(groups.groups, (w[groups.rows] * difference) ** 2, minlength=mean.size)
    # With n - 1 below one degree of freedom the distribution has no use: its quantiles reach 1e100.
    several = n > 2 - 1e-9
    freedom = np.where(several, n - 1, np.nan)
    radius = t.isf((1 - level) / 2, freedom) * np.sqrt(squares * n / freedom) / (groups.matrix.T @ w)
    low = mean - radius
    return np.maximum(low, 0.0) if ratio.nonnegative else low, mean + radius


def ratio_of_rates(p: Vector, n: Vector, reference: tuple[Vector, Vector], level: float) -> Interval:
    """The interval of the ratio of p to a reference rate, a pair of rate and effective rows; nan where that is 0.

    That of `katz`, except where one of the rates is 0 or 1: there its variance is estimated as 0, or infinite. Instead
    the ratio is between low_j / high_ref and high_j / low_ref, by the ends of Wilson's intervals. Both hold with a
    probability of at least 2 level - 1, by the union bound.
    """
    q, m = reference
    (low, high), (reference_low, reference_high) = wilson(p, n, level), wilson(q, m, level)
    extreme = (p == 0) | (p == 1) | (q == 1)
    ends = (divide(low, reference_high), divide(high, reference_low))
    by_katz = katz(p, n, reference, level)
    bottom, top = (np.where(extreme, end, usual) for end, usual in zip(ends, by_katz, strict=True))
    return np.where(q == 0, np.nan, bottom), np.where(q == 0, np.nan, top)


def katz(p: Vector, n: Vector, reference: tuple[Vector, Vector], level: float) -> Interval:
    """The interval of the ratio of p to a reference rate, by the normal distribution of its logarithm.

    Katz, Baptista, Azen and Pike, Biometrics 34 (1978) 469-474; nan where a rate is 0. The reference is a pair of its
    rate and effective rows; its ratio to itself is 1 and has no interval.
    """
    q, m = reference
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where((p > 0) & (q > 0), p / q, np.nan)
        spread = np.exp(norm.isf((1 - level) / 2) * np.sqrt((1 - p) / (n * p) + (1 - q) / (m * q)))
        return ratio / spread, ratio * spread


def bootstrap_draws(
    ratios: list[Ratio], groups: Groups, weights: Vector, n_boot: int, rng: np.random.Generator
) -> Iterator[tuple[slice, Matrix]]:
    """Ratios of resampled rows, of shape (n_boot, J', m), for some J' groups after another.

    The rows of a group are drawn from its rows, with replacement and as many as there are.
    """
    rows = groups.rows[np.argsort(groups.groups, kind="stable")]
    ends = np.concatenate([[0], np.cumsum(groups.sizes)])
    w = np.column_stack([ratio.weights(weights) for ratio in ratios])
    both = np.hstack([w * np.column_stack([ratio.x for ratio in ratios]), w])
    at_once = max(1, NUMBERS_AT_ONCE // (n_boot * len(ratios)))
    for first in range(0, len(groups.names), at_once):
        part = slice(first, min(first + at_once, len(groups.names)))
        sums = np.empty((n_boot, part.stop - first, both.shape[1]))
        for j in range(first, part.stop):
            sums[:, j - first] = _resampled_sums(both[rows[ends[j] : ends[j + 1]]], n_boot, rng)
        yield part, divide(sums[:, :, : len(ratios)], sums[:, :, len(ratios) :])


def _resampled_sums(table: Matrix, n_boot: int, rng: np.random.Generator) -> Matrix:
    """The sums over resampled lines of a table: how often each was drawn, times the table."""
    n, sums = len(table), np.empty((n_boot, table.shape[1]))
    for part in gen_batches(n_boot, max(1, NUMBERS_AT_ONCE // n)):
        k = part.stop - part.start
        drawn = rng.integers(n, size=(k, n)) + n * np.arange(k)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=k * n).reshape(k, n)
        sums[part] = times.astype(np.float64) @ table
    return sums


def percentiles(draws: Matrix, level: float) -> tuple[Matrix, Matrix]:
    """The central ``level`` of the draws, which are along the first axis; draws of nan are left out."""
    # Sorting puts nan last.
    ordered, n_valid = np.sort(draws, axis=0), (~np.isnan(draws)).sum(axis=0)
    low, high = (_at_rank(ordered, q * (n_valid - 1).clip(0)) for q in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def _at_rank(ordered: Matrix, rank: Vector) -> Matrix:
    """Between two ranks the line through their numbers, as numpy.percentile has it."""
    below, above = (
        np.take_along_axis(ordered, end.astype(np.intp)[np.newaxis], axis=0)[0]
        for end in (np.floor(rank), np.ceil(rank))
    )
    return below + (above - below) * (rank - np.floor(rank))
