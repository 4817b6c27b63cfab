"""What a page says of its limits, and of the rules that ask for such a page."""

from __future__ import annotations

from .splitting import HeldOutRows
from .subject import Subject

LIMITS = (
    "It is not parity: the worst group's loss is made small; rates of selection, of false positives or of errors are "
    "not made equal, and a lower loss may widen a difference.",
    "It is not legal advice, and no certificate of fairness. Which groups count, which loss measures harm and which "
    "price is acceptable are your decisions; whether group labels may be used to train a model depends on the law that "
    "applies to you.",
    "Labels are taken as they are: if the target itself is biased, a model that predicts it well for every group "
    "repeats the bias.",
    "Many groups with few rows have large standard errors, and the worst of many is partly chance.",
    "Standard errors are those of the rows that judge, with the models as they were fitted. That other training rows "
    "would lead to other coefficients, and perhaps to another choice, is not in them: where the choice differs from "
    "part to part (Stability), figures are less certain than their errors say.",
    "Held-out figures are about new rows of the same kind. They say nothing about a population that changes.",
)
LINEAR = "The model is linear in its features: where a group needs other coefficients, interactions may help more."
CORRECTION = "The correction is linear in its features, and what your model has learned wrong otherwise stays wrong."
OTHER_ROWS = (
    "The rows of this page are not those of the fit. Figures called training figures are those of the fitted model on "
    "these rows; held-out figures are of models that were fitted anew to parts of these rows."
)
FROZEN = "Your model was fitted before, and was not fitted again: rows that it has seen look better than new ones."
FLOORED = (
    "Your model is certain of some rows. Its held-out figures are those of probabilities (means of counts) of at least "
    "{floor:.2g}, because one error of a certain model has an infinite loss; predictions are written as they are."
)

GUIDANCE = (
    {
        "source": "New York City, Local Law 144 of 2021, and its rules (6 RCNY 5-301)",
        "asks": "Selection rates and impact ratios by sex, by race or ethnicity, and by both; groups under 2 % of the "
        "data may be left out, and unknown ones are counted.",
        "where": "How every group is served: selection rate and impact ratio, each attribute alone and crossed, "
        "small and unknown groups marked.",
    },
    {
        "source": "Regulation (EU) 2024/1689 (AI Act), Annex IV, 2(b)",
        "asks": "Design specifications: what the system is designed to optimise for, the relevance of parameters, key "
        "choices with their rationale, and trade-offs.",
        "where": "What was optimized, and why this point of the path; The trade-off; Challengers; Coefficients.",
    },
    {
        "source": "Regulation (EU) 2024/1689 (AI Act), Annex IV, 2(g)",
        "asks": "Validation and testing: the data used, metrics for accuracy and robustness and for potentially "
        "discriminatory impacts, test logs dated and signed.",
        "where": "How every group is served; Stability; Calibration by group; Provenance, with date, fingerprint "
        "and owner.",
    },
    {
        "source": "Federal Reserve SR 11-7 and OCC 2011-12, model risk management",
        "asks": "Conceptual soundness, outcomes analysis, benchmarking against alternatives, limitations, and who is "
        "responsible.",
        "where": "What was optimized, and why this point of the path; How every group is served; Challengers; "
        "The certificate; Stability; Limits; Provenance.",
    },
)


NO_RATES = "Not available for this kind of target: selection rates and impact ratios are those of two classes."


def guidance_of(subject: Subject) -> list[dict[str, str]]:
    """Which part of the page serves which guidance; rates of selection need two classes."""
    law, *others = GUIDANCE
    return [law if subject.setting.n_classes == 2 else law | {"where": NO_RATES}, *others]


def limits_of(subject: Subject, held_out: HeldOutRows, floored: float | None = None) -> list[str]:
    """What does not follow from the page."""
    limits = [CORRECTION if subject.corrects else LINEAR, *LIMITS]
    if subject.corrects and type(subject.model.estimator).__name__ == "FrozenEstimator":
        limits.insert(0, FROZEN)
    if floored is not None:
        limits.insert(0, FLOORED.format(floor=floored))
    if not subject.same_rows and subject.n_fitted is None:
        limits.insert(0, OTHER_ROWS)
    if held_out.sampled is not None:
        limits.append(f"{held_out.sampled} Fitted to all rows, each of them would be a little better.")
    return limits
