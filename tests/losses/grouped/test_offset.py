"""offset: a number per row (and class) that is added to the margin, in every path and every layout."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.optimize
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses import check_jacobian
from saddleback.losses.grouped.tables import mapped_table

from .cases import LOSSES, assert_same, make
from .own_losses import OWN, Foreign, LogCosh
from .tables.test_layouts import LAYOUTS
from .test_compiled_loss import Compiled
from .test_held_out import LAYOUTS as HELD_OUT_LAYOUTS
from .test_held_out import expected_rows

LAM = np.array([0.5, 0.0, 0.2, 0.3])


def assert_is_reference(losses, reference, w, rounding=1e-13):
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w), rounding)
    assert_same(G, reference.jacobian(w), rounding)
    assert_same(losses.values(w), f)
    assert_same(losses.hessian(w, LAM), reference.hessian(w, LAM), 10 * rounding)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("d", [7, 150])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss(loss, d, layout, intercept):
    case = make(loss, d=d)
    options = {"l2": 0.1, "fit_intercept": intercept, "offset": case.offset()}
    losses = case.losses(layout(case.X), **options)
    assert_is_reference(losses, case.reference(**options), case.point(losses))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [7, 150])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout, d, dtype):
    case = make("logistic", d=d, dtype=dtype)
    case.X[case.X < -1.0] = 0.0
    options = {"l2": 0.3, "fit_intercept": True, "offset": case.offset()}
    losses = case.losses(LAYOUTS[layout](case.X), **options)
    assert_is_reference(losses, case.reference(**options), case.point(losses))


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_file_in_pieces(tmp_path, monkeypatch, loss, overlap, n_threads):
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 16 * 1024)
    case = make(loss, n=1003, d=9)
    np.save(tmp_path / "X.npy", case.X)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    m = case.rng.random((1003, 4)) < 0.4 if overlap else np.eye(4, dtype=bool)[case.groups]
    offset = case.offset()
    losses = case.losses(X, m if overlap else None, n_threads=n_threads, fit_intercept=True, offset=offset)
    assert len(losses._passes.reader.plan.stages) > 1
    assert_is_reference(losses, case.reference(X, m, fit_intercept=True, offset=offset), case.point(losses), 1e-12)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("d", [7, 140])
@pytest.mark.parametrize("layout", [np.asarray, sp.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("loss", ["poisson", "softmax"])
def test_overlapping_groups_weights_and_threads(loss, layout, d, n_threads):
    """A narrow table has a copy of a row, and of its offset, for each of its groups."""
    case = make(loss, n=800, d=d)
    m, weight = case.rng.random((800, 4)) * (case.rng.random((800, 4)) < 0.4), case.rng.integers(0, 3, 800) / 2.0
    options = {"l2": 0.1, "fit_intercept": True, "sample_weight": weight, "offset": case.offset()}
    losses = case.losses(layout(case.X), m, n_threads=n_threads, **options)
    assert_is_reference(losses, case.reference(m=m, **options), case.point(losses), 1e-12)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("d", [7, 150])
@pytest.mark.parametrize("name", OWN)
def test_ones_own_loss(name, d, n_threads):
    loss, formula = OWN[name]
    case = make("squared", n=500, d=d)
    options = {"l2": 0.1, "fit_intercept": True, "offset": case.offset()}
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=loss, n_threads=n_threads, **options)
    assert_is_reference(losses, case.reference(pointwise=formula, **options), case.point(losses))


def test_ones_own_compiled_loss_and_one_of_labels():
    case = make("squared")
    options = {"l2": 0.1, "fit_intercept": True, "offset": case.offset()}
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=Compiled(), **options)
    assert_is_reference(losses, case.reference(pointwise=OWN["logcosh"][1], **options), case.point(losses))
    case = make("logistic")
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=Foreign("logistic"), **options)
    assert_is_reference(losses, case.reference(**options), case.point(losses))


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_a_column_with_a_fixed_coefficient(loss):
    """Of softmax, the column times the coefficients of the classes."""
    case = make(loss, d=5)
    column = case.rng.standard_normal(203)
    coefficients = np.array([0.7]) if case.n_classes is None else np.array([0.7, -1.1, 0.4])
    offset = column[:, None] * coefficients if case.n_classes else 0.7 * column
    with_offset = case.losses(fit_intercept=True, offset=offset)
    with_column = case.losses(np.column_stack([case.X, column]), fit_intercept=True)
    w = case.point(with_offset)
    K = case.n_classes or 1
    W = np.column_stack([w[: 5 * K].reshape(K, 5), coefficients])
    kept = np.append(np.tile([True] * 5 + [False], K), np.ones(K, dtype=bool))
    v = np.concatenate([W.ravel(), w[5 * K :]])
    f, G = with_offset.evaluate(w)
    g, H = with_column.evaluate(v)
    assert_same(f, g)
    assert_same(G, H[:, kept])
    assert_same(with_offset.hessian(w, LAM), with_column.hessian(v, LAM)[np.ix_(kept, kept)], 1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_by_finite_differences(loss):
    case = make(loss, n=50, d=4)
    losses = case.losses(l2=0.1, fit_intercept=True, offset=case.offset())
    w, h = case.point(losses), 1e-5
    check_jacobian(losses, w)
    if loss in ("huber", "squared_hinge", "quantile"):
        # Differences across a kink of the slope do not converge to the Hessian.
        assert losses.hessian(w + h, LAM) == pytest.approx(losses.hessian(w - h, LAM))
    slopes = np.array([LAM @ (losses.evaluate(w + e)[1] - losses.evaluate(w - e)[1]) for e in h * np.eye(w.size)])
    # Central differences: h^2 times a third derivative of order 1, and eps/h of rounding.
    np.testing.assert_allclose(losses.hessian(w, LAM), slopes / (2 * h), atol=1e-7)


def test_the_optimum_is_that_of_scipy():
    """The worst group of a Poisson regression with exposures, as a smooth problem with a bound t on every loss."""
    rng = np.random.default_rng(5)
    X, groups, hours = rng.standard_normal((400, 3)), np.arange(400) % 3, rng.uniform(0.2, 8.0, 400)
    counts = rng.poisson(hours * np.exp(X @ [0.3, -0.2, 0.1] + 0.4 * (groups == 2)))

    def group_losses(w):
        eta = np.log(hours) + X @ w[:3] + w[3]
        of_rows = np.exp(eta) - counts * eta
        return np.array([of_rows[groups == j].mean() for j in range(3)]) + 0.05 * w[:3] @ w[:3]

    reference = scipy.optimize.minimize(
        lambda v: v[-1],
        np.append(np.zeros(4), group_losses(np.zeros(4)).max()),
        constraints={"type": "ineq", "fun": lambda v: v[-1] - group_losses(v[:-1])},
        options={"ftol": 1e-12, "maxiter": 500},
        method="SLSQP",
    )
    assert reference.success
    losses = sb.GroupedLinear(X, counts, groups, loss="poisson", l2=0.1, offset=np.log(hours))
    result = sb.solve(sb.Problem(losses), tol=1e-8)
    assert result.success
    assert result.value == pytest.approx(reference.fun, abs=1e-7)
    np.testing.assert_allclose(result.losses, group_losses(result.w), rtol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("loss", ["logistic", "poisson", "softmax"])
def test_sampled_hessian(loss, fit_intercept):
    """Where the rows of a group are all equal, the sample is exact up to rounding."""
    case = make(loss, n=40, d=20)
    offset, order = case.offset(), np.repeat(np.arange(40), 2600)
    table = {"X": case.X[order], "y": case.y[order], "groups": order, "loss": loss, "fit_intercept": fit_intercept}
    losses = sb.GroupedLinear(**table, offset=offset[order], l2=0.1)
    w, lam = case.point(losses), case.rng.dirichlet(np.ones(40))
    H = losses.hessian(w, lam)
    for directions in (None, np.eye(losses.n_params)):
        np.testing.assert_allclose(losses.sampled_hessian(w, lam, directions), H, atol=1e-9 * np.abs(H).max())
    without = sb.GroupedLinear(**table, l2=0.1).sampled_hessian(w, lam)
    assert np.abs(without - H).max() > 1e-2 * np.abs(H).max()


@pytest.mark.parametrize("d", [7, 150])
@pytest.mark.parametrize("loss", ["squared", "huber", "quantile", LogCosh()], ids=str)
def test_scales_are_those_of_what_the_offset_leaves(loss, d):
    case = make("squared", d=d)
    offset = 1e6 + 100 * case.offset()
    y = offset + case.y
    arguments = {"X": case.X, "groups": case.groups, "loss": loss}
    scales = sb.GroupedLinear(**arguments, y=y, offset=offset).parameter_scales()
    # y - offset has the rounding errors of y.
    np.testing.assert_allclose(scales, sb.GroupedLinear(**arguments, y=case.y).parameter_scales(), rtol=1e-8)


def test_scales_of_labels_and_counts_do_not_depend_on_it():
    for loss in ("logistic", "squared_hinge", "poisson", "softmax"):
        case = make(loss)
        scales = case.losses(offset=100 * case.offset()).parameter_scales()
        np.testing.assert_array_equal(scales, case.losses().parameter_scales())


@pytest.mark.parametrize("loss", LOSSES)
def test_facts_do_not_depend_on_it(loss):
    case = make(loss)
    plain, shifted = (case.losses(l2=0.2, fit_intercept=True, offset=o) for o in (None, case.offset()))
    assert shifted.convex is plain.convex is True
    assert shifted.bounded_below is plain.bounded_below is True
    np.testing.assert_array_equal(shifted.strong_convexity, plain.strong_convexity)
    assert shifted.n_params == plain.n_params
    assert shifted.n_entries == plain.n_entries
    if loss != "poisson":
        assert shifted.smoothness() == plain.smoothness()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("d", [7, 140])
@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_equal_bits(loss, layout, d):
    case = make(loss, n=2000, d=d)
    offset = case.offset()
    losses, again = (case.losses(layout(case.X), n_threads=3, offset=offset) for _ in range(2))
    w = case.point(losses)
    f, G = losses.evaluate(w)
    for other in (losses, again, pickle.loads(pickle.dumps(losses)), copy.deepcopy(losses)):
        np.testing.assert_array_equal(other.evaluate(w)[0], f)
        np.testing.assert_array_equal(other.evaluate(w)[1], G)


def test_no_second_kernel_is_compiled():
    from saddleback.losses.grouped.kernels.arguments import LOGISTIC
    from saddleback.losses.grouped.kernels.columns import evaluation

    case = make("logistic")
    case.losses().evaluate(np.zeros(7))
    before = len(evaluation(LOGISTIC).signatures)
    losses = case.losses(offset=case.offset())
    for other in (losses, pickle.loads(pickle.dumps(losses))):
        other.evaluate(np.zeros(7))
    assert len(evaluation(LOGISTIC).signatures) == before


def test_zeros_are_no_offset():
    for loss in LOSSES:
        case = make(loss)
        plain, zeros = (case.losses(fit_intercept=True, offset=o) for o in (None, 0.0 * case.offset()))
        w = case.point(plain)
        np.testing.assert_array_equal(zeros.evaluate(w)[1], plain.evaluate(w)[1])


def test_later_changes_of_it_do_not_matter():
    for loss in ("logistic", "softmax"):
        case = make(loss)
        offset = case.offset()
        losses = case.losses(offset=offset)
        held_out = losses.on(case.X, case.y, case.groups, offset=offset)
        w = case.point(losses)
        before = losses.values(w), held_out.values(w)
        offset[:] = 7.0
        np.testing.assert_array_equal(losses.values(w), before[0])
        np.testing.assert_array_equal(held_out.values(w), before[1])


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_frames_and_series(loss):
    case = make(loss)
    offset = case.offset()
    if loss == "softmax":
        names = ["a", "b", "c"]
        kinds = [
            offset.tolist(),
            pd.DataFrame(offset),
            pd.DataFrame(offset, columns=names),
            pl.DataFrame(offset, names),
        ]
        kinds += [offset[:, ::-1].copy()[:, ::-1], np.asfortranarray(offset)]
    else:
        kinds = [offset.tolist(), pd.Series(offset), pl.Series(offset), offset[:, None], pd.DataFrame({"o": offset})]
        kinds += [pl.DataFrame({"o": offset}), np.repeat(offset, 2)[::2], np.ma.masked_array(offset)]
    w = case.point(case.losses())
    expected = case.losses(offset=offset).values(w)
    for kind in kinds:
        losses = case.losses(offset=kind)
        np.testing.assert_array_equal(losses.values(w), expected)
        assert_same(losses.on(case.X, case.y, case.groups, offset=kind).values(w), expected)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_on_other_rows(loss, intercept):
    case, other = make(loss, d=9), make(loss, n=90, d=9, seed=1)
    losses = case.losses(l2=0.7, fit_intercept=intercept, offset=case.offset())
    w, weight, offset = case.point(losses), other.rng.random(90), other.offset()
    held_out = losses.on(other.X, other.y, other.groups, sample_weight=weight, offset=offset)
    reference = other.reference(fit_intercept=intercept, sample_weight=weight, offset=offset)
    assert_same(held_out.values(w), reference.values(w))
    _, eta = expected_rows(other, other.X, w, fit_intercept=intercept)
    eta = (eta if other.n_classes else eta[:, 0]) + offset
    np.testing.assert_allclose(held_out.margins(w), eta, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(held_out.rows(w), reference.pointwise(eta, other.numbers), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("layout", HELD_OUT_LAYOUTS)
def test_on_other_rows_of_every_layout(layout, tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 16 * 1024)
    case, other = make("logistic", d=9), make("logistic", n=1001, d=9, seed=1)
    X, offset = HELD_OUT_LAYOUTS[layout](other.X, tmp_path), other.offset()
    w = case.point(case.losses())
    held_out = case.losses(offset=case.offset()).on(X, other.y, other.groups, offset=offset)
    plain = np.asarray(X.toarray() if sp.issparse(X) else X)
    assert_same(held_out.values(w), other.reference(plain, offset=offset).values(w))


def test_losses_without_an_offset_take_rows_with_one():
    case = make("logistic")
    losses, offset = case.losses(), case.offset()
    w = case.point(losses)
    held_out = losses.on(case.X, case.y, case.groups, offset=offset)
    assert_same(held_out.values(w), case.losses(offset=offset).values(w))


def test_losses_with_an_offset_refuse_rows_without_one():
    case = make("logistic")
    losses = case.losses(offset=np.zeros(203))
    with pytest.raises(sb.ProblemError, match=r"offset must be given for these rows as well.*got None. Pass.*zeros"):
        losses.on(case.X, case.y, case.groups)
