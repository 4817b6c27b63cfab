"""Live progress of a command on standard error; standard output is for results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..learn.fitting.observer import Iteration
from ..machine.pace import Pace
from ..workflow.watcher import Watcher
from .printable import printable

SECONDS_BETWEEN_LINES = 10.0
"""Where there is no terminal, a line of the same phase comes at most so often: logs stay short."""


@contextmanager
def live(quiet: bool) -> Iterator[Watcher]:
    """Who watches the work: nobody, a line that changes on a terminal, or lines in a log."""
    if quiet:
        yield Watcher()
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines(sys.stderr)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[now]}"),
        TimeElapsedColumn(),
    )
    # Gone at the end: what remains on the screen is the result.
    with Progress(*columns, console=console, transient=True) as bar:
        yield Bar(bar)


class Bar(Watcher):
    """One line on a terminal: phase, splits done of all, and for the fit to all rows value, gap and worst group."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None, now="")
        self._pace = Pace(0)

    def tell(self, phase: str) -> None:
        self._begin(phase, None)

    def begin_splits(self, what: str, total: int) -> None:
        self._begin(what, total)
        self._pace = Pace(total)

    def end_split(self) -> None:
        self._pace.end_part()
        self._bar.update(self._task, advance=1, now=self._pace.in_words())

    def begin_fit(self, what: str) -> None:
        self.tell(what)

    def iterate(self, iteration: Iteration) -> None:
        self._bar.update(self._task, now=escape(printable(in_words(iteration))))

    def _begin(self, phase: str, total: int | None) -> None:
        """A new line in the place of the last one: rich cannot make the length of a task unknown again."""
        self._bar.remove_task(self._task)
        self._task = self._bar.add_task(escape(printable(phase)), total=total, now="")


class Lines(Watcher):
    """Sparse plain lines: one for each phase, and one from time to time within it."""

    def __init__(self, file: TextIO, clock: Callable[[], float] = monotonic) -> None:
        self._file, self._clock = file, clock
        self._last, self._pace = clock(), Pace(0, clock)
        self._iteration: Iteration | None = None

    def tell(self, phase: str) -> None:
        self._end_fit()
        self._print(phase)

    def begin_splits(self, what: str, total: int) -> None:
        self._end_fit()
        self._pace = Pace(total, self._clock)
        self._print(f"{what}: {total} splits")

    def end_split(self) -> None:
        self._pace.end_part()
        if self._is_due():
            left = self._pace.in_words()
            self._print(f"  {self._pace.done} of {self._pace.total} splits{left and f', {left}'}")

    def begin_fit(self, what: str) -> None:
        self.tell(what)

    def iterate(self, iteration: Iteration) -> None:
        self._iteration = iteration
        if self._is_due():
            self._print(f"  {in_words(iteration)}")

    def _end_fit(self) -> None:
        """The last iteration of a fit is always told."""
        if self._iteration is not None:
            self._print(f"  {in_words(self._iteration)}")
            self._iteration = None

    def _is_due(self) -> bool:
        return self._clock() - self._last >= SECONDS_BETWEEN_LINES

    def _print(self, line: str) -> None:
        self._last = self._clock()
        # Where nobody reads the progress any more, the work goes on.
        with suppress(BrokenPipeError):
            print(printable(line), file=self._file, flush=True)


def in_words(iteration: Iteration) -> str:
    """Where the solver stands: value, certified gap, and the group that is worst off."""
    return (
        f"value {iteration.value:.6g}, gap {iteration.gap:.1e}, worst {_shortened(iteration.group)} "
        f"{iteration.loss:.4g}"
    )


def _shortened(group: str) -> str:
    return group if len(group) <= 40 else f"{group[:39]}…"
