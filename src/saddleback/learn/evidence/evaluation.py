"""All models of a page on the same held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..._types import Matrix, Vector
from ...errors import ConvergenceWarning
from ...machine.pace import Pace
from ..correction.feature_columns import FeatureColumns
from ..data.folds import DEFAULT_FOLDS, is_count
from ..data.retained import Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate, NoCorrection
from ..fitting.trainer import Trainer
from .challenger_models import BOOSTING, Challenger, judge
from .linear_models import (
    AVERAGE,
    BALANCED,
    average_l2,
    fit_all,
    is_average_model,
    ordinary,
    path_candidates,
    scores_along,
)
from .splitting import TEST, HeldOutRows, Part
from .subject import Subject, linear_margins

CHOSEN, YOURS = "this model", "your model"


@dataclass(eq=False)
class Evaluation:
    """Margins of every model at every held-out row, by the name of the model."""

    held_out: HeldOutRows
    margins: dict[str, Any] = field(default_factory=dict)
    """(m,) or (m, K)."""
    scores: dict[str, Vector] = field(default_factory=dict)
    """(m,)."""
    path_scores: Matrix | None = None
    """(m, P)."""
    path_positive: Matrix | None = None
    """(m, P): 1 where the margin is positive."""
    choices: list[Candidate] = field(default_factory=list)
    """What the selection took in each part."""
    failures: dict[str, str] = field(default_factory=dict)
    """Why a challenger has no margins."""
    floored: float | None = None
    """Probabilities, or means of counts, that a user's model puts at 0 are judged as if they were this."""

    def put(self, name: str, part: Part, margins: Any) -> None:
        """Take the margins of one part."""
        if name not in self.margins:
            self.margins[name] = np.full((len(self.held_out), *np.shape(margins)[1:]), np.nan)
        self.margins[name][part.test] = margins


def evaluate(
    subject: Subject,
    held_out: HeldOutRows,
    challengers: list[Challenger],
    random_state: Any,
    tell: Callable[[str], None],
) -> Evaluation:
    """Fit all models to the training rows of each part, and judge them by the rows that it leaves out."""
    evaluation, pace = Evaluation(held_out), Pace(len(held_out.parts))
    for number, part in enumerate(held_out.parts):
        where = f"held-out rows, part {number + 1} of {pace.total}"
        left = pace.in_words()
        tell(f"{where}: the model and its selection{left and f' ({left})'}")
        fitted, trained = _fitted(subject, held_out, part)
        test = _test_rows(subject, held_out, part, fitted)
        _judge_linear(subject, evaluation, part, fitted, trained, test, random_state)
        training = trained.rows if subject.corrects is False else replace(trained.rows, offset=None)
        for challenger in challengers:
            if challenger.name in evaluation.failures:
                continue
            tell(f"{where}: {challenger.name}")
            try:
                plain = evaluation.margins.get(BOOSTING) if challenger.corrected else None
                known = None if plain is None else plain[part.test]
                margins = judge(challenger, subject, held_out, part, training, random_state, known)
            except Exception as error:  # whatever a model of others raises is told on the page
                evaluation.failures[challenger.name] = f"{type(error).__name__}: {error}"
                evaluation.margins.pop(challenger.name, None)
            else:
                evaluation.put(challenger.name, part, margins)
        pace.end_part()
    for name, margins in evaluation.margins.items():
        evaluation.scores[name] = subject.score(margins, held_out.rows.y)
    return evaluation


def _fitted(subject: Subject, held_out: HeldOutRows, part: Part) -> tuple[Any, Trained]:
    """The model with everything that its fit does, on the training rows of a part."""
    if held_out.kind == TEST and not subject.corrects:
        return subject.model, Trained(subject.rows)
    if held_out.kind == TEST and subject.trained is not None:
        return subject.model, subject.trained
    return fit_to(subject, part.train, part.cv)


