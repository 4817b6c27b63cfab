"""The history of a run while it grows."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import sqrt

import numpy as np

from ..result import History


@dataclass
class Trace:
    """One entry per iteration, the start included."""

    time: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)
    n_evals: list[int] = field(default_factory=list)
    inner_gap: list[float] = field(default_factory=list)
    inner_iter: list[int] = field(default_factory=list)
    estimate: list[float] = field(default_factory=list)
    """What the model says is left to gain; nan where there is no model."""

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
        """Drop what an interrupt has left half written."""
        for f in fields(self):
            del getattr(self, f.name)[len(self.estimate) :]

    def contraction(self) -> float:
        """r in [0, 0.99]: how the last decreases of the value shrink, as a geometric rate."""
        if len(self.value) < 4:
            return 0.99
        first, second, third, last = self.value[-4:]
        earlier, now = first - second, third - last
        if not (earlier > 0 and now > 0):
            return 0.99
        return min(0.99, sqrt(now / earlier))

    def freeze(self) -> History:
        return History(
            time=np.array(self.time),
            value=np.array(self.value),
            gap=np.array(self.gap),
            n_evals=np.array(self.n_evals, dtype=np.int64),
            inner_gap=np.array(self.inner_gap),
            inner_iter=np.array(self.inner_iter, dtype=np.int64),
        )
