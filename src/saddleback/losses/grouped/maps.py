"""Combinations of the losses, made where the losses are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._types import Matrix
from ..._validation import real_array
from ...errors import ProblemError
from .group_reader import GroupReader
from .partitions.partition_passes import PartitionPasses
from .partitions.works import combined
from .passes import Passes
from .resamples import Resamples
from .row_losses import RowLosses


def evaluate_mapped(
    passes: Passes | RowLosses, W: Matrix, maps: Sequence[Matrix], resamples: Resamples | None = None
) -> tuple[Matrix, Matrix]:
    """maps[i] f(w_i), (k, J'), and maps[i] G(w_i), (k, J', p); on partitions nothing else leaves a worker."""
    if isinstance(passes, PartitionPasses):
        return passes.evaluate_many(W, maps)
    f, G = evaluate_on(passes, W, resamples)
    of_losses = np.stack([combined(A, x) for A, x in zip(maps, f, strict=True)])
    return of_losses, np.stack([combined(A, x) for A, x in zip(maps, G, strict=True)])


def evaluate_on(passes: Passes | RowLosses, W: Matrix, resamples: Resamples | None) -> tuple[Matrix, Matrix]:
    """f(w_i), (k, J), and G(w_i), (k, J, p), on one resample of the rows for each w, if there are such."""
    if resamples is None:
        return passes.evaluate_many(W)
    assert isinstance(passes, GroupReader)
    return passes.evaluate_many(W, resamples)


def combined_hessians(passes: Passes, W: Matrix, M: Matrix) -> Matrix:
    """sum_j M_ij Hessian f_j(w_i) for every row of M and of W, in one read of the rows where the passes know how."""
    if isinstance(passes, GroupReader | PartitionPasses):
        return passes.combined_hessians(W, M)
    return np.stack([passes.hessian(w, of_one) for w, of_one in zip(W, M, strict=True)])


def checked_maps(maps: Sequence[Any], n_vectors: int, n_losses: int) -> list[Matrix]:
    """One matrix of shape (J', J) for each parameter vector, with the same J'."""
    if len(maps) != n_vectors:
        raise ProblemError(f"maps must hold one matrix per parameter vector, {n_vectors}; got {len(maps)}.")
    checked = [np.ascontiguousarray(real_array(of_one), dtype=np.float64) for of_one in maps]
    if any(of_one.shape != (len(checked[0]), n_losses) for of_one in checked):
        shapes = sorted({of_one.shape for of_one in checked})
        raise ProblemError(f"maps must be matrices of one shape (J', {n_losses}); got {shapes}.")
    return checked
