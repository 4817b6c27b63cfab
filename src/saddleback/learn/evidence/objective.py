"""What was optimized, among which candidates, and why this one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..fitting.candidate import NoCorrection, Prior
from ..path.units import unit_of
from .attributes import group_texts
from .subject import Subject

FORMULA = (
    "minimize over w:  (1 - p) * sum_j prior_j f_j(w) + p * max_j f_j(w),  f_j = mean loss of group j + l2/2 |w|^2"
)
FORMULA_OF_SET = (
    "minimize over w:  max over lam in the set of weights of  sum_j lam_j f_j(w),  f_j = mean loss of group j"
)
RULES = {
    "one_se": (
        "A candidate is taken only if its gain for the worst-off group exceeds chance among all candidates, and what "
        "all rows lose on average; of those within one standard error of the best, the one of least average loss."
    ),
    "best": "The candidate with the least held-out loss of the worst group, whatever its noise.",
}
GIVEN_RULE = "The point of the path was given, not chosen."


def objective_of(subject: Subject) -> dict[str, Any]:
    """The formula with its numbers, and all candidates with their figures."""
    candidate, selection, setting = subject.candidate, subject.selection, subject.setting
    left_alone = isinstance(candidate, NoCorrection)
    return {
        "loss": loss_text(subject),
        "unit": unit_of(subject.score.name, setting.loss),
        "formula": _formula(subject),
        "worst_weight": candidate.worst_weight if setting.dual_set is None else None,
        "prior": prior_text(candidate.prior) if setting.dual_set is None else repr(setting.dual_set),
        "l2": None if left_alone else candidate.l2,
        "n_candidates": None if selection is None else len(selection.candidates),
        "rule": GIVEN_RULE if selection is None else RULES.get(selection.rule, selection.rule),
        "why": _why(subject),
        "candidates": None if selection is None else _candidates(subject),
    }


def loss_text(subject: Subject) -> str:
    """The name of the loss, and of the score where that is another."""
    name = type(subject.setting.loss).__name__.lower()
    scored = "" if subject.score.name == "loss" else f", judged by {subject.score.name.replace('_', ' ')}"
    return f"{name}{scored}"


def _formula(subject: Subject) -> str:
    formula = FORMULA if subject.setting.dual_set is None else FORMULA_OF_SET
    if subject.corrects:
        formula += ", for the margin of your model plus x'w + b"
    if subject.setting.reference is not None:
        formula += ", less a reference loss of each group (regret)"
    if getattr(subject.model, "regularizer", None) is not None:
        formula += f", the weights smoothed by {subject.setting.regularizer!r}"
    return formula


def _why(subject: Subject) -> str:
    if subject.selection is not None:
        return _with_prior_in_words(str(subject.selection.sentence))
    if subject.setting.dual_set is not None:
        return "The set of weights and the penalty are those that were asked for; no held-out rows chose them."
    return "worst_weight, prior and penalty are those that were asked for; no held-out rows chose them."


def _with_prior_in_words(sentence: str) -> str:
    """prior=0 is what the page calls shares."""
    return re.sub(r"^(worst_weight=\S+, prior=)([01])(?=,)", lambda m: f"{m[0]} ({prior_text(float(m[2]))})", sentence)


def _candidates(subject: Subject) -> list[dict[str, Any]]:
    table = subject.selection.candidates
    texts = dict(zip(map(repr, subject.rows.groups.names), group_texts(subject.rows.groups), strict=True))
    columns = {name: values for name, values in table.to_dict().items() if name != "average_loss_error"}
    columns["worst_group"] = [texts.get(repr(name), str(name)) for name in columns["worst_group"]]
    columns["prior"] = [prior_text(prior) for prior in columns["prior"]]
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def prior_text(prior: Prior) -> str:
    """A prior in words: shares, balanced, a number in between, or one weight for each group."""
    if isinstance(prior, float):
        return {0.0: "shares", 1.0: "balanced"}.get(prior, f"{prior:g}")
    weights = np.asarray(prior)
    more = ", ..." if weights.size > 8 else ""
    return f"weights {', '.join(f'{weight:.3g}' for weight in weights[:8])}{more}"
