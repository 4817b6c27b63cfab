"""``saddleback path``: what every weight of the worst group gets, on held-out rows."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o
from .output import group_text, say, say_json, say_line
from .printable import printable


def path(
    data: o.Data,
    target: o.Target,
    group: o.Groups,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Keep the path with all its models, in .safetensors.")
    ] = None,
    l2: Annotated[float | None, typer.Option("--l2", metavar="X", help="The penalty; by default it is chosen.")] = None,
    loss: o.LossOption = o.Loss.auto,
    task: o.TaskOption = o.Task.auto,
    positive: o.Positive = None,
    drop: o.Drop = [],  # noqa: B006
    keep: o.Keep = [],  # noqa: B006
    keep_groups: o.KeepGroups = False,
    category: o.Categories = [],  # noqa: B006
    weight: o.Weight = None,
    min_group_size: o.MinGroupSize = None,
    crossed: o.Crossed = True,
    missing_groups: o.MissingGroupsOption = o.MissingGroups.group,
    seed: o.Seed = 0,
    jobs: o.Jobs = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Show the models from the best average to the best worst group: what each gains and costs on held-out rows."""
    from ..machine.destination import check_place
    from ..storage.destination import check_ours
    from ..workflow.path_table import path_table
    from .live import live

    place = None
    if out is not None:
        place = check_place(out, "--out", suffixes={".safetensors": ""}, inputs=(data,))
        check_ours(place, ("path",), "a path of this program")
    with live(quiet or json) as watcher:
        found = path_table(
            data,
            target=target,
            groups=group,
            l2=l2,
            loss=loss.value,
            task=task.value,
            positive=positive,
            drop=drop,
            keep=keep,
            keep_groups=keep_groups,
            categories=category,
            weight=weight,
            min_group_size=min_group_size,
            crossed=crossed,
            missing_groups=missing_groups.value,
            seed=seed,
            jobs=jobs,
            watcher=watcher,
        )
        if place is not None:
            found.path.save(place)
    table, chosen = found.path.table, found.path.one_se.chosen
    rows = [{name: table[name][i] for name in table.columns} for i in range(len(table))]
    if json:
        say_json(
            {
                "command": "path",
                "path": None if place is None else str(place),
                "rows": found.rows,
                "left_out": found.left_out,
                "l2": found.path.l2,
                "answer": found.path.sentence,
                "chosen": found.path.worst_weights[chosen],
                "knee": found.path.knee,
                "table": rows,
            }
        )
        return
    _print(rows, chosen, found.path.knee, group, crossed=crossed)
    say()
    say(found.path.sentence)
    if place is not None:
        say(f"Written: {place}")


HEAD = ("worst weight", "worst loss", "(error)", "average", "(error)", "gain", "price", "worst group", "")


def _print(rows: list[dict[str, Any]], chosen: int, knee: float, columns: list[str], *, crossed: bool) -> None:
    lines: list[tuple[str, ...]] = [HEAD]
    for i, row in enumerate(rows):
        marks = ["chosen"] * (i == chosen) + ["knee"] * bool(knee > 0.0 and row["worst_weight"] == knee)
        numbers = ("worst_loss", "worst_loss_error", "average_loss", "average_loss_error", "gain", "price")
        cells = [f"{row[name]:.4f}" for name in numbers]
        name = printable(group_text(row["worst_group"], columns, crossed=crossed))[:40]
        lines.append((f"{row['worst_weight']:g}", *cells, name, " ".join(marks)))
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD))]
    say("Losses on held-out rows; gain of the worst-off group and price for all rows are compared with weight 0.")
    for line in lines:
        aligned = [cell.rjust(width) for cell, width in zip(line[:7], widths[:7], strict=True)]
        say_line("  ".join([*aligned, line[7].ljust(widths[7]), line[8]]).rstrip())
