"""Files that are read in pieces."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import saddleback as sb
from saddleback.losses.grouped.tables import mapped_table

from ..cases import assert_same, make

N = 1003


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(mapped_table, "PIECE_BYTES", 16 * 1024)


def on_disk(path, X, mode="r"):
    np.save(path / "X.npy", X)
    return np.load(path / "X.npy", mmap_mode=mode)


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("d", [5, 90])
@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(lambda X: X, id="float64"),
        pytest.param(lambda X: X.astype(np.float32), id="float32"),
        pytest.param(np.asfortranarray, id="Fortran"),
        pytest.param(lambda X: (4 * X).astype(np.int16), id="integers"),
        pytest.param(lambda X: X.astype(">f8"), id="big-endian"),
    ],
)
@pytest.mark.parametrize("overlap", [False, True])
def test_pieces(tmp_path, convert, d, n_threads, overlap):
    case = make("logistic", n=N, d=d)
    X = on_disk(tmp_path, convert(case.X))
    assert isinstance(X, np.memmap)
    m = case.rng.random((N, 4)) < 0.4 if overlap else np.eye(4, dtype=bool)[case.groups]
    losses = case.losses(X, m if overlap else None, n_threads=n_threads, l2=0.2, fit_intercept=True)
    reference = case.reference(X, m, l2=0.2, fit_intercept=True)
    w, lam = case.point(losses), np.array([0.4, 0.0, 0.5, 0.1])
    f, G = losses.evaluate(w)
    assert len(losses._passes.reader.plan.stages) > 1
    assert_same(f, reference.values(w), 1e-12)
    assert_same(G, reference.jacobian(w), 1e-12)
    assert_same(losses.values(w), f)
    assert_same(losses.hessian(w, lam), reference.hessian(w, lam), 1e-12)
    np.testing.assert_array_equal(losses.evaluate(w)[1], G)
    in_memory = case.losses(np.array(X), m if overlap else None, l2=0.2, fit_intercept=True)
    assert losses.smoothness() == pytest.approx(in_memory.smoothness(), rel=0.1)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("view", [lambda X: X[3:-5], lambda X: X[::2], lambda X: X[::-1, ::-1], np.asarray])
def test_views_of_a_map(tmp_path, view):
    case = make("squared", n=N, d=9)
    X = view(on_disk(tmp_path, case.X))
    y, groups = np.arange(len(X)) / N, np.arange(len(X)) % 3
    losses = sb.GroupedLinear(X, y, groups, loss="squared", fit_intercept=False)
    assert isinstance(losses._passes.reader.table, mapped_table.MappedTable)
    other = sb.GroupedLinear(np.array(X), y, groups, loss="squared", fit_intercept=False)
    w = case.rng.standard_normal(9)
    assert_same(losses.evaluate(w)[1], other.evaluate(w)[1])


@pytest.mark.usefixtures("small_pieces")
def test_changes_that_are_only_in_memory_survive(tmp_path):
    """Mode "c": pages that were changed and not written back must not be dropped."""
    case = make("squared", n=N, d=9)
    X = on_disk(tmp_path, np.zeros_like(case.X), mode="c")
    X[:] = case.X
    losses, reference = case.losses(X), case.reference()
    w = case.point(losses)
    for _ in range(2):
        assert_same(losses.evaluate(w)[1], reference.jacobian(w))
    np.testing.assert_array_equal(X, case.X)


@pytest.mark.usefixtures("small_pieces")
def test_bad_entries_are_found_by_their_row(tmp_path):
    case = make("squared", n=N, d=9)
    case.X[777, 4] = np.nan
    with pytest.raises(sb.ProblemError, match="got nan in row 777, column 4"):
        case.losses(on_disk(tmp_path, case.X))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_is_bounded(tmp_path, order):
    """A file of 200 MB, of which 64 MB are in memory at a time, or 64 MB and a copy of them."""
    n, d = 50_000, 1000
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, (n, d), fortran_order=order == "F")
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    losses = sb.GroupedLinear(X, np.arange(n) % 2, np.arange(n) % 3, fit_intercept=False)
    before = resident()
    f, _ = losses.evaluate(np.ones(d))
    assert resident() - before < 64
    np.testing.assert_allclose(f, np.log(2.0))


def resident():
    """MB of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
