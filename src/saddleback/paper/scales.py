"""Sizes of the experiments: those of the paper, smaller ones for a few minutes, and tiny ones for tests."""

from __future__ import annotations

from dataclasses import dataclass

from .recipe import Recipe


@dataclass(frozen=True)
class Scale:
    """The sizes of the figure and of all tables; d, J and N hold where a table does not vary them."""

    d: int
    J: int
    N: int
    many: int
    """J in the caption of table (c)."""
    dimensions: tuple[int, ...]
    """d of table (d)."""
    groups: tuple[int, ...]
    """J of table (e)."""
    T: int
    """Iterations of figure (a) and of tables (d) and (e)."""
    most: int
    """The iteration limit of table (b); table (c) has half of it."""
    repeats: int = 3
    """The largest number of repeats of a short run."""

    def recipe(self, seed: int, *, d: int | None = None, J: int | None = None) -> Recipe:
        return Recipe(d or self.d, J or self.J, self.N, seed)


SCALES = {
    "full": Scale(5000, 10, 5000, 30, (1000, 2000, 5000), (4, 8, 16, 32), 200, 1000),
    "small": Scale(500, 10, 500, 30, (100, 200, 500), (4, 8, 16), 100, 1000),
    "tiny": Scale(40, 3, 40, 4, (20, 40), (2, 3), 8, 20, repeats=1),
}
