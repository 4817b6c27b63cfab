"""Changes of a run: its problem, method or start with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import saddleback as sb
from saddleback.methods import METHODS

from .kept_runs import HESSIAN, PLAIN, SMOOTHED, Array, BowlData, KeptRun, TableData

Change = Callable[[np.random.Generator, KeptRun], KeptRun]


class Bent:
    """f(w) + c |w - point|^2: the same losses and gradients at one point."""

    def __init__(self, losses: Any, point: Array, c: float = 0.01) -> None:
        self.losses, self.point, self.c = losses, point, c
        self.n_losses, self.n_params = losses.n_losses, losses.n_params
        self.strong_convexity = getattr(losses, "strong_convexity", 0.0)

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        f, G = self.losses.evaluate(w)
        step = w - self.point
        return f + self.c * float(step @ step), G + 2 * self.c * step


class BentWithHessian(Bent):
    """The same with the Hessian."""

    def hessian(self, w: Array, lam: Array) -> Array:
        return np.asarray(self.losses.hessian(w, lam)) + 2 * self.c * float(lam.sum()) * np.eye(w.size)


def _table(change: Callable[[np.random.Generator, TableData], TableData]) -> Change:
    """A change of the table; plain functions get one of their own."""

    def changed(rng: np.random.Generator, run: KeptRun) -> KeptRun:
        if isinstance(run.data, TableData):
            return replace(run, data=change(rng, run.data))
        j, i = (int(rng.integers(n)) for n in run.data.centers.shape)
        centers = run.data.centers.copy()
        centers[j, i] += 1e-3 * rng.choice([-1.0, 1.0])
        return replace(run, data=replace(run.data, centers=centers))

    return changed


def _other_data(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    """Other numbers of the same shapes."""
    if isinstance(run.data, BowlData):
        shape = run.data.centers.shape
        return replace(run, data=BowlData(rng.standard_normal(shape), rng.uniform(0.1, 5.0, shape), False))
    X = rng.standard_normal(run.data.X.shape)
    y = X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(len(X))
    y[np.argsort(run.data.groups, kind="stable")[:: len(y) // int(run.data.groups.max() + 1)]] *= -1.0
    return replace(run, data=replace(run.data, X=X, y=y))


def _one_response(rng: np.random.Generator, data: TableData) -> TableData:
    y = data.y.copy()
    k = int(rng.integers(y.size))
    y[k] = -y[k] if data.loss == "logistic" else y[k] + 0.01
    return replace(data, y=y)


def _one_entry(rng: np.random.Generator, data: TableData) -> TableData:
    X = data.X.copy()
    X.flat[int(rng.integers(X.size))] += 1e-3
    return replace(data, X=X)


def _one_group(rng: np.random.Generator, data: TableData) -> TableData:
    groups = data.groups.copy()
    k = int(rng.integers(groups.size))
    groups[k] = (groups[k] + 1) % (groups.max() + 1)
    return replace(data, groups=groups)


def _groups_renamed(rng: np.random.Generator, data: TableData) -> TableData:
    swapped: NDArray[np.int64] = np.where(data.groups < 2, 1 - data.groups, data.groups)
    return replace(data, groups=swapped)


def _penalty(rng: np.random.Generator, data: TableData) -> TableData:
    return replace(data, l2=data.l2 * (1.0 + 10 ** rng.uniform(-6, 0)) if data.l2 else 1e-3)


def _dual_set(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    alpha = float(rng.uniform(0.3, 0.9))
    kind = rng.random()
    family = sb.CappedSimplex if kind < 0.4 else sb.Contamination if kind < 0.7 else sb.Chi2Ball
    return replace(run, dual_set=family(alpha))


def _set_parameter(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    if isinstance(run.dual_set, sb.CappedSimplex):
        alpha = run.dual_set.alpha * (1.0 - 10 ** rng.uniform(-8, -1))
        return replace(run, dual_set=sb.CappedSimplex(alpha, run.dual_set.prior))
    if isinstance(run.dual_set, sb.Contamination):
        share = run.dual_set.worst_weight * (1.0 - 10 ** rng.uniform(-8, -1))
        return replace(run, dual_set=sb.Contamination(share, run.dual_set.prior))
    return replace(run, dual_set=sb.CappedSimplex(0.999))


def _regularizer(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    if isinstance(run.regularizer, sb.Zero):
        return replace(run, regularizer=sb.Quadratic(float(10 ** rng.uniform(-8, 0))))
    kind = sb.Entropy if isinstance(run.regularizer, sb.Quadratic) else sb.Quadratic
    return replace(run, regularizer=kind(run.regularizer.gamma))


def _regularizer_parameter(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    if isinstance(run.regularizer, sb.Zero):
        return replace(run, regularizer=sb.Entropy(float(10 ** rng.uniform(-8, 0))))
    gamma = run.regularizer.gamma * (1.0 + 10 ** rng.uniform(-8, 0))
    return replace(run, regularizer=replace(run.regularizer, gamma=gamma))


def _method(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    smooth = not isinstance(run.regularizer, sb.Zero)
    others = [name for name in METHODS if name != run.method.name and name not in (PLAIN if smooth else SMOOTHED)]
    others = [name for name in others if name not in HESSIAN or isinstance(run.data, TableData)]
    return replace(run, method=METHODS[str(rng.choice(others))]())


def _method_option(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    method: Any = run.method
    if hasattr(method, "memory"):
        return replace(run, method=replace(method, memory=method.memory + 1))
    if hasattr(method, "smoothness"):
        return replace(run, method=replace(method, smoothness=1e3))
    return replace(run, method=sb.Accelerated())


def _metric(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    d = run.problem().n_params
    old = np.ones(d) if run.metric is None else run.metric
    return replace(run, metric=old * (1.0 + 10 ** rng.uniform(-8, 0) * np.eye(d)[int(rng.integers(d))]))


def _start(rng: np.random.Generator, run: KeptRun) -> KeptRun:
    return replace(run, w0=run.w0 + 1e-3 * rng.standard_normal(run.w0.size))


CHANGES: dict[str, Change] = {
    "other data": _other_data,
    "one response": _table(_one_response),
    "one entry of the table": _table(_one_entry),
    "one row in another group": _table(_one_group),
    "two groups renamed": _table(_groups_renamed),
    "the penalty": _table(_penalty),
    "the dual set": _dual_set,
    "a parameter of the dual set": _set_parameter,
    "the regularizer": _regularizer,
    "a parameter of the regularizer": _regularizer_parameter,
    "the method": _method,
    "an option of the method": _method_option,
    "the metric": _metric,
    "the start": _start,
}
