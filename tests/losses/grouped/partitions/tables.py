"""The same rows in memory and in the partitions of Dask collections."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp

from saddleback.losses import base

UNEQUAL = (70, 0, 1, 99, 31)
"""Rows of the partitions: one of them is empty, and one has a single row."""
EDGES = (0, 0, 100, 0, 101, 0)
"""Partitions without rows at both ends."""


def lazy(x, lengths=UNEQUAL):
    """An array as a Dask array of these partitions."""
    return da.from_array(x, chunks=(lengths, *((size,) for size in x.shape[1:])))


def lazy_sparse(X, lengths=UNEQUAL, kind=sp.csr_array):
    """A sparse matrix, whose partitions are sparse matrices."""
    ends = np.cumsum(lengths)
    parts = [kind(X[end - n : end]) for end, n in zip(ends, lengths, strict=True)]
    blocks = [
        da.from_delayed(dask.delayed(part, traverse=False), part.shape, X.dtype, meta=sp.csr_array((0, X.shape[1])))
        for part in parts
    ]
    return da.concatenate(blocks)


def lazy_frame(frame, lengths=UNEQUAL):
    """A data frame or a series as one of Dask, of these partitions."""
    ends = np.cumsum(lengths)
    parts = [frame.iloc[end - n : end] for end, n in zip(ends, lengths, strict=True)]
    meta = frame.iloc[:0]
    return dd.from_map(lambda number: parts[number], range(len(parts)), meta=meta)


N_ROWS = 201


def table(loss="logistic", n=N_ROWS, d=5, n_groups=4, seed=0, dtype=np.float64):
    """(X, y, groups), with rows of one group in some partitions only."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * [1.0, 3.0, 0.1, 1.0, 10.0][:d]).astype(dtype)
    # The last group's rows are among the first ones, so that it does not occur in the last partitions.
    groups = rng.integers(0, n_groups - 1, n)
    groups[: n // 5 : 2] = n_groups - 1
    if loss in ("logistic", "squared_hinge"):
        y = rng.permutation(np.resize(["no", "yes"], n))
    elif loss == "softmax":
        y = rng.permutation(np.resize(["a", "b", "c"], n))
    else:
        y = rng.poisson(2.0, n).astype(float) if loss == "poisson" else rng.standard_normal(n) + X[:, 0]
    return X, y, groups


def frame_of(X, groups):
    """The same table as a data frame, with columns of groups."""
    rng = np.random.default_rng(3)
    town = pd.Categorical(np.array(["big", "mid", "small", "tiny"])[groups], categories=["tiny", "small", "mid", "big"])
    columns = {f"x{k}": X[:, k] for k in range(X.shape[1])}
    return pd.DataFrame(columns).assign(town=town, sex=rng.integers(0, 2, len(X)), kind=groups % 2 == 0)


def assert_same_facts(losses, known):
    """Everything that the user sees of the rows."""
    assert list(losses.group_names) == list(known.group_names)
    np.testing.assert_array_equal(losses.group_sizes, known.group_sizes)
    np.testing.assert_array_equal(losses.group_weights, known.group_weights)
    for name in ("classes", "feature_names", "n_samples", "n_features", "n_entries", "n_params", "n_losses"):
        assert getattr(losses, name) == getattr(known, name), name


# Sums of some hundred terms in another order: some hundred eps of the largest term of each array.
ROUNDING = 1e-12


def assert_close(actual, expected):
    expected = np.asarray(expected)
    np.testing.assert_allclose(actual, expected, rtol=ROUNDING, atol=ROUNDING * max(1.0, np.abs(expected).max()))


def assert_same_losses(losses, known, seed=0):
    """Values, gradients, Hessians, scales and smoothness at a point."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(known.n_params) / 10
    lam = rng.random(known.n_losses)
    for actual, expected in zip(losses.evaluate(w), known.evaluate(w), strict=True):
        assert_close(actual, expected)
    assert_close(losses.values(w), known.values(w))
    assert_close(losses.parameter_scales(), known.parameter_scales())
    if known.lacks(base.HasHessian) is None:
        assert_close(losses.hessian(w, lam), known.hessian(w, lam))
        which = np.arange(known.n_losses)[::-2]
        assert_close(losses.loss_hessians(w, which), known.loss_hessians(w, which))
    assert losses.lacks(base.HasSmoothness) == known.lacks(base.HasSmoothness)
    if known.lacks(base.HasSmoothness) is None:
        V = rng.standard_normal((known.n_losses, known.n_features + 1))
        assert_close(losses._passes.gram(V), known._passes.gram(V))
        # A bound that is up to 10 % too large: rounding changes when its iterations end, and so the excess.
        np.testing.assert_allclose(losses.smoothness(), known.smoothness(), rtol=1e-3)


def bits_of(losses, seed=0):
    """The bytes of everything that is summed over the rows."""
    rng = np.random.default_rng(seed)
    w, lam = rng.standard_normal(losses.n_params) / 10, rng.random(losses.n_losses)
    arrays = [
        *losses.evaluate(w),
        losses.values(w),
        *losses.evaluate_many(np.stack([w, 2 * w])),
        losses.hessian(w, lam),
        losses.loss_hessians(w, [0, losses.n_losses - 1]),
        losses.parameter_scales(),
        losses.group_weights,
        np.array([losses.smoothness()]),
    ]
    return b"".join(np.ascontiguousarray(x).tobytes() for x in arrays)
