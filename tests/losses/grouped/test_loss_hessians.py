"""Hessians of single losses: every table, every loss, and no other rows than those of the groups."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.capabilities import lack, offers
from saddleback.losses.base import HasHessian, HasLossHessians
from saddleback.losses.grouped import grouped_linear, hessian
from saddleback.losses.grouped.tables import mapped_table

from .cases import LOSSES, assert_same, make
from .own_losses import Cauchy

WHICH = np.array([2, 0, 3, 2])
# As in test_derivatives: sums of a few hundred terms, of derivatives of order ten.
ROUNDING = 1e-12


def stored(X, kind, tmp_path):
    if kind == "mapped":
        np.save(tmp_path / "X.npy", X)
        return np.load(tmp_path / "X.npy", mmap_mode="r")
    return {"rows": np.ascontiguousarray, "columns": np.asfortranarray, "sparse": sp.csr_array}[kind](X)


def memberships(case, kind):
    """Labels, or weights of rows in several groups, some of them in none."""
    if kind == "apart":
        return case.groups, np.eye(4)[case.groups]
    m = case.rng.uniform(0.1, 2.0, (len(case.X), 4)) * (case.rng.random((len(case.X), 4)) < 0.4)
    m[0] = 1.0
    return m, m


@pytest.mark.parametrize("groups", ["apart", "overlapping"])
@pytest.mark.parametrize("kind", ["rows", "columns", "sparse", "mapped"])
@pytest.mark.parametrize("d", [3, 140])
@pytest.mark.parametrize("loss", LOSSES)
def test_hessians_are_those_of_autodiff(loss, d, kind, groups, tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 20 * 8 * d)
    case = make(loss, n=90, d=d if loss != "softmax" else d // 3)
    given, m = memberships(case, groups)
    weight, offset = case.rng.uniform(0.0, 2.0, 90), case.offset()
    options = {"l2": 0.2, "fit_intercept": True, "sample_weight": weight, "offset": offset}
    losses = case.losses(stored(case.X, kind, tmp_path), given, **options)
    reference = case.reference(m=m, **options)
    w = case.point(losses)
    H = losses.loss_hessians(w, WHICH)
    assert H.shape == (4, losses.n_params, losses.n_params)
    for of_loss, j in zip(H, WHICH, strict=True):
        assert_same(of_loss, reference.hessian(w, np.eye(4)[j]), ROUNDING)
        np.testing.assert_array_equal(of_loss, of_loss.T)
    np.testing.assert_array_equal(H[0], H[3])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("d", [1, 2, 7, 36, 128, 150])
def test_they_add_up_to_the_hessian(d, n_threads, dtype, monkeypatch):
    monkeypatch.setattr(hessian, "MULTIPLICATIONS_ALONE", 0)
    case = make("logistic", n=1500, d=d, dtype=dtype)
    losses = case.losses(l2=0.3, fit_intercept=True, n_threads=n_threads)
    w, lam = case.point(losses), np.array([0.2, 0.5, 0.0, 0.3])
    H = losses.loss_hessians(w, np.arange(4))
    assert_same(np.tensordot(lam, H, axes=1), losses.hessian(w, lam), ROUNDING)
    np.testing.assert_array_equal(losses.loss_hessians(w, np.arange(4)), H)


@pytest.mark.parametrize("which", [[], np.array([], dtype=int), np.array([], dtype=float)])
def test_none_of_them(which):
    losses = make(d=3).losses()
    assert losses.loss_hessians(np.zeros(3), which).shape == (0, 3, 3)


@pytest.mark.parametrize(
    ("which", "match"),
    [
        ([4], r"which must hold numbers from 0 to 3; got \[4\]"),
        ([-1], "which must hold numbers from 0 to 3"),
        ([0.0], "which must be a vector of whole numbers"),
        ([[0]], "which must be a vector of whole numbers"),
        (2, "which must be a vector of whole numbers; got 2"),
        ([True], "which must be a vector of whole numbers"),
    ],
)
def test_bad_numbers(which, match):
    with pytest.raises(sb.ProblemError, match=match):
        make(d=3).losses().loss_hessians(np.zeros(3), which)


def test_an_own_loss():
    case = make("squared", n=300)
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=Cauchy(), l2=0.1)
    w = case.point(losses)
    H = losses.loss_hessians(w, [1])
    assert_same(H[0], losses.hessian(w, np.array([0.0, 1.0, 0.0, 0.0])))


def test_without_curvature():
    class Slopes:
        def value_and_slope(self, eta, y):
            return (eta - y) ** 2, 2 * (eta - y)

    case = make("squared")
    losses = sb.GroupedLinear(case.X, case.y, case.groups, loss=Slopes())
    with pytest.raises(sb.IncompatibleError, match=r"does not offer loss_hessians\(w, which\).*has no curvature"):
        losses.loss_hessians(np.zeros(8), [0])


def test_many_parameters_lack_them(monkeypatch):
    losses = make(d=3).losses()
    assert offers(losses, HasLossHessians)
    monkeypatch.setattr(grouped_linear, "LARGEST_HESSIANS", 35)
    assert lack(losses, HasLossHessians) == "the Hessians of 4 losses of 3 parameters take too much memory"
    assert offers(losses, HasHessian)
