"""The answer in three sentences: does it help, and whom; at what price; how sure is it, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..path.units import unit_of
from ..selection.selection import in_brackets, plain, with_error
from .better_models import better_words
from .evaluation import Evaluation
from .figures import Comparison
from .group_tables import SMALL_SHARE
from .outcome import COSTS_MORE, GAIN, GIVEN, HARM, NOTHING, ONE_GROUP, departures, effect_of, is_sure, outcome_of
from .plain import in_sentence
from .splitting import FOLDS, TEST
from .subject import Subject

IN_BRACKETS = "(standard error in brackets)"
UNSTABLE = 1 / 3
"""Share of bootstrap resamples with another choice, above which keeping the average model is called not stable."""


def answer_of(
    subject: Subject, evaluation: Evaluation, comparison: Comparison, stability: dict[str, Any] | None
) -> list[str]:
    """Three sentences, by rows that had no part in fit or selection; the last one with a better model, if there is."""
    *others, last = _sentences(subject, evaluation, comparison, stability)
    return [*others, last + better_words(subject, evaluation)]


def _sentences(
    subject: Subject, evaluation: Evaluation, comparison: Comparison, stability: dict[str, Any] | None
) -> list[str]:
    outcome = outcome_of(subject, comparison)
    if outcome == ONE_GROUP:
        return _one_group(subject, evaluation, comparison)
    if outcome == NOTHING:
        return _nothing(subject, evaluation, comparison, stability)
    taken, n_folds = departures(evaluation)
    if n_folds and not taken:
        return _never_chosen(subject, evaluation, comparison, stability)
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


def _moves(change: float, error: float) -> str:
    if change == 0.0:
        return "does not change"
    return f"{'falls' if change < 0 else 'rises'} by {in_brackets(abs(change), error)}"


def _from_to(at: Comparison) -> str:
    """By how much the loss of the worst-off group moves: a sure gain may still be a small one."""
    change, error, before = at.changes[at.worst], at.change_errors[at.worst], at.baseline[at.worst]
    if change == 0.0:
        return f"does not change from {in_brackets(before, at.baseline_errors[at.worst])}"
    relative = f" or {plain(100.0 * abs(change / before), 2)} %" if before > 0.0 else ""
    first, last = (with_error(loss, error)[0] for loss in (before, at.losses[at.worst]))
    return f"{_moves(change, error)}{relative}, from {first} to {last}"


def _effect(subject: Subject, evaluation: Evaluation, at: Comparison, *, given: bool) -> str:
    """Whether the group that was worst off is better off."""
    worst, effect = in_sentence(at.names[at.worst]), effect_of(at)
    figures = (
        f"on {_rows(evaluation)} the {_loss(subject)} of {worst}, the worst-off group under {subject.baseline}, "
        f"{_from_to(at)}"
    )
    chosen = "The model that was asked for" if given else "The selected model"
    verdicts = {
        GAIN: f"{chosen} helps",
        COSTS_MORE: f"{chosen} helps that group, but the gain costs more than it brings",
        HARM: f"{chosen} does harm where help was meant",
    }
    unconfirmed = "No gain is shown" if given else "The selection found a gain, but it is not confirmed"
    text = f"{verdicts.get(effect, unconfirmed)}: {figures}"
    text += f" {IN_BRACKETS}" if effect in verdicts else f", which chance explains {IN_BRACKETS}"
    if effect in (GAIN, COSTS_MORE) and at.worst_after != at.worst:
        error = at.change_errors[at.worst]
        before, largest = (with_error(loss, error)[0] for loss in (at.baseline[at.worst], at.losses[at.worst_after]))
        text += (
            f", while the largest one of any group goes from {before} to {largest}, now that of "
            f"{in_sentence(at.names[at.worst_after])}"
        )
    return f"{text}{_mixed(subject, evaluation)}."


def _mixed(subject: Subject, evaluation: Evaluation) -> str:
    """Where some folds kept the baseline: what the figures are made of."""
    taken, n_folds = departures(evaluation)
    if taken == n_folds:
        return ""
    return f"; in {n_folds - taken} of {n_folds} folds {subject.baseline} was kept, and these figures include it"


def _price(subject: Subject, at: Comparison) -> str:
    """What all rows pay on average, and which group pays most."""
    change, error = at.average_change, at.average_change_error
    sure = "" if is_sure(change, error) or change == 0.0 else ", which chance explains"
    text = f"The price: the {_loss(subject)} of all rows together {_moves(change, error)}{sure}"
    text += f", from {at.baseline_average:.4g} to {at.average:.4g}" if change != 0.0 else f" from {at.average:.4g}"
    others = [j for j in range(len(at.names)) if j != at.worst and np.isfinite(at.changes[j])]
    if others:
        text += f"; {_who_pays(at, others, all_pay=change > 0.0 and not sure)}"
    return f"{text}."


def _who_pays(at: Comparison, others: list[int], *, all_pay: bool) -> str:
    """The group that pays most, among those that pay more than chance explains if there are any."""
    surely = [j for j in others if at.changes[j] > 0 and is_sure(at.changes[j], at.change_errors[j])]
    most = max(surely or others, key=lambda j: at.changes[j])
    if at.changes[most] <= 0:
        return "no other group is worse off"
    group, paid = in_sentence(at.names[most]), in_brackets(at.changes[most], at.change_errors[most])
    if not surely:
        return f"the group that pays most is {group}, with a rise of {paid}, which chance explains"
    more = f", and {len(surely) - 1} more groups do" if len(surely) > 2 else ", and so does one more group"
    pays = f"{group} pays {paid}, more than chance explains{more if len(surely) > 1 else ''}"
    return pays if all_pay else f"but {pays}"


def _sureness(
    subject: Subject, evaluation: Evaluation, at: Comparison, stability: dict[str, Any] | None, *, given: bool
) -> str:
    """How stable the choice is, and what to do."""
    effect = effect_of(at)
    if given:
        advice = {
            GAIN: "Keep it if the price is acceptable",
            COSTS_MORE: "Keep it only if the gain of that group is worth more to you than what the others pay",
        }.get(effect, f"Prefer {subject.baseline}")
        return (
            f"{advice}; these settings were given, and a selection by held-out rows (the CV estimators) was not asked."
        )
    stable = _stable(subject, evaluation, stability)
    if effect == GAIN:
        return f"Take this model if that price is acceptable{stable}."
    if effect == COSTS_MORE:
        return (
            "Take this model only if the gain of that group is worth more to you than what the others pay; else keep "
            f"{subject.baseline}{_how_to_keep(subject)}{stable}."
        )
    return f"{_do_not_count(subject, at)}{stable}."


def _do_not_count(subject: Subject, at: Comparison) -> str:
    group = in_sentence(at.names[at.worst])
    return f"Do not count on the gain: keep {subject.baseline}{_how_to_keep(subject)}, or collect more rows of {group}"


def _how_to_keep(subject: Subject) -> str:
    """The settings of the baseline."""
    if subject.corrects:
        return ""
    l2 = subject.selection.candidates["l2"][subject.selection.kept]
    return f" (--worst-weight 0 --l2 {l2:g}; in Python worst_weight=0, l2={l2:g})"


def _stable(subject: Subject, evaluation: Evaluation, stability: dict[str, Any] | None) -> str:
    taken, n_folds = departures(evaluation)
    parts = [f"in {taken} of {n_folds} folds"] if n_folds > 1 else []
    if stability is not None and stability["kept_share"] is not None:
        share, n_resamples = 100 * (1 - stability["kept_share"]), stability["n_choices"]
        parts.append(f"in {share:.0f} % of {n_resamples} bootstrap resamples")
    other = "a correction" if subject.corrects else "another model than the average one"
    return f"; {other} was chosen {' and '.join(parts)}" if parts else ""


def _never_chosen(
    subject: Subject, evaluation: Evaluation, at: Comparison, stability: dict[str, Any] | None
) -> list[str]:
    """A choice that no outer fold repeats: its own figures on held-out rows are not known."""
    n_folds = len(evaluation.choices)
    where = f"in all {n_folds} folds" if n_folds > 1 else "on the training part of the split"
    loss = in_brackets(at.baseline[at.worst], at.baseline_errors[at.worst])
    return [
        f"The selection found a gain, but it is not confirmed: repeated {where}, it kept {subject.baseline}. The "
        f"held-out figures of this page are those of {subject.baseline}, not of the model in the file: its worst-off "
        f"group is {in_sentence(at.names[at.worst])}, with a {_loss(subject)} of {loss} {IN_BRACKETS}.",
        f"The price of the model in the file is not known either: the {_loss(subject)} of all rows together, "
        f"{at.average:.4g}, is that of {subject.baseline}.",
        f"{_do_not_count(subject, at)}{_stable(subject, evaluation, stability)}.",
    ]


def _nothing(subject: Subject, evaluation: Evaluation, at: Comparison, stability: dict[str, Any] | None) -> list[str]:
    """The baseline is kept: who is worst off, what was tried, what else could help."""
    worst = at.worst
    loss, group = in_brackets(at.losses[worst], at.errors[worst]), in_sentence(at.names[worst])
    first = (
        f"Nothing to gain was found, and {subject.baseline} is kept: on {_rows(evaluation)} its worst-off group is "
        f"{group}, with a {_loss(subject)} of {loss}, against {at.average:.4g} of all rows "
        f"{IN_BRACKETS}{_of_few_rows(at, len(evaluation.held_out))}{_includes_others(subject, evaluation)}."
    )
    return [first, _tried(subject), _use_the_baseline(subject, evaluation, group, stability)]


def _includes_others(subject: Subject, evaluation: Evaluation) -> str:
    """Where some folds chose something else than the baseline that is kept."""
    taken, n_folds = departures(evaluation)
    other = "a correction" if subject.corrects else "another model"
    return f"; in {taken} of {n_folds} folds {other} was chosen, and these figures include it" if taken else ""


def _tried(subject: Subject) -> str:
    """What the best of the other candidates would do, by the rows of the choice."""
    selection = subject.selection
    n_others, choice = len(selection.candidates) - 1, selection.choice
    best, stays = choice.best, f"so {subject.baseline} stays"
    tried = f"{n_others} other candidates between the average and the worst group were tried"
    if n_others == 0:
        return f"No other candidate was tried, {stays}."
    if choice.gains[best] <= 0:
        return f"{tried}, none with a lower largest loss, {stays}."
    gain = in_brackets(choice.gains[best], choice.gain_errors[best])
    price = with_error(choice.prices[best], choice.gain_errors[best])[0]
    return (
        f"{tried}; by the rows of the choice the best of them lowers the largest loss by {gain} and raises that of all "
        f"rows by {price}: the gain is not proved to exceed the cost, {stays}."
    )


def _use_the_baseline(subject: Subject, evaluation: Evaluation, group: str, stability: dict[str, Any] | None) -> str:
    kept = f"{subject.baseline[0].upper()}{subject.baseline[1:]}"
    stable = _stable(subject, evaluation, stability)
    kept_share = None if stability is None else stability["kept_share"]
    if kept_share is not None and 1.0 - kept_share > UNSTABLE:
        stable = f"; the choice is not stable: {stable.removeprefix('; ')}"
    return f"{kept} is the one to use of these; other features or more rows of {group} may help more{stable}."


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
        f"There is one group only: on {_rows(evaluation)} the {_loss(subject)} is {loss} {IN_BRACKETS}.",
        "No group is compared with another, and so there is nothing to gain and no price.",
        "To see who is served worse than others, fit with group labels: sensitive_features, or group_by=[columns].",
    ]
