"""The targets and predictions of the rows, read as probabilities, labels or values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ..._types import Matrix, Vector
from ..._validation import finite_vector, lookup, number, real_array
from ...errors import ProblemError
from ...losses.grouped.input.labels import NO_ROWS, label_vector, listed, read_labels
from .kinds import KINDS, are_probabilities, recognise

SUM_TOLERANCE = 1e-3
"""How far the probabilities of a row may be from adding up to 1: rounded ones do not quite."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Targets y with predictions of one kind."""

    kind: str
    """"probability", "label" or "value"."""
    y: NDArray[Any]
    """The number of each row's class, or its value."""
    prediction: NDArray[Any]
    """Probabilities of shape (n, K), numbers of classes, or values."""
    classes: Sequence[Any] = ()
    """The K classes; none for values."""
    positive: int | None = None
    """The number of the positive class of two."""
    threshold: float = 0.5
    """The probability from which on a row is predicted to be positive."""
    unseen: Sequence[Any] = ()
    """Predicted labels that y never has."""

    @property
    def binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.classes) == 2

    @cached_property
    def decided(self) -> NDArray[np.intp]:
        """The number of the predicted class: by the threshold for two classes, else the most probable one."""
        if self.kind == "label":
            return self.prediction
        if self.positive is None:
            return self.prediction.argmax(axis=1)
        chosen = self.prediction[:, self.positive] >= self.threshold
        return np.where(chosen, self.positive, 1 - self.positive)


def read_outcome(
    y: Any, prediction: Any, *, kind: str = "auto", classes: Any = None, positive: Any = None, threshold: float = 0.5
) -> Outcome:
    """Check targets and predictions; which ``kind`` they are is recognised as `recognise` says."""
    if not 0 <= number(threshold, "threshold") <= 1:
        raise ProblemError(f"threshold must be from 0 to 1; got {threshold:g}.")
    if kind != "auto":
        lookup(KINDS, kind, "kind of prediction")
    labels = label_vector(y, "y", None)
    if labels.size == 0:
        raise ProblemError("y must have at least one row; got none.")
    scalar = not hasattr(prediction, "__len__") or getattr(prediction, "ndim", 1) == 0
    if scalar or isinstance(prediction, NO_ROWS) or issparse(prediction):
        raise ProblemError(f"prediction must be a vector or a matrix; got {type(prediction).__name__}.")
    if len(prediction) != labels.size:
        raise ProblemError(f"prediction must have one entry per row of y, {labels.size}; got {len(prediction)}.")
    given = _squeezed(prediction)
    kind = recognise(labels, given) if kind == "auto" else kind
    if kind == "value":
        return Outcome("value", finite_vector(labels, "y"), finite_vector(given, "prediction"))
    known = None if classes is None else label_vector(classes, "classes", None).tolist()
    outcome = (_with_labels if kind == "label" else _with_probabilities)(labels, given, known, positive)
    return replace(outcome, threshold=float(threshold))


def _squeezed(prediction: Any) -> Any:
    """A matrix of one column as a vector."""
    if getattr(prediction, "ndim", 1) == 2 and prediction.shape[1] == 1:
        return np.asarray(prediction)[:, 0]
    return prediction


def _with_labels(y: NDArray[Any], prediction: Any, known: list[Any] | None, positive: Any) -> Outcome:
    own, codes = read_labels(y, "y", y.size)
    predicted, numbers = read_labels(label_vector(prediction, "prediction", None), "prediction", y.size)
    classes = known or _in_order(list(dict.fromkeys([*own, *predicted])))
    seen = set(own)
    unseen = [label for label in predicted if label not in seen]
    if known is None:
        _refuse_misspelled(unseen, own)
    y_class, predicted_class = _numbers_of(classes, own)[codes], _numbers_of(classes, predicted)[numbers]
    return Outcome("label", y_class, predicted_class, classes, _positive(classes, positive), unseen=unseen)


def _refuse_misspelled(unseen: list[Any], own: list[Any]) -> None:
    """Refuse predicted texts that differ from a label of y in nothing but case or blanks."""
    plain = {_plain(label): label for label in own if isinstance(label, str)}
    for label in unseen:
        if isinstance(label, str) and _plain(label) in plain:
            raise ProblemError(
                f"prediction must hold labels as y has them; got {label!r}, and y has {plain[_plain(label)]!r}. Write "
                "both alike; if they are two classes, pass all classes."
            )


def _plain(label: str) -> str:
    return "".join(label.split()).casefold()


def _with_probabilities(y: NDArray[Any], prediction: Any, known: list[Any] | None, positive: Any) -> Outcome:
    own, codes = read_labels(y, "y", y.size)
    P = _probabilities(prediction)
    n_classes = P.shape[1] if P.ndim == 2 else 2
    classes = known or _both(own)
    if len(classes) != n_classes:
        raise ProblemError(
            f"prediction must have one column of probabilities for each class; got {n_classes} for the {len(classes)} "
            f"classes {listed(classes)}. Pass the classes in the order of the columns: classes=estimator.classes_."
        )
    chosen = _positive(classes, positive)
    if P.ndim == 1:
        P = np.column_stack([1 - P, P] if chosen == 1 else [P, 1 - P])
    return Outcome("probability", _numbers_of(classes, own)[codes], P, classes, chosen)


def _both(own: list[Any]) -> list[Any]:
    """The two classes False and True, or 0 and 1, also where only one of them occurs."""
    if len(own) == 1 and own[0] in (0, 1):
        return [type(own[0])(0), type(own[0])(1)]
    return own


def _in_order(labels: list[Any]) -> list[Any]:
    try:
        return sorted(_both(labels))
    except (TypeError, ValueError, OverflowError):
        # Labels of different types, some of NumPy's among them.
        return labels


def _numbers_of(classes: list[Any], labels: list[Any]) -> NDArray[np.intp]:
    position = {label: k for k, label in enumerate(classes)}
    unknown = [label for label in labels if label not in position]
    if unknown:
        raise ProblemError(
            f"y and prediction must hold the classes {listed(classes)}; got {unknown[0]!r}. Pass all classes."
        )
    return np.array([position[label] for label in labels], dtype=np.intp)


def _positive(classes: list[Any], positive: Any) -> int | None:
    """The number of the positive class: the last of two, unless told otherwise."""
    if positive is None:
        return 1 if len(classes) == 2 else None
    if len(classes) != 2 or positive not in classes:
        raise ProblemError(f"positive must be one of two classes; got {positive!r} for the classes {listed(classes)}.")
    return classes.index(positive)


def _probabilities(prediction: Any) -> Vector | Matrix:
    try:
        P = np.asarray(real_array(prediction), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(
            f"prediction must be probabilities; got {type(prediction).__name__} ({error}). For predicted labels, pass "
            "kind='label'."
        ) from error
    bad = np.argwhere(~are_probabilities(P))
    if P.ndim > 2 or bad.size:
        at = f"{P[tuple(bad[0])]:.10g} in row {bad[0][0]}" if bad.size else f"an array of shape {P.shape}"
        raise ProblemError(
            f"prediction must be probabilities from 0 to 1, a vector or one column per class; got {at}. For other "
            "numbers, pass kind='value'."
        )
    if P.ndim == 2 and (np.abs(P.sum(axis=1) - 1) > SUM_TOLERANCE).any():
        row = int(np.argmax(np.abs(P.sum(axis=1) - 1)))
        raise ProblemError(f"the probabilities of a row must add up to 1; got {P[row].sum():.10g} in row {row}.")
    return P.clip(0.0, 1.0)
