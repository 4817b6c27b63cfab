"""All tasks on one file, each in a process of its own, in interleaved rounds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from ..writing import ROOT
from .table import write_table

TASKS = ("pyarrow", "read", "fit", "choose", "whole")
"""Reading by pyarrow and by saddleback, one model, a model that is chosen, and one with the evidence of its report."""
QUICK = ("pyarrow", "read", "fit")
"""What is repeated; the others take minutes."""

Measured = dict[str, Any]


def measure_file(
    n_rows: int, n_columns: int, repeats: int, tasks: Sequence[str] = TASKS
) -> tuple[dict[str, Measured], int]:
    """The measurement of each task with the median time, and the bytes of the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        write_table(path, n_rows, n_columns)
        found: dict[str, list[Measured]] = {task: [] for task in tasks}
        for number in range(repeats):
            for task in tasks if number == 0 else QUICK:
                found[task].append(_run(task, path))
        return {task: _middle(runs) for task, runs in found.items()}, path.stat().st_size


def _run(task: str, path: Path) -> Measured:
    command = [sys.executable, "-m", "benchmarks.large_table.task", task, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{task} has failed:\n{done.stderr}")
    measured: Measured = json.loads(done.stdout.splitlines()[-1])
    return measured


def _middle(runs: list[Measured]) -> Measured:
    """The run of the median time; of an even number the quicker one of the two in the middle."""
    middle = median([run["seconds"] for run in runs])
    return max((run for run in runs if run["seconds"] <= middle), key=lambda run: run["seconds"])
