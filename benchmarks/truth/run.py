"""The command `python -m benchmarks.truth`: runs cases in several processes and compares counts with limits."""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from ..writing import REPORTS, write_json
from .page import load, write_page
from .section import Scale, Section
from .sections import SECTIONS
from .tally import RAISED, Outcome, Share, Tally, counts_table

# Cases per task of a process: enough to hide the communication, few enough to balance the load.
CHUNK = 5
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# Violations that are printed for a section.
SHOWN = 12


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    if asked.case is not None:
        return _one(asked.only, asked.seed, asked.case)
    kept = True
    for name in [] if asked.render else asked.only or list(SECTIONS):
        section = SECTIONS[name]
        report = run_section(section, asked.scale, asked.seed, asked.jobs, asked.count)
        report.print()
        write_json(asked.out / f"{name}.json", report.to_dict())
        kept &= report.kept
    if asked.write is not None:
        write_page(asked.write, load(asked.out, SECTIONS))
        print(f"Written: {asked.write}")
    return 0 if kept else 1


@dataclass
class SectionReport:
    """The counts and violations of a section."""

    section: Section
    seed: int
    cases: int
    seconds: float = 0.0
    tally: Tally = field(default_factory=Tally)
    failures: list[str] = field(default_factory=list)
    """A line for each run that violated a guarantee, with the arguments that repeat its case."""

    @property
    def kept(self) -> bool:
        return all(row.kept for row in self.tally.rows(self.section.limits))

    def add(self, number: int, outcomes: Sequence[Outcome]) -> None:
        self.tally.add(outcomes)
        promised = {RAISED, *(c.name for c in self.section.limits if isinstance(c, Share) and c.at_most is not None)}
        for outcome in outcomes:
            broken = "; ".join(name for name, counted in outcome.counts.items() if counted and name in promised)
            if broken:
                arguments = f"--only {self.section.name} --seed {self.seed} --case {number}"
                self.failures.append(f"{arguments}: {broken}: {outcome.row}: {outcome.note}")

    def print(self) -> None:
        print(f"## {self.section.title} ({self.cases} cases, {self.seconds:.0f} s)\n")
        print(counts_table(self.tally.rows(self.section.limits)))
        print(self.tally.endings_table())
        for line in self.failures[:SHOWN]:
            print(f"  {line}")
        if len(self.failures) > SHOWN:
            print(f"  ... and {len(self.failures) - SHOWN} more in the file of the section")
        print(flush=True)

    def to_dict(self) -> dict[str, object]:
        """The data of the page, without the seconds, which differ from run to run."""
        return {
            "seed": self.seed,
            "cases": self.cases,
            "counts": [row.cells() for row in self.tally.rows(self.section.limits)],
            "endings": self.tally.endings_table(),
            "failures": self.failures,
        }


def run_section(section: Section, scale: Scale, seed: int, jobs: int, count: int | None = None) -> SectionReport:
    """All cases of a section, in the order of their numbers."""
    started = time.perf_counter()
    cases = section.sizes[scale] if count is None else count
    report = SectionReport(section, seed, cases)
    for number, outcomes in _tried(section.name, seed, cases, jobs):
        report.add(number, outcomes)
    report.seconds = time.perf_counter() - started
    return report


def _tried(name: str, seed: int, cases: int, jobs: int) -> Iterator[tuple[int, Sequence[Outcome]]]:
    if jobs <= 1:
        yield from ((number, judged(name, seed, number)) for number in range(cases))
        return
    with _one_thread_each(), ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        answers = pool.map(judged, *zip(*((name, seed, n) for n in range(cases)), strict=True), chunksize=CHUNK)
        yield from enumerate(answers)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """The processes share the cores: BLAS and the kernels get one thread in each."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def judged(name: str, seed: int, number: int) -> Sequence[Outcome]:
    """The outcomes of a case; an unexpected exception is an outcome, too."""
    try:
        outcomes = SECTIONS[name].try_case(seed, number)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        note = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        return [Outcome({RAISED: True}, note=note)]
    return [*outcomes, Outcome({RAISED: False})]


def _one(names: Sequence[str] | None, seed: int, number: int) -> int:
    """Run one case in this process and print its outcomes."""
    if not names or len(names) != 1:
        print("--case needs the one section that it is in: --only SECTION", file=sys.stderr)
        return 2
    for outcome in SECTIONS[names[0]].try_case(seed, number):
        found = ", ".join(name for name, counted in outcome.counts.items() if counted) or "nothing wrong"
        print(f"{outcome.row}: {outcome.ending}: {outcome.note}\n  counted: {found}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__)
    parser.add_argument("--scale", choices=("small", "full"), default="full", help="how many cases")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--case", type=int, help="one case alone, by its number")
    parser.add_argument("--count", type=int, help="number of cases of each section, whatever the scale")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, default=REPORTS / "truth", help="where the counts are stored")
    parser.add_argument(
        "--write", type=Path, metavar="docs/reliability.md", help="write the page from all stored counts"
    )
    parser.add_argument("--render", action="store_true", help="run nothing, write the page from the stored counts")
    return parser
