"""A progress bar on standard error; standard output is for results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..paper import Reporter


@contextmanager
def progress_bar() -> Iterator[Reporter]:
    """A bar with the number of steps, the time and the current step; plain lines if there is no terminal."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None)
        steps = {"done": 0, "all": 0}

        def plan(total: int) -> None:
            steps["all"] = total
            bar.update(task, total=total)

        def done() -> None:
            steps["done"] += 1
            bar.advance(task)

        def tell(text: str) -> None:
            bar.update(task, description=text)
            if not console.is_terminal:
                console.print(f"[{steps['done']}/{steps['all']}] {text}", markup=False, highlight=False, soft_wrap=True)

        yield Reporter(plan, done, tell)
