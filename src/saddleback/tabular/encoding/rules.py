"""How one column becomes columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

OTHER, MISSING = "(other)", "(missing)"


@dataclass(frozen=True)
class NumberRule:
    """A column of numbers: its values, the mean of the training rows where they are missing, and whether they are.

    Attributes
    ----------
    name, rule : str
        The column, and this rule as a sentence.
    mean : float
        The mean of the training rows that have a value.
    varies : bool
        Whether the values differ; if not, only the column that says which are missing is used.
    indicator : bool
        Whether a second column says which values are missing: where the training rows had missing ones.
    style : {"plain", "thousands", "decimal comma", "thousands with points, decimal comma"}
        How the numbers are written where they are text.
    """

    kind: ClassVar[str] = "number"
    name: str
    rule: str
    mean: float
    varies: bool = True
    indicator: bool = False
    style: str = "plain"

    @property
    def feature_names(self) -> list[str]:
        return [self.name] * self.varies + [f"{self.name} is missing"] * self.indicator


@dataclass(frozen=True)
class CategoryRule:
    """A column of texts or codes: a column of zeros and ones for each level, one in all where there are two levels.

    Attributes
    ----------
    name, rule : str
        The column, and this rule as a sentence.
    levels : tuple of str
        The texts that have a level of their own, in order.
    other, missing : bool
        Whether there is a level "(other)" for all remaining texts, and a level "(missing)".
    shares : tuple of float
        The share of the training rows in each column. A text or a gap that has no level gets these.
    codes : bool
        Whether it is a category because it was said to be one: then 1, 1.0 and "1.00" are the level "1".
    """

    kind: ClassVar[str] = "category"
    name: str
    rule: str
    levels: tuple[str, ...]
    other: bool
    missing: bool
    shares: tuple[float, ...]
    codes: bool = False

    @property
    def all_levels(self) -> tuple[str, ...]:
        return self.levels + (OTHER,) * self.other + (MISSING,) * self.missing

    @property
    def shown(self) -> tuple[str, ...]:
        """The levels that have a column."""
        return self.all_levels[1:] if len(self.all_levels) == 2 else self.all_levels

    @property
    def feature_names(self) -> list[str]:
        return [f"{self.name}={level}" for level in self.shown]


@dataclass(frozen=True)
class DroppedRule:
    """A column that is no feature; ``rule`` says why."""

    kind: ClassVar[str] = "dropped"
    name: str
    rule: str

    @property
    def feature_names(self) -> list[str]:
        return []


ColumnRule = NumberRule | CategoryRule | DroppedRule
