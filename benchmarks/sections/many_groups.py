"""Many groups: the share of the dual subproblem in the time of an iteration."""

from __future__ import annotations

import numpy as np

import saddleback as sb

from ..iterations import cost_of_iteration
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..synthetic import paper_data

SIZES = {"tiny": (30, 10, 10), "small": (2000, 200, 100), "full": (2000, 200, 100)}
GAMMAS = (0.01, 0.0)
METHOD = "quasi-newton"
ITERATIONS = 15


def measure(options: Options) -> Report:
    d, J, N = SIZES[options.scale]
    losses = paper_data(d, J, N, 0, np.float32).fused()
    rows, demands, data = [], [], {}
    for gamma in GAMMAS:
        cost = cost_of_iteration(losses, sb.Quadratic(gamma), METHOD, ITERATIONS, options.repeats)
        rows.append((f"gamma = {gamma:g}", f"{100 * cost.share:.0f} %", f"{100 * cost.hessians / cost.whole:.0f} %"))
        demands.append(Demand(f"share of the dual side, gamma = {gamma:g}", cost.share, at_most=0.5))
        data[f"gamma{gamma:g}"] = {"losses": cost.losses, "hessians": cost.hessians, "dual": cost.dual}
    return Report(
        "Many groups",
        f"The paper's recipe with J = {J} groups of {N} rows, d = {d}, in float32; the first {ITERATIONS} iterations "
        f"of {METHOD}. The dual side is everything except evaluations, including sampled Hessians. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [Table("share of an iteration", ["", "dual side", "of which sampled Hessians"], rows)],
        demands,
        data=data,
    )
