"""The outcome of a selection: what is gained for whom and at what price, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fitting.trainer import TrainingBound
from ..table import Table
from .one_se import Choice


@dataclass(frozen=True, eq=False)
class Selection:
    """The outcome of a selection by held-out rows. ``print(selection)`` says it in words.

    Attributes
    ----------
    candidates : Table
        A row for each candidate: its parameters, the largest held-out loss of a group (``worst_loss``, with the group
        and the standard error), the held-out loss of all rows (``average_loss``), and compared with the model that is
        kept where nothing is to be gained: the gain of the worst group and the rise of the average loss, with paired
        standard errors. ``chosen`` marks the choice.
    chosen, kept : int
        The rows of the choice, and of the model that is kept where nothing is to be gained.
    group : label
        The worst-off group of the model ``kept``.
    gain, gain_error, price, price_error : float
        What ``group`` gains by the choice on held-out rows (or the largest group loss, where another group becomes the
        worst), what all rows lose on average, and their standard errors. These are the rows of the choice itself: what
        is gained on rows that no fold has seen is expected to be a little less.
    nothing_to_gain : bool
        Whether the choice is the model ``kept``.
    bound : TrainingBound
        How much lower the largest loss of a group could be on the training rows, certified.
    rule, scoring : str
        How it was chosen.
    choice : Choice
        All figures of the rule.
    """

    candidates: Table
    choice: Choice
    group: Any
    gain: float
    gain_error: float
    price: float
    price_error: float
    bound: TrainingBound | None
    rule: str
    scoring: str
    kept_model: str = "the average model"
    """What the model ``kept`` is called."""
    family: str = "linear model"
    """What is fitted to the training rows."""

    @property
    def chosen(self) -> int:
        return self.choice.chosen

    @property
    def kept(self) -> int:
        return self.choice.average

    @property
    def nothing_to_gain(self) -> bool:
        return self.chosen == self.kept

    @property
    def sentence(self) -> str:
        """What is gained for whom, at what price; or that there is nothing to gain."""
        return sentence_of(self)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"{self.sentence}\n\n{self.candidates!r}"


def sentence_of(selection: Selection) -> str:
    """What is gained for whom and at what price, or why there is nothing to gain; and what training rows allow."""
    if len(set(selection.candidates["worst_group"].tolist())) == 1 and selection.group == "(all rows)":
        text = _one_group(selection)
    elif selection.nothing_to_gain:
        text = _nothing(selection)
    else:
        text = _gain(selection)
    return text + _bound(selection)


def _one_group(selection: Selection) -> str:
    if np.isinf(selection.candidates["l2"][selection.kept]):
        return f"One group: {selection.kept_model} is kept, because no group is worse off than others."
    return f"One group: {_parameters(selection, selection.chosen)} has the least held-out {selection.scoring}."


def _gain(selection: Selection) -> str:
    table, chosen, kept = selection.candidates, selection.chosen, selection.kept
    before, after = table["worst_loss"][kept], table["worst_loss"][chosen]
    change = "rises" if selection.price >= 0 else "falls"
    return (
        f"{_parameters(selection, chosen)}: the held-out {selection.scoring} of group {selection.group!r}, the worst "
        f"off under {selection.kept_model}, falls by {selection.gain:.4f} ({selection.gain_error:.4f}); the largest of "
        f"a group falls from {before:.4f} to {after:.4f}. The average of all rows {change} by "
        f"{abs(selection.price):.4f} ({selection.price_error:.4f})."
    )


def _nothing(selection: Selection) -> str:
    table, choice, kept = selection.candidates, selection.choice, selection.kept
    loss, error = table["worst_loss"][kept], table["worst_loss_error"][kept]
    begin = (
        f"Nothing to gain: {selection.kept_model} is kept. Its worst-off group is {selection.group!r}, with a held-out "
        f"{selection.scoring} of {loss:.4f} ({error:.4f})"
    )
    best, others = choice.best, f"the best of the {len(table) - 1} other candidates"
    if choice.gains[best] <= 0.0:
        return f"{begin}, and none of the {len(table) - 1} other candidates lowers the largest of a group."
    lowers = f"{others} lowers it by {choice.gains[best]:.4f} ({choice.gain_errors[best]:.4f})"
    return f"{begin}; {lowers}, {_why_not(choice)}."


def _why_not(choice: Choice) -> str:
    """Why the candidate with the least worst-group loss is not taken, nor any other."""
    best = choice.best
    if not np.isfinite(choice.quantile):
        return "which a group of so few rows does not confirm"
    if choice.gains[best] <= choice.quantile * choice.gain_errors[best]:
        return "which chance explains among so many"
    if choice.gains[best] <= choice.prices[best]:
        return f"less than it costs all rows on average, {choice.prices[best]:.4f}"
    return f"not surely more than it costs all rows on average, {choice.prices[best]:.4f}"


def _bound(selection: Selection) -> str:
    bound = selection.bound
    if bound is None:
        return ""
    if not bound.certified:
        return " What training rows allow is not certified."
    return (
        f" On the training rows no {selection.family} with l2={bound.l2:g} lowers the largest loss of a group, "
        f"{bound.value:.4f}, by more than {bound.gap:.4f} (certified)."
    )


def _parameters(selection: Selection, c: int) -> str:
    table = selection.candidates
    names = [name for name in ("worst_weight", "prior", "l2") if name in table]
    return ", ".join(f"{name}={_short(table[name][c])}" for name in names)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else repr(value)
