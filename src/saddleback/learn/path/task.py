"""Whether a target asks for a classifier or for a regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from ...errors import ProblemError
from ...losses.grouped.own_loss import find_loss
from ..data.targets import refuse_mixed
from ..estimators.classifier import MinimaxClassifier
from ..estimators.regressor import MinimaxRegressor

AUTO = "auto"
TASKS = {"classification": MinimaxClassifier, "regression": MinimaxRegressor}

MOST_CLASSES = 10
"""Whole numbers of more different values may be counts or amounts: they are not taken for classes unless told."""

Model = type[MinimaxClassifier] | type[MinimaxRegressor]


def model_of(task: Any, loss: Any, y: Any) -> Model:
    """The kind of model: as told, else as the loss says, where one is given, else as the target looks.

    Two values, booleans and texts are classes, and so are integers of at most ``MOST_CLASSES`` different values.
    Numbers with fractions ask for a regression. Other whole numbers may be either, and are refused.
    """
    if isinstance(task, str) and task in TASKS:
        return TASKS[task]
    if not (isinstance(task, str) and task == AUTO):
        raise ProblemError(f"task must be {AUTO!r}, {' or '.join(map(repr, TASKS))}; got {task!r}.")
    if not (isinstance(loss, str) and loss == AUTO):
        return TASKS["classification" if find_loss(loss).response in ("binary", "classes") else "regression"]
    return TASKS[_task_of_target(y)]


def _task_of_target(y: Any) -> str:
    kind, target = _kind(y)
    if kind == "binary":
        return "classification"
    if kind == "continuous":
        return "regression"
    if kind != "multiclass":
        raise ProblemError(
            f"y must be one column of classes or of numbers; got a target of the kind {kind!r}. If it is one column, "
            "say which it is: task='classification' or task='regression'."
        )
    if target.dtype.kind not in "iuf":
        return "classification"
    n_values = np.unique(target).size
    if target.dtype.kind == "f" or n_values > MOST_CLASSES:
        raise ProblemError(
            f"y may be classes or numbers; got {n_values} different whole numbers of type {target.dtype}. Say which "
            "they are: task='classification' or task='regression'."
        )
    return "classification"


def _kind(y: Any) -> tuple[str, Any]:
    """The kind of target in the words of scikit-learn, and the target as an array."""
    if y is None:
        raise ProblemError("y must be the target of every row; got None.")
    try:
        target = np.asarray(y)
        refuse_mixed(target)
        with np.errstate(invalid="ignore"):
            return type_of_target(target, input_name="y"), target
    except ProblemError:
        raise
    except ValueError as error:
        raise ProblemError(f"y must be one column of classes or of numbers without gaps; {error}") from error
