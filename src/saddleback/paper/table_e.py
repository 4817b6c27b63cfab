"""Table (e): objective and time after T iterations against J."""

from __future__ import annotations

from . import objectives_after
from .cell import Cell
from .laboratory import Laboratory
from .published import TABLE_E
from .recipe import Recipe
from .scales import Scale
from .table import Table


def recipes(scale: Scale, seed: int) -> list[Recipe]:
    return [scale.recipe(seed, J=J) for J in scale.groups]


def cells(scale: Scale, seed: int) -> list[Cell]:
    return [cell for recipe in recipes(scale, seed) for cell in objectives_after.cells(recipe, scale.T)]


def measure(lab: Laboratory, scale: Scale, seed: int) -> Table:
    return objectives_after.build(
        lab,
        "e",
        f"Table (e): complexity scaling in J (d = {scale.d}, N = {scale.N}, T = {scale.T})",
        objectives_after.explanation("J", f"d = {scale.d}", scale.T),
        "J",
        recipes(scale, seed),
        scale.T,
        TABLE_E,
    )
