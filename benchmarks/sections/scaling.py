"""Growth of the time of an iteration with n, d and J."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb

from ..iterations import Cost, cost_of_iteration
from ..report import Demand, Figure, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import paper_data
from ..writing import ratio

METHOD = "quasi-newton"
GAMMA = 0.01
ITERATIONS = 10


@dataclass(frozen=True)
class Sweep:
    """One of n, d and J over two decades, the others fixed; n is a multiple of J."""

    n: Sequence[int]
    d: Sequence[int]
    J: Sequence[int]


SWEEPS = {
    "tiny": (Sweep((40, 80), (20,), (4,)), Sweep((40,), (20, 40), (4,)), Sweep((80,), (20,), (4, 8))),
    "small": (
        Sweep((2000, 6000, 20_000, 60_000, 200_000), (200,), (10,)),
        Sweep((2000,), (200, 600, 2000, 6000, 20_000), (10,)),
        Sweep((4000,), (200,), (4, 12, 40, 120, 400)),
    ),
    "full": (
        Sweep((10_000, 30_000, 100_000, 300_000, 1_000_000), (200,), (10,)),
        Sweep((10_000,), (200, 600, 2000, 6000, 20_000), (10,)),
        Sweep((8000,), (1000,), (8, 24, 80, 240, 800)),
    ),
}


def measure(options: Options) -> Report:
    n_sweep, d_sweep, J_sweep = SWEEPS[options.scale]
    along = {
        "n": (n_sweep.n, [_cost(n, n_sweep.d[0], n_sweep.J[0], options) for n in n_sweep.n]),
        "d": (d_sweep.d, [_cost(d_sweep.n[0], d, d_sweep.J[0], options) for d in d_sweep.d]),
        "J": (J_sweep.J, [_cost(J_sweep.n[0], J_sweep.d[0], J, options) for J in J_sweep.J]),
    }
    J, d = np.array(J_sweep.J, dtype=float), float(J_sweep.d[0])
    model = J**2 * d + J**3
    exponents = {
        "n": _exponent(n_sweep.n, [cost.whole for cost in along["n"][1]]),
        "d": _exponent(d_sweep.d, [cost.whole for cost in along["d"][1]]),
        "J": _exponent(model, [cost.rest for cost in along["J"][1]]),
    }
    rows = []
    for name, (sizes, costs) in along.items():
        part = [cost.rest if name == "J" else cost.whole for cost in costs]
        rows.append((name, f"{sizes[0]} to {sizes[-1]}", ratio(part[-1], part[0]), f"{exponents[name]:.2f}"))
    return Report(
        "Scaling",
        f"The cost of an iteration of {METHOD} on the paper's recipe in float32, gamma = {GAMMA:g}, over two decades "
        "each of n (rows), d (parameters) and J (groups). The exponents are least-squares slopes in logarithms; that "
        "of J is of the time outside the losses against J^2 d + J^3, so that at most 1 is expected. At small sizes "
        f"overhead dominates, which lowers the exponents. Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [Table("growth over the range", ["", "range", "time, last / first", "exponent"], rows)],
        [
            Demand("exponent of n", exponents["n"], at_most=1.1),
            Demand("exponent of d", exponents["d"], at_most=1.1),
            Demand("exponent of J^2 d + J^3", exponents["J"], at_most=1.1),
        ],
        [_figure(along)],
        data={
            name: [
                {"size": int(s), "losses": c.losses, "hessians": c.hessians, "dual": c.dual}
                for s, c in zip(sizes, costs, strict=True)
            ]
            for name, (sizes, costs) in along.items()
        },
    )


def _cost(n: int, d: int, J: int, options: Options) -> Cost:
    losses: Any = paper_data(d, J, n // J, 0, np.float32).fused()
    return cost_of_iteration(losses, sb.Quadratic(GAMMA), METHOD, ITERATIONS, options.repeats)


def _exponent(sizes: Any, times: Sequence[float]) -> float:
    return float(np.polyfit(np.log(np.asarray(sizes, dtype=float)), np.log(times), 1)[0])


def _figure(along: dict[str, tuple[Sequence[int], list[Cost]]]) -> Figure:
    curves = {}
    for name, (sizes, costs) in along.items():
        part = [cost.rest if name == "J" else cost.whole for cost in costs]
        label = f"{name}, outside the losses" if name == "J" else name
        curves[label] = ([s / sizes[0] for s in sizes], [p / part[0] for p in part])
    return Figure("scaling", "Cost of an iteration", "size / smallest size", "time / time at the smallest", curves)
