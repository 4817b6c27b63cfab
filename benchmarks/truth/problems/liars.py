"""Losses that fail at one call, or have noise at every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .convex_losses import Array, Pieces

NOISE = 1e-8


class OwnError(Exception):
    """The exception of the user's function."""


@dataclass(eq=False)
class Liar:
    """The losses of ``truth``, except at call number ``when``."""

    truth: Pieces
    lie: str
    when: int
    rng: np.random.Generator
    calls: int = 0
    told: bool = field(default=False)

    def __call__(self, w: Array) -> tuple[Array, Array]:
        f, G = self.truth.evaluate(w)
        now = self.calls == self.when
        self.calls += 1
        if self.lie == NOISY:
            return f + NOISE * self.rng.standard_normal(f.size), G
        if not now:
            return f, G
        self.told = True
        j = int(self.rng.integers(f.size))
        return LIES[self.lie](f.copy(), G.copy(), j)


def _value(bogus: float) -> Callable[[Array, Array, int], tuple[Array, Array]]:
    def lie(f: Array, G: Array, j: int) -> tuple[Array, Array]:
        f[j] = bogus
        return f, G

    return lie


def _all_values(bogus: float) -> Callable[[Array, Array, int], tuple[Array, Array]]:
    return lambda f, G, j: (np.full_like(f, bogus), G)


def _jacobian(factor: float) -> Callable[[Array, Array, int], tuple[Array, Array]]:
    def lie(f: Array, G: Array, j: int) -> tuple[Array, Array]:
        G[j] *= factor
        return f, G

    return lie


def _shift(by: float) -> Callable[[Array, Array, int], tuple[Array, Array]]:
    return lambda f, G, j: (f + by, G)


def _raise(f: Array, G: Array, j: int) -> tuple[Array, Array]:
    raise OwnError("once")


NOISY = "noise of 1e-8"
LIES: dict[str, Callable[[Array, Array, int], tuple[Array, Array]]] = {
    "one loss -1e30": _value(-1e30),
    "all losses -1e30": _all_values(-1e30),
    "one loss 1e30": _value(1e30),
    "all losses -1e300": _all_values(-1e300),
    "one loss nan": _value(np.nan),
    "one loss inf": _value(np.inf),
    "all losses -inf": _all_values(-np.inf),
    "all losses 0.1 too low": _shift(-0.1),
    "all losses 10 too high": _shift(10.0),
    "a gradient of the wrong sign": _jacobian(-1.0),
    "a gradient 1e30 times too long": _jacobian(1e30),
    "a gradient of nan": _jacobian(np.nan),
    "raises": _raise,
}
EVERY = (*LIES, NOISY)
