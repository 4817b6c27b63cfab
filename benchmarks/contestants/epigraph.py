"""min t subject to f_j(w) <= t, for SciPy's constrained solvers; g is the largest loss, R = 0."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import BFGS, NonlinearConstraint, minimize

import saddleback as sb
from saddleback.capabilities import offers
from saddleback.losses.base import HasHessian

from ..race import Solver
from ..recorder import Array

MAX_ITER = 10_000


@dataclass
class Epigraph:
    """The constraints c_j(w, t) = t - f_j(w) >= 0 and their Jacobian, one evaluation of the losses per point."""

    losses: Any
    seen: Array | None = None
    pair: tuple[Array, Array] = field(default_factory=lambda: (np.empty(0), np.empty((0, 0))))

    def at(self, x: Array) -> tuple[Array, Array]:
        if self.seen is None or not np.array_equal(self.seen, x[:-1]):
            self.pair = self.losses.evaluate(x[:-1].copy())
            self.seen = x[:-1].copy()
        return self.pair

    def constraints(self, x: Array) -> Array:
        return x[-1] - self.at(x)[0]

    def jacobian(self, x: Array) -> Array:
        G = self.at(x)[1]
        return np.column_stack([-G, np.ones(len(G))])

    def hessian(self, x: Array, v: Array) -> Array:
        """sum_j v_j Hessian c_j."""
        d = x.size - 1
        H = np.zeros((d + 1, d + 1))
        H[:d, :d] = -self.losses.hessian(x[:-1].copy(), v)
        return H

    def start(self, w0: Array) -> Array:
        return np.append(w0, self.at(np.append(w0, 0.0))[0].max())


def objective(x: Array) -> tuple[float, Array]:
    gradient = np.zeros_like(x)
    gradient[-1] = 1.0
    return float(x[-1]), gradient


def slsqp(w0: Array | None = None, ftol: float = 1e-15) -> Solver:
    """Sequential least squares (Kraft 1988): a dense quadratic program of d + 1 variables per step."""

    def solver(problem: sb.Problem) -> Any:
        form = Epigraph(problem.losses)
        return minimize(
            objective,
            form.start(np.zeros(problem.n_params) if w0 is None else w0),
            jac=True,
            method="SLSQP",
            constraints={"type": "ineq", "fun": form.constraints, "jac": form.jacobian},
            options={"ftol": ftol, "maxiter": MAX_ITER},
        )

    return solver


def trust_constr(w0: Array | None = None) -> Solver:
    """SciPy's interior-point method, with exact Hessians where the losses offer them."""

    def solver(problem: sb.Problem) -> Any:
        form = Epigraph(problem.losses)
        hess = form.hessian if offers(problem.losses, HasHessian) else BFGS()
        return minimize(
            objective,
            form.start(np.zeros(problem.n_params) if w0 is None else w0),
            jac=True,
            # t is linear: without this SciPy would learn a Hessian of zero by updates.
            hess=lambda x: np.zeros((x.size, x.size)),
            method="trust-constr",
            constraints=NonlinearConstraint(form.constraints, 0.0, np.inf, jac=form.jacobian, hess=hess),
            options={"gtol": 1e-12, "xtol": 1e-14, "barrier_tol": 1e-12, "maxiter": MAX_ITER},
        )

    return solver
