"""What was chosen, what it gains for whom and at what price, as a table and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from ..data.rows import Rows
from ..fitting.trainer import TrainingBound
from ..table import Table
from .choosing import memberships_of
from .one_se import Choice
from .sample import Sample
from .sentence import sentence_of


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


def make_selection(
    parameters: dict[str, list[Any]],
    scores: Matrix,
    rows: Rows,
    choice: Choice,
    bound: TrainingBound | None,
    *,
    rule: str,
    scoring: str,
    kept_model: str = "the average model",
) -> Selection:
    """The table and the figures of a choice; ``parameters`` are the columns that name the candidates."""
    counted = np.flatnonzero(~np.isnan(scores[:, choice.average]))
    everyone = Sample.of(counted, np.ones(counted.size) if rows.weight is None else rows.weight[counted], None)
    prices = choice.average_losses - choice.average_losses[choice.average]
    price_errors = everyone.standard_errors(scores[counted] - scores[counted][:, [choice.average]])
    candidates = Table(
        {
            **parameters,
            "worst_loss": choice.worst_losses,
            "worst_loss_error": _worst_errors(scores, rows, choice),
            "worst_group": [rows.groups.names[j] for j in choice.worst_groups],
            "average_loss": choice.average_losses,
            "average_loss_error": everyone.standard_errors(scores[counted]),
            "gain": choice.gains,
            "gain_error": choice.gain_errors,
            "price": prices,
            "price_error": price_errors,
            "admissible": choice.admissible,
            "chosen": np.arange(prices.size) == choice.chosen,
        },
        caption=f"Held-out {scoring} of all candidates; standard errors of the paired differences to the kept model.",
    )
    chosen = choice.chosen
    return Selection(
        candidates,
        choice,
        rows.groups.names[choice.group],
        gain=float(choice.gains[chosen]),
        gain_error=float(choice.gain_errors[chosen]),
        price=float(prices[chosen]),
        price_error=float(price_errors[chosen]),
        bound=bound,
        rule=rule,
        scoring=scoring,
        kept_model=kept_model,
    )


def _worst_errors(scores: Matrix, rows: Rows, choice: Choice) -> Vector:
    """The standard error of each candidate's mean in its worst group."""
    members, errors = memberships_of(rows), np.empty(choice.worst_losses.size)
    for group in np.unique(choice.worst_groups):
        own, pairs = np.flatnonzero(choice.worst_groups == group), np.flatnonzero(members.groups == group)
        pairs = pairs[~np.isnan(scores[members.rows[pairs], choice.average])]
        sample = Sample.of(members.rows[pairs], members.coefficients[pairs], None)
        errors[own] = sample.standard_errors(scores[np.ix_(sample.rows, own)])
    return errors
