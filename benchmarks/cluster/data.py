"""A table that is made on the workers, partition by partition, with the bits of the same table in memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import dask
import dask.array as da
import numpy as np
from numpy.typing import NDArray

import saddleback as sb

from ..recorder import Array
from .calls import asked_by

Block = tuple[NDArray[Any], Array, NDArray[np.intp]]


@dataclass(frozen=True)
class ClusterTable:
    """Logistic rows with slopes that differ from group to group."""

    n_rows: int
    n_columns: int
    n_groups: int
    n_partitions: int
    dtype: str = "float64"
    least_scale: float = 1.0
    """The standard deviation of the last column; that of the first is 1, with even steps of the logarithm between."""

    @property
    def n_bytes(self) -> int:
        """Of the features."""
        return self.n_rows * self.n_columns * np.dtype(self.dtype).itemsize

    def lengths(self) -> list[int]:
        ends = [self.n_rows * k // self.n_partitions for k in range(self.n_partitions + 1)]
        return [last - first for first, last in pairwise(ends)]

    def block(self, number: int) -> Block:
        """X, y and the groups of one partition."""
        rng, n = np.random.default_rng([number, self.n_columns]), self.lengths()[number]
        X = rng.standard_normal((n, self.n_columns), dtype=np.dtype(self.dtype).type)
        groups = rng.integers(0, self.n_groups, n)
        slopes = np.random.default_rng(self.n_groups).standard_normal((self.n_groups, self.n_columns))
        slopes /= np.sqrt(self.n_columns)
        eta = X @ slopes[0] + np.einsum("ij,ij->i", X[:, :5], slopes[groups, :5])
        X *= np.geomspace(1.0, self.least_scale, self.n_columns).astype(X.dtype)
        return X, np.where(eta + rng.logistic(size=n) > 0.0, 1.0, 0.0), groups

    def in_memory(self) -> Block:
        blocks = [self.block(number) for number in range(self.n_partitions)]
        X, y, groups = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return X, y, groups

    def lazy(self) -> tuple[Any, Any, Any]:
        """The same as Dask arrays."""
        block = dask.delayed(ClusterTable.block, nout=3, pure=True)
        blocks = [(block(self, number), n) for number, n in enumerate(self.lengths())]
        X, y, groups = (
            da.concatenate([da.from_delayed(parts[at], (n, *more), dtype) for parts, n in blocks])
            for at, more, dtype in ((0, (self.n_columns,), self.dtype), (1, (), float), (2, (), np.intp))
        )
        return X, y, groups

    def losses(self, client: Any, **more: Any) -> sb.GroupedLinear:
        """On this client's workers, evaluated until these answer calls; the first evaluation may compile."""
        X, y, groups = self.lazy()
        with client.as_current():
            losses = sb.GroupedLinear(X, y, groups, **more)
        losses.evaluate(np.zeros(losses.n_params))
        return asked_by(losses)

    def losses_here(self, n_threads: int) -> sb.GroupedLinear:
        """The same partitions in this process, evaluated once."""
        losses = sb.GroupedLinear(*self.lazy(), n_threads=n_threads)
        losses.evaluate(np.zeros(losses.n_params))
        return losses