def fit_to(subject: Subject, train: Any, cv: Any = None) -> tuple[Any, Trained]:
    """A clone of the model that is fitted to some rows."""
    model = clone(subject.model)
    if cv is not None:
        model.set_params(cv=cv)
    elif not is_count(getattr(model, "cv", None)):
        # Splits that were made for all rows do not fit a part of them.
        model.set_params(cv=DEFAULT_FOLDS)
    if subject.classes is not None:
        model.classes_ = subject.classes
    rows = subject.rows.subset(train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if not subject.corrects:
            return model, model._fit_rows(rows)
        X, given = _safe_indexing(subject.X, train), _safe_indexing(subject.given, train)
        model._columns = FeatureColumns(model.features, model._dropped_columns())
        rows = replace(rows, X=model._columns.read(X, given, fit=True))
        return model, model._fit_rows(rows, given)


def _test_rows(subject: Subject, held_out: HeldOutRows, part: Part, fitted: Any) -> Rows:
    """The held-out rows of a part as the fitted model sees them."""
    rows = held_out.rows.subset(part.test)
    if not subject.corrects:
        return rows
    X, given = _safe_indexing(held_out.X, part.test), _safe_indexing(held_out.given, part.test)
    offset = fitted._read_margin(fitted.estimator_, given)
    return replace(rows, X=fitted._columns.read(X, given, fit=False), offset=offset)


def _judge_linear(
    subject: Subject,
    evaluation: Evaluation,
    part: Part,
    fitted: Any,
    trained: Trained,
    test: Rows,
    random_state: Any,
) -> None:
    """The model itself, the average and the balanced model, and the path."""
    own = linear_margins(fitted, test)
    if subject.corrects:
        yours = _as_predicted(evaluation, part, fitted, test)
        evaluation.put(YOURS, part, yours)
        own = own if fitted.corrected_ else yours
    evaluation.put(CHOSEN, part, own)
    if subject.selection is not None and fitted is not subject.model:
        evaluation.choices.append(fitted._candidate(trained.rows))
    setting = ordinary(fitted._setting(trained.rows))
    plain_test, trainer = test, Trainer(trained.rows, setting)
    plain_trainer = trainer
    if subject.corrects:
        plain_test = replace(test, offset=None)
        plain_trainer = Trainer(replace(trained.rows, offset=None), setting)
    l2 = average_l2(subject, fitted, plain_trainer.rows, random_state)
    if subject.one_group:
        (only,) = fit_all(plain_trainer, [Candidate(0.0, 0.0, l2)])
        evaluation.put(AVERAGE, part, only.margins(plain_test))
        return
    average, balanced = fit_all(plain_trainer, [Candidate(0.0, 0.0, l2), Candidate(0.0, 1.0, l2)])
    # The same model: not even its tolerance makes a difference.
    same = is_average_model(subject, fitted._candidate(trained.rows), l2)
    evaluation.put(AVERAGE, part, linear_margins(fitted, test) if same else average.margins(plain_test))
    evaluation.put(BALANCED, part, balanced.margins(plain_test))
    binary = subject.setting.n_classes == 2
    scores, positive = scores_along(fit_all(trainer, path_candidates(subject)), test, subject.score, signs=binary)
    if evaluation.path_scores is None:
        evaluation.path_scores = np.full((len(evaluation.held_out), scores.shape[1]), np.nan)
        evaluation.path_positive = None if positive is None else np.zeros_like(evaluation.path_scores)
    evaluation.path_scores[part.test] = scores
    if evaluation.path_positive is not None and positive is not None:
        evaluation.path_positive[part.test] = positive


def _as_predicted(evaluation: Evaluation, part: Part, fitted: Any, test: Rows) -> Any:
    """The margins of the user's model as it predicts; those with a floor where it is certain of something.

    A correction is added to margins with the floor, but a model that is left alone predicts as it is.
    """
    given = _safe_indexing(evaluation.held_out.given, part.test)
    margins = fitted._read_margin.as_predicted(fitted.estimator_, given)
    if np.isfinite(margins).all():
        return margins
    evaluation.floored = max(fitted._read_margin.floor, evaluation.floored or 0.0)
    return test.offset


def is_left_alone(candidate: Candidate) -> bool:
    """Whether a selection has kept the model that it started from."""
    return isinstance(candidate, NoCorrection) or candidate.is_average
