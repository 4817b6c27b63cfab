"""The words of the picture: the finding, what the bands are, the names of lines."""

from __future__ import annotations

from typing import Any

from ..selection.selection import GIVEN, Selection, in_brackets

LONGEST_NAME = 24


def headline_of(selection: Selection) -> str:
    """The finding in one sentence."""
    if selection.nothing_to_gain:
        if selection.rule == GIVEN:
            return f"{_capital(selection.kept_model)}: group {label_of(selection.group)} is the worst off."
        return f"Nothing to gain for the worst-off group, {label_of(selection.group)}: {selection.kept_model} is kept."
    p, scoring = selection.candidates["worst_weight"][selection.chosen], selection.scoring
    worst = selection.candidates["worst_group"][selection.chosen]
    of_group = f"group {label_of(worst)}, the worst off," if worst == selection.group else "a group"
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


def label_of(name: Any) -> str:
    """The name of a group, shortened; the labels of crossed columns are joined."""
    text = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
    short = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
    # A dollar sign would begin a formula.
    return short.replace("$", r"\$")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
