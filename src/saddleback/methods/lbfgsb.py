"""SciPy's L-BFGS-B on the smoothed primal g: a baseline of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from .._types import Vector
from .._validation import number, whole
from ..dual_sets import DualSet
from ..oracle import Oracle
from ..regularizers import Regularizer
from ..stopping import Stopping
from .base import ExternalMethod, State, require_strong_convexity


@dataclass(frozen=True)
class LBFGSB(ExternalMethod):
    """min g with gradient G' lam*(w), by scipy.optimize.minimize(method="L-BFGS-B").

    Needs a strongly convex R, which makes g smooth. SciPy's own tests ``ftol`` and ``gtol`` are set to rounding, so
    that a run ends on the certified gap or on the limits, as every method here does; SciPy's defaults are 2.2e-9, 1e-5.
    """

    name: ClassVar[str] = "lbfgsb"

    memory: int = 10
    ftol: float = 0.0
    gtol: float = 0.0

    def __post_init__(self) -> None:
        whole(self.memory, "memory", minimum=1)
        number(self.ftol, "ftol", minimum=0.0)
        number(self.gtol, "gtol", minimum=0.0)

    def check_adversary(self, dual_set: DualSet, regularizer: Regularizer) -> None:
        require_strong_convexity("lbfgsb", regularizer)

    def run(self, oracle: Oracle, w0: Vector, stopping: Stopping, observe: Callable[[State], bool]) -> str:
        def objective(w: Vector) -> tuple[float, Vector]:
            at = oracle.evaluate(np.array(w))
            return at.value, at.lam @ at.G

        def state(w: Vector) -> State:
            at = oracle.evaluate(np.array(w))
            return State(point=at.point, lam=at.lam, minorants=(oracle.cut(at, at.lam),) if at.finite else ())

        def callback(intermediate_result: OptimizeResult) -> None:
            if observe(state(intermediate_result.x)):
                raise StopIteration

        if observe(state(w0)):
            return "stopped at w0"
        options = {
            "maxcor": self.memory,
            "maxiter": stopping.max_iter + 1,
            "maxfun": 100 * (stopping.max_iter + 1),
            "ftol": self.ftol,
            "gtol": self.gtol,
        }
        outcome = minimize(objective, w0, jac=True, method="L-BFGS-B", callback=callback, options=options)
        return f"SciPy's L-BFGS-B ended by itself: {outcome.message}"
