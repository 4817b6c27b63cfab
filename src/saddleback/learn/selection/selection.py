"""The outcome of a selection: what is gained for whom and at what price, in figures and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fitting.trainer import TrainingBound
from ..table import Table
from .one_se import FEWEST_ROWS, Choice

GIVEN = "given"
"""The rule of a candidate that the user has asked for."""

LEAST_EXPONENT = 1e6
"""Numbers from this on are written with an exponent."""


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
        worst), what all rows lose on average, and their standard errors. These are the rows that the choice was made
        by: on other rows less is gained, where losses have heavy tails perhaps half of it. An outer cross-validation of
        the whole estimator measures that.
    nothing_to_gain : bool
        Whether the choice is the model ``kept``.
    bound : TrainingBound
        How much lower the largest loss of a group could be on the training rows, certified.
    rule, scoring : str
        How it was chosen.
    n_rows, n_table_rows : int
        The rows that it was chosen by, and all rows of the table: of a very large one a random sample (``sampled``).
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
    titles: Sequence[str | None] = ()
    """How each group is written in words: column=label; None for one without a column, which is written as it is."""
    kept_model: str = "the average model"
    """What the model ``kept`` is called."""
    family: str = "linear model"
    """What is fitted to the training rows."""
    n_rows: int = 0
    n_table_rows: int = 0

    @property
    def chosen(self) -> int:
        return self.choice.chosen

    @property
    def kept(self) -> int:
        return self.choice.average

    @property
    def title(self) -> str | None:
        """The worst-off group of the model ``kept`` as column=label."""
        return self.titles[self.choice.group] if self.titles else None

    @property
    def worst_title(self) -> str | None:
        """The group with the largest loss under the choice as column=label."""
        return self.titles[self.choice.worst_groups[self.chosen]] if self.titles else None

    @property
    def sampled(self) -> bool:
        """Whether the choice was made by a random sample of the rows."""
        return self.n_rows < self.n_table_rows

    @property
    def nothing_to_gain(self) -> bool:
        return self.chosen == self.kept

    def to_pandas(self) -> Any:
        """The table of ``candidates`` as a ``pandas.DataFrame``; it needs pandas."""
        return self.candidates.to_pandas()

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
        text = _kept(selection) if selection.rule == GIVEN else _nothing(selection)
    else:
        text = _gain(selection)
    return text + _sample(selection) + _bound(selection)


def _one_group(selection: Selection) -> str:
    if np.isinf(selection.candidates["l2"][selection.kept]):
        return f"One group: {selection.kept_model} is kept, because no group is worse off than others."
    return f"One group: {_parameters(selection, selection.chosen)} has the least held-out {selection.scoring}."


def _gain(selection: Selection) -> str:
    table, chosen, kept = selection.candidates, selection.chosen, selection.kept
    before, after = (with_error(table["worst_loss"][c], selection.gain_error)[0] for c in (kept, chosen))
    worst, gain = table["worst_group"].tolist()[chosen], _change(-selection.gain, selection.gain_error)
    what, group = f"held-out {selection.scoring} of", selection.title or repr(selection.group)
    if worst == selection.group:
        text = f"the {what} group {group}, the worst off under {selection.kept_model}, {gain}, from {before} to {after}"
    else:
        text = (
            f"the largest {what} a group {gain}, from {before} (group {group}, under {selection.kept_model}) to "
            f"{after} (group {selection.worst_title or repr(worst)})"
        )
    unconfirmed = "" if selection.choice.confirmed[chosen] else ", which the rows do not confirm"
    price = _change(selection.price, selection.price_error)
    return f"{_parameters(selection, chosen)}: {text}{unconfirmed}. The average of all rows {price}."


def _change(change: float, error: float) -> str:
    return f"{'rises' if change > 0.0 else 'falls'} by {in_brackets(abs(change), error)}"


def _kept(selection: Selection) -> str:
    """The model ``kept`` as it is, because it was asked for."""
    return f"This is {selection.kept_model}. {_worst_off(selection)}."


def _worst_off(selection: Selection) -> str:
    table, kept = selection.candidates, selection.kept
    loss = in_brackets(table["worst_loss"][kept], table["worst_loss_error"][kept])
    group = selection.title or repr(selection.group)
    return f"Its worst-off group is {group}, with a held-out {selection.scoring} of {loss}"


def _nothing(selection: Selection) -> str:
    choice, n_others = selection.choice, len(selection.candidates) - 1
    begin = f"Nothing to gain: {selection.kept_model} is kept. {_worst_off(selection)}"
    best = choice.best
    if n_others == 0:
        return f"{begin}; there is no other candidate."
    if choice.gains[best] <= 0.0:
        none = "the other candidate has no" if n_others == 1 else f"none of {n_others} other candidates has a"
        return f"{begin}, and {none} lower largest one."
    gain = in_brackets(choice.gains[best], choice.gain_errors[best])
    which = "the other candidate" if n_others == 1 else f"the best of {n_others} other candidates"
    return f"{begin}; {which} lowers the largest one by {gain}, {_why_not(choice)}."


def _why_not(choice: Choice) -> str:
    """Why neither the candidate with the least worst-group loss nor any other is taken."""
    best = choice.best
    price = with_error(choice.prices[best], choice.gain_errors[best])[0]
    if choice.effective_size < FEWEST_ROWS:
        return "which a group of so few rows cannot confirm"
    if choice.gains[best] <= choice.quantile * choice.gain_errors[best]:
        return "which chance explains" + (" among so many" if choice.gains.size > 2 else "")
    if choice.gains[best] <= choice.prices[best]:
        return f"and costs all rows more on average, {price}"
    return f"not surely more than it costs all rows on average, {price}"


def _sample(selection: Selection) -> str:
    if not selection.sampled:
        return ""
    return f" It was chosen by a random sample of {selection.n_rows:,} of the {selection.n_table_rows:,} rows."


def _bound(selection: Selection) -> str:
    bound = selection.bound
    if bound is None:
        return ""
    if not bound.certified:
        return " What training rows allow is not certified."
    penalty = " with the penalty" if bound.l2 > 0.0 else ""
    return (
        f" On the training rows no {selection.family} with l2={bound.l2:g} lowers the largest loss of a group, "
        f"{plain(bound.value, 3)}{penalty}, by more than {plain(bound.gap, 2)} (certified{bound.region})."
    )


def _parameters(selection: Selection, c: int) -> str:
    table = selection.candidates
    names = [name for name in ("worst_weight", "prior", "l2") if name in table]
    return ", ".join(f"{name}={_short(table[name][c])}" for name in names)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else repr(value)


def in_brackets(value: float, error: float) -> str:
    """A number and its standard error, as in 0.026 (0.005)."""
    number, of_error = with_error(value, error)
    return f"{number} ({of_error})"


def with_error(value: float, error: float) -> tuple[str, str]:
    """A number and its standard error with as many digits as the error allows: one, or two that begin with 1."""
    if not (np.isfinite(value) and np.finfo(float).tiny < error < np.inf):
        return plain(value, 4), plain(error, 1)
    decimals = -int(np.floor(np.log10(error / 2.0) + 1e-12))
    if max(abs(value), error) < LEAST_EXPONENT:
        digits = max(decimals, 0)
        return f"{value:.{digits}f}", f"{error:.{digits}f}"
    parts = [int(np.floor(np.log10(abs(number)))) + decimals if number else 0 for number in (value, error)]
    return f"{value:.{max(parts[0], 0)}e}", f"{error:.{max(parts[1], 0)}e}"


def plain(value: float, digits: int) -> str:
    """A number with some significant digits, and all digits before the point where it is below LEAST_EXPONENT."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < LEAST_EXPONENT else text
