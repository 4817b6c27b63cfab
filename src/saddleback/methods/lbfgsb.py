"""SciPy's L-BFGS-B on the smoothed primal g: a baseline of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from .._types import Vector
from .._validation import number, whole
from ..capabilities import Needs
from ..engine.method import ExternalMethod, State
from ..engine.oracle import Oracle
from ..engine.stopping import Stopping
from ..regularizers.base import StronglyConvex
from .tape import Recorder, Tape


@dataclass(frozen=True, eq=False, kw_only=True)
class LBFGSBState(State):
    """The values and gradients given to SciPy. Its own state cannot be read; a resumed run replays them instead."""

    n_iter: int
    tape: Tape


@dataclass(frozen=True)
class LBFGSBControl:
    """The limits passed on to SciPy."""

    evaluations_per_iteration: int = 100
    """SciPy's limit on evaluations is this many times ``max_iter``: more than its line search takes, so that the limit
    never ends a run."""


CONTROL = LBFGSBControl()


@dataclass(frozen=True)
class LBFGSB(ExternalMethod):
    """min g with gradient G' lam*(w), by scipy.optimize.minimize(method="L-BFGS-B").

    Needs a strongly convex R, which makes g smooth. SciPy's own tests ``ftol`` and ``gtol`` are set to rounding, so
    that a run ends on the certified gap or on the limits, as every method here does; SciPy's defaults are 2.2e-9, 1e-5.
    A resumed run first gives SciPy the recorded values and gradients again, without evaluating, and then continues.
    """

    name: ClassVar[str] = "lbfgsb"
    state_type: ClassVar[type[State]] = LBFGSBState
    needs: ClassVar[Needs] = Needs(regularizer=(StronglyConvex,))

    memory: int = 10
    ftol: float = 0.0
    gtol: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory", whole(self.memory, "memory", minimum=1))
        for name in ("ftol", "gtol"):
            object.__setattr__(self, name, number(getattr(self, name), name, minimum=0.0))

    def run(
        self, oracle: Oracle, w0: Vector, stopping: Stopping, observe: Callable[[State], bool], last: State | None
    ) -> str:
        assert last is None or isinstance(last, LBFGSBState)
        n_observed = -1 if last is None else last.n_iter
        n_iter = 0
        recorder = Recorder(Tape.empty(w0.size) if last is None else last.tape)

        def ask(w: Vector) -> tuple[float, Vector]:
            # The run before the checkpoint has already checked convexity at these points.
            at = oracle.evaluate(np.array(w), watch=not recorder.replays)
            return at.value, at.slope(at.lam)

        def observed(w: Vector) -> bool:
            if n_iter <= n_observed:
                return False
            at = oracle.evaluate(np.array(w))
            minorants = (oracle.cut(at, at.lam),) if at.finite else ()
            return observe(
                LBFGSBState(point=at.point, lam=at.lam, minorants=minorants, n_iter=n_iter, tape=recorder.tape)
            )

        def callback(intermediate_result: scipy.optimize.OptimizeResult) -> None:
            nonlocal n_iter
            n_iter += 1
            if observed(intermediate_result.x):
                raise StopIteration

        if observed(w0):
            return "stopped at w0"
        options = {
            "maxcor": self.memory,
            "maxiter": stopping.max_iter + 1,
            "maxfun": CONTROL.evaluations_per_iteration * (stopping.max_iter + 1),
            "ftol": self.ftol,
            "gtol": self.gtol,
        }
        outcome = scipy.optimize.minimize(
            lambda w: recorder.answer(w, ask), w0, jac=True, method="L-BFGS-B", callback=callback, options=options
        )
        return f"SciPy's L-BFGS-B ended by itself: {outcome.message}"
