"""One evaluation of the losses and their Jacobian, compared with one read of the data, NumPy and SciPy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

import saddleback as sb

from ..natural import NaturalLogistic
from ..reading import reader
from ..recorder import Array
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..timing import side_by_side
from ..writing import ratio

J = 10
DENSE = {"tiny": (200, 30), "small": (20_000, 1000), "full": (50_000, 5000)}
SPARSE = {"tiny": (200, 300), "small": (20_000, 50_000), "full": (20_000, 50_000)}
DENSITY = 0.002
FUSED, READ, NUMPY, SCIPY, TWO = "GroupedLinear", "one read of X", "NumPy", "SciPy, by group", "SciPy, two products"


def measure(options: Options) -> Report:
    dense = _dense(*DENSE[options.scale], options.repeats)
    sparse = _sparse(*SPARSE[options.scale], options.repeats)
    n, d = DENSE[options.scale]
    m, p = SPARSE[options.scale]
    return Report(
        "One evaluation",
        f"Logistic losses and Jacobian of {J} groups. One read of X is only a compiled sum by {cores()} "
        "threads. 'By group' multiplies the slopes of each group with its rows, as the Jacobian requires; 'two "
        "products' is X @ w and X' @ slopes, which gives only one gradient. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        tables=[
            _table(f"dense, {n} x {d}, float32", dense),
            _table(f"sparse, {m} x {p}, {100 * DENSITY:g} % filled, float64", sparse),
        ],
        demands=[
            Demand("dense evaluation over one read of X", dense[FUSED] / dense[READ], at_most=1.4),
            Demand("dense evaluation, times faster than NumPy", dense[NUMPY] / dense[FUSED], at_least=1.6),
            Demand(
                "sparse evaluation, times faster than SciPy's two products",
                min(sparse[TWO], sparse[SCIPY]) / sparse[FUSED],
                at_least=2.0,
            ),
        ],
        data={"dense": dense, "sparse": sparse},
    )


def _dense(n: int, d: int, repeats: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    X = np.empty((n, d), dtype=np.float32)
    rng.standard_normal(out=X, dtype=np.float32)
    y, groups, w = _rest(rng, n, d)
    fused, natural = sb.GroupedLinear(X, y, groups, fit_intercept=False), NaturalLogistic(X, y, groups)
    calls = {FUSED: lambda: fused.evaluate(w), READ: reader(X), NUMPY: lambda: natural.evaluate(w)}
    return side_by_side(calls, repeats)


def _sparse(n: int, d: int, repeats: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    X = sp.random_array((n, d), density=DENSITY, format="csr", rng=rng)
    y, groups, w = _rest(rng, n, d)
    fused = sb.GroupedLinear(X, y, groups, fit_intercept=False)
    starts = np.searchsorted(groups, np.arange(J + 1))
    parts = [X[a:b] for a, b in pairwise(starts)]
    transposed = X.T

    def slopes() -> tuple[Array, Array]:
        margins = y * (X @ w)
        f = np.add.reduceat(np.logaddexp(0.0, -margins), starts[:-1]) / np.diff(starts)
        return f, -y * expit(-margins)

    def by_group() -> tuple[Array, Array]:
        f, s = slopes()
        bounds = zip(starts[:-1], starts[1:], parts, strict=True)
        return f, np.array([s[a:b] @ part / (b - a) for a, b, part in bounds])

    def two_products() -> tuple[Array, Array]:
        f, s = slopes()
        return f, transposed @ s

    return side_by_side({FUSED: lambda: fused.evaluate(w), SCIPY: by_group, TWO: two_products}, repeats)


def _rest(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Any, Array]:
    """Labels, sorted groups and a point."""
    return np.where(rng.random(n) < 0.5, 1.0, -1.0), np.arange(n) * J // n, rng.standard_normal(d) / np.sqrt(d)


def _table(caption: str, seconds: dict[str, float]) -> Table:
    rows = [(name, ratio(time, seconds[FUSED])) for name, time in seconds.items()]
    return Table(caption, ["one evaluation", "time"], rows)
