"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from .._version import __version__
from .bench import bench
from .certify import certify
from .demo import demo
from .fit import fit
from .interruption import interruptible
from .path import path
from .predict import predict
from .report import report
from .reproduce import reproduce

app = typer.Typer(
    name="saddleback",
    help="Models for people in groups: fit a table, see whether the worst-off group gains, hand in a report.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (fit, predict, report, path, certify, demo, bench):
    app.command()(interruptible(command))
# It has its own words for an interruption: what has run is kept.
app.command()(reproduce)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Models for people in groups: fit a table, see whether the worst-off group gains, hand in a report."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


def usage_error() -> type[Exception]:
    """The base class of Typer's errors of usage, which has no public name of its own in all versions."""
    return next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")
