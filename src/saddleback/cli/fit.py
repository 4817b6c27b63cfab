"""``saddleback fit``: a model of a table, and whether it helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o
from .output import command_line, say_json, this_command
from .status import NOT_CONVERGED

if TYPE_CHECKING:
    from ..workflow.table_model import TableModel

MODEL_SUFFIX = {".safetensors": ""}


def fit(
    context: typer.Context,
    data: o.Data,
    target: o.Target,
    group: o.Groups,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The model, a file .safetensors.")],
    worst_weight: Annotated[
        list[float],
        typer.Option(
            "--worst-weight",
            metavar="P",
            help="From 0, the best average, to 1, the best worst group. One: this model. Several: choose among them.",
        ),
    ] = [],  # noqa: B006  (Typer makes a new list for every call)
    l2: Annotated[
        list[float], typer.Option("--l2", metavar="X", help="The penalty of coefficients; repeat it to choose.")
    ] = [],  # noqa: B006
    loss: o.LossOption = o.Loss.auto,
    task: o.TaskOption = o.Task.auto,
    positive: o.Positive = None,
    correct: Annotated[
        str | None,
        typer.Option("--correct", metavar="MODEL", help="'boosting', or a saved model: correct it where this helps."),
    ] = None,
    test: Annotated[
        str | None, typer.Option("--test", metavar="FILE", help="Rows that judge the model, in place of outer folds.")
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", metavar="K", help="The number of outer folds: 5, or one split above 20,000 rows."),
    ] = None,
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
    max_iter: Annotated[int, typer.Option("--max-iter", metavar="N", help="Iterations of a solve, at most.")] = 1000,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler", metavar="ADDRESS", help="Keep the rows on workers of Dask: of a scheduler, or 'local' ones."
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="What rows may take in memory, as 2GB; by default half of it."),
    ] = None,
    out_of_core: Annotated[
        bool,
        typer.Option(
            "--out-of-core", help="Read Parquet at every pass; by default only where the rows do not fit into memory."
        ),
    ] = False,
    in_memory: Annotated[
        bool, typer.Option("--in-memory", help="Read Parquet once, whatever memory it takes.")
    ] = False,
    no_evidence: Annotated[
        bool, typer.Option("--no-evidence", help="Skip the outer folds: quicker, and there is nothing to report.")
    ] = False,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="Write the report at once: .html, .md or .json.")
    ] = None,
    purpose: o.Purpose = None,
    owner: o.Owner = None,
    title: o.Title = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Fit a model to a table, choose how much the worst-off group counts, and say whether this helps.

    The model is chosen by held-out rows, and judged by rows that had no part in the choice. Often the answer is that
    there is nothing to gain; then the average model is kept.
    """
    from ..machine.destination import check_place, write_file
    from ..report.writing import SUFFIXES
    from ..storage.destination import check_ours
    from ..workflow.fit_table import fit_table
    from .live import live

    inputs = (data, test, correct)
    place = check_place(out, "--out", suffixes=MODEL_SUFFIX, inputs=inputs)
    check_ours(place, ("model",), "a model of this program")
    page = None
    if report is not None:
        page = check_place(report, "--report", suffixes=SUFFIXES, inputs=(*inputs, place))
    for option, value in (("--report", report), ("--test", test), ("--folds", folds)):
        if no_evidence and value is not None:
            raise typer.BadParameter(f"{option} is for the evidence; leave out --no-evidence.")
    if test is not None and folds is not None:
        raise typer.BadParameter("--test and --folds are two ways to judge a model; take one of them.")
    if out_of_core and in_memory:
        raise typer.BadParameter("--out-of-core and --in-memory are two places for the rows; take one of them.")
    with live(quiet or json) as watcher:
        model = fit_table(
            data,
            target=target,
            groups=group,
            worst_weight=worst_weight or None,
            l2=l2 or None,
            loss=loss.value,
            task=task.value,
            positive=positive,
            correct=correct,
            test=test,
            folds="auto" if folds is None else folds,
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
            max_iter=max_iter,
            scheduler=scheduler,
            memory=memory,
            out_of_core=out_of_core if out_of_core or in_memory else None,
            evidence=not no_evidence,
            title=title,
            purpose=purpose,
            owner=owner,
            command=this_command(context),
            watcher=watcher,
        )
        watcher.tell(f"writing {place}")
        # What cannot be rendered must not be found out after half of the files are written.
        rendered = None if page is None else model.report_text(page.suffix).encode()
        model.save(place)
        if page is not None and rendered is not None:
            again = command_line(["report", place, "--out", page])
            remedy = f"The model is in {place}: make room, and write its report by: {again}"
            write_file(page, lambda file: file.write(rendered), remedy)
    _print(model, str(place), None if page is None else str(page), as_json=json)
    if not model.converged:
        raise typer.Exit(NOT_CONVERGED)


def _print(model: TableModel, place: str, page: str | None, *, as_json: bool) -> None:
    from .fit_words import fit_facts, say_fit

    facts: dict[str, Any] = fit_facts(model, place, page)
    if as_json:
        say_json(facts)
    else:
        say_fit(facts)
