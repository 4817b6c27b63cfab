"""``saddleback reproduce``: the paper's experiments, table by table."""

from __future__ import annotations

from enum import StrEnum
from sys import float_info
from typing import Annotated

import typer
from rich.console import Console

from .. import paper
from .._validation import number
from ..machine.resources import GB
from .printable import printable
from .progress import progress_bar
from .status import INTERRUPTED


class Target(StrEnum):
    """A figure or table by its letter in the paper."""

    a = "a"
    b = "b"
    c = "c"
    d = "d"
    e = "e"
    theory = "theory"
    all = "all"


class Scale(StrEnum):
    """The sizes of the experiments."""

    small = "small"
    full = "full"
    tiny = "tiny"


def reproduce(
    targets: Annotated[
        list[Target],
        typer.Argument(help="Figure (a), tables (b) to (e), the theory's scaling, or all of them.", show_default=False),
    ],
    scale: Annotated[
        Scale, typer.Option(help="small: minutes; full: the paper's sizes, up to an hour and 4 GB; tiny: seconds.")
    ] = Scale.small,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random data.")] = 0,
    out: Annotated[
        str, typer.Option(metavar="PATH", help="Directory for tables, figures and the cache of cells.")
    ] = "reports/paper",
    max_memory: Annotated[
        float | None,
        typer.Option(help="Gigabytes that the data may take; by default the free memory.", show_default=False),
    ] = None,
) -> None:
    """Rerun the paper's experiments and print the paper's numbers next to those measured here.

    Each cell is stored in the cache of the directory as soon as it has run. After an interruption the same command
    continues from there.
    """
    if max_memory is not None:
        max_memory = number(max_memory, "--max-memory", minimum=0.0, strict=True)
    console = Console()
    try:
        with progress_bar() as reporter:
            done = paper.reproduce(
                [target.value for target in targets],
                scale=scale.value,
                seed=seed,
                out=out,
                reporter=reporter,
                max_memory=None if max_memory is None else min(max_memory * GB, float_info.max),
            )
    except KeyboardInterrupt:
        typer.echo(
            "saddleback: interrupted; cells that have run are stored, the same command continues from there",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    for failure in done.failures:
        console.print(printable(f"could not run: {failure}"), style="yellow", highlight=False, markup=False)
    for file in done.files:
        console.print(printable(str(file)), highlight=False, markup=False, soft_wrap=True)
