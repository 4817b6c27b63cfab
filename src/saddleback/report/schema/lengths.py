"""Lists of the evidence that must be equally long."""

from __future__ import annotations

from typing import Any

from ...errors import ProblemError

BY_GROUP = ("losses", "errors", "changes", "change_errors", "train_losses", "selection_rates", "lows", "highs")
BY_WEIGHT = ("average", "average_errors", "average_changes", "average_change_errors", "average_lows", "average_highs")


def check_lengths(evidence: dict[str, Any]) -> None:
    """Refuse evidence whose tables are ragged."""
    if evidence["tradeoff"] is not None:
        _tradeoff(evidence["tradeoff"])
    coefficients = evidence["coefficients"]
    n_outputs = len(coefficients["intercept"])
    if coefficients["classes"] is not None and n_outputs > 1:
        _same("/coefficients/intercept", n_outputs, len(coefficients["classes"]), "classes")
    if coefficients.get("average_intercept") is not None:
        _same("/coefficients/average_intercept", len(coefficients["average_intercept"]), n_outputs, "intercepts")
    for i, row in enumerate(coefficients["rows"]):
        for key in ("value", "standardized", "average_model"):
            if row.get(key) is not None:
                _same(f"/coefficients/rows/{i}/{key}", len(row[key]), n_outputs, "intercepts")


def _tradeoff(tradeoff: dict[str, Any]) -> None:
    n_weights, n_groups = len(tradeoff["worst_weights"]), len(tradeoff["groups"])
    if n_weights == 0 or n_groups == 0:
        raise ProblemError("the evidence at /tradeoff must have at least one worst_weight and one group, or be null.")
    for key in (*BY_WEIGHT, *BY_GROUP):
        if tradeoff.get(key) is None:
            continue
        _same(f"/tradeoff/{key}", len(tradeoff[key]), n_weights, "worst_weights")
        if key in BY_GROUP:
            for i, line in enumerate(tradeoff[key]):
                _same(f"/tradeoff/{key}/{i}", len(line), n_groups, "groups")
    chosen = tradeoff["chosen"]
    if chosen is not None and chosen >= n_weights:
        raise ProblemError(f"the evidence at /tradeoff/chosen must be below {n_weights}; got {chosen}.")


def _same(place: str, got: int, expected: int, of_what: str) -> None:
    if got != expected:
        raise ProblemError(f"the evidence at {place} must have as many entries as {of_what}, {expected}; got {got}.")
