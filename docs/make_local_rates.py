"""Measure the section "Local rates" of docs/mathematics.md: ``python docs/make_local_rates.py``.

Writes docs/images/local_rates.png and prints the table of orders. Solutions are known to the last digit
(``benchmarks/local_rates``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from matplotlib.figure import Figure

from saddleback import Entropy, Newton, ProxLinear, QuasiNewton

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.local_rates.errors import Errors, local_errors, orders  # noqa: E402
from benchmarks.local_rates.known_solutions import Solution, dependent, quartic, solved, summed  # noqa: E402
from benchmarks.local_rates.logistic_table import logistic_table  # noqa: E402

Runs: TypeAlias = Mapping[str, Errors]

INK, GRAY = "#26323d", "#9aa5b1"
COLORS = {
    "Newton, composite model": "#d1603d",
    "Newton, one Hessian": "#e3a857",
    "quasi-Newton": "#2f7f9e",
    "quasi-Newton, 3 pairs": "#7fb3c4",
    "prox-linear": "#9aa5b1",
}
# Orders are those of errors above the root of the rounding of values.
FLOOR = 1e-7
MOST_STEPS = 26
DENSE: dict[str, tuple[Any, Callable[[Solution], Solution]]] = {
    "Newton, composite model": (Newton(), lambda solution: solution),
    "Newton, one Hessian": (Newton(), summed),
    "quasi-Newton": (QuasiNewton(), lambda solution: solution),
    "prox-linear": (ProxLinear(), lambda solution: solution),
}
LARGE = {
    "Newton, composite model": DENSE["Newton, composite model"],
    "quasi-Newton": DENSE["quasi-Newton"],
    "quasi-Newton, 3 pairs": (QuasiNewton(memory=3), lambda solution: solution),
    "prox-linear": DENSE["prox-linear"],
}
WITHOUT_SUM = {name: entry for name, entry in DENSE.items() if name != "Newton, one Hessian"}
PROBLEMS: dict[str, tuple[Callable[[], Solution], Any]] = {
    "regular: 3 of 5 losses have weight": (lambda: solved(1, 6, [0.5, 0.3, 0.2], [0.5, 1.0]), DENSE),
    "two ties without weight": (lambda: solved(2, 6, [0.6, 0.4], [0.0, 0.0, 1.0]), DENSE),
    "vertex: 4 losses, 3 parameters": (lambda: solved(3, 3, [0.4, 0.3, 0.2, 0.1], [1.0]), DENSE),
    "entropy": (lambda: solved(4, 6, [0.4, 0.3, 0.2, 0.05, 0.05], regularizer=Entropy(0.5)), DENSE),
    "200 parameters": (lambda: solved(0, 200, [0.4, 0.3, 0.2, 0.1], [1.0]), LARGE),
    "no growth of second order: x^4": (quartic, WITHOUT_SUM),
    "dependent gradients": (dependent, DENSE),
    "logistic table, 4 groups": (logistic_table, WITHOUT_SUM),
}
DRAWN = list(PROBLEMS)[:6]


def main() -> None:
    runs = {name: measured(*entry) for name, entry in PROBLEMS.items()}
    picture({name: runs[name] for name in DRAWN})
    print(table(runs))


def measured(make: Callable[[], Solution], methods: Any) -> Runs:
    solution = make()
    return {
        name: local_errors(method, change(solution), MOST_STEPS, least=1e-15)
        for name, (method, change) in methods.items()
    }


def picture(runs: Mapping[str, Runs]) -> None:
    figure = Figure(figsize=(9.0, 5.6), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for ax, (title, methods) in zip(axes.flat, runs.items(), strict=True):
        for name, errors in methods.items():
            e = np.maximum(until_rounding(errors.w), 1e-16)
            ax.semilogy(e, "o-", color=COLORS[name], label=name, markersize=3, linewidth=1.4)
        ax.set_title(title, fontsize=10, color=INK)
        ax.grid(color=GRAY, alpha=0.25, linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("iteration k", fontsize=9)
    for ax in axes[:, 0]:
        ax.set_ylabel("distance |w_k - w*|", fontsize=9)
    handles = {label: h for ax in axes.flat for h, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, frameon=False, fontsize=8.5)
    figure.savefig(ROOT / "docs" / "images" / "local_rates.png", dpi=110)


def until_rounding(e: Any) -> Any:
    """Up to the least error: what follows is rounding."""
    return e[: int(np.argmin(e)) + 1]


def table(runs: Mapping[str, Runs]) -> str:
    """The errors' last ratio e_{k+1}/e_k and the last three orders q_k, above rounding."""
    lines = ["| problem | method | steps to 1e-6 | last ratio | last orders q_k |", "| --- | --- | --- | --- | --- |"]
    for problem, methods in runs.items():
        for name, errors in methods.items():
            e = errors.w
            reached = np.flatnonzero(e <= 1e-6)
            above = e[: int(np.argmax(e <= FLOOR)) + 1] if (e <= FLOOR).any() else e
            q = ", ".join(f"{value:.2f}" for value in orders(e, FLOOR)[-3:])
            steps = str(reached[0]) if reached.size else f"more than {e.size - 1}"
            lines.append(f"| {problem} | {name} | {steps} | {above[-1] / above[-2]:.1g} | {q} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
