"""How a run ended, what it certified, and where its bound holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import saddleback as sb

Array = NDArray[np.float64]

# The time limit of a run; problems of this size take far less.
SECONDS = 30.0
# The rounding error of a bound in float64, relative to the numbers that it is computed from.
ROUNDING = 1e-12


def quietly(run: Callable[[], sb.Result]) -> sb.Result:
    """Run without warnings about convergence, and about overflows in the losses."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return run()


def ending(result: sb.Result) -> str:
    """certified, estimated, or the status of a run that did not converge."""
    if result.status is not sb.Status.CONVERGED:
        return result.status.name
    return "certified" if is_certified(result) else "estimated"


def is_certified(result: sb.Result) -> bool:
    certified = getattr(result, "certified", None)
    return result.message.startswith("certified") if certified is None else bool(certified)


def threshold(tol: float, value: float) -> float:
    """The largest error of a converged run (docs/guide.md)."""
    return max(tol, min(tol, 1e-10) * abs(value))


def covers(result: sb.Result, v: Array, metric: Any = None) -> bool:
    """Whether the result claims its lower bound at v: within ``reach`` along each parameter, or within ``radius``."""
    if np.isinf(result.radius):
        return True
    P = 1.0 if metric is None else np.asarray(metric, dtype=np.float64)
    near = float(np.linalg.norm(np.sqrt(P) * (v - result.w))) <= result.radius
    return near or float(np.linalg.norm((v - result.w) / result.reach)) <= 1.0


def describe(result: sb.Result) -> str:
    """One line about a result, for a failing case."""
    return (
        f"{ending(result)}: value {result.value:.9g}, bound {result.lower_bound:.9g}, radius {result.radius:.3g}, "
        f"{result.n_iter} iterations, {result.n_evals} evaluations ({result.method})"
    )
