"""All parts of a page, computed and put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..._validation import whole
from ...errors import ProblemError
from ..data.retained import Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate
from ..fitting.trainer import Fit, Trainer
from .answer import answer_of
from .calibration import calibration_of
from .certificate import certificate_of
from .challenger_models import AUTO, read_challengers
from .challengers import baseline_of, challengers_of
from .coefficients import coefficients_of
from .evaluation import CHOSEN, Evaluation, evaluate, fit_to
from .few_rows import few_rows_findings
from .figures import compare
from .fingerprint import fingerprint_of
from .group_tables import tables_of
from .guessing import guess_loss
from .linear_models import average_l2, fit_all, is_average_model, ordinary
from .objective import objective_of
from .outcome import outcome_of
from .plain import plain
from .provenance import provenance_of
from .splitting import MOST_ROWS, sample_of, split_rows
from .stability import stability_of
from .subject import Subject, linear_margins, of_sample, read_subject
from .texts import guidance_of, limits_of
from .tradeoff import tradeoff_of
from .unseen_rows import read_test_rows

FORMAT, VERSION = "saddleback report", 1
N_BOOTSTRAP = 100
"""Resamples: a share of them has a standard error of at most 5 %."""
THRESHOLD = 0.5


def collect_evidence(
    model: Any,
    X: Any = None,
    y: Any = None,
    sensitive_features: Any = None,
    *,
    sample_weight: Any = None,
    n_fitted: int | None = None,
    test: Any = None,
    challengers: Any = AUTO,
    folds: Any = AUTO,
    n_bootstrap: int = N_BOOTSTRAP,
    random_state: Any = 0,
    positive: Any = None,
    title: str | None = None,
    purpose: str | None = None,
    owner: str | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    data: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    fingerprint: Mapping[str, Any] | None = None,
    command: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Everything that the report of a fitted model says, as plain data for JSON.

    Parameters
    ----------
    model : estimator
        A fitted `MinimaxClassifier`, `MinimaxRegressor`, one of their CV versions, or a `WorstGroupCorrection`.
    X, y, sensitive_features, sample_weight
        The rows of the fit, as ``fit`` takes them; by default those that the model has kept.
    n_fitted : int, optional
        The number of rows of the fit, where X and y are a random sample of them. Rows of ``test`` then judge the model
        as it is; other models are fitted to the sample.
    test : tuple, optional
        (X, y, sensitive_features) of rows that the model has not seen, which then judge all models.
    challengers : "auto", None or list
        What the model is compared with besides the average and the balanced model: gradient boosting and its correction
        ("auto"), nothing, or pairs (name, estimator).
    folds : "auto" or int
        The number of outer folds; by default 5, and one split of more than 20,000 rows. Splits that were passed to the
        estimator as ``cv`` are the outer folds.
    n_bootstrap : int
        The number of bootstrap resamples at most; 0 leaves the part on stability out.
    random_state : int
        Draws folds and resamples.
    positive : label, optional
        The positive class of two; by default the second.
    title, purpose, owner, command : str, optional
        What is printed; purpose and owner are left blank by default.
    feature_names : list of str, optional
        The names of the features, where X has none.
    class_names : list of str, optional
        What the classes are called on the page, in the order of ``classes_``.
    data : dict, optional
        What is known of the table: "columns", dicts with name, kind, rule; "findings", dicts with column, kind,
        severity, message; "missing", a sentence on missing values.
    settings : dict, optional
        In place of the parameters of the estimator.
    fingerprint : dict, optional
        sha256, rows, columns and "of", in place of the fingerprint of the rows.
    tell : callable, optional
        Is called with a short text as the work gets on.

    Returns
    -------
    dict
        The evidence, version 1, as documented for `saddleback.report`.
    """
    tell = tell or _silent
    n_bootstrap = whole(n_bootstrap, "n_bootstrap", minimum=0)
    tell("reading the rows")
    subject = read_subject(model, X, y, sensitive_features, sample_weight)
    place = _positive(subject, positive)
    names = _class_names(subject, class_names)
    added = read_challengers(challengers, subject)
    if n_fitted is not None:
        subject = of_sample(subject, n_fitted, test)
    held_out = split_rows(subject, folds, random_state) if test is None else read_test_rows(subject, test)
    trained = _trained(subject)
    evaluation = evaluate(subject, held_out, added, random_state, tell)
    base = baseline_of(subject)
    tell("trade-off and tables of groups")
    average, baseline = _baseline_on_training_rows(subject, trained.rows, random_state)
    comparison = compare(evaluation.scores[base], evaluation.scores[CHOSEN], held_out.rows, subject.setting.tol)
    tradeoff = tradeoff_of(subject, evaluation, trained.rows)
    if tradeoff is not None and place == 0 and tradeoff["selection_rates"] is not None:
        tradeoff["selection_rates"] = 1.0 - tradeoff["selection_rates"]
    own = linear_margins(subject.model, trained.rows)
    label = None if place is None or subject.classes is None else subject.classes.tolist()[place]
    groups = tables_of(
        subject,
        (trained.rows, subject.attributes, own, baseline),
        (held_out.rows, held_out.attributes, evaluation.margins[CHOSEN], evaluation.scores[base]),
        label,
    )
    tell("bootstrap of the worst-off groups and of the choice")
    stability = stability_of(subject, trained, evaluation, n_bootstrap, random_state)
    mark = fingerprint_of(subject.rows, subject.labels(subject.rows.y), subject.attributes)
    mark = mark if fingerprint is None else dict(fingerprint)
    return _json(
        {
            "format": FORMAT,
            "version": VERSION,
            "title": title or f"{type(model).__name__}: report",
            "task": "regression" if subject.classes is None else "classification",
            "classes": names,
            "positive": None if place is None or names is None else names[place],
            "threshold": None if place is None else THRESHOLD,
            "baseline": subject.baseline,
            "outcome": outcome_of(subject, comparison),
            "answer": answer_of(subject, evaluation, comparison, stability),
            "objective": objective_of(subject),
            "rows": {
                "train": len(subject.rows) if n_fitted is None else n_fitted,
                "held_out": len(held_out),
                "held_out_kind": held_out.kind,
                "held_out_words": held_out.words,
                "sampled": held_out.sampled,
                "weighted": subject.rows.weight is not None,
                "guess_loss": guess_loss(subject, held_out.rows),
            },
            "groups": groups,
            "tradeoff": tradeoff,
            "challengers": challengers_of(subject, evaluation, added),
            "certificate": certificate_of(subject, trained.rows),
            "stability": stability,
            "coefficients": coefficients_of(subject, subject.rows, average, feature_names, names),
            "calibration": _calibration(subject, evaluation, place),
            "data": _data(subject, data),
            "limits": limits_of(subject, held_out, evaluation.floored),
            "guidance": guidance_of(subject),
            "provenance": provenance_of(subject, mark, settings, command=command, purpose=purpose, owner=owner),
        }
    )


