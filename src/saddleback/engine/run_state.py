"""The data of a run that changes: best point, lower bound, counters of stopping, history."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.blas import dnrm2

from .._types import Weights
from .certificates import Minorant
from .evaluation import Evaluation, Point
from .history import HistoryBuilder


@dataclass
class RunState:
    """Best point, lower bound and history of a run; a checkpoint holds it beside the state of the method."""

    best: Point
    """The answer if the run ended now: the lowest point, or the last one of a method with ``answers_last``."""
    dual: Weights
    """The lam of the lower bound."""
    magnitude: float
    """|f(w0)| + |G(w0)| (1 + |w0|): a value that is many times this below zero counts as minus infinity."""
    bound: Minorant | None = None
    lower: float = -np.inf
    """The least value of ``bound`` over the region around ``best``."""
    deep: bool = False
    """Whether g fell below the limit that counts as minus infinity, but a search found no unbounded ray."""
    next_probe: int = 0
    """The iteration before which no further Hessian probe is made."""
    n_departures: int = 0
    """How often the run has sampled the region for a point below a stationary one."""
    step_in_region: bool = True
    """Whether the step of the last Hessian probe stays within the region."""
    inner_failures: int = 0
    """Subproblems that the method solved itself and that ended above the requested gap; the oracle counts its own."""
    history: HistoryBuilder = field(default_factory=HistoryBuilder)

    @property
    def gap(self) -> float:
        """value - lower bound; inf without a bound."""
        gap = self.best.value - self.lower
        return np.inf if gap != gap else gap

    @staticmethod
    def at_start(at: Evaluation) -> RunState:
        """The state of a new run, from the evaluation at w0."""
        magnitude = at.magnitude + float(at.steepness.max()) * (1.0 + float(dnrm2(at.w)))
        return RunState(best=at.point, dual=at.lam, magnitude=magnitude)
