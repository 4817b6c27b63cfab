"""A challenger that is better than the model of the page, for all rows and for the group that is worst off."""

from __future__ import annotations

import numpy as np

from ..path.held_out import HeldOut
from ..selection.selection import in_brackets, with_error
from .challenger_models import BOOSTING, CORRECTED
from .challengers import baseline_of
from .evaluation import CHOSEN, Evaluation
from .linear_models import AVERAGE
from .outcome import is_sure
from .subject import Subject


def better_words(subject: Subject, evaluation: Evaluation) -> str:
    """A sentence on the challenger with the least largest loss, of those that are better; "" where none is.

    Better is one whose loss of all rows is lower than chance explains, by paired differences to this model, and whose
    largest loss of a group is lower. Whether chance explains the latter is told by the paired difference in the
    challenger's own worst group: where it is sure there, the largest loss of this model is surely larger.
    """
    scores = {name: values for name, values in evaluation.scores.items() if name not in (CHOSEN, baseline_of(subject))}
    if CHOSEN not in evaluation.scores or not scores:
        return ""
    columns = [evaluation.scores[CHOSEN], *scores.values()]
    figures = HeldOut.of(np.column_stack(columns), evaluation.held_out.rows)
    finite = [k for k in range(1, len(columns)) if np.isfinite(figures.average[k])]
    largest = np.nanmax(figures.group_losses, axis=1)
    changes, errors = figures.average - figures.average[0], figures.average_change_errors
    better = [k for k in finite if changes[k] < 0.0 and is_sure(changes[k], errors[k]) and largest[k] < largest[0]]
    if not better:
        return ""
    k = min(better, key=lambda k: (largest[k], figures.average[k]))
    name, worst = list(scores)[k - 1], int(np.nanargmax(figures.group_losses[k]))
    gain = in_brackets(-changes[k], errors[k])
    change, error = figures.group_losses[k, worst] - figures.group_losses[0, worst], figures.change_errors[k, worst]
    title = f"the {name}" if name.endswith("model") else name
    if change < 0.0 and is_sure(change, error):
        return (
            f" On the same rows {title} is better for all rows, by {gain}, and for the worst-off group, by "
            f"{in_brackets(-change, error)}: prefer it{_how(subject, name)}."
        )
    after, before = (with_error(loss, figures.group_errors[k, worst])[0] for loss in (largest[k], largest[0]))
    return (
        f" On the same rows {title} is better for all rows, by {gain}, and its largest loss of a group is lower as "
        f"well, {after} against {before}, though chance may explain that: consider it first{_how(subject, name)}."
    )


def _how(subject: Subject, name: str) -> str:
    """How to get that model."""
    if name in (BOOSTING, CORRECTED) and not subject.corrects:
        return " (--correct boosting)"
    return " (leave out --correct)" if name == AVERAGE and subject.corrects else ""