def _data(subject: Subject, data: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is known of the table, and of its groups."""
    known = {"columns": None, "findings": [], "missing": None} | dict(data or {})
    return known | {"findings": [*known["findings"], *few_rows_findings(subject)]}


def _silent(text: str) -> None:
    """Tell nobody."""


def _json(evidence: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = plain(evidence)
    return made


def _positive(subject: Subject, positive: Any) -> int | None:
    """The number of the positive class of two; None where there are not two."""
    classes = None if subject.classes is None else subject.classes.tolist()
    if classes is None or len(classes) != 2:
        if positive is not None:
            raise ProblemError(
                f"positive must be one of two classes; got {positive!r} for a model without two classes."
            )
        return None
    if positive is None:
        return 1
    if positive not in classes:
        raise ProblemError(f"positive must be one of the classes {classes[0]!r} and {classes[1]!r}; got {positive!r}.")
    return classes.index(positive)


def _class_names(subject: Subject, class_names: Any) -> list[str] | None:
    """The classes as texts."""
    if subject.classes is None:
        return None
    names = [str(label) for label in (subject.classes.tolist() if class_names is None else class_names)]
    if len(names) != subject.classes.size:
        raise ProblemError(f"class_names must name the {subject.classes.size} classes of the fit; got {len(names)}.")
    return names


def _trained(subject: Subject) -> Trained:
    """What the fit has used; fitted again where the model has not kept it and it is needed."""
    if subject.trained is not None:
        return subject.trained
    if subject.corrects or (subject.selection is not None and len(subject.rows) <= MOST_ROWS):
        return fit_to(subject, np.arange(len(subject.rows)))[1]
    return Trained(subject.rows)


def _baseline_on_training_rows(subject: Subject, rows: Rows, random_state: Any) -> tuple[Fit | None, Any]:
    """The average model of all rows, where it is another one, and the scores of the baseline on the training rows."""
    if subject.corrects:
        return None, subject.score(rows.offset, rows.y)
    index = sample_of(rows, random_state)
    l2 = average_l2(subject, subject.model, rows if index.size == len(rows) else rows.subset(index), random_state)
    (fit,) = fit_all(Trainer(rows, replace(ordinary(subject.setting), reference=None)), [Candidate(0.0, 0.0, l2)])
    same = is_average_model(subject, subject.candidate, l2)
    if same:
        # Two fits of one model differ in their last digits, and nobody should look for the reason.
        return None, subject.score(linear_margins(subject.model, rows), rows.y)
    return fit, subject.score(fit.margins(rows), rows.y)


def _calibration(subject: Subject, evaluation: Evaluation, place: int | None) -> list[dict[str, Any]] | None:
    kind, prediction = subject.prediction(evaluation.margins[CHOSEN])
    if place is None or kind != "probability":
        return None
    rows = evaluation.held_out.rows
    return calibration_of(prediction[:, place], rows.y == place, rows)
