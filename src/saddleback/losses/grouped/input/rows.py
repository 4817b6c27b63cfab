"""The argument ``groups="rows"``: every row is its own loss."""

from __future__ import annotations

from typing import Any

from ....errors import ProblemError
from ..pointwise_loss import PointwiseLoss

ROWS = "rows"


def is_rows(groups: Any) -> bool:
    """Whether every row is its own loss. Other texts are refused as labels are: there must be one per row."""
    return isinstance(groups, str) and groups == ROWS


def refuse_for_rows(loss: PointwiseLoss, sample_weight: Any) -> None:
    """Refuse what has no meaning, or no implementation, where every row is its own loss."""
    if sample_weight is not None:
        raise ProblemError(
            "sample_weight has no meaning with groups='rows', where a loss is one row and its mean is itself; got "
            "weights. Leave them out, and pass them as the prior of the dual set: CappedSimplex(0.1, prior=weights / "
            "weights.sum())."
        )
    if loss.response == "classes":
        raise ProblemError(
            "groups='rows' must have a loss with one margin per row; got 'softmax'. Use 'logistic' for one class "
            "against the others, or groups of rows."
        )


def refuse_other_than_rows(groups: Any, sample_weight: Any) -> None:
    """Refuse groups of other rows where these losses are rows."""
    if not is_rows(groups) or sample_weight is not None:
        got = "sample weights" if is_rows(groups) else f"groups of type {type(groups).__name__}"
        raise ProblemError(f"these losses were made with groups='rows'; got {got}. Pass groups='rows' alone.")
