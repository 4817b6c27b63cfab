"""What the evidence is about: a fitted model, and the rows that it is judged by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from ..._types import Matrix, Vector
from ...errors import ProblemError
from ...losses import FileTable
from ...losses.grouped.partitions.collections import is_dask
from ..data.features import read_input
from ..data.retained import Retained, Trained
from ..data.rows import Rows
from ..fitting.candidate import Candidate
from ..fitting.setting import Setting
from ..groups.group_input import NO_GROUPS, ROWS
from ..groups.levels import Levels
from ..selection.scores import RowScore, find_score, prediction_of
from .attributes import read_attributes, subset_of

SAME_LOSSES = 1e-6
"""How far the losses of the groups may be from those of the fit, relative to them, for the rows to be the same."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted model with rows, which are those of its fit unless ``same_rows`` says otherwise."""

    model: Any
    X: Any
    """As the user has passed it, without rows of weight 0."""
    given: Any
    """X without the columns that only name groups: what other models are given."""
    rows: Rows
    attributes: dict[str, Levels]
    setting: Setting
    score: RowScore
    """What all models of the page are judged by."""
    candidate: Candidate
    """The point of the path that the model is at."""
    same_rows: bool
    trained: Trained | None
    """What the fit has used, where the model has kept it."""
    n_fitted: int | None = None
    """The rows of the fit, where ``rows`` are a random sample of them."""

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes; None for a regression."""
        return self.model.classes_ if self.setting.n_classes else None

    @property
    def selection(self) -> Any:
        """How the model was chosen; None for one that was given."""
        return getattr(self.model, "selection_", None)

    @property
    def corrects(self) -> bool:
        """Whether the model is a correction of a user's model."""
        return getattr(self.model, "estimator_", None) is not None

    @property
    def one_group(self) -> bool:
        """Whether there is nothing to compare."""
        return len(self.rows.groups.names) == 1

    @property
    def baseline(self) -> str:
        """What the model is compared with."""
        return "your model" if self.corrects else "the average model"

    def labels(self, y: NDArray[Any]) -> NDArray[Any]:
        """Targets as the user has them."""
        return y if self.classes is None else self.classes[y]

    def prediction(self, eta: Vector | Matrix) -> tuple[str, Any]:
        """The kind of prediction that margins make, and the prediction: probabilities, labels or values."""
        predicted = prediction_of(eta, self.setting.loss)
        if self.classes is None:
            return "value", predicted
        if predicted is not eta:
            return "probability", predicted
        return "label", self.classes[(eta > 0).astype(np.intp) if eta.ndim == 1 else eta.argmax(axis=1)]


