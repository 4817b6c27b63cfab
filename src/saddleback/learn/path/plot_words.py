"""The words of the picture: the finding, what the bands are, the names of lines."""

from __future__ import annotations

from textwrap import fill
from typing import Any

from ..selection.selection import GIVEN, Selection, in_brackets

WIDEST_NAME = 30
"""Characters of a line of a name at the right: longer names are wrapped, so that the curves keep their room."""


def headline_of(selection: Selection) -> str:
    """The finding in one sentence."""
    group = label_of(selection.group, selection.title)
    if selection.nothing_to_gain:
        if selection.rule == GIVEN:
            return f"{_capital(selection.kept_model)}: group {group} is the worst off."
        return f"Nothing to gain for the worst-off group, {group}: {selection.kept_model} is kept."
    p, scoring = selection.candidates["worst_weight"][selection.chosen], selection.scoring
    worst = selection.candidates["worst_group"][selection.chosen]
    of_group = f"group {group}, the worst off," if worst == selection.group else "a group"
    largest = "" if worst == selection.group else "largest "
    direction = "lowers" if selection.gain > 0.0 else "raises"
    cost = "more" if selection.price > 0.0 else "less"
    gain = in_brackets(abs(selection.gain), selection.gain_error)
    price = in_brackets(abs(selection.price), selection.price_error)
    return (
        f"p = {p:g} {direction} the {largest}held-out {scoring} of {of_group} by {gain}, "
        f"at {price} {cost} for all rows on average."
    )


def caption_of(n_splits: int, n_grey: int) -> str:
    """On which rows the lines were measured, and what the bands are."""
    grey = f" The {n_grey} groups of the least losses are grey." if n_grey > 0 else ""
    return (
        f"Lines: means over rows that the model had not seen ({n_splits} splits). Bands: one standard error of the "
        f"change from p = 0 on the same rows; in brackets: standard errors.{grey}"
    )


def name_in(rule: str, p: float) -> str:
    """What the line at the chosen p is called."""
    return f"{'asked for' if rule == GIVEN else 'chosen'}: p = {p:g}"


def label_of(name: Any, title: str | None = None) -> str:
    """The name of a group: its title where it has one; the labels of other tuples are joined."""
    text = title or (", ".join(map(str, name)) if isinstance(name, tuple) else str(name))
    # A dollar sign would begin a formula.
    return text.replace("$", r"\$")


def wrapped(name: str) -> str:
    """The name at the end of a line, in several lines where it is long."""
    return fill(name, WIDEST_NAME, break_long_words=False, break_on_hyphens=False)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
