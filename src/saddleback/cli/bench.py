"""``saddleback bench``: how fast this machine solves, beside SciPy."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from . import options as o
from .output import say, say_json


def bench(
    data: Annotated[
        str | None, typer.Argument(metavar="[DATA]", help="A table; by default one is generated.", show_default=False)
    ] = None,
    target: Annotated[str | None, typer.Option("--target", metavar="COL", help="The column to be predicted.")] = None,
    group: Annotated[list[str], typer.Option("--group", metavar="COL", help="A group column.")] = [],  # noqa: B006
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Times that both solvers run, in turn.")] = 5,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Time the worst-group model of a table beside SciPy's L-BFGS-B, in the same run and to the same accuracy.

    Seconds depend on the machine and on what else runs; look at the ratios. Our time includes the proof of the
    accuracy; L-BFGS-B is told the optimum, and stops as soon as it is there.
    """
    from ..workflow.bench import bench_losses, generated_losses, losses_of_table
    from .live import live

    if data is not None and (target is None or not group):
        raise typer.BadParameter("a table needs --target and --group.")
    if data is None and (target is not None or group):
        raise typer.BadParameter("--target and --group need a table, DATA.")
    with live(quiet or json) as watcher:
        watcher.tell("the table")
        losses = generated_losses() if data is None or target is None else losses_of_table(data, target, group)
        found = bench_losses(losses, rounds=rounds, watcher=watcher)
    if json:
        say_json({"command": "bench", **asdict(found)})
        return
    say(f"Worst-group model of {found.rows:,} rows x {found.features} features, {found.groups} groups; medians.")
    typer.echo("accuracy   Saddleback    L-BFGS-B   L-BFGS-B / Saddleback")
    for line in found.lines:
        times = f"{line.seconds:10.4f} s {line.lbfgsb_seconds:10.4f} s {line.ratio:10.2f}"
        typer.echo(f"{line.accuracy:8g} {times}")
