"""Arrays that each thread uses again and again, so that reading allocates nothing."""

from __future__ import annotations

from math import prod
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rooms:
    """By name, one array per thread."""

    def __init__(self) -> None:
        self._of_thread = local()

    def __reduce__(self) -> tuple[Any, ...]:
        return Rooms, ()

    def array(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Not set to anything; valid until this thread asks for an array of this name again."""
        size = prod(shape)
        room: NDArray[Any] | None = getattr(self._of_thread, name, None)
        if room is None or room.size < size or room.dtype != dtype:
            room = np.empty(size, dtype)
            setattr(self._of_thread, name, room)
        return room[:size].reshape(shape)
