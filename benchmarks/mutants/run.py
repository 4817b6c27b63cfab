"""The command `python -m benchmarks.mutants`: tests every mutant in copies of the project, several at a time."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from .areas import AREAS
from .mutant import Mutant
from .tally import Result, Tally
from .workspace import Answer, Verdict, Workspace

ROOT = Path(__file__).resolve().parents[2]
# The tests of a mutant may take so many times as long as without the mutation, but at least some time, as machines are
# shared: what takes longer hangs.
TIME_FACTOR, LEAST_TIME_LIMIT = 20.0, 120.0
# The limit of the tests without a mutation.
LONGEST = 600.0

Areas = Mapping[str, Sequence[Mutant]]


def main(arguments: Sequence[str] | None = None, project: Path = ROOT, areas: Areas = AREAS) -> int:
    asked = _parser().parse_args(arguments)
    chosen = [
        (area, mutant)
        for area, mutants in areas.items()
        for mutant in mutants
        if not asked.names or area in asked.names or mutant.name in asked.names
    ]
    unknown = set(asked.names) - set(areas) - {mutant.name for _, mutant in chosen}
    if unknown:
        print(f"No area or mutant is called {', '.join(sorted(unknown))}. Areas: {', '.join(areas)}.")
        return 2
    if asked.list:
        for area, mutant in chosen:
            print(f"{area}: {mutant.name}: {mutant.why}")
        return 0
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(asked.workers) as pool:
        workers = _Workers(project, Path(folder), asked.workers)
        unmutated: dict[tuple[str, ...], Answer] = {}
        for area in dict.fromkeys(area for area, _ in chosen):
            mutants = [mutant for of, mutant in chosen if of == area]
            selections = [tests for tests in dict.fromkeys(m.tests for m in mutants) if tests not in unmutated]
            unmutated.update(zip(selections, pool.map(workers.unmutated, selections), strict=True))
            answers = pool.map(workers.answer, mutants, [unmutated[mutant.tests] for mutant in mutants])
            for mutant, answer in zip(mutants, answers, strict=True):
                tally.results.append(Result(area, mutant, answer))
                said = f"{answer.verdict.value:8} {answer.seconds:5.1f} s"
                print(f"{said}  {area}: {mutant.name}  {answer.note}", flush=True)
    print(f"\n{tally.table()}\n")
    for remark in tally.remarks():
        print(remark)
    print(f"{100.0 * tally.share_killed:.1f} % killed")
    return 0 if tally.kept else 1


class _Workers:
    """As many copies of the project as are used at a time."""

    def __init__(self, project: Path, folder: Path, count: int) -> None:
        self._free: SimpleQueue[Workspace] = SimpleQueue()
        for number in range(count):
            self._free.put(Workspace.of(project, folder / str(number)))

    @contextmanager
    def _one(self) -> Iterator[Workspace]:
        workspace = self._free.get()
        try:
            yield workspace
        finally:
            self._free.put(workspace)

    def unmutated(self, tests: tuple[str, ...]) -> Answer:
        """What tests say of the project as it is."""
        with self._one() as workspace:
            return workspace.run(tests, LONGEST)

    def answer(self, mutant: Mutant, unmutated: Answer) -> Answer:
        """What the tests say of a mutant; nothing where they do not pass without it."""
        if unmutated.verdict is not Verdict.SURVIVED:
            return Answer(Verdict.INVALID, 0.0, f"its tests do not pass without it: {unmutated.note}")
        with self._one() as workspace:
            return workspace.tested(mutant, max(LEAST_TIME_LIMIT, TIME_FACTOR * unmutated.seconds))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="areas or mutants; all unless given")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="copies that are tested at a time")
    parser.add_argument("--list", action="store_true", help="only print the names and what each breaks")
    return parser
