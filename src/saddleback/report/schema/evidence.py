"""The schema of the evidence, version 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import ProblemError
from .kinds import (
    Check,
    count,
    flag,
    free_json,
    list_of,
    map_of,
    number,
    one_of,
    or_null,
    record,
    refuse,
    text,
    text_or_number,
)
from .lengths import check_lengths

FORMAT, VERSION = "saddleback report", 1
OUTCOMES = ("gain", "not confirmed", "costs more", "harm", "nothing to gain", "given", "one group")
WITH_INTERVAL = (
    "loss",
    "accuracy",
    "true_positive_rate",
    "false_positive_rate",
    "true_negative_rate",
    "false_negative_rate",
    "selection_rate",
    "impact_ratio",
    "mean_absolute_error",
    "mean_error",
    "base_rate",
    "calibration",
    "calibration_error",
    "average_loss",
)
"""Columns of the group tables that may have an interval: NAME, NAME_low, NAME_high."""


def numbers(*names: str) -> dict[str, Check]:
    return dict.fromkeys(names, number)


def texts(*names: str) -> dict[str, Check]:
    return dict.fromkeys(names, text)


def optional_text(*names: str) -> dict[str, Check]:
    return dict.fromkeys(names, or_null(text))


vector = list_of(number)
matrix = list_of(vector)

CANDIDATE = record(
    {"worst_weight": number, "chosen": flag},
    {
        **optional_text("worst_group"),
        **numbers("l2", "worst_loss", "worst_loss_error", "average_loss", "gain", "gain_error", "price", "price_error"),
        "prior": text_or_number,
        "admissible": or_null(flag),
    },
)
OBJECTIVE = record(
    {
        **texts("loss", "unit", "formula", "rule", "why"),
        "prior": text_or_number,
        **numbers("worst_weight", "l2"),
        "n_candidates": or_null(count),
        "candidates": or_null(list_of(CANDIDATE)),
    }
)
ROWS = record(
    {
        "train": count,
        "held_out": count,
        "held_out_kind": one_of("outer folds", "test file", "split"),
        "held_out_words": text,
        "sampled": or_null(text),
        "weighted": flag,
    },
    numbers("guess_loss"),
)
GROUP = record(
    {"group": text, "rows": count, "share": number, "small": flag, "unknown": flag, "loss": number},
    {
        **numbers(*WITH_INTERVAL, "change", "change_error"),
        **numbers(*(f"{name}_{end}" for name in WITH_INTERVAL for end in ("low", "high"))),
    },
)
GROUPS = record(
    {
        **texts("attribute", "caption"),
        "kind": one_of("all", "alone", "crossed"),
        "train": list_of(GROUP),
        "held_out": list_of(GROUP),
    }
)
TRADEOFF = record(
    {
        "worst_weights": vector,
        "groups": list_of(text),
        "losses": matrix,
        "errors": matrix,
        "average": vector,
        "average_errors": vector,
        "chosen": or_null(count),
        **texts("unit", "words"),
        "prior": text_or_number,
        "l2": number,
    },
    {
        **dict.fromkeys(("changes", "change_errors", "train_losses", "selection_rates"), or_null(matrix)),
        **dict.fromkeys(("lows", "highs"), or_null(matrix)),
        **dict.fromkeys(("average_changes", "average_change_errors", "average_lows", "average_highs"), or_null(vector)),
    },
)
CHALLENGER = record(
    {
        **texts("name", "words"),
        **optional_text("worst_group"),
        **numbers("worst_loss", "worst_loss_error", "average_loss", "average_loss_error"),
        **numbers("difference", "difference_error", "average_difference", "average_difference_error"),
        "chosen": flag,
    },
    {"group_losses": or_null(vector), "accuracy": number},
)
CERTIFICATE = record(
    {
        **numbers("value", "lower_bound", "gap", "largest_loss", "largest_loss_bound"),
        "certified": flag,
        "region": text,
        "words": list_of(text),
    }
)
STABILITY = record(
    {
        "n_bootstrap": count,
        "binding": list_of(record({"group": text, **numbers("weight", "share")})),
        "choices": or_null(list_of(record({**numbers("worst_weight", "share"), "prior": text_or_number}))),
        "kept_share": number,
        "fold_choices": or_null(list_of(record({**numbers("worst_weight", "l2"), "prior": text_or_number}))),
        "words": text,
    },
    {**numbers("chosen_share"), "n_choices": or_null(count)},
)
COEFFICIENT = record(
    {"feature": text, "value": vector}, {"standardized": or_null(vector), "average_model": or_null(vector)}
)
COEFFICIENTS = record(
    {"classes": or_null(list_of(text)), "intercept": vector, "rows": list_of(COEFFICIENT), "words": text},
    {"average_intercept": or_null(vector)},
)
BIN = record({"rows": count, **numbers("predicted", "observed", "low", "high")})
CALIBRATION = record({"group": text, "rows": count, "bins": list_of(BIN)})
DATA = record(
    {
        "columns": or_null(list_of(record(texts("name", "kind", "rule")))),
        "findings": list_of(
            record({"column": or_null(text), **texts("kind", "message"), "severity": one_of("note", "warning")})
        ),
        "missing": or_null(text),
    },
    {"files": or_null(list_of(record({**texts("role", "name", "sha256"), "bytes": count, "columns": count})))},
)
PROVENANCE = record(
    {
        "created": text,
        "versions": map_of(text),
        "fingerprint": record({"sha256": text, "rows": count, "columns": count, "of": text}),
        "settings": free_json,
        **optional_text("command", "purpose", "owner"),
    }
)
EVIDENCE = record(
    {
        "format": one_of(FORMAT),
        "version": one_of(VERSION),
        "title": text,
        "task": one_of("classification", "regression"),
        "classes": or_null(list_of(text)),
        "positive": or_null(text),
        "threshold": number,
        "outcome": one_of(*OUTCOMES),
        "answer": list_of(text, length=3),
        "objective": OBJECTIVE,
        "rows": ROWS,
        "groups": list_of(GROUPS),
        "tradeoff": or_null(TRADEOFF),
        "challengers": list_of(CHALLENGER),
        "certificate": CERTIFICATE,
        "stability": or_null(STABILITY),
        "coefficients": COEFFICIENTS,
        "calibration": or_null(list_of(CALIBRATION)),
        "data": DATA,
        "limits": list_of(text),
        "guidance": list_of(record(texts("source", "asks", "where"))),
        "provenance": PROVENANCE,
    },
    {"baseline": text},
)


def check_evidence(data: Any) -> Mapping[str, Any]:
    """Check that data is evidence of a model, and return it.

    Parameters
    ----------
    data : dict
        The evidence: JSON types only, as ``model.evidence()`` returns it or a .json report holds it.

    Returns
    -------
    dict
        The same object.

    Raises
    ------
    ProblemError
        Where data is not evidence; the message says where, what was found and what was expected.

    Examples
    --------
    >>> check_evidence({"format": "saddleback report", "version": 2})
    Traceback (most recent call last):
    ...
    saddleback.errors.ProblemError: the evidence has version 2; this version of saddleback reads version 1...
    """
    if not isinstance(data, dict):
        raise refuse("", "an object", data)
    if data.get("format") == FORMAT and type(data.get("version")) is int and data["version"] > VERSION:
        raise ProblemError(
            f"the evidence has version {min(data['version'], 10**6)}; this version of saddleback reads version"
            f" {VERSION} only: use the saddleback that wrote it, or a newer one."
        )
    EVIDENCE(data, "")
    check_lengths(data)
    return data
