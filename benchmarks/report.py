"""The result of a section: tables, demands and curves, convertible to JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from .recorder import Trajectory

Scale: TypeAlias = Literal["tiny", "small", "full"]
MOST_POINTS = 200


@dataclass(frozen=True)
class Options:
    """Options of the command line for a section; the scale ``tiny`` is for tests."""

    scale: Scale = "small"
    repeats: int = 5
    data: Path | None = None


@dataclass(frozen=True)
class Table:
    """A table as it is printed: the first column is text, the others are numbers."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[object]]

    def to_dict(self) -> dict[str, Any]:
        rows = [[str(cell) for cell in row] for row in self.rows]
        return {"caption": self.caption, "header": list(self.header), "rows": rows}


@dataclass(frozen=True)
class Demand:
    """A required bound and the measured value; nan if it could not be measured."""

    what: str
    measured: float
    at_most: float | None = None
    at_least: float | None = None

    @property
    def met(self) -> bool:
        low = self.at_least is None or self.measured >= self.at_least
        high = self.at_most is None or self.measured <= self.at_most
        return bool(low and high and not np.isnan(self.measured))

    @property
    def bound(self) -> str:
        low = [] if self.at_least is None else [f"at least {self.at_least:g}"]
        high = [] if self.at_most is None else [f"at most {self.at_most:g}"]
        return " and ".join(low + high)

    def to_dict(self) -> dict[str, Any]:
        measured = float(self.measured) if np.isfinite(self.measured) else None
        return {"what": self.what, "measured": measured, "bound": self.bound, "met": self.met}


@dataclass(frozen=True)
class Figure:
    """Curves on logarithmic axes."""

    name: str
    title: str
    xlabel: str
    ylabel: str
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]

    def to_dict(self) -> dict[str, Any]:
        curves = {
            label: {"x": [float(v) for v in x], "y": [float(v) for v in y]} for label, (x, y) in self.curves.items()
        }
        return {
            "name": self.name,
            "title": self.title,
            "xlabel": self.xlabel,
            "ylabel": self.ylabel,
            "curves": curves,
        }


@dataclass(frozen=True)
class Report:
    """One section: text, tables, demands, figures and data."""

    title: str
    text: str
    tables: Sequence[Table]
    demands: Sequence[Demand] = ()
    figures: Sequence[Figure] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    """Other data for the file, such as seconds."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "text": self.text,
            "tables": [table.to_dict() for table in self.tables],
            "demands": [demand.to_dict() for demand in self.demands],
            "figures": [figure.to_dict() for figure in self.figures],
            "data": dict(self.data),
        }


def gap_curves(
    trajectories: Mapping[str, Trajectory], optimum: float, unit: float, floor: float
) -> dict[str, tuple[list[float], list[float]]]:
    """Gap against time in multiples of ``unit`` seconds, thinned; gaps below the floor are drawn on it."""
    curves = {}
    for name, trajectory in trajectories.items():
        gaps = np.maximum(trajectory.value - optimum, floor)
        shown = np.flatnonzero(np.isfinite(gaps))
        if shown.size > MOST_POINTS:
            # Even steps in log time, because there are few early evaluations.
            wanted = np.geomspace(1, shown.size, MOST_POINTS).round().astype(int) - 1
            shown = shown[np.unique(wanted)]
        curves[name] = ((trajectory.time[shown] / unit).tolist(), gaps[shown].tolist())
    return curves
