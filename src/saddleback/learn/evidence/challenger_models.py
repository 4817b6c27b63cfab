"""Models of other kinds on the same training and held-out rows: boosting, its correction, what the user adds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ..._types import Matrix, Vector
from ...errors import ConvergenceWarning, ProblemError
from ...losses.grouped.pointwise_losses import Poisson, Quantile
from ...regularizers import Zero
from ..correction.cross_fitting import cross_fitted_margins
from ..correction.margins import MarginReader
from ..correction.user_model import CLASSIFIER, UserModel, kind_of, weight_parameters
from ..data.folds import make_splits
from ..data.rows import Rows
from ..fitting.candidate import NoCorrection
from ..fitting.trainer import Trainer
from ..groups.group_input import NO_GROUPS
from ..selection.choosing import ONE_SE, choose_candidate
from ..selection.grid import L2S_OF_CORRECTIONS, PRIORS, WORST_WEIGHTS, make_candidates
from ..selection.out_of_fold import out_of_fold
from .attributes import group_texts
from .linear_models import ordinary
from .splitting import SPLIT_ABOVE, HeldOutRows, Part, sample_of
from .subject import Subject

BOOSTING, CORRECTED = "gradient boosting", "corrected gradient boosting"
AUTO = "auto"
MOST_DENSE = 50_000_000
"""Numbers of a sparse table that are written out for models that take no sparse tables: 400 MB."""
CROSS_FITS = 3
"""Folds in which boosting is cross-fitted for its correction, within every training part."""
CROSS_FITS_OF_MANY = 2
"""The same for more than ``SPLIT_ABOVE`` rows: half of so many are enough to learn from, and each fit takes seconds."""


@dataclass(frozen=True, eq=False)
class Challenger:
    """A model that is compared with the one of the page."""

    name: str
    words: str
    estimator: Any
    own: bool = False
    """Whether the user has brought it; it is given X as the user has it."""
    corrected: bool = False
    """Whether a correction for its worst-off group is chosen, as by `WorstGroupCorrection`."""


def read_challengers(challengers: Any, subject: Subject) -> list[Challenger]:
    """ "auto", None, or a list of pairs (name, estimator)."""
    if challengers is None:
        return []
    if isinstance(challengers, str) and challengers == AUTO:
        return _usual(subject)
    if isinstance(challengers, str) or not isinstance(challengers, list | tuple):
        raise ProblemError(f"challengers must be 'auto', None or a list of (name, estimator); got {challengers!r}.")
    made = []
    for entry in challengers:
        if not (isinstance(entry, tuple | list) and len(entry) == 2 and isinstance(entry[0], str)):
            raise ProblemError(f"challengers must be pairs (name, estimator); got {entry!r}.")
        kind_of(entry[1])
        made.append(Challenger(entry[0], f"Added by you: {type(entry[1]).__name__}.", entry[1], own=True))
    names = [challenger.name for challenger in made]
    if len(set(names)) < len(names):
        raise ProblemError(f"challengers must have different names; got {', '.join(names)}.")
    return made


def _usual(subject: Subject) -> list[Challenger]:
    """Boosting and its correction; for a page about a correction of boosting, the two are there already."""
    estimator = _boosting(subject)
    if subject.corrects and isinstance(subject.model.estimator_, type(estimator)):
        return []
    boosting = Challenger(BOOSTING, "Histogram gradient boosting of scikit-learn with its defaults.", estimator)
    if subject.one_group:
        return [boosting]
    words = (
        "The same boosting with a linear correction for its worst-off group, or without one where held-out rows show "
        "no gain; chosen by folds of each training part."
    )
    return [boosting, Challenger(CORRECTED, words, estimator, corrected=True)]


def _boosting(subject: Subject) -> Any:
    loss = subject.setting.loss
    if subject.classes is not None:
        return HistGradientBoostingClassifier(random_state=0)
    if isinstance(loss, Poisson):
        return HistGradientBoostingRegressor(loss="poisson", random_state=0)
    if isinstance(loss, Quantile):
        return HistGradientBoostingRegressor(loss="quantile", quantile=loss.q, random_state=0)
    return HistGradientBoostingRegressor(random_state=0)


def judge(
    challenger: Challenger,
    subject: Subject,
    held_out: HeldOutRows,
    part: Part,
    training: Rows,
    random_state: Any,
    uncorrected: Vector | Matrix | None = None,
) -> Vector | Matrix:
    """The margins of the held-out rows of a part by the challenger, fitted to the training rows of the part.

    ``uncorrected`` are those without a correction, where they are known already.
    """
    if (kind_of(challenger.estimator) == CLASSIFIER) != (subject.classes is not None):
        expected = "a regressor" if subject.classes is None else "a classifier"
        raise ProblemError(f"expected {expected}; got {type(challenger.estimator).__name__}")
    index = sample_of(training, random_state)
    rows = training.subset(index) if index.size < len(training) else training
    read = MarginReader.of(subject.setting.loss, rows, subject.classes)
    if challenger.own:
        return _own(challenger.estimator, subject, held_out, part, part.train[index], rows, read)
    X, X_test = _dense(rows.X), _dense(held_out.rows.X[part.test])
    y = subject.labels(rows.y)
    model = UserModel(challenger.estimator, X, y, weight_parameters(challenger.estimator, rows.weight))
    offset = read(model.fitted(), X_test) if uncorrected is None else uncorrected
    if not challenger.corrected:
        return offset
    return _corrected(model, subject, rows, held_out.rows.subset(part.test).with_offset(offset), read, random_state)


def _own(
    estimator: Any,
    subject: Subject,
    held_out: HeldOutRows,
    part: Part,
    train: Any,
    rows: Rows,
    read: MarginReader,
) -> Vector | Matrix:
    """A model of the user: it is given X without columns that only name groups; groups if its fit takes them."""
    parameters: dict[str, Any] = {}
    if rows.weight is not None:
        parameters |= weight_parameters(estimator, rows.weight)
    by_columns = getattr(estimator, "group_by", None) is not None
    X, X_test = (subject.X, held_out.X) if by_columns else (subject.given, held_out.given)
    if has_fit_parameter(estimator, "sensitive_features") and not by_columns and not rows.groups.overlap:
        parameters["sensitive_features"] = np.array(group_texts(rows.groups), dtype=object)[rows.groups.codes]
    model = clone(estimator)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=NO_GROUPS)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(_safe_indexing(X, train), subject.labels(rows.y), **parameters)
    return read(model, _safe_indexing(X_test, part.test))


def _corrected(
    model: UserModel, subject: Subject, rows: Rows, test: Rows, read: MarginReader, random_state: Any
) -> Vector | Matrix:
    """The steps of `WorstGroupCorrection` on the training rows; margins of the test rows."""
    setting = replace(ordinary(subject.setting), regularizer=Zero(), reference=None)
    k = CROSS_FITS if len(rows) <= SPLIT_ABOVE else CROSS_FITS_OF_MANY
    splits = make_splits(k, 1, rows, random_state)
    candidates = [NoCorrection(), *make_candidates(WORST_WEIGHTS, PRIORS, L2S_OF_CORRECTIONS, rows.groups.names)]
    offset = cross_fitted_margins(model, rows, setting.n_classes, splits, read, None)
    rows = rows.with_offset(offset)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        scores = out_of_fold(rows, setting, candidates, splits, subject.score, None).scores
        choice = choose_candidate(scores, rows, 0, ONE_SE)
        if choice.chosen == choice.average:
            return test.offset  # type: ignore[return-value]
        return Trainer(rows, setting).fit(candidates[choice.chosen]).margins(test)


def _dense(X: Any) -> Any:
    if not sp.issparse(X):
        return X
    if X.shape[0] * X.shape[1] > MOST_DENSE:
        raise ProblemError(f"a sparse table of {X.shape[0]} x {X.shape[1]} is too large to be written out for boosting")
    return X.toarray()
