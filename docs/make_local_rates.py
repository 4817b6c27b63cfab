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
from PIL import Image

from saddleback import Entropy, Newton, ProxLinear, QuasiNewton

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.local_rates.errors import Errors, local_errors, orders  # noqa: E402
from benchmarks.local_rates.known_solutions import Solution, dependent, quartic, solved, summed  # noqa: E402
from benchmarks.local_rates.logistic_table import logistic_table  # noqa: E402

Runs: TypeAlias = Mapping[str, Errors]

INK, GRAY = "#26323d", "#9aa5b1"
N_COLORS = 48
COLORS = {
    "Newton, composite model": "#d1603d",
    "Newton, one Hessian": "#e3a857",
    "quasi-Newton": "#2f7f9e",
    "quasi-Newton, 3 pairs": "#7fb3c4",
    "prox-linear": "#9aa5b1",
}
# Orders are those of errors above the root of the rounding of values, and of larger ones without unique multipliers or
# growth of second order.
FLOOR, DEGENERATE_FLOOR = 3e-7, 1e-3
DEGENERATE = ("no growth of second order: x^4", "dependent gradients")
MOST_STEPS = 26
# Once an error is this close to the least one, what follows is rounding.
NEAR_LEAST = 3.0
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
    place = ROOT / "docs" / "images" / "local_rates.png"
    figure.savefig(place, dpi=110)
    # Plots need few colors.
    Image.open(place).convert("RGB").quantize(N_COLORS).save(place, optimize=True)


def until_rounding(e: Any) -> Any:
    return e[: int(np.argmax(e <= NEAR_LEAST * max(e.min(), 1e-16))) + 1]


def table(runs: Mapping[str, Runs]) -> str:
    lines = [f"| problem | {' | '.join(COLORS)} |", "| --- " * (len(COLORS) + 1) + "|"]
    for problem, methods in runs.items():
        floor = DEGENERATE_FLOOR if problem in DEGENERATE else FLOOR
        cells = (cell(methods[name].w, floor) if name in methods else "" for name in COLORS)
        lines.append(f"| {problem} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(e: Any, floor: float) -> str:
    """The number of the first error below the floor, the mean of the last three ratios e_{k+1}/e_k, the last q_k."""
    below = np.flatnonzero(e <= floor)
    steps = str(below[0]) if below.size else f"over {e.size - 1}"
    e = e[: below[0] + 1] if below.size else e
    return f"{steps}, {(e[-1] / e[-4]) ** (1 / 3):.2g}, {orders(e, 0.0)[-1]:.1f}"


if __name__ == "__main__":
    main()
