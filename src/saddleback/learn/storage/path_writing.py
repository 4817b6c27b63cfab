"""A fairness path as texts and arrays of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...storage import Parts
from .linear_writing import write_fit, write_input, write_labels
from .parameters import write_parameters
from .selection_writing import write_bound, write_selection
from .writing import own_class

FIGURES = ("group_losses", "group_errors", "change_errors")
"""Arrays of held-out figures with a row for each worst weight and a column for each group."""
AVERAGES = ("average", "average_errors", "average_change_errors")


def path_parts(path: Any) -> Parts:
    """The parts of a path: what its models share is stored once."""
    parts, first = Parts(), path.models[0]
    parts.array("worst_weights", path.worst_weights)
    parts.number("l2", path.l2)
    parts.array("shares", path.shares)
    parts.text("unit", path.unit)
    parts.count("n_splits", path.n_splits)
    shared = parts.under("model")
    shared.text("class", own_class(first))
    write_parameters(first, shared)
    write_input(first, shared)
    for k, model in enumerate(path.models):
        write_fit(model, parts.under(f"models.{k}"))
    held_out, figures = path.held_out, parts.under("held_out")
    write_labels(figures, "names", held_out.names, "the path")
    figures.json("titles", list(held_out.titles))
    for name in (*FIGURES, *AVERAGES):
        figures.array(name, getattr(held_out, name))
    write_selection(path.one_se, parts.under("selection"))
    # The bounds differ in the model's own value alone.
    write_bound(path.bounds[0], parts.under("bound"))
    parts.array("bound_values", np.array([bound.value for bound in path.bounds]))
    return parts
