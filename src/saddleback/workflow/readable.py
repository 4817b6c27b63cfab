"""A model is written only if it can be read again."""

from __future__ import annotations

from ..errors import ProblemError
from ..storage import Stored, Unreadable
from .table_format import FORMAT_VERSION
from .table_model import TableModel
from .table_model_reading import table_model_from


def check_readable(model: TableModel) -> None:
    """Refuse a model whose file would be refused: numbers that are not finite, or names beyond all limits."""
    texts, arrays = model.parts()
    try:
        table_model_from(Stored("model", FORMAT_VERSION, "", texts, arrays))
    except Unreadable as reason:
        raise ProblemError(f"a file of this model could not be read again: {reason}. Change the table.") from None
