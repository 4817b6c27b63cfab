"""The outcome of a selection from the parts of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...result import Result
from ...storage import Reader, Unreadable
from ..fitting.trainer import TrainingBound
from ..selection.one_se import Choice
from ..selection.selection import Selection
from ..table import Table
from .selection_writing import GROUP

NUMBERS = (
    "worst_loss",
    "worst_loss_error",
    "average_loss",
    "average_loss_error",
    "gain",
    "gain_error",
    "price",
    "price_error",
)
FLAGS = ("admissible", "chosen")
PARAMETERS = ("worst_weight", "prior", "l2")
"""Columns that name the candidates: at least one of them."""
VECTORS = ("average_losses", "gains", "gain_errors", "sure_gains", "prices")


def read_selection(reader: Reader, names: list[Any]) -> Selection:
    """The selection among models for groups of these names."""
    choice = _choice(reader.under("choice"), len(names))
    table = _table(reader, choice, names)
    titles = reader.json("titles")
    if not (isinstance(titles, list) and len(titles) in (0, len(names)) and all(map(_is_title, titles))):
        raise reader.wrong("titles", f"{len(names)} texts", "others")
    chosen = choice.chosen
    return Selection(
        table,
        choice,
        names[choice.group],
        gain=float(table["gain"][chosen]),
        gain_error=float(table["gain_error"][chosen]),
        price=float(table["price"][chosen]),
        price_error=float(table["price_error"][chosen]),
        bound=read_bound(reader.under("bound")) if reader.has("bound") else None,
        rule=reader.text("rule"),
        scoring=reader.text("scoring"),
        titles=titles,
        kept_model=reader.text("kept_model"),
        family=reader.text("family"),
        n_rows=reader.count("n_rows"),
        n_table_rows=reader.count("n_table_rows"),
    )


def read_bound(reader: Reader) -> TrainingBound:
    """How much lower the largest training loss of a group can be."""
    return TrainingBound(
        value=reader.number("value"),
        lower_bound=reader.number("lower_bound"),
        certified=reader.flag("certified"),
        l2=reader.number("l2", minimum=0.0),
        result=Result.from_parts(reader.under("result")),
    )


def _choice(reader: Reader, J: int) -> Choice:
    worst_losses = reader.vector("worst_losses", finite=False)
    C = worst_losses.size
    worst_groups = reader.counts("worst_groups", C)
    places: dict[str, Any] = {name: reader.count(name) for name in ("chosen", "average", "best")}
    group = reader.count("group")
    if C == 0 or max(places.values()) >= C or max(group, int(worst_groups.max())) >= J:
        raise Unreadable("its selection is of candidates or groups that it does not have")
    vectors: dict[str, Any] = {name: reader.vector(name, C, finite=False) for name in VECTORS}
    return Choice(
        **places,
        group=group,
        worst_groups=worst_groups.astype(np.intp),
        worst_losses=worst_losses,
        **vectors,
        effective_size=reader.number("effective_size"),
        quantile=reader.number("quantile"),
        confirmed=reader.array("confirmed", np.bool_, (C,)),
        admissible=reader.array("admissible", np.bool_, (C,)),
    )


def _table(reader: Reader, choice: Choice, names: list[Any]) -> Table:
    """The candidates; all columns that sentences and plots ask for must be there."""
    columns, caption, candidates = reader.json("columns"), reader.json("caption"), reader.under("candidates")
    wanted = {*NUMBERS, *FLAGS, GROUP}
    if not (isinstance(columns, list) and all(isinstance(name, str) for name in columns) and isinstance(caption, str)):
        raise reader.wrong("columns", "names of columns", "others")
    if len(set(columns)) < len(columns) or not wanted <= set(columns) <= {*wanted, *PARAMETERS}:
        raise reader.wrong("columns", f"{', '.join(sorted(wanted))} and parameters", "others")
    C = choice.worst_losses.size
    data: dict[str, Any] = {}
    for name in columns:
        if name in NUMBERS:
            data[name] = candidates.vector(name, C, finite=False)
        elif name in FLAGS:
            data[name] = candidates.array(name, np.bool_, (C,))
        elif name == GROUP:
            data[name] = [names[j] for j in choice.worst_groups]
        else:
            data[name] = _parameter(candidates, name, C, len(names))
    return Table(data, caption)


def _parameter(reader: Reader, name: str, C: int, J: int) -> Any:
    """The worst weights, penalties or priors of the candidates: numbers, or a weight for each group."""
    stored = reader.arrays.get(reader.prefix + name)
    if stored is not None and stored.dtype == np.float64:
        return reader.vector(name, C, finite=False)
    values = reader.value(name)
    if not isinstance(values, list) or len(values) != C or not all(_is_prior(value, J) for value in values):
        raise reader.wrong(name, f"a number or weights for each of {C} candidates", "others")
    return values


def _is_prior(value: Any, J: int) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == np.float64 and value.shape == (J,) and bool(np.isfinite(value).all())
    return type(value) is float


def _is_title(title: Any) -> bool:
    return title is None or isinstance(title, str)
