"""Processes of a Dask cluster killed at random moments: `python -m benchmarks.cluster.faults`.

Every run must end at the bits of the undisturbed one: where a worker is killed the run goes on, and where the scheduler
is killed it ends with `ClusterLost` and is resumed from its checkpoint on another cluster.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

import numpy as np

from .fault_runs import kill_schedulers, kill_workers


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster.faults", description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=20, metavar="N", help="runs in which a worker is killed")
    parser.add_argument("--schedulers", type=int, default=10, metavar="N", help="runs in which the scheduler is killed")
    parser.add_argument("--seed", type=int, default=0, help="of the moments and the workers")
    asked = parser.parse_args(arguments)
    import distributed  # noqa: F401  (it sets these levels when it is imported)

    # Dask reports every lost connection, which here are all on purpose.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    rng = np.random.default_rng(asked.seed)
    counts = [
        kill(count, rng)
        for kill, count in ((kill_workers, asked.workers), (kill_schedulers, asked.schedulers))
        if count
    ]
    for of_kind in counts:
        print(of_kind.line())
    return int(any(of_kind.same < of_kind.runs for of_kind in counts))


if __name__ == "__main__":
    sys.exit(main())
