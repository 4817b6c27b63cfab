"""Columns that know the target, or a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..names import quoted, to_type
from .association import (
    area_under_curve,
    binned,
    explained_share,
    one_to_one,
    purity,
    rank_correlation,
)
from .finding import Finding, note, warning

FEWEST_ROWS = 20
"""In fewer rows columns may agree by chance."""

AREA = 0.99
"""A number whose order tells two classes apart with this area under the curve nearly determines the target."""

PURITY = 0.95
"""So does a column that gets right this share of what the most frequent class misses."""

CORRELATION = 0.99
"""So does a number with this rank correlation to a target of numbers."""

EXPLAINED = 0.98
"""So does a column whose levels explain this share of the variance of a target of numbers."""

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Values of sampled rows: codes of levels, or of bins of numbers (0: missing), and the numbers if there are."""

    codes: Codes
    numbers: Floats | None = None

    @property
    def n_codes(self) -> int:
        return int(self.codes.max()) + 1

    @classmethod
    def of_numbers(cls, values: Floats) -> Sample:
        return cls(binned(values), values)

    @classmethod
    def of_codes(cls, codes: NDArray[np.int32]) -> Sample:
        return cls(codes.astype(np.intp) + 1)


def determines_exactly(column: Sample, target: Sample) -> bool:
    """Whether a column and the target determine each other in all sampled rows."""
    if column.codes.size < FEWEST_ROWS:
        return False
    if target.numbers is None:
        few = column.numbers is None or np.unique(column.numbers).size <= np.unique(column.codes).size
        return few and one_to_one(column.codes, target.codes)
    if column.numbers is None or np.isnan(column.numbers).any():
        return False
    same_ties = np.unique(column.numbers).size == np.unique(target.numbers).size
    return same_ties and rank_correlation(column.numbers, target.numbers) > 1.0 - 1e-12


def determines_nearly(column: Sample, target: Sample) -> str | None:
    """How a column nearly determines the target, in words; None where it does not."""
    if column.codes.size < FEWEST_ROWS:
        return None
    if target.numbers is not None:
        if column.numbers is not None:
            rank = rank_correlation(column.numbers, target.numbers)
            if rank >= CORRELATION:
                return f"their rank correlation is {rank:.3f}"
        share = explained_share(column.codes, target.numbers)
        return f"it explains {100 * share:.1f} % of the target's variance" if share >= EXPLAINED else None
    if column.numbers is not None and target.n_codes == 3:
        area = area_under_curve(column.codes, target.codes - 1)
        if area >= AREA:
            return f"its order alone tells the classes apart (area under the curve {area:.3f})"
    share = purity(column.codes, target.codes)
    return (
        f"it corrects {100 * share:.1f} % of the errors of guessing the most frequent class"
        if share >= PURITY
        else None
    )


def exact_words(name: str, target: str) -> str:
    """What is said of a column that determines the target exactly."""
    return f"the column {quoted(name)} and the target {quoted(target)} determine each other one to one"


def near_finding(name: str, target: str, how: str) -> Finding:
    return warning(
        name,
        "leakage",
        f"{quoted(name)} nearly determines the target {quoted(target)}: {how}. If it is known only after the target, "
        f"leave it out: {to_type('--drop', [name])} (drop=).",
    )


def proxy_finding(name: str, group: str, share: float) -> Finding:
    return note(
        name,
        "proxy",
        f"{quoted(name)} nearly determines the group column {quoted(group)} (it corrects {100 * share:.0f} % of the "
        "errors of guessing the most frequent group): the model can tell the groups apart by it.",
    )
