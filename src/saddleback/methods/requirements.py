"""Refusing problems that lack a capability which a method needs, before anything is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .._types import Vector
from ..adversary import HasAscentStep, lack_of_ascent_step
from ..capabilities import refuse_unmet
from ..dual_sets import DualSet
from ..engine.method import AnyMethod, MethodBase
from ..losses import Losses
from ..regularizers import Regularizer


@dataclass(frozen=True)
class Pair:
    """Lambda and R before the number of losses is known."""

    dual_set: DualSet
    regularizer: Regularizer

    def ascent_step(self, lam: Vector, z: Vector, eta: float) -> Vector:
        return self.regularizer.ascent_step(self.dual_set, lam, z, eta)

    def lacks(self, capability: type) -> str | None:
        """The set must offer what R's ascent step calls."""
        return lack_of_ascent_step(self.dual_set, self.regularizer) if capability is HasAscentStep else None


def refuse_unmet_needs(
    method: AnyMethod,
    others: Iterable[type[MethodBase]],
    dual_set: DualSet,
    regularizer: Regularizer,
    losses: Losses | None,
) -> None:
    """Raise an IncompatibleError that names the missing capability and which of ``others`` apply.

    Without losses, only the needs of Lambda and R are checked.
    """
    pair = Pair(dual_set, regularizer)

    def remedy() -> str:
        names = [repr(other.name) for other in others if other.needs.unmet(pair, losses) is None]
        return f"Use method='auto', or one of {', '.join(names)}."

    needs = replace(method.needs, losses=()) if losses is None else method.needs
    refuse_unmet(method.name, needs, pair, losses, remedy=remedy)
