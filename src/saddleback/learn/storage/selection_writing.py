"""The outcome of a selection as parts of a file."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from ...storage import Parts
from .linear_writing import write_labels

GROUP = "worst_group"


def write_selection(selection: Any, parts: Parts) -> None:
    """The candidates, the figures of the choice, the bound, and the words of its sentence."""
    table, candidates = selection.candidates, parts.under("candidates")
    parts.json("columns", table.columns)
    parts.json("caption", table.caption)
    for name in table.columns:
        column = table[name]
        if name == GROUP:
            # The choice has the numbers of these groups.
            continue
        if column.dtype.kind == "O":
            write_labels(candidates, name, column.tolist(), "the selection")
        else:
            candidates.array(name, column)
    choice = parts.under("choice")
    for member in fields(selection.choice):
        value = getattr(selection.choice, member.name)
        if isinstance(value, np.ndarray):
            choice.array(member.name, value.astype(np.int64) if value.dtype.kind == "i" else value)
        elif isinstance(value, int):
            choice.count(member.name, value)
        else:
            choice.number(member.name, value)
    if selection.bound is not None:
        write_bound(selection.bound, parts.under("bound"))
    for name in ("rule", "scoring", "kept_model", "family"):
        parts.text(name, getattr(selection, name))
    for name in ("n_rows", "n_table_rows"):
        parts.count(name, getattr(selection, name))
    parts.json("titles", list(selection.titles))


def write_bound(bound: Any, parts: Parts) -> None:
    """How much lower the largest training loss of a group can be."""
    for name in ("value", "lower_bound", "l2"):
        parts.number(name, getattr(bound, name))
    parts.flag("certified", bound.certified)
    bound.result.to_parts(parts.under("result"))
