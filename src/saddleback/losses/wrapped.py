"""Losses computed from other losses: the facts and capabilities of those."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._types import Vector
from ..capabilities import lack
from .facts import LossFacts


@dataclass(frozen=True, eq=False)
class WrappedLosses:
    """As many losses of as many parameters as ``losses``, of the same facts, with the capabilities of these.

    A subclass defines the capabilities, and the facts that differ.
    """

    losses: Any
    """`Losses`; untyped, because callers ask `capabilities.offers` before they use an optional member."""
    n_losses: int = field(init=False)
    n_params: int = field(init=False)
    convex: bool = field(init=False)
    bounded_below: bool = field(init=False)
    values_first: bool = field(init=False)
    exact_jacobian: bool = field(init=False)
    n_entries: float = field(init=False)
    n_outputs: int = field(init=False)
    matrix_size: int | None = field(init=False)
    strong_convexity: float | Vector = field(init=False)

    def __post_init__(self) -> None:
        sizes = {"n_losses": self.losses.n_losses, "n_params": self.losses.n_params}
        for name, value in (vars(self._facts()) | sizes).items():
            object.__setattr__(self, name, value)

    def _facts(self) -> LossFacts:
        return LossFacts.of(self.losses)

    def lacks(self, capability: type) -> str | None:
        return lack(self.losses, capability)
