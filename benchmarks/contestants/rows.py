"""Adversaries on rows: random tables, whole calls of Saddleback, and the same problem as CVXPY's conic program."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import cvxpy
import numpy as np

import saddleback as sb

from ..recorder import Array

# Type checkers do not see the atoms of CVXPY.
cp: Any = cvxpy
L2, TOL = 1e-3, 1e-6


@dataclass(frozen=True, eq=False)
class RowProblem:
    """A table of n rows, a loss and a set of weights of the rows; without an intercept, with l2 = 1e-3."""

    X: Array
    y: Array
    loss: str
    dual_set: sb.DualSet

    @classmethod
    def random(cls, n: int, d: int, loss: str, dual_set: sb.DualSet, *, ties: bool = False) -> RowProblem:
        """Noisy labels or responses; with ``ties``, labels that do not depend on X, so that w = 0 is the answer."""
        rng = np.random.default_rng(n)
        X = rng.standard_normal((n, d))
        margin = X @ rng.standard_normal(d) / np.sqrt(d)
        if ties:
            # Each row twice, with both labels: by symmetry w = 0, where all losses are log 2.
            X[1::2] = X[: n - n % 2 : 2]
            return cls(X, np.where(np.arange(n) % 2 == 0, 1.0, -1.0), "logistic", dual_set)
        noise = rng.standard_normal(n) if loss == "squared" else 0.3 * rng.logistic(size=n)
        y = margin + noise
        return cls(X, y if loss == "squared" else np.where(y > 0.0, 1.0, -1.0), loss, dual_set)

    def solve(self, **options: Any) -> sb.Result:
        """A whole call: the losses are made from the table."""
        losses = sb.GroupedLinear(self.X, self.y, "rows", loss=self.loss, l2=L2, fit_intercept=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sb.ConvergenceWarning)
            return sb.solve(sb.Problem(losses, self.dual_set), tol=TOL, **options)

    def value(self, w: Array) -> float:
        """h(f(w)), in NumPy."""
        eta = self.X @ w
        rows = (eta - self.y) ** 2 if self.loss == "squared" else np.logaddexp(0.0, -self.y * eta)
        return float(self.dual_set.support(rows)[0]) + 0.5 * L2 * float(w @ w)

    def solve_conic(self, time_limit: float = np.inf) -> Array | None:
        """w by CVXPY and Clarabel, with h in its dual form; None where Clarabel failed or did not end in time."""
        n, d = self.X.shape
        w, z, t = cp.Variable(d), cp.Variable(n), cp.Variable()
        eta = self.X @ w
        rows = cp.square(eta - self.y) if self.loss == "squared" else cp.logistic(cp.multiply(-self.y, eta))
        constraints = [z >= rows]
        match self.dual_set:
            case sb.CappedSimplex(alpha=alpha):
                h = t + cp.sum(cp.pos(z - t)) / (alpha * n)
            case sb.Chi2Ball(rho=rho):
                h = t + np.sqrt((1.0 + rho) / n) * cp.norm(cp.pos(z - t))
            case sb.KLBall(rho=rho):
                mu, e = cp.Variable(nonneg=True), cp.Variable(n)
                h = t + (rho - 1.0) * mu + cp.sum(e) / n
                constraints.append(cp.ExpCone(z - t, mu * np.ones(n), e))
            case sb.TVBall(rho=rho):
                h = rho * cp.max(z) + (1.0 - rho) * t + cp.sum(cp.pos(z - t)) / n
            case _:
                expected = "CappedSimplex, Chi2Ball, KLBall or TVBall"
                raise TypeError(f"no formulation for {self.dual_set!r}; expected {expected}")
        problem = cp.Problem(cp.Minimize(h + 0.5 * L2 * cp.sum_squares(w)), constraints)
        limit = {} if np.isinf(time_limit) else {"time_limit": time_limit}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                problem.solve(solver=cp.CLARABEL, **limit)
            except cp.error.SolverError:
                return None
        return None if w.value is None or problem.status == "user_limit" else np.array(w.value)
