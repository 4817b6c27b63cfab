"""``saddleback predict``: predictions for new rows, in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from . import options as o
from .output import say, say_json
from .status import complain

SUFFIXES = {".csv": "", ".csv.gz": "", ".parquet": ""}
STANDARD_OUTPUT = "-"


def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that `saddleback fit` has written.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="New rows, with the columns of the features by name.")],
    out: Annotated[
        str,
        typer.Option("--out", metavar="FILE", help="The predictions: .csv, .csv.gz or .parquet; '-' prints CSV."),
    ],
    keep: Annotated[
        list[str], typer.Option("--keep", metavar="COL", help="A column that is copied, such as an identifier.")
    ] = [],  # noqa: B006
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Predict new rows, in their order; columns are read as in the training rows.

    The columns of the target and of the groups need not be there.
    """
    from ..machine.destination import check_place
    from ..workflow.prediction import Predictions, tables_of
    from ..workflow.table_model_reading import load_table_model
    from ..workflow.table_writing import write_csv, write_tables
    from .live import live

    printed = out == STANDARD_OUTPUT
    if printed and json:
        raise typer.BadParameter("--json and --out - would both print; name a file by --out.")
    place = None if printed else check_place(out, "--out", suffixes=SUFFIXES, inputs=(model, data))
    with live(quiet or json) as watcher:
        watcher.tell(f"reading {model}")
        loaded = load_table_model(model)
        predicted = Predictions(loaded.encoding, loaded.model, keep)
        columns: list[str] = []

        def made() -> Iterator[Any]:
            for table in predicted.of(tables_of(data, loaded.encoding, keep)):
                columns[:] = table.column_names
                yield table

        watcher.tell(f"predicting the rows of {data}")
        if place is None:
            write_csv(made(), sys.stdout.buffer)
        else:
            write_tables(made(), place)
    findings = predicted.findings
    if place is None:
        for finding in findings:
            complain(f"{finding.severity}: {finding.message}")
        return
    if json:
        say_json(
            {
                "command": "predict",
                "predictions": str(place),
                "rows": predicted.n_rows,
                "columns": columns,
                "findings": [
                    {"column": f.column, "kind": f.kind, "severity": f.severity, "message": f.message} for f in findings
                ],
            }
        )
        return
    for finding in findings:
        say(f"{finding.severity.capitalize()}: {finding.message}", indent="  ")
    say(f"Written: {place}, {predicted.n_rows:,} rows with {', '.join(columns)}.")
