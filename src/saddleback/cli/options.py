"""Options that several commands share, each described once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

TABLE = "TABLE"


class Task(StrEnum):
    """What the target asks for."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


class Loss(StrEnum):
    """How wrong a prediction is."""

    auto = "auto"
    logistic = "logistic"
    squared_hinge = "squared_hinge"
    squared = "squared"
    huber = "huber"
    quantile = "quantile"
    poisson = "poisson"


class MissingGroups(StrEnum):
    """What happens to rows without a label."""

    group = "group"
    error = "error"


Data = Annotated[
    str, typer.Argument(metavar="DATA", help="The rows: CSV, CSV in gzip, Parquet; or a folder or pattern of Parquet.")
]
Target = Annotated[str, typer.Option("--target", metavar="COL", help="The column to be predicted.")]
Groups = Annotated[
    list[str],
    typer.Option("--group", metavar="COL", help="A column whose labels are groups; repeat it to cross columns."),
]
Weight = Annotated[str | None, typer.Option("--weight", metavar="COL", help="A column of weights of the rows.")]
Drop = Annotated[list[str], typer.Option("--drop", metavar="COL", help="A column that is no feature; repeatable.")]
Keep = Annotated[
    list[str],
    typer.Option("--keep", metavar="COL", help="A column that stays a feature though it looks suspicious; repeatable."),
]
Categories = Annotated[
    list[str],
    typer.Option("--category", metavar="COL", help="A column whose numbers are codes of a category; repeatable."),
]
KeepGroups = Annotated[bool, typer.Option("--keep-groups", help="Group columns are features, too.")]
TaskOption = Annotated[Task, typer.Option("--task", help="Whether the target is classes or numbers.")]
Positive = Annotated[str | None, typer.Option("--positive", metavar="CLASS", help="The positive one of two classes.")]
LossOption = Annotated[
    Loss, typer.Option("--loss", help="auto: logistic for classes, squared for numbers. See the documentation.")
]
Crossed = Annotated[
    bool,
    typer.Option("--crossed/--no-crossed", help="Whether group columns are crossed, or each counts alone."),
]
MinGroupSize = Annotated[
    int | None, typer.Option("--min-group-size", metavar="N", help="Groups with fewer rows are merged into '(rest)'.")
]
MissingGroupsOption = Annotated[
    MissingGroups,
    typer.Option("--missing-groups", help="Rows without a label: a group '(missing)' of their own, or an error."),
]
Seed = Annotated[int, typer.Option("--seed", help="Draws the folds.")]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Folds that are fitted at a time, in processes.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on standard error.")]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The title of the report.")]
Purpose = Annotated[str | None, typer.Option("--purpose", metavar="TEXT", help="What the model is for, in the report.")]
Owner = Annotated[str | None, typer.Option("--owner", metavar="TEXT", help="Who answers for it, in the report.")]
