"""An iteration on a sparse, wide table, in multiples of the two products with X that any method needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

import saddleback as sb

from ..iterations import cost_of_iteration
from ..recorder import Array
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..timing import side_by_side
from ..writing import ratio

SIZES = {"tiny": (200, 300), "small": (20_000, 50_000), "full": (20_000, 50_000)}
DENSITY = 0.002
GROUPS = (4, 10)
L2, GAMMA = 1e-5, 0.01
METHOD = "quasi-newton"
ITERATIONS = 40
# Before inner products were kept, an iteration took 16.5 products at J = 10; a third of that is asked for.
MOST_PRODUCTS = 5.5


def measure(options: Options) -> Report:
    n, d = SIZES[options.scale]
    rows, demands, data = [], [], {}
    for J in GROUPS:
        seconds = _seconds(n, d, J, options.repeats)
        unit = seconds["products"]
        parts = ("iteration", "losses", "hessians", "dual", "construction")
        rows.append((f"J = {J}", *(ratio(seconds[part], unit) for part in parts)))
        demands.append(Demand(f"J = {J}: an iteration in products", seconds["iteration"] / unit, at_most=MOST_PRODUCTS))
        data[f"J{J}"] = seconds
    return Report(
        "Sparse, wide tables",
        f"{n} x {d}, {100 * DENSITY:g} % filled, float64, logistic, l2 = {L2:g}, gamma = {GAMMA:g}: the first "
        f"{ITERATIONS} iterations of {METHOD}. The unit is X @ w and X' @ slopes by SciPy, with logistic functions, "
        f"one gradient for all groups. Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [
            Table(
                "in multiples of SciPy's two products",
                ["", "an iteration", "evaluations", "sampled Hessians", "the rest", "construction"],
                rows,
            )
        ],
        demands,
        data=data,
    )


def _seconds(n: int, d: int, J: int, repeats: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    X: Any = sp.random_array((n, d), density=DENSITY, format="csr", rng=rng, data_sampler=rng.standard_normal)
    groups = rng.integers(0, J, n)
    y = np.where(0.5 * (X @ rng.standard_normal(d)) + 0.3 * groups / J + rng.logistic(size=n) > 0, 1.0, -1.0)
    w, transposed = rng.standard_normal(d) / np.sqrt(d), X.T

    def two_products() -> tuple[Array, Array]:
        margins = y * (X @ w)
        return np.logaddexp(0.0, -margins), transposed @ (-y * expit(-margins))

    def make() -> sb.GroupedLinear:
        return sb.GroupedLinear(X, y, groups, l2=L2, fit_intercept=False)

    # The products before and after, because another program may slow down either.
    before = side_by_side({"products": two_products, "construction": make}, repeats)
    cost = cost_of_iteration(make(), sb.Quadratic(GAMMA), METHOD, ITERATIONS, repeats)
    after = side_by_side({"products": two_products}, repeats)
    return {
        "products": 0.5 * (before["products"] + after["products"]),
        "construction": before["construction"],
        "iteration": cost.whole,
        "losses": cost.losses,
        "hessians": cost.hessians,
        "dual": cost.dual,
    }
