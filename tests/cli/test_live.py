"""Live progress: sparse lines in a log, one line on a terminal, nothing when quiet."""

from __future__ import annotations

import io

from rich.console import Console
from rich.progress import Progress

from saddleback.cli.live import Bar, Lines, live
from saddleback.learn.fitting.observer import Iteration
from saddleback.workflow.watcher import Watcher

STEP = Iteration(3, 0.5, 1e-7, "race=[bold]x[/bold]", 0.61)


def drive(watcher: Watcher) -> None:
    watcher.tell("reading data.csv")
    watcher.begin_splits("64 candidates", 3)
    for _ in range(3):
        watcher.end_split()
    watcher.begin_fit("the chosen model")
    watcher.iterate(Iteration(1, 0.7, 1.0, "a", 0.7))
    watcher.iterate(STEP)
    watcher.tell("writing")


def test_lines_are_sparse_and_end_with_the_last_iteration():
    file = io.StringIO()
    drive(Lines(file, clock=lambda: 0.0))
    assert file.getvalue().splitlines() == [
        "reading data.csv",
        "64 candidates: 3 splits",
        "the chosen model",
        "  value 0.5, gap 1.0e-07, worst race=[bold]x[/bold] 0.61",
        "writing",
    ]


def test_slow_phases_are_told_from_time_to_time():
    file, seconds = io.StringIO(), iter(range(0, 10**6, 6))
    drive(Lines(file, clock=lambda: float(next(seconds))))
    assert "  2 of 3 splits" in file.getvalue()


def test_slow_splits_say_how_long_the_others_take():
    file, now = io.StringIO(), [0.0]
    lines = Lines(file, clock=lambda: now[0])
    lines.begin_splits("64 candidates", 10)
    for seconds in (90.0, 180.0):
        now[0] = seconds
        lines.end_split()
    assert file.getvalue().splitlines()[1:] == [
        "  1 of 10 splits, about 14 min left",
        "  2 of 10 splits, about 12 min left",
    ]


def test_the_bar_shows_hostile_names_as_text():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=200)
    with Progress(*Progress.get_default_columns(), console=console) as bar:
        watcher = Bar(bar)
        drive(watcher)
        watcher.tell("[/red] of [link]")
        bar.refresh()
        watcher.begin_splits("splits", 2)
        watcher.end_split()
        assert [(task.completed, task.total) for task in bar.tasks] == [(1, 2)]
        watcher.begin_fit("the model")
        watcher.iterate(STEP)
        assert [(task.completed, task.total) for task in bar.tasks] == [(0, None)]
        assert "value 0.5, gap 1.0e-07" in bar.tasks[0].fields["now"]
    assert "[/red] of [link]" in file.getvalue()


def test_quiet_is_silent(capsys):
    with live(quiet=True) as watcher:
        drive(watcher)
    assert capsys.readouterr() == ("", "")
    with live(quiet=False) as watcher:
        drive(watcher)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("reading data.csv\n")