def read_subject(model: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Subject:
    """The rows that are passed, or those of the fit where none are."""
    check_is_fitted(model)
    if isinstance(model.group_by, str) and model.group_by == ROWS:
        raise ProblemError(
            "a report needs groups with rows to hold out; got a model with group_by='rows', whose groups are single "
            "rows. Fit it with sensitive_features or group_by=[columns]."
        )
    retained = getattr(model, "_retained", None)
    passed = _arguments(model, retained, X, y, sensitive_features, sample_weight)
    reader = clone(model)
    with catch_warnings():
        filterwarnings("ignore", message=NO_GROUPS)
        rows = reader._read_rows(passed.X, passed.y, passed.sensitive_features, passed.sample_weight)
    _check_agreement(model, reader)
    given = read_input(reader, passed.X, reader._dropped_columns(), reset=False)
    n_rows = len(rows) if rows.kept is None else rows.kept.size
    attributes = read_attributes(passed.X, passed.y, passed.sensitive_features, model.group_by, n_rows)
    X = passed.X
    if rows.kept is not None:
        index = np.flatnonzero(rows.kept)
        X, given, attributes = _safe_indexing(X, index), _safe_indexing(given, index), subset_of(attributes, index)
    setting = reader._setting(rows)
    score = find_score(getattr(model, "scoring", None), setting.loss, getattr(reader, "classes_", None))
    same = passed is retained or _are_those_of_the_fit(model, rows, setting)
    trained = _trained(passed, rows) if passed is retained else None
    return Subject(model, X, given, rows, attributes, setting, score, model._candidate(rows), same, trained)


def of_sample(subject: Subject, n_fitted: int, test: Any) -> Subject:
    """The subject with rows that are a sample of those of the fit."""
    if test is None or n_fitted < len(subject.rows):
        raise ProblemError(
            f"n_fitted is the number of rows of a fit of which X is a sample, judged by test; got {n_fitted} for "
            f"{len(subject.rows)} rows{', and no test' if test is None else ''}."
        )
    return replace(subject, n_fitted=n_fitted)


def _trained(retained: Retained, rows: Rows) -> Trained:
    rows = rows if retained.offset is None else rows.with_offset(retained.offset)
    return Trained(rows, retained.scores, retained.index, retained.weight)


def _arguments(model: Any, retained: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Retained:
    if is_dask(X) or isinstance(X, FileTable):
        raise ProblemError(
            f"evidence needs rows in memory; got X of type {type(X).__name__}, whose rows are elsewhere. Pass some "
            "rows in memory, such as held-out ones: X, y and their groups."
        )
    if X is not None and y is not None:
        return Retained(X, y, sensitive_features, sample_weight, None)
    if X is not None or y is not None or sensitive_features is not None:
        raise ProblemError("a report needs X and y, and sensitive_features of the same rows; got some of them only.")
    if retained is None:
        groups = "" if model.group_by is not None else ", sensitive_features"
        raise ProblemError(
            "evidence needs rows in memory, and the rows of the fit are not here: models of tables in files or on a "
            "cluster do not keep them; copies, pickles and saved files of a model do not carry them. Pass the rows: X, "
            f"y{groups}, as arrays or frames in memory, of the fit or some that it has not seen."
        )
    return retained


def _check_agreement(model: Any, reader: Any) -> None:
    """Refuse rows with other columns or classes than those of the fit."""
    known, names = (getattr(which, "feature_names_in_", None) for which in (model, reader))
    if reader.n_features_in_ != model.n_features_in_:
        raise ProblemError(
            f"X must have the {model.n_features_in_} columns of the fit; got {reader.n_features_in_} columns."
        )
    if known is not None and names is not None and list(known) != list(names):
        raise ProblemError(
            f"X must have the columns of the fit in their order, {', '.join(map(repr, known[:10]))}; got "
            f"{', '.join(map(repr, names[:10]))}."
        )
    classes, own = (getattr(which, "classes_", None) for which in (model, reader))
    if classes is not None and own is not None and classes.tolist() != own.tolist():
        raise ProblemError(
            f"y must hold the classes of the fit, {', '.join(map(repr, classes.tolist()[:10]))}; got "
            f"{', '.join(map(repr, own.tolist()[:10]))}."
        )


def _are_those_of_the_fit(model: Any, rows: Rows, setting: Setting) -> bool:
    """Whether groups and their sizes are those of the fit, and for a linear model also the losses of the groups."""
    if list(model.group_names_) != list(rows.groups.names) or not np.array_equal(model.group_sizes_, rows.groups.sizes):
        return False
    if getattr(model, "estimator_", None) is not None:
        return True
    losses = find_score(None, setting.loss, getattr(model, "classes_", None))(linear_margins(model, rows), rows.y)
    means = rows.groups.mean(losses, rows.weight)
    return bool(np.allclose(means, model.group_losses_, rtol=SAME_LOSSES, atol=SAME_LOSSES * setting.units.loss))


def linear_margins(model: Any, rows: Rows) -> Vector | Matrix:
    """x'w + b + offset of a fitted linear model, of shape (n,), or (n, K) for K > 2 classes."""
    eta = np.asarray(rows.X @ np.atleast_2d(model.coef_).T) + model.intercept_
    eta = eta if eta.shape[1] > 1 else eta[:, 0]
    return eta if rows.offset is None else eta + rows.offset
