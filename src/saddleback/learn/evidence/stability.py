"""How much the binding groups and the choice depend on the rows that happened to be drawn."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Matrix, Vector
from ...errors import ConvergenceWarning
from ..data.retained import Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.margins import margins_of
from ..fitting.observer import NOBODY
from ..fitting.reference import References
from ..fitting.setting import Setting
from ..fitting.trainer import Fit, Trainer
from ..selection.scores import LOSS
from ..selection.split_fits import SELECTION_TOL
from .attributes import group_texts
from .evaluation import Evaluation, is_left_alone
from .linear_models import group_means
from .objective import prior_text
from .plain import in_sentence
from .refits import SharedRefits, affordable, shares_reads
from .resampling import Strata, resampled_choices, scored_rows
from .subject import Subject, linear_margins

BINDING = 0.05
"""A group binds where the adversary gives it more than this share of its free weight: less may be rounding."""
REFIT_NUMBERS = 20_000_000
"""Numbers of X in all refits together, about ten seconds; ``FEWEST_REFITS`` are always made."""
FEWEST_REFITS = 10
RESAMPLED_SCORES = 200_000_000
"""Scores in all resamples of a choice together, some seconds; ``FEWEST_CHOICES`` are always made."""
FEWEST_CHOICES = 20
NO_CORRECTION = "no correction"
"""What stands for the prior where a resample leaves the user's model alone."""


def stability_of(
    subject: Subject, trained: Trained, evaluation: Evaluation, n_bootstrap: int, random_state: Any
) -> dict[str, Any] | None:
    """Bootstrap of the binding groups, and of the choice; null for one group."""
    if subject.one_group or n_bootstrap == 0:
        return None
    rng = np.random.default_rng(random_state)
    refits = int(np.clip(_affordable(subject, trained.rows), min(FEWEST_REFITS, n_bootstrap), n_bootstrap))
    shares, weights = _binding(subject, trained.rows, refits, rng)
    texts = group_texts(trained.rows.groups)
    order = np.lexsort((np.arange(len(texts)), -shares))
    binding = [{"group": texts[j], "weight": weights[j], "share": shares[j]} for j in order]
    choices, n_choices, kept_share, chosen_share = _choices(subject, trained, n_bootstrap, rng)
    folds = [_parameters(candidate) for candidate in evaluation.choices] or None
    return {
        "n_bootstrap": refits,
        "binding": binding,
        "choices": choices,
        "n_choices": n_choices,
        "kept_share": kept_share,
        "chosen_share": chosen_share,
        "fold_choices": folds,
        "words": _words(subject, binding, refits, n_choices, kept_share, evaluation.choices),
    }


def _binding(subject: Subject, rows: Rows, n_refits: int, rng: np.random.Generator) -> tuple[Vector, Vector]:
    """For each group the share of resamples in which it binds, and its weight in the model itself."""
    strata, J = Strata.of(rows.groups), len(rows.groups.names)
    counts = np.zeros(J)
    if _share_reads(subject, rows):
        refits = SharedRefits.of(rows, _setting(subject), subject.candidate, _model(subject), _tol(subject))
        for first in range(0, n_refits, refits.at_a_time):
            some = range(min(refits.at_a_time, n_refits - first))
            times = np.stack([strata.counted(rng) for _ in some])
            counts += sum(_bind(subject, rows, times, refits.fits(times)))
    else:
        own = np.asarray(linear_margins(subject.model, rows))
        for _ in range(n_refits):
            counts += _binds(subject, rows, own, strata.draw(rng))
    return counts / n_refits, _weights_of_model(subject, rows)


def _affordable(subject: Subject, rows: Rows) -> int:
    """The refits that go within some seconds."""
    n, d = rows.X.shape
    return affordable(rows, subject.model.coef_.size) if _share_reads(subject, rows) else REFIT_NUMBERS // max(n * d, 1)


def _share_reads(subject: Subject, rows: Rows) -> bool:
    return shares_reads(rows, subject.setting, subject.candidate)


def _setting(subject: Subject) -> Setting:
    return replace(subject.setting, observer=NOBODY)


def _model(subject: Subject) -> tuple[Matrix, Vector]:
    return np.atleast_2d(subject.model.coef_), np.atleast_1d(subject.model.intercept_)


def _tol(subject: Subject) -> float:
    return max(subject.setting.tol, SELECTION_TOL * subject.setting.units.loss)


def _bind(subject: Subject, rows: Rows, times: Any, fits: list[tuple[Trainer, Fit]]) -> Iterator[Any]:
    """Which groups bind in the fits to some resamples."""
    if not _has_adversary(subject) and getattr(subject.model, "scoring", None) in (None, LOSS):
        for _, fit in fits:
            yield _largest(fit.losses)
    elif not _has_adversary(subject):
        for of_one, margins in zip(times, margins_of([fit for _, fit in fits], rows), strict=True):
            yield _worst_off(subject, margins, _resample(rows, of_one))
    else:
        for trainer, fit in fits:
            yield _free(subject, trainer, fit)


def _has_adversary(subject: Subject) -> bool:
    return subject.candidate.worst_weight != 0.0 or subject.setting.dual_set is not None


def _resample(rows: Rows, times: Any) -> Rows:
    """Rows count as often as they were drawn, so that X is not copied."""
    times = times.astype(np.float64)
    return replace(rows, weight=times if rows.weight is None else times * rows.weight)


