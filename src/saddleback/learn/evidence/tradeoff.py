"""The trade-off: what every group gets on held-out rows, from the average model to the worst-group model."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import t

from ..._types import Matrix
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.trainer import Trainer
from ..path.held_out import HeldOut
from ..path.units import unit_of
from .attributes import group_texts
from .evaluation import Evaluation
from .linear_models import (
    WORST_WEIGHTS,
    fit_all,
    group_means,
    ordinary,
    path_candidates,
    scores_along,
)
from .objective import prior_text
from .subject import Subject


def tradeoff_of(subject: Subject, evaluation: Evaluation, trained: Rows) -> dict[str, Any] | None:
    """Null where there is one group."""
    if subject.one_group or evaluation.path_scores is None:
        return None
    candidates, rows = path_candidates(subject), evaluation.held_out.rows
    held_out = HeldOut.of(evaluation.path_scores, rows)
    fits = fit_all(Trainer(trained, ordinary(subject.setting)), candidates)
    train = group_means(scores_along(fits, trained, subject.score, signs=False)[0], trained)
    missing = np.full((len(rows.groups.names) - len(train), train.shape[1]), np.nan)
    rates = None
    if evaluation.path_positive is not None:
        rates = rows.groups.mean(evaluation.path_positive, rows.weight).T
    return {
        "worst_weights": list(WORST_WEIGHTS),
        "prior": prior_text(candidates[0].prior),
        "l2": candidates[0].l2,
        "chosen": _chosen(subject),
        "groups": group_texts(rows.groups),
        "losses": held_out.group_losses,
        "errors": held_out.group_errors,
        "changes": held_out.group_losses - held_out.group_losses[0],
        "change_errors": held_out.change_errors,
        "average": held_out.average,
        "average_errors": held_out.average_errors,
        **_bands(evaluation.path_scores, held_out, rows),
        "average_changes": held_out.average - held_out.average[0],
        "average_change_errors": held_out.average_change_errors,
        "train_losses": np.vstack([train, missing]).T,
        "selection_rates": rates,
        "unit": unit_of(subject.score.name, subject.setting.loss),
        "words": _words(subject, candidates[0]),
    }


def _bands(scores: Matrix, held_out: HeldOut, rows: Rows) -> dict[str, Any]:
    """Intervals of 95 % by Student's distribution, as those of the tables of groups; losses are not below 0."""
    counted = ~np.isnan(scores[:, 0])
    w = counted * (np.ones(len(rows)) if rows.weight is None else rows.weight)
    least = 0.0 if np.nanmin(scores) >= 0.0 else -np.inf
    ends = []
    with np.errstate(invalid="ignore", divide="ignore"):
        n_groups = (rows.groups.matrix.T @ w) ** 2 / (rows.groups.matrix.T @ w**2)
        for losses, errors, n in (
            (held_out.group_losses, held_out.group_errors, n_groups),
            (held_out.average, held_out.average_errors, w.sum() ** 2 / (w**2).sum()),
        ):
            radius = t.isf(0.025, np.where(n > 1.0 + 1e-9, n - 1.0, np.nan)) * errors
            ends += [np.maximum(losses - radius, least), losses + radius]
    return dict(zip(("lows", "highs", "average_lows", "average_highs"), ends, strict=True))


def _chosen(subject: Subject) -> int | None:
    """The place of the model among the worst weights, if it is one of them."""
    if isinstance(subject.candidate, NoCorrection) or subject.setting.dual_set is not None:
        return None
    distances = np.abs(np.array(WORST_WEIGHTS) - subject.candidate.worst_weight)
    return int(distances.argmin()) if distances.min() < 1e-9 else None


def _words(subject: Subject, first: Candidate) -> str:
    what = "corrections of your model" if subject.corrects else "linear models"
    text = (
        f"Every worst weight p from 0 (the average) to 1 (the worst group), with l2={first.l2:g} and the prior "
        f"{prior_text(first.prior)}: {what}, fitted to the training part of each split and judged by the rows that it "
        "leaves out. Errors of changes are those of paired differences to p = 0. "
    )
    if isinstance(subject.candidate, NoCorrection):
        return text + "Your model was left alone, and is none of these points."
    if subject.setting.dual_set is not None:
        return text + "The model has a set of weights of its own, and is none of these points."
    if subject.selection is None:
        return text + "The penalty and the prior are those that were asked for."
    return (
        text + "The penalty and the prior were chosen on all rows; the choice itself is judged elsewhere on this page."
    )
