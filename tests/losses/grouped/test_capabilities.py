"""Asking GroupedLinear for a capability computes nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.capabilities import lack, offers
from saddleback.losses import LossFacts, base
from saddleback.losses.base import HasHessian, HasJacobianError, HasParameterScales, HasSampledHessian, HasSmoothness
from saddleback.losses.grouped import group_reader, reader, summaries

from .own_losses import Cauchy

OFFERED = (base.HasValues, HasHessian, HasSmoothness, HasParameterScales)
ALL = (*OFFERED, HasSampledHessian, HasJacobianError)


def table(kind, tmp_path):
    X = np.random.default_rng(0).standard_normal((400 if kind == "small" else 16_000, 20))
    if kind == "mapped":
        np.save(tmp_path / "X.npy", X)
        return np.load(tmp_path / "X.npy", mmap_mode="r")
    return sp.csr_array(X) if kind == "sparse" else X


@pytest.mark.parametrize("rescaled", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "mapped", "small"])
def test_asking_reads_nothing(kind, rescaled, tmp_path, monkeypatch):
    X = table(kind, tmp_path)
    n = X.shape[0]
    inner = sb.GroupedLinear(X, np.arange(n) % 2, np.arange(n) % 4)
    losses = sb.losses.RescaledLosses(inner, np.full(21, 2.0)) if rescaled else inner

    def refuse(*args, **options):
        raise AssertionError("asking for a capability must not read the table")

    monkeypatch.setattr(summaries, "largest_eigenvalue_bound", refuse)
    for name in ("SampledHessian", "hessians_of_rows", "parameter_scales"):
        monkeypatch.setattr(group_reader, name, refuse)
    monkeypatch.setattr(type(inner._passes.reader.table), "open", refuse)
    monkeypatch.setattr(reader, "run_all", refuse)
    assert [offers(losses, capability) for capability in OFFERED] == [True] * len(OFFERED)
    assert offers(losses, HasSampledHessian) is (kind != "small")
    assert not offers(losses, HasJacobianError)
    LossFacts.of(losses)
    assert not {"sample", "smoothness", "parameter_scales"} & set(vars(inner._summaries))


def test_reasons():
    few = sb.GroupedLinear(np.ones((9, 1)), np.arange(9.0), np.arange(9) % 2, loss=Cauchy())
    assert [lack(few, capability) for capability in ALL] == [
        None,
        None,
        "the loss Cauchy() has no smoothness constant",
        None,
        "the table has too few rows for a sample",
        "GroupedLinear has no 'jacobian_error'",
    ]
