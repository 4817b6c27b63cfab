"""What is known of the rows of a partition besides the rows themselves, in few bytes between two passes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...._types import Indices
from ..group_reader import GroupReader
from ..memberships import Memberships
from ..pointwise_loss import PointwiseLoss
from ..reader import Reader
from ..tables.layout import Layout
from ..tables.read_plan import ReadPlan, Stage
from ..tables.streamed_table import StreamedTable
from .resident import Resident

T = TypeVar("T")

WHOLE_TYPES = (np.uint8, np.uint16, np.uint32)
NUMBER_TYPES = (np.int8, np.int16, np.float32)


@dataclass(frozen=True, eq=False)
class Packed:
    """An array in the least type that holds all of its numbers exactly."""

    small: NDArray[Any]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, x: NDArray[Any]) -> Packed:
        for kind in WHOLE_TYPES if x.dtype.kind == "i" else NUMBER_TYPES:
            with np.errstate(over="ignore", invalid="ignore"):
                small = x.astype(kind)
            if np.array_equal(small, x):
                return cls(small, x.dtype)
        return cls(x, x.dtype)

    def opened(self) -> NDArray[Any]:
        """The array as it was."""
        return self.small.astype(self.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class PackedResident:
    """A `Resident` whose rows are in files: what follows from a read plan of one thread is left out."""

    table: StreamedTable
    loss: PointwiseLoss
    layout: Layout
    groups: NDArray[Any]
    n_groups: int
    names: list[Any]
    sizes: NDArray[Any]
    weights: NDArray[Any]
    y: Packed
    offset: NDArray[Any] | None
    order: Packed
    block_starts: Packed
    run_starts: Packed
    visit_starts: Packed
    run_target: Packed
    run_is_first: NDArray[np.int8]
    slot: Packed
    coefficient: Packed
    """Of each run, where its visits have the same, else of each visit."""
    stages: tuple[Stage, ...]
    visit_position: Packed | None
    """None where every position has one visit."""

    @classmethod
    def of(cls, resident: Resident) -> PackedResident:
        reader, plan = resident.reader.reader, resident.reader.reader.plan
        assert isinstance(reader.table, StreamedTable)
        members = reader.memberships
        of_run = plan.coefficient[plan.visit_starts[:-1]]
        uniform = np.array_equal(np.repeat(of_run, np.diff(plan.visit_starts)), plan.coefficient)
        once = np.array_equal(plan.visit_position, np.arange(plan.order.size))
        return cls(
            table=reader.table,
            loss=resident.reader.loss,
            layout=resident.reader.layout,
            groups=resident.groups,
            n_groups=resident.n_groups,
            names=list(members.names),
            sizes=members.sizes,
            weights=members.weights,
            y=Packed.of(reader.y),
            offset=reader.offset,
            order=Packed.of(plan.order),
            block_starts=Packed.of(plan.block_starts),
            run_starts=Packed.of(plan.run_starts),
            visit_starts=Packed.of(plan.visit_starts),
            run_target=Packed.of(plan.run_target),
            run_is_first=plan.run_is_first,
            slot=Packed.of(plan.slot),
            coefficient=Packed.of(of_run if uniform else plan.coefficient),
            stages=plan.stages,
            visit_position=None if once else Packed.of(plan.visit_position),
        )

    def opened(self) -> Resident:
        """The resident, with the same bits in all of its answers."""
        plan = self._plan()
        members = _unset(
            _LaterMemberships,
            plan=plan,
            n_rows=self.table.shape[0],
            names=self.names,
            coefficients=plan.coefficient,
            sizes=self.sizes,
            weights=self.weights,
        )
        reader = Reader(self.table, plan, self.y.opened(), self.offset, members)
        return Resident(GroupReader(reader, self.loss, self.layout, 1), self.groups, self.n_groups)

    def _plan(self) -> ReadPlan:
        visit_starts, coefficient = self.visit_starts.opened(), self.coefficient.opened()
        if coefficient.size < visit_starts[-1]:
            coefficient = np.repeat(coefficient, np.diff(visit_starts))
        return _unset(
            _LaterPlan,
            packed=self,
            order=self.order.opened(),
            block_starts=self.block_starts.opened(),
            run_starts=self.run_starts.opened(),
            visit_starts=visit_starts,
            run_target=self.run_target.opened(),
            run_is_first=self.run_is_first,
            slot=self.slot.opened(),
            coefficient=coefficient,
            stages=self.stages,
            n_targets=len(self.names),
            extra_groups=np.empty(0, dtype=np.intp),
        )


class _LaterPlan(ReadPlan):
    """A read plan whose rows and visits are set where they are asked for: an evaluation does without."""

    packed: PackedResident

    @cached_property
    def rows(self) -> Indices:
        rows = self.order.copy()
        for stage in self.stages:
            rows[self.positions_of(stage)] += stage.first_row
        return rows

    @cached_property
    def visit_position(self) -> Indices:
        packed = self.packed.visit_position
        return np.arange(self.order.size) if packed is None else packed.opened()

    @cached_property
    def visit_group(self) -> Indices:
        # One thread has a target for each group and no others.
        return np.repeat(self.run_target, np.diff(self.visit_starts))


class _LaterMemberships(Memberships):
    """Those of a plan, likewise."""

    plan: ReadPlan

    @cached_property
    def rows(self) -> Indices:
        return self.plan.rows[self.plan.visit_position]

    @cached_property
    def groups(self) -> Indices:
        return self.plan.visit_group


def _unset(kind: type[T], **fields: Any) -> T:
    """An instance of a frozen class with these fields, of which others are set later."""
    made = object.__new__(kind)
    vars(made).update(fields)
    return made
