"""The largest group loss by SciPy: in epigraph form for small d, smoothed for large d."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint, minimize
from scipy.special import logsumexp, softmax
from threadpoolctl import ThreadpoolController

from ...natural import NaturalLogistic
from ..assignment import LARGE, Array, Assignment
from ..tape import Tape, carry_out

SLSQP, TRUST_CONSTR, LBFGSB = "SciPy SLSQP", "SciPy trust-constr", "SciPy L-BFGS-B, smoothed"
# For larger d a step of the epigraph form, which costs d^3, takes seconds.
LARGEST_D = 500
SMOOTHING = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
MAX_ITER = 100_000


class Noted:
    """The losses, with one evaluation per point, which is written to the tape."""

    def __init__(self, losses: NaturalLogistic, tape: Tape) -> None:
        self._losses, self._tape = losses, tape
        self._seen: Array | None = None
        self._pair = (np.empty(0), np.empty((0, 0)))

    def __call__(self, w: Array) -> tuple[Array, Array]:
        if self._seen is None or not np.array_equal(self._seen, w):
            self._seen = w.copy()
            self._pair = self._losses.evaluate(self._seen)
            self._tape.note(w)
        return self._pair


def solve(task: Assignment, tape: Tape) -> None:
    losses = NaturalLogistic(task.X, task.y, task.groups, task.l2, task.fit_intercept)
    warnings.simplefilter("ignore")
    if task.n_params <= LARGEST_D:
        with tape.run(SLSQP):
            _slsqp(losses, Noted(losses, tape))
        with tape.run(TRUST_CONSTR):
            _trust_constr(losses, Noted(losses, tape))
    for setting, limited in _threads(task).items():
        with limited(), tape.run(LBFGSB, setting):
            _lbfgsb(losses, Noted(losses, tape))


def _slsqp(losses: NaturalLogistic, noted: Noted) -> None:
    """min t subject to t - f_j(w) >= 0 (Kraft 1988)."""
    constraints = {
        "type": "ineq",
        "fun": lambda x: x[-1] - noted(x[:-1])[0],
        "jac": lambda x: np.column_stack([-noted(x[:-1])[1], np.ones(losses.n_losses)]),
    }
    options = {"ftol": 1e-12, "maxiter": MAX_ITER}
    minimize(_last, _start(losses), jac=True, method="SLSQP", constraints=constraints, options=options)


def _trust_constr(losses: NaturalLogistic, noted: Noted) -> None:
    """The same by an interior point, with exact Hessians."""

    def hessian(x: Array, v: Array) -> Array:
        H = np.zeros((x.size, x.size))
        H[:-1, :-1] = -losses.hessian(x[:-1].copy(), v)
        return H

    constraint = NonlinearConstraint(
        lambda x: x[-1] - noted(x[:-1])[0],
        0.0,
        np.inf,
        jac=lambda x: np.column_stack([-noted(x[:-1])[1], np.ones(losses.n_losses)]),
        hess=hessian,
    )
    options: dict[str, Any] = {"gtol": 1e-10, "xtol": 1e-12, "barrier_tol": 1e-10, "maxiter": MAX_ITER}
    # t is linear: without this SciPy would approximate a zero Hessian by updates.
    flat = {"jac": True, "hess": lambda x: np.zeros((x.size, x.size))}
    minimize(_last, _start(losses), method="trust-constr", constraints=constraint, options=options, **flat)


def _lbfgsb(losses: NaturalLogistic, noted: Noted) -> None:
    """mu log sum_j exp(f_j(w)/mu) for decreasing mu, each run started from the last answer."""
    w = np.zeros(losses.n_params)
    options = {"ftol": 1e-13, "gtol": 1e-9, "maxiter": MAX_ITER, "maxfun": MAX_ITER}
    for mu in SMOOTHING:

        def smoothed(w: Array, mu: float = mu) -> tuple[float, Array]:
            f, G = noted(w)
            return float(mu * logsumexp(f / mu)), softmax(f / mu) @ G

        w = minimize(smoothed, w, jac=True, method="L-BFGS-B", options=options).x


def _threads(task: Assignment) -> dict[str, Callable[[], AbstractContextManager[Any]]]:
    """L-BFGS-B's small systems need one thread, products with X all of them; SciPy and NumPy each have a BLAS."""
    if task.X.size < LARGE:
        return {"": nullcontext}
    pools = ThreadpoolController()
    paths = [pool["filepath"] for pool in pools.info() if "scipy.libs" in pool["filepath"]]
    return {
        "one thread": lambda: pools.limit(limits=1),
        "all threads": nullcontext,
        "all for NumPy": lambda: pools.select(filepath=paths).limit(limits=1),
    }


def _start(losses: NaturalLogistic) -> Array:
    """w = 0 and the t that is feasible there."""
    w = np.zeros(losses.n_params)
    return np.append(w, losses.values(w).max())


def _last(x: Array) -> tuple[float, Array]:
    gradient = np.zeros_like(x)
    gradient[-1] = 1.0
    return float(x[-1]), gradient


if __name__ == "__main__":
    carry_out(solve)
