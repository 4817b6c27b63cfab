"""What a target is: classes or numbers, as `saddleback.fairness_path` decides as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import ProblemError
from ..content.labels import class_label, relabelled
from ..content.numbers import floats, number_column, refuse_infinite
from ..content.texts import texts_of
from ..content.times import are_times
from ..content.types import checked, is_number, is_text, is_time
from ..content.written_numbers import PLAIN, style_of, unlike_numbers
from ..names import listed, quoted
from .finding import Finding, note
from .spellings import spelling_findings
from .target_rule import CLASSIFICATION, REGRESSION, TASKS, Label, TargetRule, label_text

MOST_CLASSES = 10
"""Whole numbers of more different values may be counts or amounts: they are not taken for classes unless told."""

MOST_TEXT_CLASSES = 100
"""Texts of more different values are hardly classes: they are refused unless told."""

_AGREED = {"yes", "y", "true", "t", "positive", "pos", "success", "pass", "passed", "paid", "good"}
_GRANTED = {"approved", "approve", "accepted", "accept", "admitted", "granted", "hired", "selected"}
POSITIVE_WORDS = _AGREED | _GRANTED
"""The class of two that is one of these words is the positive one; where none or both are, the larger one is."""


def learn_target(column: pa.ChunkedArray, name: str, task: Any, positive: Any) -> tuple[TargetRule, list[Finding]]:
    """The rule of a target, and what to know about it."""
    if not (isinstance(task, str) and task in ("auto", *TASKS)):
        raise ProblemError(f"task must be 'auto', 'classification' or 'regression'; got {quoted(task)}.")
    column = checked(column, name)
    if is_time(column.type) or (is_text(column.type) and are_times(texts_of(column).levels)):
        raise ProblemError(
            f"the target {quoted(name)} holds dates or times; expected classes or numbers. Make a number of it, such "
            "as the days since a date."
        )
    numbers, style = _numbers(column, name)
    if texts_of(column).n_levels == 0:
        raise ProblemError(f"the target {quoted(name)} is missing in every row.")
    if task == "auto":
        task = _task(numbers, name, column)
    if task == REGRESSION:
        return _regression(numbers, name, style, positive)
    classes = _classes(column, numbers, style)
    if len(classes) < 2:
        raise ProblemError(
            f"the target {quoted(name)} is {quoted(classes[0])} in every row; expected at least two classes."
        )
    rule, found = _classification(name, classes, positive, style)
    spelled = spelling_findings(texts_of(column), class_label, None, name, "target") if is_text(column.type) else []
    return rule, [*found, *spelled]


def _numbers(column: pa.ChunkedArray, name: str) -> tuple[NDArray[np.float64] | None, str]:
    """The numbers of a target that are there; None where it is text or boolean."""
    if pa.types.is_boolean(column.type):
        return None, PLAIN
    if not is_number(column.type):
        style = style_of(texts_of(column).levels)
        if style is None:
            return None, PLAIN
        column = number_column(column, name, style)
    else:
        style = PLAIN
    values = floats(column)
    refuse_infinite(values, name)
    return values[~np.isnan(values)], style


def _task(numbers: NDArray[np.float64] | None, name: str, column: pa.ChunkedArray) -> str:
    if numbers is None:
        levels = texts_of(column).levels
        unlike = unlike_numbers(levels)
        if len(levels) > MOST_CLASSES and 2 * len(unlike) < len(levels):
            texts = f" but for {listed(unlike[:3])}{', ...' if len(unlike) > 3 else ''}" if unlike else ""
            raise ProblemError(
                f"the target {quoted(name)} holds numbers that cannot be read as such, as "
                f"{listed([text for text in levels[:9].to_pylist() if text not in unlike][:2])}{texts}; expected "
                "numbers such as 12.5, without a sign and empty where they are missing. If they are classes, say so: "
                "task='classification'."
            )
        if len(levels) > MOST_TEXT_CLASSES:
            raise ProblemError(
                f"the target {quoted(name)} has {len(levels)} different texts ({listed(levels[:3].to_pylist())}, ...); "
                f"expected at most {MOST_TEXT_CLASSES} classes. If they are classes, say so: task='classification'."
            )
        return CLASSIFICATION
    distinct = np.unique(numbers)
    if (distinct != np.floor(distinct)).any():
        return REGRESSION
    if distinct.size <= 2:
        return CLASSIFICATION
    if distinct.size > MOST_CLASSES or not (pa.types.is_integer(column.type) or is_text(column.type)):
        raise ProblemError(
            f"the target {quoted(name)} may be classes or numbers: it has {distinct.size} different whole numbers. Say "
            "which they are: task='classification' or task='regression' (--task)."
        )
    return CLASSIFICATION


def _regression(
    numbers: NDArray[np.float64] | None, name: str, style: str, positive: Any
) -> tuple[TargetRule, list[Finding]]:
    if numbers is None:
        raise ProblemError(f"the target {quoted(name)} must hold numbers for a regression; got text.")
    if positive is not None:
        raise ProblemError(f"positive is a class of two; got {quoted(positive)} for a regression. Leave it out.")
    if np.ptp(numbers) == 0.0:
        raise ProblemError(f"the target {quoted(name)} is {numbers[0]:g} in every row; expected numbers that vary.")
    return TargetRule(name, REGRESSION, style=style), []


def _classes(column: pa.ChunkedArray, numbers: NDArray[np.float64] | None, style: str) -> list[Label]:
    """The classes in order, of the type of the column."""
    if numbers is None:
        texts = sorted(relabelled(texts_of(column), class_label).levels.to_pylist())
        return [text == "true" for text in texts] if pa.types.is_boolean(column.type) else texts
    distinct = np.unique(numbers)
    whole = pa.types.is_integer(column.type) or is_text(column.type)
    return [int(x) if whole and x.is_integer() else x for x in distinct.tolist()]


def _classification(name: str, classes: list[Label], positive: Any, style: str) -> tuple[TargetRule, list[Finding]]:
    rule = TargetRule(name, CLASSIFICATION, tuple(classes), None, style)
    if len(classes) > 2:
        if positive is not None:
            raise ProblemError(
                f"positive is a class of two; got {quoted(positive)}, and {len(classes)} classes in {quoted(name)}."
            )
        return rule, []
    if positive is not None:
        named = class_label(str(positive).strip()).casefold()
        chosen = [label for label in classes if label_text(label).casefold() == named]
        chosen = chosen or [label for label in classes if type(label) in (int, float) and label == _as_number(positive)]
        if not chosen:
            raise ProblemError(
                f"positive must be one of the classes of {quoted(name)}, {listed(classes)}; got {quoted(positive)}."
            )
        return TargetRule(name, CLASSIFICATION, tuple(classes), chosen[0], style), []
    worded = [label for label in classes if isinstance(label, str) and label.casefold() in POSITIVE_WORDS]
    label = worded[0] if len(worded) == 1 else classes[1]
    other = classes[0] if label == classes[1] else classes[1]
    found = note(
        name,
        "target",
        f"The positive class of {quoted(name)} is taken to be {quoted(label)}, the other is {quoted(other)}; "
        f"--positive (positive=) says otherwise.",
    )
    return TargetRule(name, CLASSIFICATION, tuple(classes), label, style), [found]


def _as_number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
