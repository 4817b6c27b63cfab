"""Margins of many models in one product."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from saddleback.learn.data.rows import Rows
from saddleback.learn.fitting import margins
from saddleback.learn.fitting.trainer import Fit
from saddleback.learn.groups.groups import everyone


def draw(K: int, kind: str, *, offset: bool) -> tuple[list[Fit], Rows]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((11, 4)).astype(np.float32 if kind == "float32" else np.float64)
    added = rng.standard_normal((11, K) if K > 1 else 11) if offset else None
    rows = Rows(sp.csr_array(X) if kind == "sparse" else X, np.zeros(11), everyone(11), offset=added)
    fits = [
        Fit(rng.standard_normal((K, 4)), rng.standard_normal(K), np.zeros(1), SimpleNamespace())  # type: ignore[arg-type]
        for _ in range(5)
    ]
    return fits, rows


@pytest.mark.parametrize("at_a_time", [1, 25, 1 << 22])
@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse"])
@pytest.mark.parametrize("K", [1, 3])
def test_margins_are_those_of_every_model_by_itself(K, kind, offset, at_a_time, monkeypatch):
    monkeypatch.setattr(margins, "MARGINS_AT_A_TIME", at_a_time)
    fits, rows = draw(K, kind, offset=offset)
    many = list(margins.margins_of(fits, rows))
    assert len(many) == 5
    for fit, eta in zip(fits, many, strict=True):
        expected = fit.margins(rows)
        assert eta.shape == expected.shape
        np.testing.assert_allclose(eta, expected, rtol=1e-12, atol=1e-12)


def test_no_model_has_no_margins():
    assert list(margins.margins_of([], draw(1, "dense", offset=False)[1])) == []
