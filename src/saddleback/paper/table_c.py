"""Table (c): time to reach a primal gap against the precision."""

from __future__ import annotations

from .cell import Cell
from .iterations_to import METHODS, build
from .laboratory import Laboratory
from .published import EPSILONS, TABLE_C
from .scales import Scale
from .table import Table

# The paper does not state gamma; its figures are those of the column gamma = 0.01 of table (b).
GAMMA = 0.01


def groups(scale: Scale) -> tuple[int, int]:
    """The J of table (b), whose figures the paper repeats in table (c), and the J of the caption of (c)."""
    return scale.J, scale.many


def cells(scale: Scale, seed: int) -> list[Cell]:
    recipes = [scale.recipe(seed, J=J) for J in groups(scale)]
    # An iteration with three times the groups takes three times as long as one of table (b).
    return [Cell(recipe, GAMMA, name, scale.most // 2, min(EPSILONS)) for recipe in recipes for name in METHODS]


def measure(lab: Laboratory, scale: Scale, seed: int) -> Table:
    by_J = {J: {cell.name: cell for cell in cells(scale, seed) if cell.recipe.J == J} for J in groups(scale)}
    return build(
        lab,
        "c",
        f"Table (c): time to reach precision epsilon (d = {scale.d}, N = {scale.N})",
        f"Iterations and seconds until the primal gap is at most epsilon, gamma = {GAMMA:g} (the paper does not state "
        "its gamma), and the paper's cell next to it (d = 5000, N = 5000, on a GPU). The paper's caption says J = 30, "
        f"but its figures are those of table (b), J = 10, and with J = {scale.many} the gap of the start is smaller: "
        "both are here. The start is not counted, so that the least count is 1. "
        f"'not in {scale.most // 2}': not within that many iterations, and the gap after them.",
        [
            (f"J = {J}, epsilon = {epsilon:g}", epsilon, by_method, epsilon)
            for J, by_method in by_J.items()
            for epsilon in EPSILONS
        ],
        TABLE_C,
    )
