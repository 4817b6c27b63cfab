"""`make bench`: inner solvers and outer methods, side by side in one process, medians of five."""

from __future__ import annotations

import time
from pathlib import Path

from . import inner_solvers, outer_methods
from .tables import REPORTS, environment, write

REPEATS = 5


def main(directory: Path = REPORTS, repeats: int = REPEATS) -> None:
    started = time.perf_counter()
    setting = environment()
    inner = inner_solvers.measure(repeats)
    outer = [outer_methods.measure(repeats, gamma=gamma) for gamma in (0.01, 0.0)]
    parts = [
        "# Benchmarks\n",
        ", ".join(f"{name} {value}" for name, value in setting.items()) + ".\n",
        "## Inner solvers\n",
        f"Random dual subproblems on the simplex, solved to a cross-evaluation gap of {inner_solvers.TOL:g}; medians "
        f"of {repeats} instances, each solved by every solver in turn. A step is one linear system of the solver; the "
        "largest gap is measured outside the solver. The paper's schedule is measured up to "
        f"J = {inner_solvers.LARGEST_FOR_PAPER}.\n",
        inner_solvers.table(inner),
        "## Outer methods\n",
    ]
    for measured in outer:
        parts += [
            f"Group logistic regression by the paper's recipe, d = {measured['d']}, J = {measured['J']}, "
            f"N = {measured['N']}, seed {measured['seed']}, gamma = {measured['gamma']:g}; gaps are distances of the "
            f"objective to the optimum {measured['optimum']:.8f} (certified within {measured['optimum_gap']:.0e}). "
            f"Counts are iterations / evaluations with + without the Jacobian; times are medians of {repeats} runs; "
            f"'-': not within {outer_methods.MAX_ITER} iterations.\n",
            outer_methods.table(measured),
        ]
    elapsed = time.perf_counter() - started
    parts.append(f"All of this took {elapsed:.0f} s.\n")
    text = "\n".join(parts)
    print(text)
    write("bench", text, {"environment": setting, "inner": inner, "outer": outer, "seconds": elapsed}, directory)


if __name__ == "__main__":
    main()
