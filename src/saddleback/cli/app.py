"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from .._version import __version__
from .reproduce import reproduce

app = typer.Typer(
    name="saddleback",
    help="Minimax optimization with many parameters and few losses.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(reproduce)


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Minimax optimization with many parameters and few losses."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
