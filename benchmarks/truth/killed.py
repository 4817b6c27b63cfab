"""A run in its own process, to be killed: `python -m benchmarks.truth.killed NUMBER METHOD FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from .problems.kept_runs import draw_run


def main() -> None:
    number, method, path = sys.argv[1:]
    run = draw_run(np.random.default_rng(int(number)), method)
    # Compile and import first: the kill must hit the run itself.
    run.solve(max_iter=1)
    print("ready", flush=True)
    run.solve(Path(path), resume=True)
    print("ended", flush=True)


if __name__ == "__main__":
    main()
