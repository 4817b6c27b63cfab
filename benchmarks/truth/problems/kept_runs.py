"""Runs with a checkpoint, described by data from which another process can rebuild or change them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import saddleback as sb
from saddleback.methods import METHODS, AnyMethod

from ..endings import quietly

Array = NDArray[np.float64]

TOL = 1e-9
# Methods that need a strongly convex R, that need R = 0, and that need Hessians.
SMOOTHED = ("apgd", "lbfgsb")
PLAIN = ("interior-point",)
HESSIAN = ("newton", "interior-point")
# Above 150 parameters quasi-Newton has limited memory, and tables provide sampled Hessians.
MANY = 170


@dataclass(frozen=True, eq=False)
class TableData:
    """A table with groups."""

    X: Array
    y: Array
    groups: NDArray[np.int64]
    loss: str
    l2: float
    intercept: bool

    def losses(self) -> Any:
        y = self.y > 0 if self.loss == "logistic" else self.y
        return sb.GroupedLinear(self.X, y, self.groups, loss=self.loss, l2=self.l2, fit_intercept=self.intercept)


@dataclass(frozen=True, eq=False)
class BowlData:
    """Plain functions: sums of squares and cosh around one center per loss, as one function or as two."""

    centers: Array
    weights: Array
    in_two_calls: bool

    def losses(self) -> Any:
        start = np.zeros(self.centers.shape[1])
        if self.in_two_calls:
            return sb.from_functions(lambda w: self._pair(w)[0], start, lambda w: self._pair(w)[1])
        return sb.from_functions(self._pair, start, jac=True)

    def _pair(self, w: Array) -> tuple[Array, Array]:
        offset = w - self.centers
        values = (0.5 * self.weights * offset**2 + np.cosh(offset) - 1.0).sum(axis=1)
        return values, self.weights * offset + np.sinh(offset)


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A problem, a method and a start."""

    data: TableData | BowlData
    method: AnyMethod
    dual_set: Any = field(default_factory=sb.Simplex)
    regularizer: Any = field(default_factory=sb.Zero)
    metric: Array | None = None
    w0: Array = field(default_factory=lambda: np.zeros(0))

    def problem(self) -> sb.Problem:
        return sb.Problem(self.data.losses(), self.dual_set, self.regularizer, self.metric)

    def solve(self, path: Path | None = None, *, resume: bool = False, max_iter: int = 25, **options: Any) -> sb.Result:
        """The run, with a checkpoint after every iteration if a path is given."""
        return self.solved(self.problem(), path, resume=resume, max_iter=max_iter, **options)

    def solved(self, problem: sb.Problem, path: Path | None, *, max_iter: int, **options: Any) -> sb.Result:
        """The same run with a given problem, which may be a changed one."""
        w0 = self.w0 if self.w0.size == problem.n_params else None
        options = {"tol": TOL, "checkpoint_every": 0.0, **options}
        return quietly(lambda: sb.solve(problem, w0, method=self.method, checkpoint=path, max_iter=max_iter, **options))


def draw_run(rng: np.random.Generator, method: str | None = None) -> KeptRun:
    """A small run of the given method, or of a random one."""
    name = method or str(rng.choice(list(METHODS)))
    table = name in HESSIAN or rng.random() < 0.5
    data = draw_table(rng) if table else draw_bowls(rng)
    problem = sb.Problem(data.losses())
    J, d = problem.n_losses, problem.n_params
    return KeptRun(
        data=data,
        method=METHODS[name](),
        dual_set=draw_set(rng, J),
        regularizer=sb.Zero() if name in PLAIN else draw_regularizer(rng, smooth=name in SMOOTHED),
        metric=rng.uniform(0.5, 2.0, d) if rng.random() < 0.25 else None,
        w0=rng.standard_normal(d) if rng.random() < 0.5 else np.zeros(d),
    )


def draw_table(rng: np.random.Generator) -> TableData:
    J = int(rng.integers(2, 5))
    d = MANY if rng.random() < 0.15 else int(rng.integers(1, 9))
    n = int(rng.integers(10, 40)) * J
    X = rng.standard_normal((n, d)) * np.logspace(0, -rng.uniform(0, 2), d)
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    groups = rng.permutation(np.arange(n) % J)
    # Both classes in every group.
    y[np.argsort(groups, kind="stable")[:: n // J]] *= -1.0
    l2 = 0.0 if rng.random() < 0.2 else float(10 ** rng.uniform(-4, -1))
    return TableData(X, y, groups, str(rng.choice(["logistic", "squared"])), l2, bool(rng.random() < 0.3))


def draw_bowls(rng: np.random.Generator) -> BowlData:
    J, d = int(rng.integers(2, 6)), int(rng.integers(1, 8))
    return BowlData(rng.standard_normal((J, d)), rng.uniform(0.1, 5.0, (J, d)), bool(rng.random() < 0.4))


def draw_set(rng: np.random.Generator, J: int) -> Any:
    """A set that has projections and tilts, so that every method and regularizer applies."""
    kind = rng.random()
    if kind < 0.4:
        return sb.Simplex()
    family = sb.CappedSimplex if rng.random() < 0.5 else sb.Contamination
    return family(float(rng.uniform(0.3, 0.9)), None if kind < 0.7 else rng.dirichlet(np.full(J, 5.0)))


def draw_regularizer(rng: np.random.Generator, *, smooth: bool) -> Any:
    kind = rng.random()
    if kind < 0.4 and not smooth:
        return sb.Zero()
    gamma = float(10 ** rng.uniform(-1.5, 0.5))
    return sb.Quadratic(gamma) if kind < 0.7 else sb.Entropy(gamma)


def rebuilt(run: KeptRun) -> KeptRun:
    """The same run with copies of its data, as in another process."""
    data = run.data
    if isinstance(data, TableData):
        data = replace(data, X=data.X.copy(), y=data.y.copy(), groups=data.groups.copy())
    return replace(run, data=data, w0=run.w0.copy())
