"""Array types named as in the formulas, the meaning of their axes, and machine epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Axes:
    """The meaning of an array's axes, against which arrays of a checkpoint are checked.

    "J" and "d" are the numbers of losses and parameters, and an int is a length. Axes of any other name have the same
    length in all arrays of one object.
    """

    names: tuple[str | int, ...]

    def __str__(self) -> str:
        return f"({', '.join(str(name) for name in self.names)})"


class NonFinite:
    """Marks numbers in a state that may be inf or nan; others are refused when they are read from a file."""


class Added:
    """Marks a field of a state that files of earlier versions lack; read from them, it has its default."""


# The arrays of which states of methods consist.
Params: TypeAlias = Annotated[Vector, Axes(("d",))]
Weights: TypeAlias = Annotated[Vector, Axes(("J",))]
Jacobian: TypeAlias = Annotated[Matrix, Axes(("J", "d"))]
ParamMatrix: TypeAlias = Annotated[Matrix, Axes(("d", "d"))]
ParamRows: TypeAlias = Annotated[Matrix, Axes(("rows", "d"))]

# Twice the largest relative error of a rounded number.
EPS = float(np.finfo(np.float64).eps)
