"""The outer methods on the paper's synthetic problem, side by side."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import saddleback as sb
from saddleback.methods import (
    APGD,
    LBFGSB,
    Accelerated,
    AnyMethod,
    Extragradient,
    FixedPoint,
    Optimistic,
    ProxLinear,
)

from .synthetic import Array, GroupLogistic, generate
from .tables import markdown, ratio

GAPS = (1e-2, 1e-4, 1e-6)
MAX_ITER = 1000
NOT_REACHED = "-"


@dataclass(frozen=True, eq=False)
class WithoutSmoothness:
    """The same losses, keeping L to themselves."""

    losses: GroupLogistic

    @property
    def n_losses(self) -> int:
        return self.losses.n_losses

    @property
    def n_params(self) -> int:
        return self.losses.n_params

    def values(self, w: Array) -> Array:
        return self.losses.values(w)

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.losses.evaluate(w)


def contestants(gamma: float) -> dict[str, tuple[AnyMethod, bool]]:
    """Each method, and whether it is told L."""
    methods: dict[str, tuple[AnyMethod, bool]] = {
        "accelerated, sharp steps": (Accelerated(restart=False), True),
        "accelerated, paper's steps (Algorithm 1)": (Accelerated(steps="paper", restart=False), True),
        "accelerated, sharp steps, restart": (Accelerated(), True),
        "accelerated, sharp steps, restart, L measured": (Accelerated(), False),
        "fixed-point": (FixedPoint(restart=False), True),
        "prox-linear": (ProxLinear(), True),
        "extragradient": (Extragradient(), True),
        "optimistic": (Optimistic(), True),
    }
    if gamma > 0:
        methods |= {"apgd": (APGD(), True), "lbfgsb": (LBFGSB(), True)}
    return methods


def run_to(problem: sb.Problem, method: AnyMethod, target: float, max_iter: int = MAX_ITER) -> sb.Result:
    """Iterate until the value is at most ``target``, whatever the certificate says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        return sb.solve(
            problem, method=method, tol=0.0, max_iter=max_iter, callback=lambda now: bool(now.value <= target)
        )


def first_within(result: sb.Result, target: float) -> int | None:
    """The first iteration whose value is at most ``target``."""
    reached = np.flatnonzero(result.history.value <= target)
    return int(reached[0]) if reached.size else None


def optimum(problem: sb.Problem, tol: float = 1e-9) -> sb.Result:
    """A certified reference, far more accurate than the gaps that are asked."""
    reference = sb.solve(problem, tol=tol, max_iter=20_000)
    assert reference.success, reference.message
    return reference


def measure(repeats: int, *, gamma: float, d: int = 200, J: int = 10, N: int = 200, seed: int = 0) -> dict[str, Any]:
    """Iterations, evaluations and median seconds of each method to each gap; rounds are interleaved."""
    losses = generate(d, J, N, seed)
    regularizer = sb.Quadratic(gamma)
    told, untold = (sb.Problem(f, regularizer=regularizer) for f in (losses, WithoutSmoothness(losses)))
    reference = optimum(told)
    methods = contestants(gamma)
    results: dict[str, list[sb.Result]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, (method, knows_L) in methods.items():
            results[name].append(run_to(told if knows_L else untold, method, reference.value + GAPS[-1]))
    rows = []
    for name, runs in results.items():
        row: dict[str, Any] = {"method": name}
        for gap in GAPS:
            k = first_within(runs[0], reference.value + gap)
            row[f"{gap:g}"] = None if k is None else {
                "iterations": k,
                "evaluations": int(runs[0].history.n_evals[k]),
                "seconds": float(np.median([run.history.time[k] for run in runs])),
            }  # fmt: skip
        rows.append(row)
    return {
        "gamma": gamma,
        "d": d,
        "J": J,
        "N": N,
        "seed": seed,
        "optimum": reference.value,
        "optimum_gap": reference.gap,
        "rows": rows,
    }


def table(measured: dict[str, Any]) -> str:
    """Iterations / evaluations to each gap, and time ratios to the fastest."""
    rows = measured["rows"]
    fastest = {
        gap: min((row[f"{gap:g}"]["seconds"] for row in rows if row[f"{gap:g}"]), default=np.nan) for gap in GAPS
    }
    header = ["method"]
    for gap in GAPS:
        header += [f"to {gap:.0e}: iterations / evaluations", "time ratio"]
    body = []
    for row in rows:
        line = [row["method"]]
        for gap in GAPS:
            cell = row[f"{gap:g}"]
            if cell is None:
                line += [NOT_REACHED, NOT_REACHED]
            else:
                line += [f"{cell['iterations']} / {cell['evaluations']}", ratio(cell["seconds"], fastest[gap])]
        body.append(line)
    return markdown(header, body)
