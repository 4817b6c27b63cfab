"""A problem whose rows come from seeds: every partition can be made anew wherever it is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import saddleback as sb

N_PARTITIONS = 13
N_ROWS = 4000
"""Of a partition."""
N_FEATURES = 100
N_GROUPS = 6
DECADES = 2.0
"""Between the largest and the least standard deviation in some directions: quasi-Newton needs some sixty evaluations,
so that a run takes seconds and no single evaluation much of it."""
L2 = 1e-6
TOL = 1e-9


def features(number: int, n_rows: int) -> NDArray[np.float64]:
    """The rows of one partition."""
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((N_FEATURES, N_FEATURES)))[0]
    rng = np.random.default_rng([1, number])
    scaled = rng.standard_normal((n_rows, N_FEATURES)) * 10.0 ** -np.linspace(0.0, DECADES, N_FEATURES)
    return np.ascontiguousarray(scaled @ rotation)


def labels(number: int, n_rows: int) -> NDArray[np.int64]:
    """A column of classes and a column of groups, of one partition."""
    rng = np.random.default_rng([2, number])
    groups = rng.integers(0, N_GROUPS, n_rows)
    coef = np.random.default_rng(3).standard_normal((N_GROUPS, N_FEATURES))
    margins = np.einsum("ij,ij->i", features(number, n_rows), coef[groups])
    return np.column_stack([margins + rng.logistic(size=n_rows) > 0, groups])


def make_losses(n_rows: int = N_ROWS) -> sb.GroupedLinear:
    """On the active client's workers, or in this process; so many rows per partition."""
    import dask
    import dask.array as da

    def stacked(function: Any, width: int, dtype: type) -> Any:
        task = dask.delayed(function)
        blocks = [da.from_delayed(task(number, n_rows), (n_rows, width), dtype) for number in range(N_PARTITIONS)]
        return da.concatenate(blocks)

    both = stacked(labels, 2, np.int64)
    return sb.GroupedLinear(stacked(features, N_FEATURES, np.float64), both[:, 0], both[:, 1], l2=L2)


def solve(losses: sb.GroupedLinear, **options: Any) -> sb.Result:
    """One run."""
    return sb.solve(sb.Problem(losses), method="quasi-newton", tol=TOL, **options)


def bits(result: sb.Result) -> bytes:
    """The answer, its certificate and its history, without times."""
    numbers = [result.value, result.lower_bound, result.gap, result.n_iter]
    return np.concatenate([result.w, result.dual, numbers, result.history.value, result.history.gap]).tobytes()
