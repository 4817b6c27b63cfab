"""One batch of inputs in a process of its own: `python -m benchmarks.fuzz.child NAME SEED FIRST LAST PROGRESS`.

The number of the input at work stands in the file PROGRESS, so that after a crash it is known which one it was.
"""

from __future__ import annotations

import json
import mmap
import resource
import sys
import traceback
import warnings
from collections import Counter

from .mutator import mutated
from .targets import TARGETS

MEMORY = 6 << 30
"""Bytes of address space: files that announce more than there is must be refused, not bring down the machine."""

SECONDS = 30
"""Processor time for one input; a reader that takes longer is taken to hang, and is ended by the system."""


def main(arguments: list[str]) -> int:
    """Run a batch; print what came out as JSON."""
    name, (seed, first, last) = arguments[0], map(int, arguments[1:4])
    target = TARGETS[name]
    seeds = target.seeds()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    counts: Counter[str] = Counter()
    failures = []
    with open(arguments[4], "r+b") as opened, mmap.mmap(opened.fileno(), 8) as progress:
        for number in range(first, last):
            progress[:8] = number.to_bytes(8, "little")
            used = resource.getrusage(resource.RUSAGE_SELF)
            limit = int(used.ru_utime + used.ru_stime) + SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    counts[target.outcome(mutated(seeds, seed, number))] += 1
            except BaseException as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                failures.append([number, f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"[:500]])
    print(json.dumps({"counts": counts, "failures": failures}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
