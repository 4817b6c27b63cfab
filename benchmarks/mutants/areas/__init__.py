"""The mutants, by area."""

from __future__ import annotations

from . import (
    barriers,
    central_paths,
    certificates,
    gaps,
    interior,
    losses,
    programs,
    rate,
    responses,
    second_order,
    selection,
    steps,
    streamed,
    unbounded,
)

AREAS = {
    "steps": steps.MUTANTS,
    "rate": rate.MUTANTS,
    "gaps": gaps.MUTANTS,
    "barriers": barriers.MUTANTS,
    "responses": responses.MUTANTS,
    "certificates": certificates.MUTANTS,
    "programs": programs.MUTANTS,
    "central paths": central_paths.MUTANTS,
    "second order": second_order.MUTANTS,
    "losses": losses.MUTANTS,
    "interior points": interior.MUTANTS,
    "selection": selection.MUTANTS,
    "streamed": streamed.MUTANTS,
    "unbounded": unbounded.MUTANTS,
}
