"""What watches a fit while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Iteration:
    """One iteration of the solver on all rows: where it stands."""

    number: int
    value: float
    """The objective at the best point so far, with the penalty."""
    gap: float
    group: str
    """The group with the largest loss there, as column=label where the columns have names."""
    loss: float
    """Its mean loss, without the penalty."""


class Observer:
    """Is told how a fit gets on; this one does nothing with it. Methods of a subclass may, and must be quick.

    An observer stays in its process: fits of folds are counted when they are done, and only the fits to all rows are
    followed by iterations.
    """

    def begin_splits(self, what: str, total: int) -> None:
        """So many splits of the rows will be worked through; ``what`` says what for."""

    def end_split(self) -> None:
        """A split is done."""

    def begin_fit(self, what: str) -> None:
        """A fit to all rows begins."""

    def iterate(self, iteration: Iteration) -> None:
        """An iteration of the fit is done."""


NOBODY = Observer()


@contextmanager
def observed(model: Any, observer: Observer | None) -> Iterator[Any]:
    """The estimator, whose calls of ``fit`` in this context tell the observer; it does not keep it."""
    if observer is None:
        yield model
        return
    model._observer = observer
    try:
        yield model
    finally:
        del model._observer
