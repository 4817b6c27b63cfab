"""``saddleback predict``: predictions for new rows, in a file."""

from __future__ import annotations

import sys
from typing import Annotated

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
    from ..workflow.prediction import predictions
    from ..workflow.table_model_reading import load_table_model
    from ..workflow.table_rows import as_table
    from ..workflow.table_writing import write_csv, write_table
    from .live import live

    printed = out == STANDARD_OUTPUT
    if printed and json:
        raise typer.BadParameter("--json and --out - would both print; name a file by --out.")
    place = None if printed else check_place(out, "--out", suffixes=SUFFIXES, inputs=(model, data))
    with live(quiet or json) as watcher:
        watcher.tell(f"reading {model} and {data}")
        loaded = load_table_model(model)
        table = as_table(data, loaded.encoding.text_columns, empty=True)
        watcher.tell(f"predicting {table.num_rows:,} rows")
        predicted, findings = predictions(loaded.encoding, loaded.model, table, keep)
        if place is not None:
            watcher.tell(f"writing {place}")
            write_table(predicted, place)
    if place is None:
        for finding in findings:
            complain(f"{finding.severity}: {finding.message}")
        write_csv(predicted, sys.stdout.buffer)
        return
    if json:
        say_json(
            {
                "command": "predict",
                "predictions": str(place),
                "rows": predicted.num_rows,
                "columns": predicted.column_names,
                "findings": [
                    {"column": f.column, "kind": f.kind, "severity": f.severity, "message": f.message} for f in findings
                ],
            }
        )
        return
    for finding in findings:
        say(f"{finding.severity.capitalize()}: {finding.message}", indent="  ")
    say(f"Written: {place}, {predicted.num_rows:,} rows with {', '.join(predicted.column_names)}.")
