"""Symmetric matrices with few entries that are not zero, in svec coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._types import Vector
from .._validation import ASYMMETRY_ROUNDING
from ..linalg import svec
from ..linalg.sparse import to_coordinates


@dataclass(frozen=True)
class SparseMatricesControl:
    """When matrices are kept as their entries."""

    least_size: int = 20_000
    """From this many numbers J d on; with fewer, arrays are as fast."""
    largest_share: float = 0.1
    """Up to this share of entries that are not zero."""


CONTROL = SparseMatricesControl()


class Entries(NamedTuple):
    """The entries of d matrices that are not zero: which matrix, row, column, value."""

    which: NDArray[np.intp]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: Vector


def sparse_columns(Fs: Any, k: int) -> sp.csr_array | None:
    """The svec coordinates of d symmetric k x k matrices as columns of a sparse array.

    None where there are too many entries, or too few matrices for that to pay, and where the matrices are not in order:
    the caller then reads them as arrays, and refuses them with the reason.
    """
    entries = _of_array(Fs, k) if isinstance(Fs, np.ndarray) else _of_sequence(Fs, k)
    if entries is None or not np.isfinite(entries.values).all():
        return None
    d, J = len(Fs), svec.length(k)
    low, high = np.maximum(entries.rows, entries.columns), np.minimum(entries.rows, entries.columns)
    positions = low * (low + 1) // 2 + high
    halves = []
    for half in (entries.rows >= entries.columns, entries.rows <= entries.columns):
        coordinates = positions[half], entries.which[half]
        halves.append(sp.coo_array((entries.values[half], coordinates), shape=(J, d)).tocsr())
    lower, upper = halves
    sizes = abs(lower).max(axis=0).toarray().ravel()
    difference = abs(lower - upper).max(axis=0).toarray().ravel()
    if (difference > ASYMMETRY_ROUNDING * sizes).any():
        return None
    mean = (0.5 * (lower + upper)).tocsr()
    mean.eliminate_zeros()
    row = np.repeat(np.arange(J), np.diff(mean.indptr))
    mean.data = mean.data * svec.weights(k)[row]
    return sp.csr_array(mean)


def _of_array(Fs: NDArray[Any], k: int) -> Entries | None:
    if Fs.ndim != 3 or Fs.shape[1:] != (k, k) or Fs.dtype != np.float64 or not _pays(len(Fs), k):
        return None
    flat = np.flatnonzero(Fs)
    if flat.size > CONTROL.largest_share * Fs.size:
        return None
    which, place = np.divmod(flat, k * k)
    return Entries(which, *np.divmod(place, k), Fs.ravel()[flat])


def _of_sequence(Fs: Any, k: int) -> Entries | None:
    if not isinstance(Fs, list | tuple) or not _pays(len(Fs), k):
        return None
    if not all(sp.issparse(F) and F.shape == (k, k) and F.dtype == np.float64 for F in Fs):
        return None
    if sum(F.nnz for F in Fs) > CONTROL.largest_share * len(Fs) * k * k:
        return None
    parts = list(_coordinates(Fs))
    which = np.repeat(np.arange(len(parts)), [len(values) for _, _, values in parts])
    return Entries(which, *(np.concatenate(part) for part in zip(*parts, strict=True)))


def _coordinates(Fs: Sequence[Any]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Vector]]:
    for i, F in enumerate(Fs):
        coo = to_coordinates(F, f"Fs[{i}]")
        rows, columns = (index.astype(np.intp) for index in coo.coords)
        yield rows, columns, coo.data


def _pays(d: int, k: int) -> bool:
    return svec.length(k) * d >= CONTROL.least_size
