"""The numbers that the paper prints in its tables (b) to (e)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Published:
    """One printed cell: iterations (seconds) in tables (b) and (c), objective and seconds in (d) and (e)."""

    iterations: int | None = None
    seconds: float | None = None
    objective: float | None = None
    mark: str = ""
    """The text of a cell without numbers."""

    def __str__(self) -> str:
        if self.mark:
            return self.mark
        if self.iterations is not None:
            return f"{self.iterations} ({self.seconds:.2f} s)"
        return "" if self.objective is None else f"{self.objective:.6f} ({self.seconds:.2f} s)"


NOTHING = Published()
NOT_APPLICABLE = Published(mark="N/A")
NOT_REACHED = Published(mark="-/-")

Rows: TypeAlias = Mapping[str, Mapping[float, Published]]
"""Method -> value of gamma, epsilon, d or J -> cell."""


def _counts(columns: tuple[float, ...], *cells: tuple[int, float] | Published) -> dict[float, Published]:
    return {
        column: cell if isinstance(cell, Published) else Published(iterations=cell[0], seconds=cell[1])
        for column, cell in zip(columns, cells, strict=True)
    }


def _objectives(sizes: tuple[int, ...], *cells: tuple[float, float]) -> dict[float, Published]:
    return {
        size: Published(objective=objective, seconds=seconds)
        for size, (objective, seconds) in zip(sizes, cells, strict=True)
    }


OURS, APGD, EXTRAGRADIENT, LBFGSB = "ours", "apgd", "extragradient", "lbfgsb"

GAMMAS = (0.0, 0.001, 0.01, 0.1, 1.0)
TABLE_B: Rows = {
    OURS: _counts(GAMMAS, (34, 1.16), (35, 1.46), (34, 1.22), (34, 1.24), (34, 1.20)),
    APGD: _counts(GAMMAS, NOT_APPLICABLE, (88, 1.59), (32, 0.59), (20, 0.36), (18, 0.32)),
    EXTRAGRADIENT: _counts(GAMMAS, (210, 5.48), (219, 5.92), (372, 9.90), NOT_REACHED, NOT_REACHED),
}

EPSILONS = (1e-1, 1e-2, 1e-3)
TABLE_C: Rows = {
    OURS: _counts(EPSILONS, (1, 0.02), (34, 1.42), (55, 2.38)),
    APGD: _counts(EPSILONS, (1, 0.02), (32, 0.57), (49, 0.88)),
    EXTRAGRADIENT: _counts(EPSILONS, (1, 0.03), (372, 9.88), NOT_REACHED),
}

DIMENSIONS = (1000, 2000, 5000)
TABLE_D: Rows = {
    OURS: _objectives(DIMENSIONS, (0.675157, 5.64), (0.670539, 6.74), (0.637399, 7.71)),
    LBFGSB: _objectives(DIMENSIONS, (0.675161, 0.13), (0.670589, 0.42), (0.637422, 1.07)),
}

GROUPS = (4, 8, 16, 32)
TABLE_E: Rows = {
    OURS: _objectives(GROUPS, (0.545715, 5.28), (0.622306, 6.50), (0.658493, 9.81), (0.676453, 16.84)),
    LBFGSB: _objectives(GROUPS, (0.545861, 0.36), (0.622308, 0.63), (0.658977, 1.67), (0.676627, 1.08)),
}