def _free(subject: Subject, trainer: Trainer, fit: Fit) -> Any:
    """The groups to which the adversary gives much of its free weight."""
    binds = np.zeros(len(trainer.rows.groups.names), dtype=np.bool_)
    prior = subject.candidate.weights(trainer.shares, trainer.nonempty)
    binds[trainer.nonempty] = _free_weights(subject, fit.result.dual, prior) > BINDING
    return binds


def _binds(subject: Subject, rows: Rows, own: Any, drawn: Any) -> Any:
    """Which groups bind in the fit to a resample."""
    resample, candidate = _resample(rows, np.bincount(drawn, minlength=len(rows))), subject.candidate
    if isinstance(candidate, NoCorrection):
        return _worst_off(subject, own, resample)
    trainer = Trainer(resample, _setting(subject))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start, reference = trainer.standardized(*_model(subject)), References(trainer).at(candidate.l2)
        fit = trainer.fit(candidate, start, reference, tol=_tol(subject))
    if _has_adversary(subject):
        return _free(subject, trainer, fit)
    return _worst_off(subject, fit.margins(resample), resample)


def _worst_off(subject: Subject, margins: Any, rows: Rows) -> Any:
    """The group with the largest loss: what an adversary would take if it had any weight to give."""
    scores = subject.score(margins, rows.y)
    return _largest(group_means(scores[:, np.newaxis], rows)[:, 0])


def _largest(means: Vector) -> Any:
    binds = np.zeros(means.size, dtype=np.bool_)
    binds[int(np.nanargmax(means))] = True
    return binds


def _free_weights(subject: Subject, lam: Vector, prior: Vector) -> Vector:
    """q in lam = (1 - p) prior + p q; lam itself for a set of the user's own."""
    p = subject.candidate.worst_weight
    return lam if subject.setting.dual_set is not None else (lam - (1.0 - p) * prior) / p


def _weights_of_model(subject: Subject, rows: Rows) -> Vector:
    candidate, J = subject.candidate, len(rows.groups.names)
    plain = subject.setting.dual_set is None
    lam = np.asarray(subject.model.group_weights_)
    if lam.shape != (J,) or (plain and candidate.worst_weight == 0.0):
        return np.full(J, np.nan)
    shares = rows.groups.counts(rows.weight)
    return _free_weights(subject, lam, candidate.weights(shares / shares.sum()))


def _choices(
    subject: Subject, trained: Trained, n_bootstrap: int, rng: np.random.Generator
) -> tuple[list[dict[str, Any]] | None, int | None, float | None, float | None]:
    """The choices on resamples of the scores, the most frequent first, the resamples, and two shares of them.

    In the first the baseline is kept, in the second the worst weight and the prior of the model are chosen.
    """
    if subject.selection is None or trained.scores is None:
        return None, None, None, None
    scores: Matrix = trained.scores.astype(np.float64)
    table = subject.selection.candidates
    candidates = [
        Candidate(*values)
        for values in zip(*(table[name].tolist() for name in ("worst_weight", "prior", "l2")), strict=True)
    ]
    if len(candidates) != scores.shape[1]:
        return None, None, None, None
    many = int(np.clip(RESAMPLED_SCORES // max(scores.size, 1), min(FEWEST_CHOICES, n_bootstrap), n_bootstrap))
    average = 0 if subject.corrects else None
    chosen, kept = resampled_choices(
        scores, candidates, scored_rows(trained), subject.selection.rule, many, rng, average=average
    )
    points = [(candidate.worst_weight, prior_text(candidate.prior)) for candidate in candidates]
    if subject.corrects:
        # A correction with the worst weight 0 is another choice.
        points[0] = (0.0, NO_CORRECTION)
    counted = Counter(points[c] for c in chosen)
    listed = [{"worst_weight": p, "prior": prior, "share": times / many} for (p, prior), times in counted.most_common()]
    return listed, many, float(np.mean(kept)), counted[points[subject.selection.chosen]] / many


def _parameters(candidate: Candidate) -> dict[str, Any]:
    return {"worst_weight": candidate.worst_weight, "prior": prior_text(candidate.prior), "l2": candidate.l2}


def _words(
    subject: Subject,
    binding: list[dict[str, Any]],
    n_refits: int,
    n_choices: int | None,
    kept_share: float | None,
    choices: list[Candidate],
) -> str:
    first = binding[0]
    at_average = is_left_alone(subject.candidate) or subject.candidate.worst_weight == 0.0
    alone = at_average and subject.setting.dual_set is None
    what = "is the worst off" if alone else "is among the worst off, for which the model is fitted"
    group = in_sentence(first["group"])
    text = f"In {100 * first['share']:.0f} % of {n_refits} bootstrap resamples of the rows the group {group} {what}."
    if kept_share is not None:
        text += (
            f" Repeated on {n_choices} bootstrap resamples of the held-out losses, where nothing is fitted, the rule "
            f"keeps {subject.baseline} in {100 * kept_share:.0f} % of these."
        )
    if len(choices) > 1:
        kept = sum(map(is_left_alone, choices))
        text += (
            f" Repeated on the training rows of {len(choices)} folds, it keeps {subject.baseline} in {kept} of them."
        )
    return text
