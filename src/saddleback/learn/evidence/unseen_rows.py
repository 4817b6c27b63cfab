"""Rows of their own as held-out rows: those of a test file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from ..._types import Vector
from ..._validation import finite_vector
from ...errors import ProblemError
from ..data.features import read_features, read_input
from ..data.rows import Rows
from ..groups.group_input import EVERYBODY
from ..groups.groups import Groups
from ..groups.levels import Levels, cross
from ..groups.small import REST
from .attributes import UNNAMED, group_texts, read_attributes, subset_of
from .plain import in_sentence
from .repeated_rows import describe_test_rows
from .splitting import TEST, HeldOutRows, Part
from .subject import Subject


def read_test_rows(subject: Subject, test: Any) -> HeldOutRows:
    """``test`` is (X, y, sensitive_features), without the last where ``group_by`` names columns; or with weights."""
    if not isinstance(test, tuple | list) or not 2 <= len(test) <= 4:
        raise ProblemError("test must be a tuple (X, y, sensitive_features) of rows that the model has not seen.")
    X, y, sensitive_features, sample_weight = (*test, None, None)[:4]
    model = subject.model
    if not subject.one_group and sensitive_features is None and model.group_by is None:
        raise ProblemError("test needs the groups of its rows; got X and y only. Pass test=(X, y, sensitive_features).")
    given = read_input(model, X, model._dropped_columns(), reset=False)
    if subject.corrects:
        matrix = model._columns.read(X, given, fit=False)
    else:
        matrix = read_features(model, X, model._dropped_columns(), reset=False)
    n = matrix.shape[0]
    attributes = _in_order(subject, read_attributes(X, y, sensitive_features, model.group_by, n))
    groups = _groups(subject, attributes, n)
    rows = Rows(matrix, _target(subject, y, n), groups, _weight(sample_weight, matrix))
    if rows.weight is not None and not rows.weight.all():
        index = np.flatnonzero(rows.weight)
        X, given, attributes = _safe_indexing(X, index), _safe_indexing(given, index), subset_of(attributes, index)
        rows = rows.subset(index)
    part = Part(np.arange(len(subject.rows)), np.arange(len(rows)))
    words = f"{describe_test_rows(subject.rows, rows)} Other models were fitted to the training rows."
    words += _other_groups(subject, rows)
    return HeldOutRows(rows, X, given, attributes, [part], TEST, words, _sampled(subject))


def _sampled(subject: Subject) -> str | None:
    """A sentence on models that were fitted to fewer rows than the model of the page."""
    n, n_fitted = len(subject.rows), subject.n_fitted
    if n_fitted is None or n_fitted == n:
        return None
    return (
        f"The model was fitted to {n_fitted:,} rows. The models that it is compared with were fitted to {n:,} of them, "
        "drawn at random, and training figures are those of these rows."
    )


def _other_groups(subject: Subject, rows: Rows) -> str:
    """Sentences on groups of the fit without test rows, and on groups of the test rows that the fit does not know."""
    n, present = len(subject.rows.groups.names), rows.groups.sizes > 0
    texts = group_texts(rows.groups)
    absent = [in_sentence(texts[j]) for j in range(n) if not present[j]]
    unknown = [in_sentence(texts[j]) for j in range(n, len(texts)) if present[j]]
    words = f" Without test rows: {_first(absent)}." if absent else ""
    return words + (f" Unknown to the fit: {_first(unknown)}." if unknown else "")


def _first(names: list[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _in_order(subject: Subject, attributes: dict[str, Levels]) -> dict[str, Levels]:
    """The attributes of the fit, by their names; one that has no name on either side is the only one."""
    expected = list(subject.attributes)
    if set(expected) <= set(attributes):
        return {name: attributes[name] for name in expected}
    if len(expected) == len(attributes) == 1 and UNNAMED in (*expected, *attributes):
        return {expected[0]: next(iter(attributes.values()))}
    missing = next(name for name in expected if name not in attributes)
    raise ProblemError(
        f"the test rows must have the group columns of the fit, {', '.join(map(repr, expected))}; got no {missing!r} "
        f"among {', '.join(map(repr, attributes))}."
    )


def _target(subject: Subject, y: Any, n: int) -> NDArray[Any]:
    """Numbers, or the numbers of the classes of the fit."""
    target = column_or_1d(y)
    if target.size != n:
        raise ProblemError(f"the target of test must have one entry per row, {n}; got {target.size}.")
    if subject.classes is None:
        return finite_vector(target, "the target of test", n)
    known = {label: k for k, label in enumerate(subject.classes.tolist())}
    strange = [label for label in target.tolist() if label not in known]
    if strange:
        raise ProblemError(f"the test rows must have classes of the fit; got {strange[0]!r}.")
    return np.array([known[label] for label in target.tolist()], dtype=np.intp)


def _weight(sample_weight: Any, matrix: Any) -> Vector | None:
    if sample_weight is None:
        return None
    weight: Vector = _check_sample_weight(sample_weight, matrix, dtype=np.float64, ensure_non_negative=True)
    return weight


def _groups(subject: Subject, attributes: dict[str, Levels], n: int) -> Groups:
    """The groups of the fit; merged ones are in the rest, and those that the fit does not know come after them."""
    of_fit = subject.rows.groups
    if of_fit.names == [EVERYBODY]:
        return Groups([EVERYBODY], np.zeros((n, 1), dtype=np.intp))
    known = {name: j for j, name in enumerate(of_fit.names)}
    names = list(of_fit.names)
    columns: list[NDArray[np.intp]] = []
    if of_fit.overlap:
        for column, (labels, codes) in zip(of_fit.columns, attributes.values(), strict=True):
            columns.append(_numbers([(column, label) for label in labels], (column, REST), of_fit, known, names)[codes])
    else:
        labels, codes = next(iter(attributes.values())) if len(attributes) == 1 else cross(list(attributes.values()))
        columns.append(_numbers(labels, REST, of_fit, known, names)[codes])
    numbers = np.column_stack(columns)
    if (numbers >= len(of_fit.names)).all():
        raise ProblemError(
            f"the test rows must have groups of the fit; got none. The first group of the test rows is "
            f"{names[len(of_fit.names)]!r}, that of the fit {of_fit.names[0]!r}: labels of another type are others."
        )
    return Groups(names, numbers, of_fit.columns, of_fit.merged)


def _numbers(labels: list[Any], rest: Any, of_fit: Groups, known: dict[Any, int], names: list[Any]) -> NDArray[np.intp]:
    """The group of each label; a label that the fit does not know is a group of its own."""
    numbers = []
    for label in labels:
        if label not in known:
            if label in of_fit.merged and rest in known:
                numbers.append(known[rest])
                continue
            known[label] = len(names)
            names.append(label)
        numbers.append(known[label])
    return np.array(numbers, dtype=np.intp)
