"""The history of a run while it grows."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import sqrt

import numpy as np

from ..result import History

# The contraction rate assumed where the last values do not decrease, and the largest that is used: the estimated gap is
# then 1/(1 - 0.99) = 100 predicted decreases.
SLOWEST_RATE = 0.99


@dataclass
class HistoryBuilder:
    """One entry per iteration, the start included: lists of equal length."""

    time: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)
    n_evals: list[int] = field(default_factory=list)
    inner_gap: list[float] = field(default_factory=list)
    inner_iter: list[int] = field(default_factory=list)
    estimate: list[float] = field(default_factory=list)
    """An estimate of value - optimum from the decrease that the step's model predicts; nan without a model."""

    @property
    def n_iter(self) -> int:
        return len(self.time) - 1

    def append(
        self,
        *,
        time: float,
        value: float,
        gap: float,
        n_evals: int,
        inner_gap: float,
        inner_iter: int,
        predicted: float = np.nan,
    ) -> None:
        self.time.append(time)
        self.value.append(value)
        self.gap.append(gap)
        self.n_evals.append(n_evals)
        self.inner_gap.append(inner_gap)
        self.inner_iter.append(inner_iter)
        self.estimate.append(max(predicted, 0.0) / (1.0 - self.contraction()))

    def trim(self) -> None:
        """Cut all lists to the length of ``estimate``, which is appended last: an interrupt may come in between."""
        for f in fields(self):
            del getattr(self, f.name)[len(self.estimate) :]

    def contraction(self) -> float:
        """r in [0, 0.99]: the geometric rate at which the last decreases of the value shrink."""
        if len(self.value) < 4:
            return SLOWEST_RATE
        first, second, third, last = self.value[-4:]
        earlier, now = first - second, third - last
        if not (earlier > 0 and now > 0):
            return SLOWEST_RATE
        return min(SLOWEST_RATE, sqrt(now / earlier))

    def freeze(self) -> History:
        return History(
            time=np.array(self.time),
            value=np.array(self.value),
            gap=np.array(self.gap),
            n_evals=np.array(self.n_evals, dtype=np.int64),
            inner_gap=np.array(self.inner_gap),
            inner_iter=np.array(self.inner_iter, dtype=np.int64),
        )
