"""How every group is served, on training rows and on held-out rows: all rows, each attribute alone, and crossed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Vector
from ..data.rows import Rows
from ..group_table import group_table
from ..groups.group_input import MOST_GROUPS
from ..groups.groups import Groups, everyone
from ..groups.levels import Levels
from ..metrics.impact import unknown_groups
from ..metrics.intervals import student
from ..metrics.ratios import Ratio
from .attributes import group_texts, groups_alone
from .figures import compare
from .subject import Subject

SMALL_SHARE = 0.02
"""Groups with a smaller share of the rows are marked, as by the rules of New York City's Local Law 144."""
LEFT_OUT = ("group", "small", "weight_share", "calibration_error")
"""Columns that the page writes itself, or has no place for."""
IMPLIED = ("true_negative_rate", "false_negative_rate")
"""Rates that others imply."""
TRAINED_FOR = "The groups that the model was trained for:"
MOST_LISTED = 20
ALL, ALONE, CROSSED = "all", "alone", "crossed"


def tables_of(
    subject: Subject,
    train: tuple[Rows, dict[str, Levels], Any, Vector],
    held_out: tuple[Rows, dict[str, Levels], Any, Vector],
    positive: Any,
) -> list[dict[str, Any]]:
    """A table of each kind; ``train`` and ``held_out`` have rows, attributes, margins, and the baseline's scores."""
    tables = []
    for attribute, kind, caption, of_train, of_held_out in _groupings(subject, train[:2], held_out[:2]):
        tables.append(
            {
                "attribute": attribute,
                "kind": kind,
                "caption": caption,
                "train": _table(subject, replace(train[0], groups=of_train), *train[2:], positive),
                "held_out": _table(subject, replace(held_out[0], groups=of_held_out), *held_out[2:], positive),
            }
        )
    return tables


def _groupings(subject: Subject, *sides: tuple[Rows, dict[str, Levels]]) -> list[tuple[Any, ...]]:
    """Attribute, kind, caption, and the groups of training and of held-out rows."""
    found: list[tuple[Any, ...]] = [("all rows", ALL, "Everyone.", *(everyone(len(rows)) for rows, _ in sides))]
    if subject.one_group:
        return found
    groups = subject.rows.groups
    trained = f" {TRAINED_FOR} {', '.join(subject.attributes)}, each by itself.{_merged(groups)}"
    for name in subject.attributes:
        alone = [groups_alone(name, attributes[name]) for _, attributes in sides]
        if max(len(grouping.names) for grouping in alone) <= MOST_GROUPS:
            caption = f"The groups of {name} alone, as the labels are; none is merged or left out."
            caption += trained if groups.overlap else ""
            found.append((name, ALONE, caption, *alone))
    if groups.overlap or (len(subject.attributes) == 1 and not groups.merged):
        return found
    names = " x ".join(subject.attributes)
    caption = f"{TRAINED_FOR} {names}.{_merged(groups)}"
    found.append((names, CROSSED, caption, *(rows.groups for rows, _ in sides)))
    return found


def _merged(groups: Groups) -> str:
    """A sentence on groups that were merged, where there are any."""
    if not groups.merged:
        return ""
    listed = [f"{name[0]}={name[1]}" if groups.overlap else str(name) for name in groups.merged]
    more = f" and {len(listed) - MOST_LISTED} more" if len(listed) > MOST_LISTED else ""
    return f" Too small, and merged into (rest): {', '.join(listed[:MOST_LISTED])}{more}."


def _table(subject: Subject, rows: Rows, margins: Any, baseline: Vector, positive: Any) -> list[dict[str, Any]]:
    """A row for every group that has rows."""
    rows = replace(rows, groups=_present(rows.groups))
    scores = subject.score(margins, rows.y)
    kind, prediction = subject.prediction(margins)
    counted = ~np.isnan(scores)
    table = group_table(
        subject.labels(rows.y),
        prediction,
        rows.groups,
        sample_weight=rows.weight,
        kind=kind,
        classes=None if subject.classes is None else subject.classes.tolist(),
        positive=positive,
        loss=lambda *_: np.where(counted, scores, 0.0),
        small_share=SMALL_SHARE,
    )
    columns = {name: values for name, values in table.to_dict().items() if not _is_left_out(name)}
    if not counted.all():
        columns |= _losses_that_count(scores, counted, rows)
    against = compare(baseline, scores, rows)
    columns |= {
        "small": table["small"].tolist(),
        "unknown": unknown_groups(rows.groups).tolist(),
        "average_loss": against.baseline.tolist(),
        "change": against.changes.tolist(),
        "change_error": against.change_errors.tolist(),
    }
    texts = group_texts(rows.groups)
    return [{"group": text, **{name: values[j] for name, values in columns.items()}} for j, text in enumerate(texts)]


def _is_left_out(column: str) -> bool:
    return column in LEFT_OUT or column.startswith(IMPLIED)


def _present(groups: Groups) -> Groups:
    """The groups that have rows, numbered anew."""
    there = np.flatnonzero(groups.sizes)
    if there.size == len(groups.names):
        return groups
    return replace(groups, names=[groups.names[j] for j in there], numbers=np.searchsorted(there, groups.numbers))


def _losses_that_count(scores: Vector, counted: Any, rows: Rows) -> dict[str, Any]:
    """The loss of a score that some rows have no part in, such as the false negative rate."""
    weights = np.ones(len(rows)) if rows.weight is None else rows.weight
    ratio = Ratio("loss", np.where(counted, scores, 0.0), counted, rate=False, nonnegative=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = student(ratio, rows.groups, weights, 0.95)
    return {"loss": ratio.of(rows.groups, weights).tolist(), "loss_low": low.tolist(), "loss_high": high.tolist()}
