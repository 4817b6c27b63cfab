"""A large CSV file: reading against pyarrow alone, the solver's share of a fit, peak memory, selection and report."""

from __future__ import annotations

from collections.abc import Sequence

from ..large_table.measuring import TASKS, Measured, measure_file
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..writing import ratio

SHAPES = {"tiny": (600, 5), "small": (100_000, 50), "full": (1_000_000, 50)}
"""Rows, and columns besides the target."""
QUICK_TASKS = TASKS[:3]
"""What a test can wait for."""
NAMES = {
    "pyarrow": "pyarrow.csv.read_csv",
    "read": "saddleback.tabular.read_table",
    "fit": "saddleback fit --worst-weight 0.5 --no-evidence",
    "choose": "saddleback fit --no-evidence",
    "whole": "saddleback fit",
}
MEMORY, MOST_MEMORY = "peak memory over the data", 3.0
MOST_SECONDS = 300.0


def measure(options: Options) -> Report:
    return report_of(*SHAPES[options.scale], options.repeats, QUICK_TASKS if options.scale == "tiny" else TASKS)


def report_of(n_rows: int, n_columns: int, repeats: int, tasks: Sequence[str] = TASKS) -> Report:
    """The section for a file of this size."""
    found, size = measure_file(n_rows, n_columns, repeats, tasks)
    unit, fit = found["pyarrow"]["seconds"], found["fit"]
    data = fit["bytes"]
    rows = [
        (NAMES[task], ratio(run["seconds"], unit), ratio(run["cpu"], unit), f"{run['peak'] / data:.2f}")
        for task, run in found.items()
    ]
    tables = [Table("All tasks", ["", "time", "CPU time", MEMORY], rows)]
    tables += [_phases(NAMES[task], found[task]) for task in ("fit", "whole") if task in found]
    return Report(
        "A large file",
        f"A CSV file of {size / 1e6:.0f} MB with {n_rows:,} rows and {n_columns} columns besides the target: two of "
        f"groups, categories, and numbers, some of them missing. It becomes {fit['columns']} columns of features, "
        f"{data / 1e6:.0f} MB of numbers, which are called the data here. Every task runs in a process of its own, in "
        "which everything has been imported and compiled before. Times are multiples of that in which pyarrow reads "
        "the file; the peak memory is what is used beyond that of the process before. The first command fits one "
        "model; the second chooses one of 64 by held-out rows, of a sample where the file has more than 200,000 rows, "
        "and fits it to all; the third also collects the evidence of the report: the choice repeated on other rows, "
        "challengers, bootstrap. The last two are measured once. "
        f"Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        tables,
        [
            Demand("reading, time over that of pyarrow alone", found["read"]["seconds"] / unit, at_most=1.25),
            Demand("one model: the solver's share of the time", fit["solve"] / fit["seconds"], at_most=0.25),
            Demand(f"one model: {MEMORY}", fit["peak"] / data, at_most=MOST_MEMORY),
            *_demands("a chosen model", found.get("choose"), data),
            *_demands("a chosen model with its evidence", found.get("whole"), data),
        ],
        data={"found": found, "file": size},
    )


def _phases(name: str, run: Measured) -> Table:
    """Of one model the last phase is the fit; its solver takes a part of it."""
    shares = [(phase, f"{seconds / run['seconds']:.3f}") for phase, seconds in run["phases"].items()]
    shares.append(("of which the solver, on all rows", f"{run['solve'] / run['seconds']:.3f}"))
    return Table(f"The phases of {name}", ["", "share of the time"], shares[1:])


def _demands(name: str, run: Measured | None, data: int) -> list[Demand]:
    if run is None:
        return []
    return [
        Demand(f"{name}: {MEMORY}", run["peak"] / data, at_most=MOST_MEMORY),
        Demand(f"{name}: seconds", run["seconds"], at_most=MOST_SECONDS),
    ]
