"""How nearly one column determines another: fast measures on a sample of the rows, from 0 (not at all) to 1."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

SAMPLED_ROWS = 100_000
"""Measures are taken on at most so many rows, drawn at random: their errors are then below 0.005."""

BINS = 32
"""Numbers are cut into so many classes of equal size, to see whether these determine another column."""

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


def sampled_rows(n_rows: int) -> NDArray[np.intp]:
    """Rows drawn at random, always the same ones, in order; all where they are few."""
    if n_rows <= SAMPLED_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, SAMPLED_ROWS, replace=False))


@lru_cache(maxsize=1)
def half_of(n_rows: int) -> NDArray[np.bool_]:
    """Half of the rows, drawn at random, always the same ones: rows that take turns would be parted by their order."""
    return np.random.default_rng(1).permutation(n_rows) < n_rows // 2


def binned(values: Floats) -> Codes:
    """Numbers as codes of bins of equal size, or of each value where there are few; missing ones have their own bin."""
    here = ~np.isnan(values)
    distinct = np.unique(values[here])
    if distinct.size <= BINS:
        codes = np.searchsorted(distinct, values)
    else:
        edges = np.unique(np.quantile(values[here], np.arange(1, BINS) / BINS))
        codes = np.searchsorted(edges, values, side="right")
    return np.where(here, codes + 1, 0).astype(np.intp)


def counted(x: Codes, y: Codes) -> NDArray[np.int64]:
    """How many rows have each pair of codes."""
    width = int(y.max()) + 1
    return np.bincount(x * width + y, minlength=(int(x.max()) + 1) * width).reshape(-1, width)


def purity(x: Codes, y: Codes) -> float:
    """How much of what the most frequent y misses is got right by the most frequent y of each x.

    They are counted in one half of the rows and tried on the other: small levels are pure by chance.
    """
    half = half_of(x.size)
    if x.size < 4:
        return 0.0
    width = int(y.max()) + 1
    counts = np.zeros((int(x.max()) + 1, width), dtype=np.int64)
    learned = counted(x[half], y[half])
    counts[: learned.shape[0], : learned.shape[1]] = learned
    common = int(counts.sum(axis=0).argmax())
    guess = np.where(counts.sum(axis=1) > 0, counts.argmax(axis=1), common)
    base = float(np.mean(y[~half] == common))
    right = float(np.mean(guess[x[~half]] == y[~half]))
    return max(0.0, (right - base) / (1.0 - base)) if base < 1.0 else 0.0


def area_under_curve(x: Codes, positive: Codes) -> float:
    """The probability that the bin of a row of class 1 is above that of one of class 0, or below, whichever is larger.

    Bin 0 is that of missing values, which have no order; equal bins count half.
    """
    negatives, positives = counted(x, positive)[1:].T
    pairs = int(negatives.sum()) * int(positives.sum())
    if pairs == 0:
        return 0.5
    below = np.cumsum(negatives) - 0.5 * negatives
    area = float(positives @ below) / pairs
    return max(area, 1.0 - area)


def rank_correlation(x: Floats, y: Floats) -> float:
    """The absolute rank correlation of Spearman."""
    here = ~np.isnan(x)
    if here.sum() < 3:
        return 0.0
    a, b = rankdata(x[here]), rankdata(y[here])
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return abs(float(a @ b)) / scale if scale > 0.0 else 0.0


def explained_share(x: Codes, y: Floats) -> float:
    """The share of the variance of y that the means by level explain, learned on one half, tried on the other."""
    half = half_of(x.size)
    if x.size < 4:
        return 0.0
    n_levels = int(x.max()) + 1
    counts = np.bincount(x[half], minlength=n_levels)
    center = float(y[half].mean())
    sums = np.bincount(x[half], weights=y[half] - center, minlength=n_levels)
    means = center + sums / np.maximum(counts, 1)
    rest, total = y[~half] - means[x[~half]], y[~half] - center
    spread = float(total @ total)
    return max(0.0, 1.0 - float(rest @ rest) / spread) if spread > 0.0 else 0.0


def one_to_one(x: Codes, y: Codes) -> bool:
    """Whether x determines y and y determines x."""
    pairs = counted(x, y) > 0
    return bool((pairs.sum(axis=0) <= 1).all() and (pairs.sum(axis=1) <= 1).all())
