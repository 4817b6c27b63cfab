"""First use on a new machine: importing the package, and a first fit with nothing compiled before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ..report import Demand, Options, Report, Table

SCIPY = "scipy.linalg, scipy.sparse, scipy.special, scipy.optimize"
IMPORTS = {"SciPy": SCIPY, "saddleback": "saddleback"}
IMPORT = """
import time
start = time.process_time()
import {modules}
print(time.process_time() - start)
"""
FIT = """
import time
import numpy as np
import saddleback as sb
rng = np.random.default_rng(0)
X, y, groups = rng.normal(size=({rows}, 10)), rng.integers(0, 2, {rows}), rng.integers(0, 3, {rows})
start = time.process_time()
result = sb.solve(sb.Problem(sb.GroupedLinear(X, y, groups, l2=1e-3)))
assert result.success
print(time.process_time() - start)
"""
EMPTY, FILLED = "first fit, nothing compiled", "first fit of a later process"
MOST_FIT, MOST_MORE = 2.5, 0.2


def measure(options: Options) -> Report:
    fit = FIT.format(rows=300 if options.scale == "tiny" else 1000)
    seconds: dict[str, list[float]] = {what: [] for what in (*IMPORTS, EMPTY, FILLED)}
    with TemporaryDirectory() as bytecode:
        for modules in IMPORTS.values():
            _run(IMPORT.format(modules=modules), bytecode, bytecode)
        for _ in range(options.repeats):
            for what, modules in IMPORTS.items():
                seconds[what].append(_run(IMPORT.format(modules=modules), bytecode, bytecode))
            with TemporaryDirectory() as compiled:
                seconds[EMPTY].append(_run(fit, bytecode, compiled))
                seconds[FILLED].append(_run(fit, bytecode, compiled))
    medians = {what: median(of) for what, of in seconds.items()}
    return Report(
        "First use",
        "Seconds of CPU in new processes, with bytecode, as an installed package has it: importing the package, and "
        f"what SciPy's own modules take ({SCIPY}); after the imports, logistic regression on 1,000 x 10 numbers in "
        "three groups, with an empty cache of compiled kernels and in the process after that.",
        [Table("seconds", ["what", "median"], [(what, f"{s:.2f}") for what, s in medians.items()])],
        [
            Demand("seconds of a first fit after imports", medians[EMPTY], at_most=MOST_FIT),
            Demand(
                "seconds of importing the package beyond those of SciPy",
                medians["saddleback"] - medians["SciPy"],
                at_most=MOST_MORE,
            ),
        ],
        data=medians,
    )


def _run(code: str, bytecode: str, compiled: str) -> float:
    """What the code prints, in a new process with folders for bytecode and for compiled kernels."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(Path(bytecode)), "NUMBA_CACHE_DIR": str(Path(compiled))}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, timeout=300
    )
    return float(done.stdout)
