"""A record of the values and gradients given to another library, with which a resumed run restores its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Any

import numpy as np

from .._types import Axes, Matrix, NonFinite, Vector

# Gradients are kept up to this many bytes: 3,000 of them for 5,000 parameters. Later ones are evaluated again.
LARGEST_TAPE_BYTES = 2**27
# The number of calls for which arrays are allocated at first; the arrays are doubled when full.
FIRST_CAPACITY = 64

Whole = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Tape:
    """The values and gradients that a library has requested, in order."""

    values: Annotated[Vector, Axes(("calls",)), NonFinite]
    gradients: Annotated[Matrix, Axes(("calls", "d")), NonFinite]
    points: Annotated[Whole, Axes(("calls",))]
    """Checksums of the points."""
    n_calls: int
    """The number of all requests; more than the number of values where the tape is full."""

    @staticmethod
    def empty(d: int) -> Tape:
        return Tape(np.empty(0), np.empty((0, d)), np.empty(0, dtype=np.int64), 0)


class Recorder:
    """Answers requests from a tape while it has entries and the points agree, then from the losses; records both."""

    def __init__(self, tape: Tape) -> None:
        self._old = tape
        self._n_kept = 0
        self._n_calls = 0
        self._follows = True
        d = tape.gradients.shape[1]
        self._most = max(1, LARGEST_TAPE_BYTES // (8 * d))
        n = FIRST_CAPACITY
        self._values, self._gradients, self._points = np.empty(n), np.empty((n, d)), np.empty(n, dtype=np.int64)

    @property
    def replays(self) -> bool:
        """Whether all requests so far repeat those of the earlier run."""
        return self._n_calls < self._old.n_calls

    def answer(self, w: Vector, ask: Callable[[Vector], tuple[float, Vector]]) -> tuple[float, Vector]:
        """The value and the gradient at w, by ``ask`` where the tape does not have them."""
        k, old, point = self._n_calls, self._old, _checksum(w)
        self._follows = self._follows and k < old.values.size and int(old.points[k]) == point
        value, gradient = (float(old.values[k]), old.gradients[k].copy()) if self._follows else ask(w)
        self._n_calls += 1
        if self._n_kept == k and k < self._most:
            self._keep(value, gradient, point)
        return value, gradient

    def _keep(self, value: float, gradient: Vector, point: int) -> None:
        k = self._n_kept
        if k == self._values.size:
            # New arrays instead of a resize in place: earlier states refer to the old ones.
            self._values = np.concatenate((self._values, np.empty(k)))
            self._gradients = np.concatenate((self._gradients, np.empty((k, gradient.size))))
            self._points = np.concatenate((self._points, np.empty(k, dtype=np.int64)))
        self._values[k], self._gradients[k], self._points[k] = value, gradient, point
        self._n_kept += 1

    @property
    def tape(self) -> Tape:
        """All requests so far that are kept."""
        n = self._n_kept
        return Tape(self._values[:n], self._gradients[:n], self._points[:n], self._n_calls)


def _checksum(w: Vector) -> int:
    return int.from_bytes(blake2b(np.ascontiguousarray(w).tobytes(), digest_size=8).digest(), "little", signed=True)
