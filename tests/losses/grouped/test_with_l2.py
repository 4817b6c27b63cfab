"""with_l2: the losses with another penalty, sharing all that is made from the table."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb

from .cases import LOSSES, make
from .own_losses import Cauchy, LogCosh

LAM = np.array([0.5, 0.0, 0.2, 0.3])


def large(loss="logistic", l2=0.0, layout=np.asarray):
    rng = np.random.default_rng(0)
    n = 16_000
    X = rng.standard_normal((n, 20))
    y = np.arange(n) % 3 if loss == "softmax" else X[:, 0] > 0
    return sb.GroupedLinear(layout(X), y, np.arange(n) % 4, loss, l2)


def assert_equal_bits(losses, fresh, w):
    for ours, theirs in zip(losses.evaluate(w), fresh.evaluate(w), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(losses.values(w), fresh.values(w))
    np.testing.assert_array_equal(losses.hessian(w, LAM), fresh.hessian(w, LAM))
    np.testing.assert_array_equal(losses.parameter_scales(), fresh.parameter_scales())
    np.testing.assert_array_equal(losses.strong_convexity, fresh.strong_convexity)
    assert repr(losses) == repr(fresh)
    assert losses.l2 == fresh.l2


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_equal_to_new_losses(loss, offset, intercept):
    case = make(loss)
    options = {"fit_intercept": intercept, "offset": case.offset() if offset else None}
    base = case.losses(l2=0.3, **options)
    w = case.point(base)
    for l2 in (0.0, 1e-3, 2.0):
        assert_equal_bits(base.with_l2(l2), case.losses(l2=l2, **options), w)
    assert_equal_bits(base, case.losses(l2=0.3, **options), w)


@pytest.mark.parametrize("loss", [LogCosh(), Cauchy()], ids=["convex", "not convex"])
def test_ones_own_loss(loss):
    case = make("squared")
    base = sb.GroupedLinear(case.X, case.y, case.groups, loss=loss)
    fresh = sb.GroupedLinear(case.X, case.y, case.groups, loss=loss, l2=0.5)
    assert_equal_bits(base.with_l2(0.5), fresh, case.point(base))


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_samples_and_smoothness(loss, layout):
    base, fresh = large(loss, layout=layout), large(loss, 0.5, layout=layout)
    w, lam = np.full(base.n_params, 0.1), np.full(4, 0.25)
    other = base.with_l2(0.5)
    np.testing.assert_array_equal(other.sampled_hessian(w, lam), fresh.sampled_hessian(w, lam))
    assert other.smoothness() == fresh.smoothness()
    assert other.smoothness(slack=1.001) == fresh.smoothness(slack=1.001)
    assert base.smoothness() == pytest.approx(other.smoothness() - 0.5, rel=1e-12)


def test_nothing_is_read_or_copied(monkeypatch):
    base = large()
    other = base.with_l2(0.1)
    assert other._passes.reader is base._passes.reader
    scales, _ = other.parameter_scales(), other.smoothness()
    sample = other._summaries.sample

    def refuse(*args, **options):
        raise AssertionError("the table must not be read again")

    monkeypatch.setattr(type(base._passes.reader.table), "open", refuse)
    third = base.with_l2(0.2)
    assert third.parameter_scales() is base.parameter_scales() is scales, "what one of them computes, all have"
    assert third._summaries.sample is sample
    assert third.smoothness() == pytest.approx(base.smoothness() + 0.2)


def test_runs_are_those_of_new_losses():
    base = large()
    for l2 in (1e-1, 1e-3):
        ours, theirs = (sb.solve(sb.Problem(losses)) for losses in (base.with_l2(l2), large(l2=l2)))
        np.testing.assert_array_equal(ours.w, theirs.w)
        assert ours.gap == theirs.gap


def test_names_sizes_and_other_rows():
    case = make("logistic")
    base = case.losses(l2=0.3, fit_intercept=True)
    other = pickle.loads(pickle.dumps(base.with_l2(0.1))).with_l2(0.2)
    assert other.group_names == base.group_names
    assert other.classes == base.classes
    w = case.point(base)
    np.testing.assert_array_equal(
        other.on(case.X, case.y, case.groups).values(w), base.on(case.X, case.y, case.groups).values(w)
    )


@pytest.mark.parametrize("l2", [-1.0, np.nan, np.inf, "1", None, True, [1.0]])
def test_refused(l2):
    with pytest.raises(sb.ProblemError, match="l2 must be a"):
        make().losses().with_l2(l2)
