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


@dataclass(eq=False)
class Counted:
    """The losses, counting evaluations without a Jacobian as they come; L is for the methods to be told."""

    losses: GroupLogistic
    n_values: int = 0

    @property
    def n_losses(self) -> int:
        return self.losses.n_losses

    @property
    def n_params(self) -> int:
        return self.losses.n_params

    def values(self, w: Array) -> Array:
        self.n_values += 1
        return self.losses.values(w)

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.losses.evaluate(w)


@dataclass(frozen=True)
class Run:
    """A result, and the evaluations without a Jacobian after each of its iterations."""

    result: sb.Result
    n_values: list[int]


def contestants(gamma: float, L: float) -> dict[str, AnyMethod]:
    """The methods, told L unless the name says that they measure it."""
    methods: dict[str, AnyMethod] = {
        "accelerated, sharp steps": Accelerated(restart=False, smoothness=L),
        "accelerated, paper's steps (Algorithm 1)": Accelerated(steps="paper", restart=False, smoothness=L),
        "accelerated, sharp steps, restart": Accelerated(smoothness=L),
        "accelerated, sharp steps, restart, L measured (the default)": Accelerated(),
        "fixed-point": FixedPoint(restart=False, smoothness=L),
        "prox-linear": ProxLinear(smoothness=L),
        "prox-linear, L measured": ProxLinear(),
        "extragradient": Extragradient(smoothness=L),
        "optimistic": Optimistic(smoothness=L),
    }
    if gamma > 0:
        methods |= {"apgd": APGD(smoothness=L), "lbfgsb": LBFGSB()}
    return methods


def run_to(
    losses: Counted, regularizer: sb.Quadratic, method: AnyMethod, target: float, max_iter: int = MAX_ITER
) -> Run:
    """Iterate until the value is at most ``target``, whatever the certificate says."""
    n_values: list[int] = []

    def reached(now: sb.Progress) -> bool:
        n_values.append(losses.n_values)
        return bool(now.value <= target)

    losses.n_values = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        problem = sb.Problem(losses, regularizer=regularizer)
        result = sb.solve(problem, method=method, tol=0.0, max_iter=max_iter, callback=reached)
    return Run(result, n_values)


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
    """Iterations, evaluations and median seconds of each method to each gap; the rounds are interleaved."""
    losses = generate(d, J, N, seed)
    regularizer = sb.Quadratic(gamma)
    reference = optimum(sb.Problem(losses, regularizer=regularizer))
    methods = contestants(gamma, losses.smoothness())
    results: dict[str, list[Run]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, method in methods.items():
            results[name].append(run_to(Counted(losses), regularizer, method, reference.value + GAPS[-1]))
    rows = []
    for name, runs in results.items():
        row: dict[str, Any] = {"method": name}
        for gap in GAPS:
            row[f"{gap:g}"] = None
            k = first_within(runs[0].result, reference.value + gap)
            if k is not None:
                row[f"{gap:g}"] = {
                    "iterations": k,
                    "jacobians": int(runs[0].result.history.n_evals[k]),
                    "values": runs[0].n_values[k],
                    "seconds": float(np.median([run.result.history.time[k] for run in runs])),
                }
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
    """Iterations / evaluations with + without a Jacobian to each gap, and time ratios to the fastest."""
    rows = measured["rows"]
    fastest = {
        gap: min((row[f"{gap:g}"]["seconds"] for row in rows if row[f"{gap:g}"]), default=np.nan) for gap in GAPS
    }
    header = ["method"]
    for gap in GAPS:
        header += [f"to {gap:.0e}", "time ratio"]
    body = []
    for row in rows:
        line = [row["method"]]
        for gap in GAPS:
            cell = row[f"{gap:g}"]
            if cell is None:
                line += [NOT_REACHED, NOT_REACHED]
            else:
                counts = f"{cell['iterations']} / {cell['jacobians']} + {cell['values']}"
                line += [counts, ratio(cell["seconds"], fastest[gap])]
        body.append(line)
    return markdown(header, body)
