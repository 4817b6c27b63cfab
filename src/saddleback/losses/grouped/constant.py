"""Arrays that are only read."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def constant(x: NDArray[Any]) -> NDArray[Any]:
    """A read-only view. Numba compiles anew where an array is read-only and was not before: so all inputs are."""
    view = x.view()
    view.flags.writeable = False
    return view
