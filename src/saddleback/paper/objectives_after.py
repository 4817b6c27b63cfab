"""The shape that tables (d) and (e) share: objective and seconds after T iterations, against a size of the problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .cell import Cell, Curve
from .contestants import ALGORITHM_1, DEFAULT, SCIPY
from .laboratory import Laboratory
from .published import NOTHING, Rows
from .recipe import Recipe
from .scales import Scale
from .table import Row, Table, in_short, row, seconds

GAMMA = 0.01
METHODS = (*ALGORITHM_1, "apgd", "extragradient", "optimistic", SCIPY, "lbfgsb", DEFAULT)
# An objective counts as reached within this: far below the digits that the paper prints, far above rounding.
MARGIN = 1e-9


@dataclass(frozen=True)
class Scan:
    """A table against one size of the problem, "d" or "J", with the other fixed: a block of methods for each value."""

    name: str
    size: str
    values: Callable[[Scale], tuple[int, ...]]
    published: Rows

    def recipes(self, scale: Scale, seed: int) -> list[Recipe]:
        return [scale.recipe(seed, **{self.size: value}) for value in self.values(scale)]

    def cells(self, scale: Scale, seed: int) -> list[Cell]:
        return [cell for recipe in self.recipes(scale, seed) for cell in _block(recipe, scale.T)]

    def measure(self, lab: Laboratory, scale: Scale, seed: int) -> Table:
        header = [self.size, "method", "objective", "time", "iterations", "to Algorithm 1's objective", "paper"]
        body: list[list[str]] = []
        rows: list[Row] = []
        for recipe in self.recipes(scale, seed):
            value = getattr(recipe, self.size)
            curves = {cell.name: lab.curve(cell) for cell in _block(recipe, scale.T)}
            target = mark(curves)
            for cell in _block(recipe, scale.T):
                curve = curves[cell.name]
                paper = self.published.get(cell.contestant.row or "", {}).get(value, NOTHING)
                when = None if target is None or curve.failure else curve.reach(target + MARGIN)
                entry = row(self.name, cell, curve, lab, paper, seconds_to_algorithm_1=when.seconds if when else None)
                rows.append(entry)
                body.append([str(value), cell.contestant.label, *_shown(entry, curve), str(paper)])
        fixed = f"J = {scale.J}" if self.size == "d" else f"d = {scale.d}"
        title = f"Table ({self.name}): complexity scaling in {self.size} ({fixed}, N = {scale.N}, T = {scale.T})"
        return Table(self.name, title, self._explanation(fixed, scale.T), header, body, rows)

    def _explanation(self, fixed: str, T: int) -> str:
        return (
            f"Objective and seconds after T = {T} iterations, or where a method ends by itself, against {self.size} "
            f"({fixed}, gamma = {GAMMA:g}). 'To Algorithm 1's objective': seconds until the method's objective is the "
            f"one that Algorithm 1 has after its last iteration, within {MARGIN:g}. The paper's cell, objective "
            "(seconds), is at the right (d = 5000, J = 10 where they do not vary, N = 5000, other random data, on a "
            "GPU); its L-BFGS-B is SciPy's with SciPy's tolerances."
        )


def mark(curves: Mapping[str, Curve]) -> float | None:
    """Algorithm 1's final objective: the paper's own run, or where it could not run, another one."""
    return next((curves[name].objective for name in ALGORITHM_1 if curves[name].objective is not None), None)


def _block(recipe: Recipe, T: int) -> list[Cell]:
    return [Cell(recipe, GAMMA, name, T) for name in METHODS]


def _shown(entry: Row, curve: Curve) -> list[str]:
    """Objective, time, iterations, and the time to Algorithm 1's objective."""
    if curve.failure:
        return [in_short(curve.failure), "-", "-", "-"]
    to_mark = entry.seconds_to_algorithm_1
    reached = "not reached" if to_mark is None else seconds(to_mark)
    return [f"{entry.objective:.6f}", seconds(entry.seconds), str(entry.iterations), reached]
