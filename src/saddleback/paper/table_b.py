"""Table (b): time to reach a primal gap of 1e-2 against gamma."""

from __future__ import annotations

from .cell import Cell
from .iterations_to import METHODS, build
from .laboratory import Laboratory
from .published import GAMMAS, TABLE_B
from .scales import Scale
from .table import Table

EPSILON = 1e-2


def cells(scale: Scale, seed: int) -> list[Cell]:
    recipe = scale.recipe(seed)
    return [Cell(recipe, gamma, name, scale.most, EPSILON) for gamma in GAMMAS for name in METHODS]


def measure(lab: Laboratory, scale: Scale, seed: int) -> Table:
    by_gamma = {gamma: {cell.name: cell for cell in cells(scale, seed) if cell.gamma == gamma} for gamma in GAMMAS}
    return build(
        lab,
        "b",
        f"Table (b): time to reach precision 1e-2 (d = {scale.d}, J = {scale.J}, N = {scale.N})",
        "Iterations and seconds until the primal gap is at most 1e-2, for each gamma, and the paper's cell next to it "
        f"(d = 5000, J = 10, N = 5000, on a GPU). 'not in {scale.most}': not within that many iterations, and the gap "
        "after them. APGD and L-BFGS-B need gamma > 0.",
        [(f"gamma = {gamma:g}", gamma, row, EPSILON) for gamma, row in by_gamma.items()],
        TABLE_B,
    )
