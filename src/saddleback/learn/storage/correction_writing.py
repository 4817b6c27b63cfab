"""What a correction has learned, as parts of a file: the user's model, and the correction of its margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.frozen import FrozenEstimator

from ...errors import ProblemError
from ...storage import Parts
from .boosting_writing import BOOSTING, is_boosting, write_boosting
from .parameters import write_parameters
from .selection_writing import write_selection

BOOSTED, OURS = "boosting", "saddleback"
"""The two kinds of models in a correction: trees of scikit-learn, and a model of this package."""


def write_correction(model: Any, parts: Parts, write_ours: Callable[[Any, Parts], None], is_ours: bool) -> None:
    """The user's model and the correction; ``write_ours`` writes a model of this package."""
    parts.flag("corrected", model.corrected_)
    parts.number("floor", model._read_margin.floor)
    write_selection(model.selection_, parts.under("selection"))
    frozen, fitted = isinstance(model.estimator, FrozenEstimator), unwrapped(model.estimator_)
    inner = parts.under("estimator")
    inner.flag("frozen", frozen)
    if is_ours:
        inner.text("kind", OURS)
        write_ours(fitted, inner)
        return
    inner.text("kind", BOOSTED)
    write_boosting(fitted, inner)
    # The parameters are those of the model as it is before a fit; a frozen one is never fitted again.
    if not frozen:
        inner.text("class", type(model.estimator).__name__)
        write_parameters(model.estimator, inner)


def unwrapped(estimator: Any) -> Any:
    """The model in a FrozenEstimator."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def check_estimator(model: Any, is_ours: bool) -> None:
    """Refuse a model that a file cannot hold, by its name."""
    fitted = unwrapped(model.estimator_)
    if is_ours or is_boosting(fitted):
        return
    kind = type(fitted)
    raise ProblemError(
        f"a correction of {kind.__module__}.{kind.__qualname__} cannot be saved: a file holds no code, and the models "
        f"that it can hold are {' and '.join(BOOSTING)} of scikit-learn and those of this package. Take one of these, "
        "or keep the model by joblib.dump."
    )
