"""Fitted estimators as texts and arrays of a file."""

from __future__ import annotations

from typing import Any

from ...errors import ProblemError
from ...storage import Parts
from ...storage.container import Array
from .correction_writing import check_estimator, unwrapped, write_correction
from .linear_writing import write_fit, write_input, write_labels
from .parameters import write_parameters
from .selection_writing import write_selection

LINEAR = ("MinimaxClassifier", "MinimaxRegressor")
CROSS_VALIDATED = ("MinimaxClassifierCV", "MinimaxRegressorCV")
CORRECTION = "WorstGroupCorrection"
MODELS = (*LINEAR, *CROSS_VALIDATED, CORRECTION)


def model_parts(model: Any) -> tuple[dict[str, str], dict[str, Array]]:
    """The texts and arrays of a fitted estimator, from which `saddleback.learn.storage.reading.model_from` makes it.

    A ProblemError names what a file cannot hold: an estimator of another class, a loss of the user's own, ...

    Parameters
    ----------
    model : estimator
        A fitted `MinimaxClassifier`, `MinimaxRegressor`, `MinimaxClassifierCV`, `MinimaxRegressorCV` or
        `WorstGroupCorrection`.

    Examples
    --------
    >>> import saddleback as sb
    >>> from saddleback.learn.storage.reading import model_from
    >>> X, y, town = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 6.0], ["a", "a", "b", "b"]
    >>> model = sb.MinimaxRegressor(l2=0.0).fit(X, y, sensitive_features=town)
    >>> texts, arrays = model_parts(model)
    >>> texts["class"], arrays["coef"].shape, model_from(texts, arrays).coef_ == model.coef_
    ('MinimaxRegressor', (1, 1), array([ True]))
    """
    parts = Parts()
    write_model(model, parts)
    return parts.texts, parts.arrays


def write_model(model: Any, parts: Parts) -> None:
    """The parts of a fitted estimator."""
    name = own_class(model)
    check_fitted(model)
    ours = name == CORRECTION and is_ours(unwrapped(model.estimator_))
    if name == CORRECTION:
        check_estimator(model, ours)
    parts.text("class", name)
    write_parameters(model, parts, without=("estimator",))
    write_input(model, parts)
    write_fit(model, parts)
    if name == CORRECTION:
        write_correction(model, parts, write_model, ours)
    if name in CROSS_VALIDATED:
        parts.number("worst_weight", model.worst_weight_)
        parts.number("l2", model.l2_)
        write_labels(parts, "prior", model.prior_, name)
        write_selection(model.selection_, parts.under("selection"))


def own_class(model: Any) -> str:
    """The name of the model's class; a ProblemError where it is not one of this package, or a subclass."""
    kind = type(model)
    if is_ours(model):
        return kind.__name__
    raise ProblemError(
        f"an estimator of class {kind.__module__}.{kind.__qualname__} cannot be saved: a file holds no code, and the "
        f"models of this package are {', '.join(MODELS)}. Keep it by joblib.dump."
    )


def is_ours(model: Any) -> bool:
    """Whether a model is of a class of this package, and not of a subclass of a user's own."""
    kind = type(model)
    return kind.__name__ in MODELS and kind.__module__.startswith(__name__.partition(".")[0] + ".learn.")


def check_fitted(model: Any) -> None:
    """Refuse a model that has learned nothing yet."""
    if getattr(model, "coef_", None) is None:
        raise ProblemError(f"{type(model).__name__} must be fitted before it is saved; call fit first.")
