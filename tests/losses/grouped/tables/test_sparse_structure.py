"""With any index arrays of a sparse matrix, nothing outside of its arrays is read or written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import saddleback as sb
from saddleback.losses.grouped.tables.sparse_table import SparseTable

from ..cases import assert_same, make
from . import corrupt

FORMATS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


@pytest.mark.slow
@pytest.mark.parametrize("where", ["X", "groups", "matrices"])
def test_corrupt_matrices_are_refused(where):
    """In a process of its own, because a matrix that is not refused may crash it."""
    run = subprocess.run(
        [sys.executable, str(Path(corrupt.__file__)), where], capture_output=True, text=True, timeout=300
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, f"crashed after {answers[-1:]}: {run.stderr[-500:]}"
    assert [name for name, _, _ in answers] == list(corrupt.CASES)
    for name, kind, message in answers:
        assert kind == "ProblemError", f"{name}: {kind}, {message}"
        assert message.startswith(("F0" if where == "matrices" else where) + " "), message


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format(form, kind):
    case = make("logistic", n=60, d=6)
    case.X[case.X < -0.5] = 0.0
    X = getattr(sp, f"{form}_{kind}")(case.X)
    groups = getattr(sp, f"{form}_{kind}")(np.eye(4)[case.groups])
    losses, reference = case.losses(X, groups, l2=0.1), case.reference(l2=0.1)
    w = case.point(losses)
    f, G = losses.evaluate(w)
    assert_same(f, reference.values(w))
    assert_same(G, reference.jacobian(w))


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("dtypes", [(np.int8, np.int16), (np.uint8, np.uint64), (np.int64, np.int32)])
def test_index_arrays_of_any_whole_numbers(form, dtypes):
    case = make("squared", n=40, d=5)
    X = getattr(sp, f"{form}_array")(case.X)
    X.indices, X.indptr = X.indices.astype(dtypes[0]), X.indptr.astype(dtypes[1])
    w = case.point(case.losses())
    assert_same(case.losses(X).evaluate(w)[1], case.losses().evaluate(w)[1])


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_order_duplicates_and_leftovers_do_not_matter(form):
    """Entries in any order, some of them twice, and arrays that are longer than their last pointer says."""
    case = make("squared", n=50, d=4, n_groups=3)
    rows, columns = np.divmod(np.arange(200), 4)
    shuffle = case.rng.permutation(400)
    halves = np.tile(case.X.ravel() / 2, 2)[shuffle], np.tile(rows, 2)[shuffle], np.tile(columns, 2)[shuffle]
    if form == "coo":
        X = sp.coo_array((halves[0], halves[1:]), shape=(50, 4))
    else:
        by_row = form == "csr"
        major, minor = (halves[1], halves[2]) if by_row else (halves[2], halves[1])
        sort = np.argsort(major, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(major))])
        left_over = np.concatenate([halves[0][sort], [np.nan] * 3]), np.concatenate([minor[sort], [0] * 3])
        X = getattr(sp, f"{form}_array")((*left_over, starts), shape=(50, 4))
    assert X.data.size >= 400
    w = case.point(case.losses())
    assert_same(case.losses(X).evaluate(w)[1], case.losses().evaluate(w)[1])


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("copied", [1, 7, 1 << 16])
def test_pieces_of_a_conversion(monkeypatch, form, copied):
    from saddleback.losses.grouped.tables import sparse_source

    monkeypatch.setattr(sparse_source, "ENTRIES_AT_A_TIME", copied)
    case = make("squared", n=60, d=9)
    case.X[case.X < 0.3] = 0.0
    case.X[10:20] = 0.0
    weight = (np.arange(60) % 4 > 0) + 0.5 * (case.groups > 1)
    losses = case.losses(getattr(sp, f"{form}_array")(case.X), sample_weight=weight, n_threads=2)
    reference = case.reference(sample_weight=weight)
    w = case.point(losses)
    assert_same(losses.evaluate(w)[1], reference.jacobian(w))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "bsr"])
def test_bad_entries_are_found_by_their_place(form):
    X = np.arange(1.0, 61.0).reshape(12, 5)
    X[7, 2] = np.inf
    with pytest.raises(sb.ProblemError, match="got inf in row 7, column 2"):
        sb.GroupedLinear(getattr(sp, f"{form}_array")(X), np.arange(12) % 2, np.arange(12) % 3)


def test_a_number_that_overflows_in_double_precision_is_refused():
    X = np.ones((12, 3), dtype=np.longdouble)
    X[4, 1] = np.longdouble(10.0) ** 400
    if np.isinf(X).any():
        pytest.skip("long double is no longer than double here")
    for matrix in (X, np.asfortranarray(X), sp.csr_array(X), sp.coo_array(X)):
        with pytest.raises(sb.ProblemError, match="got inf in row 4, column 1"):
            sb.GroupedLinear(matrix, np.arange(12) % 2, np.arange(12) % 3)


def test_one_dimensional_sparse_arrays_are_refused():
    vector = sp.coo_array(np.ones(12))
    with pytest.raises(sb.ProblemError, match=r"X must be a matrix.*\(12,\)"):
        sb.GroupedLinear(vector, np.arange(12) % 2, np.arange(12) % 3)
    with pytest.raises(sb.ProblemError, match=r"groups must be a matrix.*\(12,\)"):
        sb.GroupedLinear(np.ones((12, 2)), np.arange(12) % 2, vector)


@pytest.mark.parametrize(
    ("columns", "starts"), [([0, 3], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [0, 1, 3]), ([0, 1], [-1, 1, 2])]
)
def test_what_the_kernel_reads_is_checked_last(columns, starts):
    with pytest.raises(sb.ProblemError, match="X has a corrupt"):
        SparseTable(np.ones(2), np.array(columns, dtype=np.uint32), np.array(starts), (2, 3))


def test_a_sparse_matrix_of_more_rows_than_fit_into_memory():
    X = sp.coo_array((np.ones(3), (np.arange(3), np.arange(3))), shape=(2**45, 3))
    with pytest.raises(sb.ProblemError, match="each of the 35184372088832 rows of X would take 262144 GB"):
        sb.GroupedLinear(X, np.arange(12) % 2, np.arange(12) % 3)
