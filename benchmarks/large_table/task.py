"""One task in a process of its own: what it does by phases, its times and its peak memory, as a line of JSON.

python -m benchmarks.large_table.task {pyarrow,read,fit,choose,whole} FILE
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from ..truth.memory import Peak
from .table import GROUPS, TARGET

TASKS = ("pyarrow", "read", "fit", "choose", "whole")
"""Reading by pyarrow, reading by saddleback, one model, a model that is chosen, and one that is chosen with the
evidence of its report."""


def main(task: str, path: str) -> None:
    # What is imported and compiled once is not measured.
    import pyarrow.csv

    from saddleback.workflow.fit_table import fit_table
    from saddleback.workflow.watcher import Watcher

    class Phases(Watcher):
        """The seconds of each phase."""

        def __init__(self) -> None:
            self.seconds: dict[str, float] = {}
            self._begun = time.perf_counter()
            self._phase = "start"

        def tell(self, phase: str) -> None:
            self.end()
            self._phase = phase

        def begin_splits(self, what: str, total: int) -> None:
            self.tell(what)

        def begin_fit(self, what: str) -> None:
            self.tell(what)

        def end(self) -> None:
            now = time.perf_counter()
            self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._begun
            self._begun = now

    warm_up(fit_table)
    phases, peak, cpu, begun = Phases(), Peak(), _cpu(), time.perf_counter()
    facts: dict[str, Any] = {}
    if task == "pyarrow":
        facts["bytes"] = pyarrow.csv.read_csv(path).nbytes
    elif task == "read":
        from saddleback.tabular import read_table

        facts["bytes"] = read_table(path).nbytes
    else:
        given = {"worst_weight": 0.5} if task == "fit" else {}
        model = fit_table(path, target=TARGET, groups=GROUPS, evidence=task == "whole", watcher=phases, **given)
        rows, columns = model.facts["rows"], len(model.encoding.feature_names)
        run = model.model.result_
        facts |= {"rows": rows, "columns": columns, "bytes": 8 * rows * columns, "certified": bool(run.certified)}
        facts["solve"] = float(run.history.time[-1])
    phases.end()
    seconds = time.perf_counter() - begun
    print(
        json.dumps({"seconds": seconds, "cpu": _cpu() - cpu, "peak": peak.beyond(), "phases": phases.seconds, **facts})
    )


def warm_up(fit_table: Any) -> None:
    """Compile, and import what is imported late."""
    x = [float(k % 7) for k in range(400)]
    small = {"x": x, TARGET: ["yes" if (3 * k) % 5 < 2 else "no" for k in range(400)]}
    small |= {name: ["a" if k % 3 else "b" for k in range(400)] for name in GROUPS}
    fit_table(small, target=TARGET, groups=GROUPS, worst_weight=0.5, evidence=False)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
