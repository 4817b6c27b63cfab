"""A large CSV file: reading against pyarrow alone, the solver's share of a fit, peak memory, selection and report."""

from __future__ import annotations

from ..large_table.measuring import Measured, measure_file
from ..report import Demand, Options, Report, Table
from ..setting import blas_threads, cores
from ..writing import ratio

SHAPES = {"tiny": (600, 5), "small": (100_000, 50), "full": (1_000_000, 50)}
"""Rows, and columns besides the target."""
FIT, CHOOSE, WHOLE = "saddleback fit --worst-weight 0.5 --no-evidence", "saddleback fit --no-evidence", "saddleback fit"
NAMES = {"pyarrow": "pyarrow.csv.read_csv", "read": "saddleback.tabular.read_table"}
NAMES |= {"fit": FIT, "choose": CHOOSE, "whole": WHOLE}


def measure(options: Options) -> Report:
    return report_of(*SHAPES[options.scale], options.repeats)


def report_of(n_rows: int, n_columns: int, repeats: int) -> Report:
    """The section for a file of this size."""
    found, size = measure_file(n_rows, n_columns, repeats)
    unit, fit, whole = found["pyarrow"]["seconds"], found["fit"], found["whole"]
    data = fit["bytes"]
    rows = [
        (NAMES[task], ratio(run["seconds"], unit), ratio(run["cpu"], unit), f"{_times(run, data):.2f}")
        for task, run in found.items()
    ]
    phases = [(name, f"{seconds / whole['seconds']:.2f}") for name, seconds in whole["phases"].items() if seconds > 0.0]
    memory, evidence = "peak memory over the data", "a chosen model with its evidence"
    return Report(
        "A large file",
        f"A CSV file of {size / 1e6:.0f} MB with {n_rows:,} rows and {n_columns} columns besides the target: two of "
        f"groups, categories, and numbers, some of them missing. It becomes {fit['columns']} columns of features, "
        f"{fit['bytes'] / 1e6:.0f} MB of numbers, which are called the data here. Every task runs in a process of its "
        "own, in which everything has been imported and compiled before. Times are multiples of that in which pyarrow "
        "reads the file, and the peak memory is what is used beyond that of the process before. The first command fits "
        "one model, the second chooses one of 64 by held-out rows of a sample and fits it to all rows, the third also "
        "collects the evidence of the report: the choice repeated on other rows, challengers, bootstrap. The last two "
        f"are measured once. Threads: kernels {cores()}, BLAS up to {blas_threads()}.",
        [
            Table("All tasks", ["", "time", "CPU time", "peak memory over the data"], rows),
            Table(f"The phases of {WHOLE}", ["", "share of its time"], phases),
        ],
        [
            Demand("reading, time over that of pyarrow alone", found["read"]["seconds"] / unit, at_most=1.25),
            Demand("one model: the solver's share of the time", fit["solve"] / fit["seconds"], at_most=0.25),
            Demand(f"one model: {memory}", _times(fit, data), at_most=3.0),
            Demand(f"a chosen model: {memory}", _times(found["choose"], data), at_most=3.0),
            Demand("a chosen model: seconds", found["choose"]["seconds"], at_most=300.0),
            Demand(f"{evidence}: {memory}", _times(whole, data), at_most=3.0),
            Demand(f"{evidence}: seconds", whole["seconds"], at_most=300.0),
        ],
        data={"found": found, "file": size},
    )


def _times(run: Measured, size: int) -> float:
    return float(run["peak"] / size)
