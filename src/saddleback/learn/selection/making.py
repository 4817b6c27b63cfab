"""The table of all candidates, and the figures of the choice among them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from ...linalg.blas_threads import one_blas_thread
from ..data.rows import Rows
from ..fitting.trainer import TrainingBound
from ..groups.titles import titles_of
from ..table import Table
from .choosing import memberships_of
from .one_se import Choice
from .sample import Sample
from .selection import Selection


def make_selection(
    parameters: dict[str, list[Any]],
    scores: Matrix,
    rows: Rows,
    choice: Choice,
    bound: TrainingBound | None = None,
    *,
    rule: str,
    scoring: str,
    kept_model: str = "the average model",
    family: str = "linear model",
    n_table_rows: int | None = None,
) -> Selection:
    """The table and the figures of a choice; ``parameters`` are the columns that name the candidates.

    ``rows`` are those that it was made by, which may be a sample of ``n_table_rows`` that the choice is fitted to.
    """
    counted = np.flatnonzero(~np.isnan(scores[:, choice.average]))
    everyone = Sample.of(counted, np.ones(counted.size) if rows.weight is None else rows.weight[counted], None)
    prices = choice.average_losses - choice.average_losses[choice.average]
    of_counted = scores if counted.size == len(scores) else scores[counted]
    with np.errstate(invalid="ignore"), one_blas_thread():
        price_errors = everyone.standard_errors(of_counted - of_counted[:, [choice.average]])
        average_errors = everyone.standard_errors(of_counted)
    candidates = Table(
        {
            **parameters,
            "worst_loss": choice.worst_losses,
            "worst_loss_error": _worst_errors(scores, rows, choice),
            "worst_group": [rows.groups.names[j] for j in choice.worst_groups],
            "average_loss": choice.average_losses,
            "average_loss_error": average_errors,
            "gain": choice.gains,
            "gain_error": choice.gain_errors,
            "price": prices,
            "price_error": price_errors,
            "admissible": choice.admissible,
            "chosen": np.arange(prices.size) == choice.chosen,
        },
        caption=(
            f"Held-out {scoring} of all candidates; errors are standard errors, those of gain and price of paired "
            "differences to\nthe kept model."
        ),
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
        titles=titles_of(rows.groups),
        kept_model=kept_model,
        family=family,
        n_rows=len(rows),
        n_table_rows=len(rows) if n_table_rows is None else n_table_rows,
    )


def with_choice(selection: Selection, chosen: int, bound: TrainingBound | None, *, rule: str) -> Selection:
    """The same candidates, of which another one is taken by another rule."""
    table = selection.candidates
    return replace(
        selection,
        candidates=Table({**table.data, "chosen": np.arange(len(table)) == chosen}, table.caption),
        choice=replace(selection.choice, chosen=chosen),
        gain=float(table["gain"][chosen]),
        gain_error=float(table["gain_error"][chosen]),
        price=float(table["price"][chosen]),
        price_error=float(table["price_error"][chosen]),
        bound=bound,
        rule=rule,
    )


def _worst_errors(scores: Matrix, rows: Rows, choice: Choice) -> Vector:
    """The standard error of each candidate's mean in its worst group."""
    members, errors = memberships_of(rows), np.empty(choice.worst_losses.size)
    for group in np.unique(choice.worst_groups):
        own, pairs = np.flatnonzero(choice.worst_groups == group), np.flatnonzero(members.groups == group)
        pairs = pairs[~np.isnan(scores[members.rows[pairs], choice.average])]
        sample = Sample.of(members.rows[pairs], members.coefficients[pairs], None)
        with np.errstate(invalid="ignore"):
            errors[own] = sample.standard_errors(scores[np.ix_(sample.rows, own)])
    return errors
