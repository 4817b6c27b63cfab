"""Array types as the formulas name them, what their axes stand for, and how their entries round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Axes:
    """What the axes of an array stand for, so that a checkpoint can be checked before it is believed.

    "J" and "d" are the numbers of losses and parameters, an int is a length, and any other name a length that all
    arrays of one object share which have it.
    """

    names: tuple[str | int, ...]

    def __str__(self) -> str:
        return f"({', '.join(str(name) for name in self.names)})"


class NonFinite:
    """Marks numbers in a state that may be inf or nan; others are refused where they come from a file."""


# The arrays that the state of a run is made of.
Params: TypeAlias = Annotated[Vector, Axes(("d",))]
Weights: TypeAlias = Annotated[Vector, Axes(("J",))]
Jacobian: TypeAlias = Annotated[Matrix, Axes(("J", "d"))]
ParamMatrix: TypeAlias = Annotated[Matrix, Axes(("d", "d"))]
ParamRows: TypeAlias = Annotated[Matrix, Axes(("rows", "d"))]

# Twice the largest relative error of a rounded number.
EPS = float(np.finfo(np.float64).eps)
