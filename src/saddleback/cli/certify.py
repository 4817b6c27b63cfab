"""``saddleback certify``: a model's certificate, computed anew."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from .output import say, say_json
from .status import BAD_INPUT, NOT_CONVERGED, complain


def certify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that `saddleback fit` has written.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="The rows of its fit.")],
    anyway: Annotated[bool, typer.Option("--anyway", help="Go on where the rows are not those of the fit.")] = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Check the certificate of a model by its rows alone, without the run that found it.

    Exit status 0: it holds. 2: these are not the rows of the fit. 3: it does not hold.
    """
    from ..learn.fitting.region import among
    from ..workflow.certify_model import certify_model
    from ..workflow.table_model_reading import load_table_model
    from .live import live

    with live(quiet or json) as watcher:
        found = certify_model(load_table_model(model), data, anyway=anyway, watcher=watcher)
    certificate = None if found.found is None else found.found.certificate
    if json:
        say_json(
            {
                "command": "certify",
                "rows": found.rows,
                "same_rows": found.same_rows,
                "holds": found.holds,
                "value": None if certificate is None else certificate.value,
                "lower_bound": None if certificate is None else certificate.lower_bound,
                "gap": None if certificate is None else certificate.gap,
                "tolerance": None if found.found is None else found.found.tolerance,
                "stored_value": found.stored_value,
                "stored_gap": found.stored_gap,
            }
        )
    if certificate is None:
        complain(
            f"{data} does not hold the rows that {model} was fitted to (their fingerprints differ), so that its "
            "certificate says nothing about them; --anyway goes on."
        )
        raise typer.Exit(BAD_INPUT)
    if not json and found.found is not None:
        if not found.same_rows:
            say("These are not the rows of the fit: what follows is about these rows.")
        say(f"The file says: value {found.stored_value:.10g}, gap {found.stored_gap:.2g}.")
        say(f"The rows say:  {certificate}.")
        if found.holds:
            region = among(certificate.reach, found.found.l2)
            say(
                "The certificate holds: no linear model with this penalty has a lower value by more than the gap of "
                f"{certificate.gap:.3g} that the rows say{region}."
            )
        elif not found.agrees:
            say("The certificate does not hold: the file says something else than its rows.")
        else:
            say("The certificate does not hold: another linear model may have a lower value.")
    if not found.holds:
        raise typer.Exit(NOT_CONVERGED)
