"""Arguments of the kernels that the rest of the library makes without importing Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LOGISTIC, SQUARED, HUBER, SQUARED_HINGE, POISSON, QUANTILE, SOFTMAX, HALF_SQUARE, USER, GIVEN = range(10)
"""The kernel's numbers for the pointwise losses. HALF_SQUARE is eta^2/2, whose gradient is X'X w; USER is a user's
compiled loss, called by its address; GIVEN stands for second derivatives that were computed before."""

HESSIAN_ROWS = 256
"""Rows of a narrow table that the kernel of Hessians reads at a time: four scaled columns stay in the first cache."""

ROWS_AT_A_TIME = 8
"""Rows of a table in C order that the kernel reads at a time."""

PANEL_SLICE = 64
"""Rows of a panel whose pointwise losses are computed at a time, in sixteen lanes: 8 kB for each of four arrays."""


def read_only(x: NDArray[Any]) -> NDArray[Any]:
    """A read-only view. Numba compiles a kernel again for writable arrays, so all inputs are passed read-only."""
    view = x.view()
    view.flags.writeable = False
    return view


NO_OFFSET = read_only(np.empty((0, 0)))
"""The kernel's argument ``offset`` where nothing is added to the margins."""
