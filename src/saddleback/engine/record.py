"""What a run has found so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.blas import dnrm2 as nrm2

from .._types import Weights
from .certificates import Minorant
from .evaluation import Point
from .history import Trace
from .oracle import Oracle


@dataclass
class Record:
    """What a run has found so far."""

    best: Point
    dual: Weights
    size: float
    """The losses and their change near w0: the scale against which a value counts as minus infinity."""
    bound: Minorant | None = None
    lower: float = -np.inf
    deep: bool = False
    """Whether values that are taken for minus infinity were met, and no ray on which g falls for ever."""
    next_look: int = 0
    """The iteration before which the run does not look around again."""
    departures: int = 0
    """How often the run has looked for a point lower than a stationary one."""
    inside: bool = True
    """Whether the model of the last look steps to a point within the region."""
    inner_failures: int = 0
    """Subproblems that the method itself found above the gap it asked for; the oracle counts those of (D)."""
    trace: Trace = field(default_factory=Trace)

    @property
    def gap(self) -> float:
        """value - lower bound; inf where there is no bound."""
        gap = self.best.value - self.lower
        return np.inf if np.isnan(gap) else gap

    @staticmethod
    def at_start(oracle: Oracle) -> Record:
        at = oracle.evaluate(oracle.w0)
        size = at.size + float(at.steepness.max()) * (1.0 + float(nrm2(at.w)))
        return Record(best=at.point, dual=at.lam, size=size)
