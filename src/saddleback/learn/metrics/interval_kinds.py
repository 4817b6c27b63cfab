"""The two kinds of intervals of a group table: by formulas, and by the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..._types import Vector
from ..._validation import number, whole
from ...errors import ProblemError
from ..groups import Groups
from .intervals import Interval, bootstrap_draws, effective_rows, percentiles, ratio_of_rates, student, wilson
from .ratios import Ratio, divide

References = NDArray[np.intp] | None
"""The number of the group with whose selection rate that of each group is compared."""


class Intervals(Protocol):
    """A way to compute intervals of all ratios."""

    @property
    def level(self) -> float:
        """The probability of covering."""

    def words(self, ratios: list[Ratio]) -> str:
        """What the intervals of these ratios are, for captions."""

    def of(self, ratios: list[Ratio], groups: Groups, weights: Vector, reference: References) -> dict[str, Interval]:
        """The intervals of each ratio, and of the impact ratio where there is a reference."""


@dataclass(frozen=True)
class FormulaIntervals:
    """Wilson's for rates, Student's for means, that of Katz et al. or ratios of Wilson's ends for impact ratios."""

    level: float

    def words(self, ratios: list[Ratio]) -> str:
        kinds = {
            "Wilson score for rates": any(ratio.rate for ratio in ratios),
            "Student's t for means": not all(ratio.rate for ratio in ratios),
            "Katz for impact ratios, with the ratio of Wilson's ends where a rate is 0 or 1": any(
                ratio.name == "selection_rate" for ratio in ratios
            ),
        }
        return f"{', '.join(kind for kind, used in kinds.items() if used)}, with the effective number of rows"

    def of(self, ratios: list[Ratio], groups: Groups, weights: Vector, reference: References) -> dict[str, Interval]:
        ends = {}
        for ratio in ratios:
            if not ratio.rate:
                ends[ratio.name] = student(ratio, groups, weights, self.level)
                continue
            p, n = ratio.of(groups, weights), effective_rows(ratio, groups, weights)
            ends[ratio.name] = wilson(p, n, self.level)
            if ratio.name == "selection_rate" and reference is not None:
                low, high = ratio_of_rates(p, n, (p[reference], n[reference]), self.level)
                itself = reference == np.arange(p.size)
                # The reference is 1 by definition.
                ends["impact_ratio"] = np.where(itself, np.nan, low), np.where(itself, np.nan, high)
        return ends


@dataclass(frozen=True)
class BootstrapIntervals:
    """Percentiles over resampled rows of each group; none for a group of one row."""

    level: float
    n_boot: int
    seed: Any

    def words(self, ratios: list[Ratio]) -> str:
        return f"percentiles of {self.n_boot} bootstrap samples of the rows of each group"

    def of(self, ratios: list[Ratio], groups: Groups, weights: Vector, reference: References) -> dict[str, Interval]:
        low = np.empty((len(ratios), groups.sizes.size))
        high = np.empty_like(low)
        at = next((i for i, ratio in enumerate(ratios) if ratio.name == "selection_rate"), 0)
        selection = np.empty((self.n_boot, groups.sizes.size))
        for part, draws in bootstrap_draws(ratios, groups, weights, self.n_boot, np.random.default_rng(self.seed)):
            selection[:, part] = draws[:, :, at]
            for of_all, of_part in zip((low, high), percentiles(draws, self.level), strict=True):
                of_all[:, part] = of_part.T
        ends = {ratio.name: (low[i], high[i]) for i, ratio in enumerate(ratios)}
        if reference is not None:
            ends["impact_ratio"] = percentiles(divide(selection, selection[:, reference]), self.level)
            for end in ends["impact_ratio"]:
                end[reference == np.arange(reference.size)] = np.nan
        single = groups.sizes == 1
        return {name: (np.where(single, np.nan, a), np.where(single, np.nan, b)) for name, (a, b) in ends.items()}


def intervals_of_kind(kind: str, level: float, n_boot: int, random_state: Any) -> Intervals:
    """The intervals that a user asks for by name."""
    if kind not in ("wilson", "bootstrap"):
        raise ProblemError(f"interval must be 'wilson' or 'bootstrap'; got {shortened(kind)}.")
    if not 0 < number(level, "level") < 1:
        raise ProblemError(f"level must be between 0 and 1; got {level:g}.")
    if kind == "wilson":
        return FormulaIntervals(float(level))
    if not isinstance(random_state, int | np.integer | np.random.Generator | None):
        raise ProblemError(
            f"random_state must be a whole number, a numpy.random.Generator or None; got {shortened(random_state)}."
        )
    return BootstrapIntervals(float(level), whole(n_boot, "n_boot", minimum=2), random_state)
