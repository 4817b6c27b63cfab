"""The experiments of the paper (Lezane, Langer and Koolen, Acceleration for affine-coupling problems).

``recipe`` generates the data, ``published`` holds the numbers of the paper, ``contestants`` lists the methods.
``figure_a``, ``table_b``, ``table_c`` and ``tables_d_e`` define the figure and the tables; ``theory`` checks the
scaling that the theorems predict. A ``Laboratory`` runs the cells and stores each in a cache; ``reproduce`` writes the
results.
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
