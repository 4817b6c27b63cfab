"""Margins of every row by models of the user's kind that have not seen the row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..._types import Matrix, Vector
from ...errors import ProblemError
from ..data.files import frame_of
from ..data.folds import Split, check_classes
from ..data.remote import RemoteMatrix
from ..data.rows import Rows
from ..fitting.observer import NOBODY, Observer
from .margins import MarginReader
from .user_model import UserModel, some_rows


def cross_fitted_margins(
    model: UserModel,
    rows: Rows,
    n_classes: int,
    splits: list[Split],
    read: MarginReader,
    n_jobs: int | None,
    observer: Observer = NOBODY,
) -> Vector | Matrix:
    """o (n,) or (n, K): the margin of each row by the clone that its fold was held out from.

    A frozen model is not fitted, and its margins are taken as they are: rows of its own training would look better
    than new ones.
    """
    held_out = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(rows))
    if (held_out != 1).any():
        row = int(np.argmax(held_out != 1))
        raise ProblemError(
            f"cv must hold out every row once, so that every row has a margin of a model that has not seen it; row "
            f"{row} is held out {held_out[row]} times. Pass a number of folds, or a splitter such as KFold."
        )
    for train, _ in splits:
        check_classes(rows.y[train], n_classes)
    observer.begin_splits(f"margins of {type(model.estimator).__name__} on held-out rows", len(splits))
    tasks = (delayed(_margins_of_split)(model, split, read) for split in splits)
    parts = []
    for part in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
        observer.end_split()
        parts.append(part)
    margins = np.empty((len(rows), *parts[0].shape[1:]))
    for (_, test), part in zip(splits, parts, strict=True):
        margins[test] = part
    return margins


def _margins_of_split(model: UserModel, split: Split, read: MarginReader) -> Vector | Matrix:
    train, test = split
    fitted, held_out = model.fitted(train), some_rows(model.X, test)
    if isinstance(held_out, RemoteMatrix):
        return held_out.by_rows(_margins_of_rows, fitted, read)
    return read(fitted, held_out)


def _margins_of_rows(X: Any, model: Any, read: MarginReader) -> Vector | Matrix:
    names = getattr(model, "feature_names_in_", None)
    return read(model, X if names is None or len(names) != X.shape[1] else frame_of(X, list(names)))
