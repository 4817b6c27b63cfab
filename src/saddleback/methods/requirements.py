"""What methods need of a problem, asked before anything is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from .._types import Vector
from ..capabilities import refuse_unmet
from ..dual_sets import DualSet
from ..engine.method import AnyMethod, MethodBase
from ..losses import Losses
from ..regularizers import Regularizer


class HasAscentStep(Protocol):
    """a projected or mirror gradient step ``ascent_step``."""

    def ascent_step(self, lam: Vector, z: Vector, eta: float) -> Vector: ...


@dataclass(frozen=True)
class Pair:
    """Lambda and R before the number of losses is known."""

    dual_set: DualSet
    regularizer: Regularizer

    def ascent_step(self, lam: Vector, z: Vector, eta: float) -> Vector:
        return self.regularizer.ascent_step(self.dual_set, lam, z, eta)

    def lacks(self, capability: type) -> str | None:
        """The set must offer what R's ascent step calls."""
        needed = self.regularizer.ascent_needs
        if capability is HasAscentStep and not hasattr(self.dual_set, needed):
            return f"that of {self.regularizer!r} calls {needed!r}, which {self.dual_set!r} does not offer"
        return None


def refuse_unmet_needs(
    method: AnyMethod,
    others: Iterable[type[MethodBase]],
    dual_set: DualSet,
    regularizer: Regularizer,
    losses: Losses | None,
) -> None:
    """Raise an IncompatibleError that says what a method misses and which ``others`` apply.

    Without losses, only what methods need of Lambda and R is asked.
    """
    pair = Pair(dual_set, regularizer)

    def remedy() -> str:
        names = [repr(other.name) for other in others if other.needs.unmet(pair, losses) is None]
        return f"Use method='auto', or one of {', '.join(names)}."

    needs = replace(method.needs, losses=()) if losses is None else method.needs
    refuse_unmet(method.name, needs, pair, losses, remedy=remedy)
