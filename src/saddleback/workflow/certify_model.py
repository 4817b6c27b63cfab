"""The certificate of a saved model, computed anew from the rows of its fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..learn.certificate import ModelCertificate, certify_estimator
from .blocks.block_rows import BlockRows
from .blocks.rows_of_fit import rows_from_files
from .table_model import TableModel
from .table_rows import TableRows, as_table, rows_of
from .watcher import Watcher

ROUNDING = 1e-9
"""Two evaluations of the same losses on different machines differ by less, relative to their value."""


@dataclass(frozen=True, eq=False)
class Recertified:
    """What a file says of its model, and what the rows say."""

    same_rows: bool
    """Whether the rows are those of the fit, by their fingerprint."""
    rows: int
    stored_value: float
    stored_gap: float
    found: ModelCertificate | None
    """None where the rows are not those of the fit, and nothing was to be computed for others."""

    @property
    def agrees(self) -> bool:
        """Whether the rows confirm the file: its value is theirs, and its lower bound is not above their value."""
        if self.found is None:
            return False
        value, tolerance = self.found.certificate.value, self.found.tolerance + ROUNDING * abs(self.stored_value)
        stored_bound = self.stored_value - self.stored_gap
        return abs(self.stored_value - value) <= tolerance and stored_bound <= value + tolerance

    @property
    def holds(self) -> bool:
        """Whether no linear model is better by more than the tolerance on these rows, and the file says the same."""
        return self.found is not None and self.found.holds and self.agrees


def certify_model(model: TableModel, data: Any, *, anyway: bool = False, watcher: Watcher | None = None) -> Recertified:
    """Certify a saved model without the run that found it: from its coefficients and the rows alone.

    Parameters
    ----------
    model : TableModel
        As `saddleback.load` reads it.
    data : path, data frame, ...
        The rows of its fit.
    anyway : bool
        Whether other rows are certified as well. The certificate is then about these rows, of which a model that was
        fitted to others is not the best.
    watcher : Watcher, optional
        Is told how the work gets on.
    """
    watcher = watcher or Watcher()
    watcher.tell("reading the rows")
    rows: TableRows | BlockRows | None = rows_from_files(model, data)
    same = rows is not None
    if rows is None:
        rows = rows_of(model.encoding, as_table(data, model.encoding.text_columns), model.facts["weight"])
        same = rows.fingerprint()["sha256"] == model.facts["sha256"]
    found = None
    if same or anyway:
        watcher.tell("one evaluation of the losses")
        found = certify_estimator(model.model, *rows.arguments)
    result = model.model.result_
    return Recertified(same, len(rows), float(result.value), float(result.gap), found)
