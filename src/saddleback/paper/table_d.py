"""Table (d): objective and time after T iterations against d."""

from __future__ import annotations

from . import objectives_after
from .cell import Cell
from .laboratory import Laboratory
from .published import TABLE_D
from .recipe import Recipe
from .scales import Scale
from .table import Table


def recipes(scale: Scale, seed: int) -> list[Recipe]:
    return [scale.recipe(seed, d=d) for d in scale.dimensions]


def cells(scale: Scale, seed: int) -> list[Cell]:
    return [cell for recipe in recipes(scale, seed) for cell in objectives_after.cells(recipe, scale.T)]


def measure(lab: Laboratory, scale: Scale, seed: int) -> Table:
    return objectives_after.build(
        lab,
        "d",
        f"Table (d): complexity scaling in d (J = {scale.J}, N = {scale.N}, T = {scale.T})",
        objectives_after.explanation("d", f"J = {scale.J}", scale.T),
        "d",
        recipes(scale, seed),
        scale.T,
        TABLE_D,
    )
