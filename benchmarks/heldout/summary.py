"""The figures of a contestant on a table, compared with its base on the same held-out rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from saddleback.paper.files import write_csv

from .contestants import AVERAGE, LEFT_ALONE, Contestant
from .measures import Paired, Vector, worst_group
from .nested import Judged
from .tables import Table


@dataclass(frozen=True)
class Summary:
    """One line of the results. Losses are held-out, in units of the variance of y for numbers; less is better.

    ``group`` is the worst group of the base, ``own_group`` that of the contestant; changes are the contestant's minus
    the base's on the same rows, with paired standard errors (rows as units).
    """

    table: str
    split: int
    contestant: str
    base: str
    classes: bool
    rows: int
    features: int
    groups: int
    group: str
    group_rows: int
    group_rank: str
    """"largest" or "smallest" of the groups, or "between"."""
    base_loss: float
    loss: float
    change: float
    change_error: float
    z: float
    base_accuracy: float
    accuracy: float
    accuracy_change: float
    accuracy_error: float
    own_group: str
    own_group_rows: int
    own_loss: float
    own_change: float
    own_change_error: float
    own_accuracy: float
    worst_change: float
    """Of the largest loss of a group, whichever it is."""
    overall_loss: float
    overall_change: float
    overall_error: float
    training_change: float
    """The change for ``group`` on the rows of the fits."""
    training_loss: float
    """The contestant's loss of ``group`` on the rows of the fits."""
    same: bool
    """Whether the loss of every row is that of the base."""
    kept_folds: int
    """In how many of the outer folds a selection kept the average model, or a correction left its model alone."""
    chosen: str
    seconds: float


def summarize(name: str, split: int, table: Table, contestant: Contestant, judged: Mapping[str, Judged]) -> Summary:
    """The figures of a contestant; the first of all is its own base."""
    own, base = judged[contestant.name], judged[contestant.base or contestant.name]
    group, own_group = worst_group(table.groups, base.loss), worst_group(table.groups, own.loss)
    rows, own_rows = table.groups == group, table.groups == own_group
    change, own_change = Paired.of(own.loss[rows], base.loss[rows]), Paired.of(own.loss[own_rows], base.loss[own_rows])
    accuracy = Paired.of(own.hit[rows], base.hit[rows])
    overall = Paired.of(own.loss, base.loss)
    return Summary(
        table=name,
        split=split,
        contestant=contestant.name,
        base=contestant.base or "",
        classes=table.classes,
        rows=len(table.y),
        features=table.X.shape[1],
        groups=len(np.unique(table.groups)),
        group=group,
        group_rows=int(rows.sum()),
        group_rank=_rank(table, group),
        base_loss=_mean(base.loss, rows),
        loss=_mean(own.loss, rows),
        change=change.mean,
        change_error=change.error,
        z=change.z,
        base_accuracy=_mean(base.hit, rows),
        accuracy=_mean(own.hit, rows),
        accuracy_change=accuracy.mean,
        accuracy_error=accuracy.error,
        own_group=own_group,
        own_group_rows=int(own_rows.sum()),
        own_loss=_mean(own.loss, own_rows),
        own_change=own_change.mean,
        own_change_error=own_change.error,
        own_accuracy=_mean(own.hit, own_rows),
        worst_change=_mean(own.loss, own_rows) - _mean(base.loss, rows),
        overall_loss=float(own.loss.mean()),
        overall_change=overall.mean,
        overall_error=overall.error,
        training_change=_mean(own.training_loss, rows) - _mean(base.training_loss, rows),
        training_loss=_mean(own.training_loss, rows),
        same=bool(np.array_equal(own.loss, base.loss)),
        kept_folds=sum(what.startswith((AVERAGE, LEFT_ALONE)) for what in own.chosen),
        chosen=_counted(own.chosen),
        seconds=own.seconds,
    )


def write_results(path: Path, summaries: Sequence[Summary]) -> None:
    """All figures as CSV, with eight digits; what does not exist is empty."""
    rows = [{key: _cell(value) for key, value in asdict(summary).items()} for summary in summaries]
    write_csv(path, [field.name for field in fields(Summary)], rows)


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.8g}" if np.isfinite(value) else None
    return value


def _mean(values: Vector, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    return float(values[rows].mean())


def _rank(table: Table, group: str) -> str:
    names, sizes = np.unique(table.groups, return_counts=True)
    size = sizes[names == group][0]
    return "largest" if size == sizes.max() else "smallest" if size == sizes.min() else "between"


def _counted(chosen: Sequence[str]) -> str:
    """Choices of the folds, the most frequent first."""
    return "; ".join(f"{times} x {what}" for what, times in Counter(chosen).most_common() if what)
