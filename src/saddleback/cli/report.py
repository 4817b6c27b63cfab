"""``saddleback report``: the page of a model, for those who review it."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from .output import say, say_json


def report(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that `saddleback fit` has written.")],
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help=".html (a page), .md (a model card) or .json (the numbers); by default MODEL with .html.",
            show_default=False,
        ),
    ] = None,
    purpose: o.Purpose = None,
    owner: o.Owner = None,
    title: o.Title = None,
    json: o.Json = False,
) -> None:
    """Write the report of a model: what it does for every group, on rows that had no part in it.

    The page is one file that needs no network. Purpose and owner are blank until they are filled in, here or at the
    fit.
    """
    from ..machine.destination import check_place
    from ..report.writing import SUFFIXES
    from ..workflow.table_model_reading import load_table_model

    place = check_place(
        f"{model.removesuffix('.safetensors')}.html" if out is None else out,
        "--out",
        suffixes=SUFFIXES,
        inputs=(model,),
    )
    load_table_model(model).report(place, title=title, purpose=purpose, owner=owner)
    if json:
        say_json({"command": "report", "report": str(place)})
    else:
        say(f"Written: {place}")
