"""The table of challengers: every model on the same held-out rows, compared with the baseline."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..path.held_out import HeldOut
from .attributes import group_texts
from .challenger_models import Challenger
from .evaluation import CHOSEN, YOURS, Evaluation
from .linear_models import AVERAGE, BALANCED
from .subject import Subject

WORDS = {
    AVERAGE: "The linear model with the least average loss, with the penalty that is best for it.",
    BALANCED: "The linear model in which every group counts alike (prior balanced, p = 0), with the same penalty.",
    YOURS: "Your model as it is.",
}

FLOORED = (
    " It is certain of some rows, and one error there has an infinite loss: it is judged with probabilities (means of"
    " counts) of at least {floor:.2g}; `predict` writes them as they are."
)


def baseline_of(subject: Subject) -> str:
    """The name of the model that others are compared with."""
    return YOURS if subject.corrects else AVERAGE


def challengers_of(subject: Subject, evaluation: Evaluation, added: list[Challenger]) -> list[dict[str, Any]]:
    """The baseline first, then the model of the page and the others; one that failed says so in its words."""
    base, rows = baseline_of(subject), evaluation.held_out.rows
    order = [base, CHOSEN, *(name for name in evaluation.scores if name not in (base, CHOSEN))]
    figures = HeldOut.of(np.column_stack([evaluation.scores[name] for name in order]), rows)
    texts, words = group_texts(rows.groups), WORDS | {model.name: model.words for model in added}
    words[CHOSEN] = _chosen_words(subject)
    if evaluation.floored is not None:
        words[YOURS] += FLOORED.format(floor=evaluation.floored)
    worst = int(np.nanargmax(figures.group_losses[0]))
    table = []
    for k, name in enumerate(order):
        losses = figures.group_losses[k]
        at = int(np.nanargmax(losses)) if np.isfinite(losses).any() else worst
        table.append(
            {
                "name": name,
                "words": words[name],
                "worst_group": texts[at],
                "worst_loss": losses[at],
                "worst_loss_error": figures.group_errors[k, at],
                "average_loss": figures.average[k],
                "average_loss_error": figures.average_errors[k],
                "difference": losses[worst] - figures.group_losses[0, worst],
                "difference_error": figures.change_errors[k, worst],
                "average_difference": figures.average[k] - figures.average[0],
                "average_difference_error": figures.average_change_errors[k],
                "group_losses": losses,
                "accuracy": _accuracy(subject, evaluation, name),
                "chosen": name == CHOSEN,
            }
        )
    return table + [_failed(name, message, words[name], len(texts)) for name, message in evaluation.failures.items()]


def _chosen_words(subject: Subject) -> str:
    if subject.selection is None:
        return (
            "The model of this page, with the settings that were asked for, fitted to the training part of each split."
        )
    return "The model of this page: the whole selection, repeated on the training part of each split."


def _accuracy(subject: Subject, evaluation: Evaluation, name: str) -> float | None:
    if subject.classes is None:
        return None
    eta, rows = evaluation.margins[name], evaluation.held_out.rows
    decided = (eta >= 0).astype(np.intp) if eta.ndim == 1 else eta.argmax(axis=1)
    return float(np.average(decided == rows.y, weights=rows.weight))


def _failed(name: str, message: str, words: str, n_groups: int) -> dict[str, Any]:
    figures = dict.fromkeys(
        (
            "worst_loss",
            "worst_loss_error",
            "average_loss",
            "average_loss_error",
            "difference",
            "difference_error",
            "average_difference",
            "average_difference_error",
        )
    )
    lines = message.splitlines() or [""]
    return {
        "name": name,
        "words": f"{words} It could not be compared: {lines[0][:500]}",
        "worst_group": "",
        **figures,
        "group_losses": [None] * n_groups,
        "accuracy": None,
        "chosen": False,
    }
