"""The one-standard-error rule among candidates whose gain for the worst group is certain and worth its price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ...losses.grouped.memberships import Memberships
from .sample import Sample, lengths, simultaneous_quantile, skewness_allowance

LEVEL = 0.05
"""Where no candidate is better than the average model, one of them is taken with at most this probability."""
FEWEST_ROWS = 20
"""A worst group of fewer rows confirms nothing: neither its spread nor its skewness is known."""
RESOLUTION = 1e-5
"""A gain below this fraction of the loss is below the tolerance of the fits."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen among C candidates, and the figures that it was chosen by."""

    chosen: int
    average: int
    """The average model: the answer where there is nothing to gain."""
    best: int
    """c*: the least loss of the worst group, whatever its price and its noise."""
    group: int
    """The worst group under the average model."""
    worst_losses: Vector
    """W (C,): the largest group mean."""
    worst_groups: NDArray[np.intp]
    average_losses: Vector
    """A (C,): the mean of all rows."""
    gains: Vector
    """(C,): of ``group`` over the average model, or of the worst group where another one has become the worst."""
    gain_errors: Vector
    """(C,): the paired standard error within ``group``."""
    sure_gains: Vector
    """(C,): lower bounds of the gains, which hold for all candidates at once with probability 1 - ``LEVEL``."""
    prices: Vector
    """(C,): the rise of the average loss, at least 0."""
    effective_size: float
    """Of ``group``: how many rows of equal weight would be as good."""
    quantile: float
    """q: how many standard errors the best of so many candidates may gain by chance."""
    confirmed: NDArray[np.bool_]
    """(C,): the gain less q standard errors exceeds the price."""
    admissible: NDArray[np.bool_]
    """(C,): confirmed, and within one standard error of the least worst loss among the confirmed."""


def choose_one_se(
    losses: Matrix,
    memberships: Memberships,
    average: int,
    *,
    row_weights: Vector | None = None,
    clusters: NDArray[np.intp] | None = None,
) -> Choice:
    """Choose by out-of-fold losses (n, C) of every row for every candidate; ``average`` is the average model.

    With W(c) the largest group mean, A(c) the mean of all rows, a the average model and j its worst group,

        gain(c)  = min( mean over j of loss(a) - loss(c),  W(a) - W(c) ),
        price(c) = max( A(c) - A(a), 0 ),

    c is **confirmed** where gain(c) - q SE_j(a - c) > price(c): q, with an allowance for skewness, makes these lower
    bounds hold for all candidates at once with probability 1 - ``LEVEL``. So what the worst group surely gains is more
    than what the rows lose on average; equal worth is a convention, that of the objective with worst weight 1/2.
    Among the confirmed, the one-standard-error rule: c* has the least W; c is admissible where
    W(c) <= W(c*) + SE(c - c*) within the worst group of c; the admissible candidate of least A is taken, of equal ones
    the one of least W, then the first. Where none is confirmed, the average model is.

    The choice does not depend on the unit of the losses or of the weights. A row that has NaN for the average model
    does not count; nor does a candidate that has a loss which is not finite. Cost: O(n C + n_j C^2).
    """
    with one_blas_thread():
        return _choose(losses, memberships, average, row_weights, clusters)


