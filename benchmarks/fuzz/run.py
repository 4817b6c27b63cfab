"""A run: batches in child processes, crashes counted, inputs that failed kept."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .mutator import mutated
from .targets import TARGETS

BATCH = 5000
"""Inputs of one child process: its start takes as long as some hundred inputs."""

MOST_SHOWN = 20


@dataclass
class Tally:
    """What came out of the inputs so far."""

    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)

    def words(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(self.outcomes.items()))
        return f"{self.done} inputs: {counts}; {len(self.failures)} failures"


def fuzz(name: str, n: int, seed: int, *, first: int = 0, keep: Path | None = None, quiet: bool = False) -> Tally:
    """Run the inputs first, ..., first + n - 1 of a target; those that fail are written to the folder ``keep``."""
    tally = Tally()
    start, end = first, first + n
    while start < end:
        last = min(start + BATCH, end)
        start = _batch(name, seed, start, last, tally)
        if not quiet:
            print(f"{name}: {tally.words()}", flush=True)
    if keep is not None and tally.failures:
        keep.mkdir(parents=True, exist_ok=True)
        seeds = TARGETS[name].seeds()
        for number, _ in tally.failures:
            (keep / f"{name}-{seed}-{number}").write_bytes(mutated(seeds, seed, number))
    return tally


def _batch(name: str, seed: int, first: int, last: int, tally: Tally) -> int:
    """Run a batch and count it. Returns where to go on: after the batch, or after the input that ended the process."""
    with tempfile.NamedTemporaryFile() as progress:
        progress.write((first - 1).to_bytes(8, "little", signed=True))
        progress.flush()
        command = [sys.executable, "-m", "benchmarks.fuzz.child", name, *map(str, (seed, first, last)), progress.name]
        child = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if child.returncode == 0:
            answer = json.loads(child.stdout.splitlines()[-1])
            tally.outcomes.update(answer["counts"])
            tally.failures += [(number, told) for number, told in answer["failures"]]
            tally.done += last - first
            return last
        number = int.from_bytes(Path(progress.name).read_bytes()[:8], "little", signed=True)
    if number < first:
        raise RuntimeError(f"the child process did not start: {child.stderr[-2000:]}")
    # The inputs before it are run again, to be counted.
    if number > first:
        _batch(name, seed, first, number, tally)
    how = signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit status {child.returncode}"
    tally.failures.append((number, f"the process ended by {how}: {' '.join(child.stderr.split()[-30:])}"))
    tally.done += 1
    return number + 1


def main(arguments: list[str] | None = None) -> int:
    """The command; exit status 1 where an input failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description="Damaged files through the readers.")
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--n", type=int, default=10_000, help="number of inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--keep", type=Path, help="folder for inputs that fail")
    parser.add_argument("--atheris", action="store_true", help="let libFuzzer choose the changes")
    chosen = parser.parse_args(arguments)
    if chosen.atheris:
        from .coverage_guided import fuzz_by_coverage

        return fuzz_by_coverage(TARGETS[chosen.target], chosen.n, chosen.seed, chosen.keep)
    tally = fuzz(chosen.target, chosen.n, chosen.seed, first=chosen.first, keep=chosen.keep)
    for number, told in tally.failures[:MOST_SHOWN]:
        print(f"input {number} of seed {chosen.seed}: {told}")
    return 1 if tally.failures else 0
