"""The mutants, by area."""

from __future__ import annotations

from . import (
    barriers,
    certificates,
    gaps,
    interior,
    losses,
    programs,
    responses,
    second_order,
    selection,
    steps,
    unbounded,
)

AREAS = {
    "steps": steps.MUTANTS,
    "gaps": gaps.MUTANTS,
    "barriers": barriers.MUTANTS,
    "responses": responses.MUTANTS,
    "certificates": certificates.MUTANTS,
    "programs": programs.MUTANTS,
    "second order": second_order.MUTANTS,
    "losses": losses.MUTANTS,
    "interior points": interior.MUTANTS,
    "selection": selection.MUTANTS,
    "unbounded": unbounded.MUTANTS,
}
