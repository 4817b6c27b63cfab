"""The rows that a user gives, and what is known of them once they have been read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ..._types import Vector
from .input.groups import Naming
from .memberships import Memberships
from .passes import Passes
from .row_losses import RowLosses
from .tables.layout import Layout


@dataclass(frozen=True, eq=False)
class GivenRows:
    """The arguments of `GroupedLinear` that have an entry per row, as the user gave them."""

    X: Any
    y: Any
    groups: Any
    sample_weight: Any
    offset: Any


@dataclass(frozen=True, eq=False)
class Opened:
    """A table that is ready for passes, and what is known of all of its rows."""

    passes: Passes | RowLosses
    layout: Layout
    n_samples: int
    n_entries: int
    feature_names: list[Any] | None
    classes: list[Any] | None
    naming: Naming
    group_names: Sequence[Any]
    group_sizes: NDArray[Any]
    group_weights: Vector

    @classmethod
    def of(
        cls,
        passes: Passes | RowLosses,
        layout: Layout,
        shape: tuple[int, int],
        feature_names: list[Any] | None,
        classes: list[Any] | None,
        naming: Naming,
        memberships: Memberships,
    ) -> Opened:
        """A table of so many rows and stored entries."""
        names = memberships.names
        return cls(
            passes,
            layout,
            *shape,
            feature_names,
            classes,
            naming,
            list(names) if isinstance(names, list) else names,
            memberships.sizes,
            memberships.weights,
        )
