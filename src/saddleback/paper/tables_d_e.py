"""Tables (d) and (e): objective and seconds after T iterations, against d and against J."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .cell import Cell, Curve
from .contestants import ALGORITHM_1, DEFAULT, SCIPY
from .laboratory import Laboratory
from .published import NOTHING, TABLE_D, TABLE_E, Rows
from .recipe import Recipe
from .scales import Scale
from .table import Row, Table, in_short, row, seconds

GAMMA = 0.01
METHODS = (*ALGORITHM_1, "apgd", "extragradient", "optimistic", SCIPY, "lbfgsb", DEFAULT)
# A run has reached an objective when it is within this of it: below the digits that the paper prints, above rounding.
REACHED_WITHIN = 1e-9


@dataclass(frozen=True)
class DimensionTable:
    """A table with one block of methods for each value of d or of J, the other being fixed."""

    name: str
    dimension: str
    """"d" or "J"."""
    values: Callable[[Scale], tuple[int, ...]]
    published: Rows

    def recipes(self, scale: Scale, seed: int) -> list[Recipe]:
        return [scale.recipe(seed, **{self.dimension: value}) for value in self.values(scale)]

    def cells(self, scale: Scale, seed: int) -> list[Cell]:
        return [cell for recipe in self.recipes(scale, seed) for cell in _block(recipe, scale.T)]

    def measure(self, lab: Laboratory, scale: Scale, seed: int) -> Table:
        header = [self.dimension, "method", "objective", "time", "iterations", "to Algorithm 1's objective", "paper"]
        body: list[list[str]] = []
        rows: list[Row] = []
        for recipe in self.recipes(scale, seed):
            value = getattr(recipe, self.dimension)
            curves = {cell.name: lab.curve(cell) for cell in _block(recipe, scale.T)}
            target = objective_of_algorithm_1(curves)
            for cell in _block(recipe, scale.T):
                curve = curves[cell.name]
                paper = self.published.get(cell.contestant.row or "", {}).get(value, NOTHING)
                when = None if target is None or curve.failure else curve.reach(target + REACHED_WITHIN)
                entry = row(self.name, cell, curve, lab, paper, seconds_to_algorithm_1=when.seconds if when else None)
                rows.append(entry)
                body.append([str(value), cell.contestant.label, *_shown(entry, curve), str(paper)])
        fixed = f"J = {scale.J}" if self.dimension == "d" else f"d = {scale.d}"
        title = f"Table ({self.name}): complexity scaling in {self.dimension} ({fixed}, N = {scale.N}, T = {scale.T})"
        return Table(self.name, title, self._explanation(fixed, scale.T), header, body, rows)

    def _explanation(self, fixed: str, T: int) -> str:
        return (
            f"Objective and seconds after T = {T} iterations, or where a method ends by itself, against "
            f"{self.dimension} ({fixed}, gamma = {GAMMA:g}). 'To Algorithm 1's objective': seconds until the method's "
            f"objective is the one that Algorithm 1 has after its last iteration, within {REACHED_WITHIN:g}. The "
            "paper's cell, objective (seconds), is at the right (d = 5000, J = 10 where they do not vary, N = 5000, "
            "other random data, on a GPU); its L-BFGS-B is SciPy's with SciPy's tolerances."
        )


def objective_of_algorithm_1(curves: Mapping[str, Curve]) -> float | None:
    """The final objective of the first variant of Algorithm 1 that could run, the paper's own first."""
    return next((curves[name].objective for name in ALGORITHM_1 if curves[name].objective is not None), None)


def _block(recipe: Recipe, T: int) -> list[Cell]:
    return [Cell(recipe, GAMMA, name, T) for name in METHODS]


def _shown(entry: Row, curve: Curve) -> list[str]:
    """Objective, time, iterations, and the time to Algorithm 1's objective."""
    if curve.failure:
        return [in_short(curve.failure), "-", "-", "-"]
    time = entry.seconds_to_algorithm_1
    reached = "not reached" if time is None else seconds(time)
    return [f"{entry.objective:.6f}", seconds(entry.seconds), str(entry.iterations), reached]


D = DimensionTable("d", "d", lambda scale: scale.dimensions, TABLE_D)
E = DimensionTable("e", "J", lambda scale: scale.groups, TABLE_E)
