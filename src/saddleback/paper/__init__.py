"""The experiments of the paper (Lezane, Langer and Koolen, Acceleration for affine-coupling problems).

``recipe`` makes the data, ``published`` holds what the paper prints, ``contestants`` says who runs. ``figure_a`` and
``table_b`` to ``table_e`` are the paper's, one module each, ``theory`` checks the scaling that its theorems predict.
A ``Laboratory`` runs their cells, each kept in a cache, and ``reproduce`` writes what was measured.
"""

from .published import TABLE_B, TABLE_C, TABLE_D, TABLE_E, Published
from .recipe import PaperData, Recipe
from .reproduce import Reporter, Reproduction, reproduce

__all__ = [
    "TABLE_B",
    "TABLE_C",
    "TABLE_D",
    "TABLE_E",
    "PaperData",
    "Published",
    "Recipe",
    "Reporter",
    "Reproduction",
    "reproduce",
]
