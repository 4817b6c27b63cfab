"""How often rows count in resamples of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Indices, Matrix, Vector
from ..._validation import indices
from ...errors import ProblemError
from .kernels.arguments import read_only
from .tables.read_plan import ReadPlan

MOST_TIMES = 255
"""The most times that a row counts, in one byte: a row is drawn 20 times in one of 10^18."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """Some of the R resamples of the rows of one `GroupedLinear`, in an order that may repeat them."""

    times: NDArray[np.uint8]
    """(n, R): how often the row at each position of the read plan counts."""
    totals: Matrix
    """(R, J): the weight of each group in units of its weight in the table."""
    which: Indices
    """The numbers of the resamples."""

    @classmethod
    def of(cls, times: Any, n_rows: int, plan: ReadPlan) -> Resamples:
        """From the times of all rows, (R, n_rows)."""
        times = np.asarray(times)
        if times.ndim != 2 or times.shape[1] != n_rows or times.dtype.kind not in "biu":
            raise ProblemError(
                f"times must be whole numbers of shape (R, {n_rows}), one row per resample; got {times.dtype} of shape "
                f"{times.shape}."
            )
        if times.size and not (times.min() >= 0 and times.max() <= MOST_TIMES):
            raise ProblemError(f"times must be from 0 to {MOST_TIMES}; got {times.min()} to {times.max()}.")
        of_positions = np.ascontiguousarray(times.T, dtype=np.uint8)[plan.rows]
        totals = np.empty((len(times), plan.n_targets - plan.extra_groups.size))
        visited = plan.rows[plan.visit_position]
        for r, of_rows in enumerate(times):
            totals[r] = np.bincount(plan.visit_group, plan.coefficient * of_rows[visited], totals.shape[1])
        return cls(of_positions, totals, np.arange(len(times)))

    def __len__(self) -> int:
        return self.which.size

    def __getitem__(self, which: Any) -> Resamples:
        """Those with these places, as an index of one dimension: no count is copied."""
        return replace(self, which=self.which[indices(which, "which", len(self))])

    def check(self, k: int) -> None:
        """Refuse another number of them than of parameter vectors."""
        if len(self) != k:
            raise ProblemError(f"resamples must name one for each of the {k} rows of W; got {len(self)}.")

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The kernel's argument."""
        return read_only(self.times.reshape(-1)), np.uintp(self.times.shape[1]), read_only(self.which.astype(np.uintp))

    def means(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of each group from sums with the coefficients of the table, (k, J, ...); 0 where no row counts."""
        totals = self.totals[self.which]
        totals = np.where(totals > 0.0, totals, 1.0)
        return sums / totals.reshape(totals.shape + (1,) * (sums.ndim - 2))

    def of_positions(self, place: int, positions: slice = slice(None)) -> Vector:
        """The times of positions in one of the resamples."""
        return self.times[positions, self.which[place]].astype(np.float64)


NONE = read_only(np.empty(0, dtype=np.uint8)), np.uintp(0), read_only(np.empty(0, dtype=np.uintp))
"""The kernel's arguments where every row counts once."""
