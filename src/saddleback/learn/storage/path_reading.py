"""A fairness path from the texts and arrays of a file."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from ...storage import Reader, Unreadable
from ...storage.container import Array
from ..path.held_out import HeldOut
from ..path.outcome import FairnessPath
from .linear_reading import check_width, read_fit, read_names
from .path_writing import AVERAGES, FIGURES
from .reading import REGRESSORS, read_shared
from .selection_reading import read_bound, read_selection
from .writing import LINEAR

MOST_MODELS = 10_000


def read_path(texts: Mapping[str, str], arrays: Mapping[str, Array]) -> FairnessPath:
    """The path whose parts `path_parts` has made; Unreadable where they are not those of a path."""
    reader = Reader(texts, arrays)
    weights = reader.vector("worst_weights")
    P = weights.size
    if not 2 <= P <= MOST_MODELS or weights[0] != 0.0 or weights[-1] != 1.0 or not (weights[1:] > weights[:-1]).all():
        raise reader.wrong("worst_weights", "rising numbers from 0 to 1", str(P))
    l2 = reader.number("l2", minimum=0.0, finite=True)
    shared = reader.under("model")
    name = shared.word("class", LINEAR)
    first = read_shared(shared, name)
    models = [_model(first, reader.under(f"models.{k}"), p, l2, name) for k, p in enumerate(weights.tolist())]
    J = len(first.group_names_)
    held_out = _held_out(reader.under("held_out"), P, J)
    if held_out.names != first.group_names_:
        raise reader.wrong("held_out.names", "the groups of the models", "others")
    selection = read_selection(reader.under("selection"), held_out.names)
    if len(selection.candidates) != P:
        raise reader.wrong("selection", f"one of {P} models", f"one of {len(selection.candidates)}")
    best = read_bound(reader.under("bound"))
    path = FairnessPath(
        worst_weights=weights,
        models=models,
        l2=l2,
        shares=reader.vector("shares", J),
        held_out=held_out,
        one_se=selection,
        bounds=[replace(best, value=value) for value in reader.vector("bound_values", P, finite=False).tolist()],
        unit=reader.text("unit"),
        n_splits=reader.count("n_splits"),
    )
    reader.refuse_unused()
    return path


def _model(first: Any, reader: Reader, worst_weight: float, l2: float, name: str) -> Any:
    model = copy(first).set_params(worst_weight=worst_weight, l2=l2)
    read_fit(model, reader, regressor=name in REGRESSORS)
    check_width(model)
    return model


def _held_out(reader: Reader, P: int, J: int) -> HeldOut:
    titles = reader.json("titles")
    if not isinstance(titles, list) or len(titles) not in (0, J):
        raise Unreadable(f"it must have a title for each of {J} groups")
    if not all(title is None or isinstance(title, str) for title in titles):
        raise Unreadable("titles of its groups must be texts")
    return HeldOut(
        read_names(reader, "names", J),
        **{name: reader.matrix(name, (P, J), finite=False) for name in FIGURES},
        **{name: reader.vector(name, P, finite=False) for name in AVERAGES},
        titles=titles,
    )