def _choose(
    losses: Matrix,
    memberships: Memberships,
    average: int,
    row_weights: Vector | None,
    clusters: NDArray[np.intp] | None,
) -> Choice:
    weights = np.ones(len(losses)) if row_weights is None else row_weights
    counted = ~np.isnan(losses[:, average])
    samples = _samples(memberships, counted, clusters)
    everyone = np.flatnonzero(counted & (weights > 0.0))
    of_all = losses if everyone.size == len(losses) else losses[everyone]
    A = (weights[everyone] / weights[everyone].sum()) @ of_all
    F = _means(samples, losses)
    W, k = F.max(axis=0), F.argmax(axis=0)
    numbers = np.array(list(samples))
    worst = samples[int(numbers[k[average]])]

    own = losses[worst.rows, average]
    finite = np.isfinite(of_all).all(axis=0) & np.isfinite(W)
    with np.errstate(invalid="ignore"):
        differences = own[:, None] - losses[worst.rows]
        differences[:, ~(finite & finite[average])] = 0.0
        changes, prices = W[average] - W, np.maximum(A - A[average], 0.0)
    errors = worst.errors(differences)
    SE = lengths(errors)
    gains = np.minimum(worst.weights @ differences, changes)
    noise = RESOLUTION * float(worst.weights @ np.abs(own))

    largest = np.maximum(differences.max(axis=0), -differences.min(axis=0))
    differs = finite & (SE > 0.0) & (largest > noise)
    # The draws belong to columns, so that these come in an order of their own.
    order = np.lexsort((W, A))
    order = order[differs[order]]
    of_order = errors[:, order]
    q = simultaneous_quantile(of_order, LEVEL, worst.effective_size - 1.0)
    sure_gains, confirmed = np.full(len(A), -np.inf), np.zeros(len(A), dtype=bool)
    sure_gains[average] = 0.0
    if len(samples) > 1 and worst.effective_size >= FEWEST_ROWS:
        sure_gains[order] = gains[order] - (q + skewness_allowance(of_order, q)) * SE[order]
        confirmed[order] = (sure_gains[order] > prices[order]) & (gains[order] > noise)
    admissible = _within_one_se(losses, W, k, list(samples.values()), confirmed)
    return Choice(
        chosen=_first(admissible, A, W) if admissible.any() else average,
        average=average,
        best=_first(finite, W, A) if finite.any() else average,
        group=int(numbers[k[average]]),
        worst_losses=W,
        worst_groups=numbers[k],
        average_losses=A,
        gains=gains,
        gain_errors=SE,
        sure_gains=sure_gains,
        prices=prices,
        effective_size=worst.effective_size,
        quantile=q,
        confirmed=confirmed,
        admissible=admissible,
    )


def _samples(
    memberships: Memberships, counted: NDArray[np.bool_], clusters: NDArray[np.intp] | None
) -> dict[int, Sample]:
    """The rows of each group that has some."""
    kept = counted[memberships.rows] & (memberships.coefficients > 0.0)
    rows, groups, weights = memberships.rows[kept], memberships.groups[kept], memberships.coefficients[kept]
    # Numbers of 16 bits are sorted by radix, in a tenth of the time.
    order = np.argsort(groups.astype(np.min_scalar_type(memberships.n_groups)), kind="stable")
    numbers, starts = np.unique(groups[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {int(j): Sample.of(rows[part], weights[part], clusters) for j, part in zip(numbers, parts, strict=True)}


def _means(samples: dict[int, Sample], losses: Matrix) -> Matrix:
    """(J, C): the mean of each sample, in one read of the losses."""
    rows, weights = (
        np.concatenate(parts) for parts in zip(*((s.rows, s.weights) for s in samples.values()), strict=True)
    )
    ends = np.cumsum([0, *(sample.rows.size for sample in samples.values())])
    means: Matrix = sp.csr_array((weights, rows, ends), shape=(len(samples), len(losses))) @ losses
    return means


def _within_one_se(
    losses: Matrix, W: Vector, k: NDArray[np.intp], samples: list[Sample], confirmed: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Candidates within one standard error of the least W among the confirmed ones."""
    admissible = np.zeros_like(confirmed)
    if not confirmed.any():
        return admissible
    best = int(np.argmin(np.where(confirmed, W, np.inf)))
    noise = RESOLUTION * abs(float(W[best]))
    for group in np.unique(k[confirmed]):
        own = np.flatnonzero(confirmed & (k == group))
        rows = samples[group].rows
        SE = samples[group].standard_errors(losses[np.ix_(rows, own)] - losses[rows, best][:, None])
        # A group of one row has no standard error: nothing is known to be as good as the best there.
        admissible[own] = W[own] <= W[best] + np.maximum(np.where(np.isfinite(SE), SE, 0.0), noise)
    admissible[best] = True
    return admissible


def _first(mask: NDArray[np.bool_], key: Vector, second: Vector) -> int:
    """Of the candidates of a mask, the least ``key``, then the least ``second``, both up to RESOLUTION, then the first.

    So rounding errors and tolerances do not decide among candidates that are the same model.
    """
    members = np.flatnonzero(mask)
    for figures in (key, second):
        least = float(figures[members].min())
        members = members[figures[members] <= least + RESOLUTION * abs(least)]
    return int(members[0])
