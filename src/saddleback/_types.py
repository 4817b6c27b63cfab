"""Array types as the formulas name them, and how their entries round."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]

# Twice the largest relative error of a rounded number.
EPS = float(np.finfo(np.float64).eps)
