"""The answer in three sentences: does it help, and whom; at what price; how sure is it, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..path.units import unit_of
from ..selection.selection import in_brackets, plain, with_error
from .evaluation import Evaluation, is_left_alone
from .figures import Comparison
from .group_tables import SMALL_SHARE
from .plain import in_sentence
from .splitting import FOLDS, TEST
from .subject import Subject

GAIN, NOTHING, GIVEN, ONE_GROUP = "gain", "nothing to gain", "given", "one group"
CONFIRMED = 1.96
"""Standard errors by which a change must differ from 0 to be called more than chance."""


def outcome_of(subject: Subject) -> str:
    """What kind of answer there is."""
    if subject.one_group:
        return ONE_GROUP
    if subject.selection is None:
        return GIVEN
    return NOTHING if subject.selection.nothing_to_gain else GAIN


def answer_of(
    subject: Subject, evaluation: Evaluation, comparison: Comparison, stability: dict[str, Any] | None
) -> list[str]:
    """Three sentences, by rows that had no part in fit or selection."""
    outcome = outcome_of(subject)
    if outcome == ONE_GROUP:
        return _one_group(subject, evaluation, comparison)
    if outcome == NOTHING:
        return _nothing(subject, evaluation, comparison, stability)
    return [
        _effect(subject, evaluation, comparison, given=outcome == GIVEN),
        _price(subject, comparison),
        _sureness(subject, evaluation, comparison, stability, given=outcome == GIVEN),
    ]


def _loss(subject: Subject) -> str:
    return unit_of(subject.score.name, subject.setting.loss).split(" (")[0]


def _rows(evaluation: Evaluation) -> str:
    kinds = {FOLDS: "rows that had no part in fit or selection", TEST: "the test rows"}
    return kinds.get(evaluation.held_out.kind, "held-out rows that had no part in fit or selection")


def _is_sure(change: float, error: float) -> bool:
    return bool(np.isfinite(error) and abs(change) > CONFIRMED * error)


def _moves(change: float, error: float) -> str:
    return f"{'falls' if change < 0 else 'rises'} by {in_brackets(abs(change), error)}"


def _relative(change: float, before: float) -> str:
    """How much that is: a sure gain may still be a small one."""
    return f" or {plain(100.0 * abs(change / before), 2)} %" if before > 0.0 else ""


def _effect(subject: Subject, evaluation: Evaluation, at: Comparison, *, given: bool) -> str:
    """Whether the group that was worst off is better off."""
    worst, change, error = in_sentence(at.names[at.worst]), at.changes[at.worst], at.change_errors[at.worst]
    before, after = (with_error(loss, error)[0] for loss in (at.baseline[at.worst], at.losses[at.worst]))
    figures = (
        f"on {_rows(evaluation)} the {_loss(subject)} of {worst}, the worst-off group under {subject.baseline}, "
        f"{_moves(change, error)}{_relative(change, at.baseline[at.worst])}, from {before} to {after}"
    )
    chosen = "The model that was asked for" if given else "The selected model"
    if not _is_sure(change, error):
        found = "The selection found a gain, but it is not confirmed" if not given else "No gain is shown"
        return f"{found}: {figures}, which chance explains (standard error in brackets)."
    if change > 0:
        return f"{chosen} does harm where help was meant: {figures} (standard error in brackets)."
    if at.worst_after == at.worst:
        return f"{chosen} helps: {figures} (standard error in brackets)."
    largest = with_error(at.losses[at.worst_after], error)[0]
    return (
        f"{chosen} helps that group: {figures} (standard error in brackets), while the largest one of any group goes "
        f"from {before} to {largest}, now that of {in_sentence(at.names[at.worst_after])}."
    )


def _price(subject: Subject, at: Comparison) -> str:
    """What all rows pay on average, and which group pays most."""
    change, error = at.average_change, at.average_change_error
    verb = _moves(change, error)
    sure = "" if _is_sure(change, error) else ", which chance explains"
    text = f"The price: the {_loss(subject)} of all rows together {verb}{sure}, from {at.baseline_average:.4g}"
    text += f" to {at.average:.4g}"
    others = [j for j in range(len(at.names)) if j != at.worst and np.isfinite(at.changes[j])]
    if others:
        most = max(others, key=lambda j: at.changes[j])
        if at.changes[most] > 0:
            paid = in_brackets(at.changes[most], at.change_errors[most])
            text += f"; the group that pays most is {in_sentence(at.names[most])}, with a rise of {paid}"
        else:
            text += "; no other group is worse off"
    return f"{text}."


def _sureness(
    subject: Subject, evaluation: Evaluation, at: Comparison, stability: dict[str, Any] | None, *, given: bool
) -> str:
    """How stable the choice is, and what to do."""
    sure = _is_sure(at.changes[at.worst], at.change_errors[at.worst])
    helped = sure and at.changes[at.worst] < 0
    if given:
        advice = "Keep it if the price is acceptable" if helped else f"Prefer {subject.baseline}"
        return (
            f"{advice}; these settings were given, and a selection by held-out rows (the CV estimators) was not asked."
        )
    stable = _stable(subject, evaluation, stability)
    if helped:
        return f"Take this model if that price is acceptable{stable}."
    group = in_sentence(at.names[at.worst])
    return f"Do not count on the gain: keep {subject.baseline}, or collect more rows of {group}{stable}."


def _stable(subject: Subject, evaluation: Evaluation, stability: dict[str, Any] | None) -> str:
    parts = []
    if len(evaluation.choices) > 1:
        taken = sum(not is_left_alone(candidate) for candidate in evaluation.choices)
        parts.append(f"in {taken} of {len(evaluation.choices)} parts of the rows")
    if stability is not None and stability["kept_share"] is not None:
        parts.append(f"in {100 * (1 - stability['kept_share']):.0f} % of bootstrap resamples")
    return f"; the choice departs from {subject.baseline} {' and '.join(parts)}" if parts else ""


def _nothing(subject: Subject, evaluation: Evaluation, at: Comparison, stability: dict[str, Any] | None) -> list[str]:
    """The baseline is kept: who is worst off, what was tried, what else could help."""
    worst, selection = at.worst, subject.selection
    loss, group = in_brackets(at.losses[worst], at.errors[worst]), in_sentence(at.names[worst])
    kept = f"{subject.baseline[0].upper()}{subject.baseline[1:]}"
    first = (
        f"Nothing to gain was found, and {subject.baseline} is kept: on {_rows(evaluation)} its worst-off group is "
        f"{group}, with a {_loss(subject)} of {loss}, against {at.average:.4g} of all rows (standard error in "
        f"brackets){_of_few_rows(at, len(evaluation.held_out))}."
    )
    n_others, choice = len(selection.candidates) - 1, selection.choice
    best = choice.best
    tried = f"{n_others} other candidates between the average and the worst group were tried"
    if n_others == 0:
        second = "No other candidate was tried, and so nothing is paid."
    elif choice.gains[best] > 0:
        gain = in_brackets(choice.gains[best], choice.gain_errors[best])
        price = with_error(choice.prices[best], choice.gain_errors[best])[0]
        second = (
            f"{tried}; the best of them would lower the largest loss by {gain} and raise that of all rows by {price}, "
            "which is not surely worth it, and so nothing is paid."
        )
    else:
        second = f"{tried}, none with a lower largest loss, and so nothing is paid."
    departs = _stable(subject, evaluation, stability)
    third = f"{kept} is the one to use; other features or more rows of {group} may help more{departs}."
    return [first, second, third]


def _of_few_rows(at: Comparison, n_rows: int) -> str:
    """Where the worst-off group is small: how many rows it has, and which of the others is worst off."""
    large = at.sizes >= SMALL_SHARE * n_rows
    if large[at.worst] or not large.any():
        return ""
    n, other = int(at.sizes[at.worst]), int(np.nanargmax(np.where(large, at.baseline, np.nan)))
    return (
        f"; it has {n} row{'s' if n != 1 else ''} only, and of the groups with {100 * SMALL_SHARE:g} % of the rows or "
        f"more {in_sentence(at.names[other])} is worst off, with {in_brackets(at.losses[other], at.errors[other])}"
    )


def _one_group(subject: Subject, evaluation: Evaluation, at: Comparison) -> list[str]:
    loss = in_brackets(at.average, at.average_error)
    return [
        f"There is one group only: on {_rows(evaluation)} the {_loss(subject)} is {loss} (standard error in brackets).",
        "No group is compared with another, and so there is nothing to gain and no price.",
        "To see who is served worse than others, fit with group labels: sensitive_features, or group_by=[columns].",
    ]
