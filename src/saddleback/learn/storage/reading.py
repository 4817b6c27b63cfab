"""Fitted estimators from the texts and arrays of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import ProblemError
from ...storage import Reader, Unreadable
from ...storage.container import Array
from ..estimators.classifier import MinimaxClassifier
from ..estimators.cross_validated import MinimaxClassifierCV, MinimaxRegressorCV
from ..estimators.regressor import MinimaxRegressor
from .correction_reading import read_correction
from .linear_reading import check_width, read_fit, read_input
from .parameters import parameter_names, read_parameters
from .selection_reading import read_selection
from .writing import CORRECTION, CROSS_VALIDATED, MODELS

CLASSIFIERS = {kind.__name__: kind for kind in (MinimaxClassifier, MinimaxClassifierCV)}
REGRESSORS = {kind.__name__: kind for kind in (MinimaxRegressor, MinimaxRegressorCV)}
DEEPEST = 3
"""Corrections of corrections."""
TABLE_PREFIX = "table."
"""With this the names of parts begin that a model of a table has besides: how columns become numbers, evidence, ..."""


def model_from(texts: Mapping[str, str], arrays: Mapping[str, Array]) -> Any:
    """The fitted estimator whose parts `saddleback.learn.storage.writing.model_parts` has made.

    Every part is checked for its type, its shape and its range. A ProblemError says in one line what is wrong.

    Parameters
    ----------
    texts, arrays : dicts
        Those of `saddleback.storage.load`. Parts whose names begin with "table." belong to a model of a table and are
        left alone.
    """
    try:
        return read_whole_model(texts, arrays)
    except Unreadable as reason:
        raise ProblemError(f"this is not a model that can be used: {reason}.") from None


def read_whole_model(texts: Mapping[str, str], arrays: Mapping[str, Array]) -> Any:
    """As `model_from`; Unreadable where the parts are not those of a model."""
    reader = Reader(texts, arrays)
    model = read_model(reader)
    others = [name for name in (*texts, *arrays) if name.startswith(TABLE_PREFIX)]
    reader.refuse_unused(others)
    return model


def read_model(reader: Reader) -> Any:
    """A model, perhaps within another one."""
    name = reader.word("class", MODELS)
    if name == CORRECTION:
        if reader.prefix.count(".") > DEEPEST:
            raise Unreadable(f"it corrects more than {DEEPEST} corrections")
        return read_correction(reader, read_model)
    model = read_shared(reader, name)
    read_fit(model, reader, regressor=name in REGRESSORS)
    check_width(model)
    if name in CROSS_VALIDATED:
        model.worst_weight_, model.l2_ = reader.number("worst_weight", minimum=0.0), reader.number("l2", minimum=0.0)
        model.prior_ = _prior(reader, len(model.group_names_))
        model.selection_ = read_selection(reader.under("selection"), model.group_names_)
    return model


def read_shared(reader: Reader, name: str) -> Any:
    """A model with parameters, classes, columns and groups, but without coefficients."""
    kind = {**CLASSIFIERS, **REGRESSORS}[name]
    model = kind(**read_parameters(reader, parameter_names(kind)))
    read_input(model, reader, classes=name in CLASSIFIERS)
    return model


def _prior(reader: Reader, J: int) -> Any:
    prior = reader.value("prior")
    if isinstance(prior, np.ndarray) and prior.dtype == np.float64 and prior.shape == (J,):
        return prior
    if type(prior) is float and 0.0 <= prior <= 1.0:
        return prior
    raise reader.wrong("prior", "a number from 0 to 1, or a weight for each group", type(prior).__name__)
