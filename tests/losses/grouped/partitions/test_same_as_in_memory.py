"""Losses of partitions are those of the same table in memory."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses import base

from ..own_losses import OWN
from .tables import (
    EDGES,
    UNEQUAL,
    assert_close,
    assert_same_facts,
    assert_same_losses,
    frame_of,
    lazy,
    lazy_frame,
    lazy_sparse,
    table,
)

LOSSES = ["logistic", "squared", "huber", "squared_hinge", "poisson", "quantile", "softmax"]
LENGTHS = {"unequal": UNEQUAL, "edges": EDGES, "one": (201,), "rows": (1,) * 201}


def assert_same(losses, known):
    assert_same_facts(losses, known)
    assert_same_losses(losses, known)


@pytest.mark.parametrize("more", ["bare", "weights and offsets"])
@pytest.mark.parametrize("loss", LOSSES)
def test_arrays(loss, more):
    X, y, groups = table(loss)
    options, own = {"loss": loss, "l2": 0.1}, {}
    if more != "bare":
        rng = np.random.default_rng(5)
        # A third of the weights is 0, and a partition of one row may have no weight at all.
        weight, offset = rng.integers(0, 3, len(X)) * rng.random(len(X)), rng.standard_normal((len(X), 3))
        offset = offset if loss == "softmax" else offset[:, 0]
        options |= {"sample_weight": weight, "offset": offset, "fit_intercept": False}
        own = {"sample_weight": lazy(weight), "offset": lazy(offset)}
    assert_same(
        sb.GroupedLinear(lazy(X), lazy(y), lazy(groups), **options | own), sb.GroupedLinear(X, y, groups, **options)
    )


@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_any_partitions(lengths):
    X, y, groups = table()
    weight = np.random.default_rng(1).random(len(X))
    losses = sb.GroupedLinear(lazy(X, lengths), lazy(y, lengths), lazy(groups, lengths), sample_weight=weight)
    assert_same(losses, sb.GroupedLinear(X, y, groups, sample_weight=weight))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_types_of_numbers(dtype):
    X, y, groups = table()
    X = (X > 0).astype(dtype) if dtype is bool else X.astype(dtype)
    assert_same(sb.GroupedLinear(lazy(X), y, groups), sb.GroupedLinear(X, y, groups))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_sparse_partitions(loss, kind):
    X, y, groups = table(loss)
    X = sp.csr_array(np.where(np.random.default_rng(2).random(X.shape) < 0.3, X, 0.0))
    known = sb.GroupedLinear(X, y, groups, loss=loss, l2=0.1)
    assert_same(sb.GroupedLinear(lazy_sparse(X, kind=kind), lazy(y), groups, loss=loss, l2=0.1), known)


@pytest.mark.parametrize("name", OWN)
def test_own_losses(name):
    own = OWN[name][0]
    X, y, groups = table("squared")
    assert_same(sb.GroupedLinear(lazy(X), lazy(y), lazy(groups), loss=own), sb.GroupedLinear(X, y, groups, loss=own))


def test_options_of_losses():
    X, y, groups = table("squared")
    for loss in (sb.losses.Huber(delta=0.3), sb.losses.Quantile(q=0.8)):
        assert_same(sb.GroupedLinear(lazy(X), y, lazy(groups), loss=loss), sb.GroupedLinear(X, y, groups, loss=loss))


@pytest.mark.parametrize("by", [["town"], ["sex", "town"], ["kind", "sex"], ["kind"]], ids=str)
def test_frames(by):
    X, y, groups = table()
    frame = frame_of(X, groups)
    if by == ["kind", "sex"]:
        # Columns of 0 and 1 are memberships: every row is in a group.
        frame["kind"] |= frame["sex"] == 0
    features = [name for name in frame if name.startswith("x")]
    chosen = by if len(by) > 1 else by[0]
    on_dask = lazy_frame(frame.assign(y=y))
    known = sb.GroupedLinear(frame[features], y, frame[chosen])
    assert_same(sb.GroupedLinear(on_dask[features], on_dask["y"], on_dask[chosen]), known)
    # Rows in memory belong to partitions by their position.
    assert_same(sb.GroupedLinear(on_dask[features], y, frame[chosen].set_axis(range(7, 208))), known)
    assert_same(sb.GroupedLinear(on_dask[features], y, on_dask[chosen]), known)


@pytest.mark.parametrize("form", ["booleans", "weights", "sparse in memory"])
def test_memberships(form):
    X, y, _ = table()
    rng = np.random.default_rng(4)
    M = rng.random((len(X), 3)) < 0.4
    if form == "weights":
        M = M * rng.random(M.shape)
    known = sb.GroupedLinear(X, y, M)
    given = sp.csr_array(M.astype(float)) if form == "sparse in memory" else lazy(M)
    assert_same(sb.GroupedLinear(lazy(X), lazy(y), given), known)


def test_one_group_of_all_rows():
    X, y, _ = table()
    M = np.ones((len(X), 1))
    assert_same(sb.GroupedLinear(lazy(X), y, lazy(M)), sb.GroupedLinear(X, y, M))


def test_the_sampled_hessian_draws_the_rows_of_the_table_in_memory():
    rng = np.random.default_rng(0)
    n, d = 40_000, 12
    X, y, groups = rng.standard_normal((n, d)), rng.integers(0, 2, n), rng.integers(0, 3, n)
    groups[: n // 2][groups[: n // 2] == 2] = 0
    known = sb.GroupedLinear(X, y, groups, l2=0.1)
    lengths = (1, 15_000, 0, 999, 24_000)
    losses = sb.GroupedLinear(lazy(X, lengths), lazy(y, lengths), lazy(groups, lengths), l2=0.1)
    w, lam, V = rng.standard_normal(d + 1) / 10, rng.random(3), rng.standard_normal((4, d + 1))
    assert known.lacks(base.HasSampledHessian) is None
    for of_rows in (None, V):
        # The sample is in single precision, and so is the sum over it.
        np.testing.assert_allclose(
            losses.sampled_hessian(w, lam, of_rows), known.sampled_hessian(w, lam, of_rows), rtol=1e-4, atol=1e-5
        )
    assert losses.sampled_margins(V).shape == known.sampled_margins(V).shape
    np.testing.assert_array_equal(
        np.sort(losses.sampled_margins(V)).round(4), np.sort(known.sampled_margins(V)).round(4)
    )


def test_scales_at_the_ends_of_the_range():
    """Squares of the columns neither overflow nor underflow, also where partitions differ by 200 decades."""
    X, y, groups = table("squared")
    X[:70, 0] *= 1e-150
    X[70:, 0] *= 1e50
    X[:, 1] *= 1e-170
    X[:, 2] = 0.0
    X[:70, 3] = 0.0
    losses, known = (
        sb.GroupedLinear(at(X), at(y), at(groups), loss="squared").parameter_scales() for at in (lazy, np.asarray)
    )
    np.testing.assert_allclose(losses, known, rtol=1e-12)


@pytest.mark.parametrize("y", ["zeros", "equal", "large", "of one partition"])
def test_scales_of_responses(y):
    X, target, groups = table("squared")
    target = {
        "zeros": 0.0 * target,
        "equal": 0.0 * target - 3.0,
        "large": 1e99 * target,
        "of one partition": np.where(np.arange(len(X)) < 70, 5.0, 5.5),
    }[y]
    losses, known = (
        sb.GroupedLinear(at(X), at(target), at(groups), loss="squared").parameter_scales() for at in (lazy, np.asarray)
    )
    np.testing.assert_allclose(losses, known, rtol=1e-12)


def test_held_out_rows_and_penalties():
    X, y, groups = table()
    known = sb.GroupedLinear(X, y, groups)
    losses = sb.GroupedLinear(lazy(X), lazy(y), lazy(groups))
    w = np.linspace(-1, 1, known.n_params)
    np.testing.assert_array_equal(losses.on(X, y, groups).values(w), known.on(X, y, groups).values(w))
    assert_close(losses.with_l2(2.0).evaluate(w)[1], known.with_l2(2.0).evaluate(w)[1])


def test_arrays_and_frames_with_unknown_lengths():
    """Lengths need not be known as long as the partitions of all arguments come from the same rows."""
    X, y, groups = table()
    known = sb.GroupedLinear(X[X[:, 0] > 0], y[X[:, 0] > 0], groups[X[:, 0] > 0])
    everything = [lazy(x) for x in (X, y, groups)]
    keep = everything[0][:, 0] > 0
    some = [x[keep] for x in everything]
    assert any(np.isnan(some[0].chunks[0]))
    assert_same(sb.GroupedLinear(*some), known)
    frame = frame_of(X, groups).assign(y=y)
    on_dask = lazy_frame(frame)
    on_dask = on_dask[on_dask["x0"] > 0]
    own = sb.GroupedLinear(on_dask[["x0", "x1"]].to_dask_array(), on_dask["y"], on_dask["town"].astype(str))
    kept = frame[frame["x0"] > 0]
    assert_same(own, sb.GroupedLinear(kept[["x0", "x1"]].to_numpy(), kept["y"], kept["town"].astype(str)))


def test_chunks_of_columns_of_other_arguments():
    X, y, _ = table()
    M = np.random.default_rng(4).random((len(X), 4)) < 0.5
    losses = sb.GroupedLinear(lazy(X), lazy(y), da.from_array(M, chunks=(50, 2)))
    assert_same(losses, sb.GroupedLinear(X, y, M))
