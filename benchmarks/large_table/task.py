"""One task in a process of its own: its times, its phases and its peak memory, as a line of JSON.

python -m benchmarks.large_table.task TASK FILE
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import pyarrow.csv

from saddleback.tabular import read_table
from saddleback.workflow.fit_table import fit_table
from saddleback.workflow.watcher import Watcher

from ..truth.memory import Peak
from .table import GROUPS, TARGET


class Phases(Watcher):
    """The seconds of each phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun, self._phase = time.perf_counter(), "start"

    def tell(self, phase: str) -> None:
        self.end()
        self._phase = phase

    def begin_splits(self, what: str, total: int) -> None:
        self.tell(what)

    def begin_fit(self, what: str) -> None:
        self.tell(what)

    def end(self) -> None:
        """The last phase is over."""
        now = time.perf_counter()
        self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._begun
        self._begun = now


def main(task: str, path: str) -> None:
    _warm_up()
    phases, peak, cpu, begun = Phases(), Peak(), _cpu(), time.perf_counter()
    facts = _done(task, path, phases)
    phases.end()
    measured = {"seconds": time.perf_counter() - begun, "cpu": _cpu() - cpu, "peak": peak.beyond()}
    print(json.dumps({**measured, "phases": phases.seconds, **facts}))


def _done(task: str, path: str, phases: Phases) -> dict[str, Any]:
    if task == "pyarrow":
        return {"bytes": pyarrow.csv.read_csv(path).nbytes}
    if task == "read":
        return {"bytes": read_table(path).nbytes}
    given: dict[str, Any] = {"worst_weight": 0.5} if task == "fit" else {}
    model = fit_table(path, target=TARGET, groups=GROUPS, evidence=task == "whole", watcher=phases, **given)
    rows, columns, run = model.facts["rows"], len(model.encoding.feature_names), model.model.result_
    return {
        "rows": rows,
        "columns": columns,
        "bytes": 8 * rows * columns,
        "solve": float(run.history.time[-1]),
        "certified": bool(run.certified),
    }


def _warm_up() -> None:
    """Compile, and import what is imported late."""
    x = [float(k % 7) for k in range(400)]
    small = {"x": x, TARGET: ["yes" if (3 * k) % 5 < 2 else "no" for k in range(400)]}
    small |= {name: ["a" if (k // size) % 2 else "b" for k in range(400)] for size, name in enumerate(GROUPS, start=1)}
    fit_table(small, target=TARGET, groups=GROUPS, worst_weight=0.5, evidence=False)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
