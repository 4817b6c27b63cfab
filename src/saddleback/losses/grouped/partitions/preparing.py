"""One partition with its labels in numbers: those that they have among the labels of all partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...._types import Indices, Matrix, Vector
from ..input.groups import Naming, find_known_groups
from ..input.offsets import read_offset
from ..input.responses import read_responses
from ..own_loss import OwnLoss
from ..pointwise_loss import PointwiseLoss
from ..tables.sources import Source
from .group_names import GroupsForm, NamesSeen
from .labels import LabelsSeen
from .loading import Part
from .sizes import bytes_of


@dataclass(frozen=True)
class Look:
    """What one partition says of itself, before the labels of the others are known."""

    n_rows: int
    n_entries: int
    responses: LabelsSeen | None
    groups: GroupsForm


@dataclass(frozen=True)
class LookAt:
    """Ask a partition for its size, the classes in y and the form of its groups."""

    response: str

    def __call__(self, part: Part) -> Look | None:
        if part.source is None:
            return None
        y, n = part.rowwise["y"], part.n_rows
        with part.place.named():
            responses = LabelsSeen.of(y, "y", n) if self.response in ("binary", "classes") else None
            return Look(n, part.source.n_entries, responses, GroupsForm.of(part.rowwise["groups"], n))


@dataclass(frozen=True)
class ReadNames:
    """Ask a partition for the labels of its groups."""

    crossed: bool

    def __call__(self, part: Part) -> NamesSeen | None:
        if part.source is None:
            return None
        with part.place.named():
            return NamesSeen.of(part.rowwise["groups"], self.crossed, part.n_rows)


@dataclass(frozen=True, eq=False)
class Prepared:
    """The pairs (row, group) of one partition, their weights, and its responses."""

    source: Source
    y: Vector
    offset: Matrix | None
    rows: Indices
    groups: Indices
    weight: Vector
    n_rows: int

    def __sizeof__(self) -> int:
        return bytes_of(self)


@dataclass(frozen=True, eq=False)
class Prepare:
    """Number the labels of a partition."""

    loss: PointwiseLoss
    classes: list[Any] | None
    naming: Naming

    def __call__(self, part: Part) -> Prepared | None:
        if part.source is None:
            return None
        given, n, kind = part.rowwise, part.n_rows, self.loss.response
        with part.place.named():
            y = read_responses(given["y"], kind, n, self.classes).y
            if isinstance(self.loss, OwnLoss):
                self.loss.try_out(y)
            pairs = find_known_groups(given["groups"], n, self.naming)
            weight = pairs.weights(given.get("sample_weight"), n)
            offset = read_offset(given.get("offset"), n, self.classes if kind == "classes" else None)
            return Prepared(part.source, y, offset, pairs.rows, pairs.groups.astype(np.intp), weight, n)
