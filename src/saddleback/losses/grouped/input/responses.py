"""Responses y as the numbers that a pointwise loss takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._types import Vector
from ...._validation import real_array
from ....errors import ProblemError
from .labels import listed, read_labels

LARGEST_RESPONSE = 1e100
"""Parameters of the magnitude of y must have finite squares, with some room."""


@dataclass(frozen=True, eq=False)
class Responses:
    """y, one number per row; ``classes`` are the labels that -1 and 1, or 0, ..., K - 1, stand for."""

    y: Vector
    classes: list[Any] | None = None


def read_responses(y: Any, kind: str, n_rows: int, known: list[Any] | None = None) -> Responses:
    """``kind``: "binary" (-1, 1), "classes" (0, ..., K - 1), "count" (>= 0) or "real".

    With ``known`` classes, y may hold no others, and need not hold all of them.
    """
    if kind in ("binary", "classes"):
        classes, codes = read_labels(y, "y", n_rows)
        if known is not None:
            codes = _codes_of_known(classes, codes, known)
            classes = known
        check_classes(classes, kind)
        if kind == "classes":
            return Responses(codes.astype(np.float64), classes)
        return Responses(np.where(codes == 1, 1.0, -1.0), classes)
    try:
        # A copy: the user may change y later.
        numbers = np.array(real_array(y), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"y must hold numbers for this loss; got {type(y).__name__} ({error}).") from error
    if numbers.shape != (n_rows,):
        raise ProblemError(f"y must have one entry per row of X, shape ({n_rows},); got shape {numbers.shape}.")
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise ProblemError(f"y must be finite; got {numbers[bad[0]]} in row {bad[0]}. Drop such rows.")
    row = int(np.abs(numbers).argmax())
    if abs(numbers[row]) > LARGEST_RESPONSE:
        raise ProblemError(
            f"y must hold numbers up to {LARGEST_RESPONSE:g} in absolute value, so that squares of parameters as large "
            f"are finite; got {numbers[row]:g} in row {row}. Divide y by a constant."
        )
    if kind == "count" and numbers.min() < 0:
        row = int(np.argmin(numbers))
        raise ProblemError(f"y must hold counts >= 0 for this loss; got {numbers[row]:g} in row {row}.")
    return Responses(numbers)


def check_classes(classes: list[Any], kind: str) -> None:
    """Refuse labels of which there are too few, or too many for a binary loss."""
    if len(classes) < 2:
        raise ProblemError(f"y must hold at least two classes; got only {classes[0]!r}.")
    if kind == "binary" and len(classes) > 2:
        raise ProblemError(
            f"y must hold two classes for this loss; got {len(classes)}: {listed(classes)}. Take loss='softmax' for "
            "more classes, or a regression loss for numbers."
        )


def _codes_of_known(classes: list[Any], codes: NDArray[np.intp], known: list[Any]) -> NDArray[np.intp]:
    number = {label: code for code, label in enumerate(known)}
    of_known = np.array([number.get(label, -1) for label in classes], dtype=np.intp)[codes]
    if of_known.min() < 0:
        row = int(np.argmin(of_known))
        raise ProblemError(
            f"y must hold the classes that the losses were made with, {listed(known)}; got {classes[codes[row]]!r} in "
            f"row {row}."
        )
    return of_known
