"""The argument ``estimator``: what it is, and how it is fitted."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import has_fit_parameter

from ..._types import Vector
from ...errors import ProblemError
from ..data.remote import RemoteMatrix
from ..groups.group_input import NO_GROUPS

CLASSIFIER, REGRESSOR = "classifier", "regressor"


def has_method(model: Any, name: str) -> bool:
    """Whether a model offers a method now; some of scikit-learn's depend on parameters."""
    return callable(getattr(model, name, None))


def kind_of(estimator: Any) -> str:
    """ "classifier" or "regressor": by its tags; a model without tags by its methods."""
    if isinstance(estimator, type):
        raise ProblemError(
            f"estimator must be a model; got the class {estimator.__name__}. Pass an object of it: "
            f"{estimator.__name__}()."
        )
    if not (has_method(estimator, "fit") and has_method(estimator, "predict")):
        raise ProblemError(
            f"estimator must have fit and predict; got {type(estimator).__name__}. Pass a classifier or a regressor in "
            "the conventions of scikit-learn."
        )
    if isinstance(estimator, BaseEstimator) or has_method(estimator, "__sklearn_tags__"):
        kind = get_tags(estimator).estimator_type
    else:
        kind = CLASSIFIER if has_method(estimator, "predict_proba") else REGRESSOR
    if kind not in (CLASSIFIER, REGRESSOR):
        raise ProblemError(
            f"estimator must be a classifier or a regressor; got {type(estimator).__name__}, a model of kind {kind!r}."
        )
    return kind


def weight_parameter(estimator: Any) -> str | None:
    """The argument of ``fit`` that takes the weights of the rows, in a Pipeline that of its last step; None if none."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = None if isinstance(last, str) else weight_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def weight_parameters(estimator: Any, weight: Vector | None) -> dict[str, Vector]:
    """The weights as ``fit`` of the estimator takes them; a frozen one is not fitted and needs none."""
    if weight is None or isinstance(estimator, FrozenEstimator):
        return {}
    name = weight_parameter(estimator)
    if name is None:
        raise ProblemError(
            f"sample_weight needs an estimator whose fit takes it; got {type(estimator).__name__}, whose fit does not. "
            "Leave the weights out, or enable scikit-learn's metadata routing, which tells where they go."
        )
    return {name: weight}


def _fresh(estimator: Any) -> Any:
    """A clone; a copy of a model that scikit-learn refuses to clone, as of CatBoost's with a list among parameters."""
    try:
        return clone(estimator)
    except RuntimeError:
        return deepcopy(estimator)


@dataclass(frozen=True, eq=False)
class UserModel:
    """The user's model with the rows that it is fitted on."""

    estimator: Any
    X: Any
    """As the model takes it: any frame or matrix."""
    y: NDArray[Any]
    parameters: dict[str, Any] = field(default_factory=dict)
    """Further arguments of ``fit``, with one entry per row."""

    silent: bool = False
    """Whether nothing is said of a model of ours that gets no groups, because the user has been told already."""

    def fitted(self, rows: NDArray[np.intp] | None = None) -> Any:
        """A clone that is fitted on some rows; on all by default."""
        model = _fresh(self.estimator)
        with catch_warnings():
            if rows is not None or self.silent:
                # Of all fits only the last one warns.
                filterwarnings("ignore", message=NO_GROUPS)
            if rows is None:
                return model.fit(self._given(self.X), self.y, **self.parameters)
            parameters = {name: _safe_indexing(values, rows) for name, values in self.parameters.items()}
            return model.fit(self._given(some_rows(self.X, rows)), self.y[rows], **parameters)

    def _given(self, X: Any) -> Any:
        """Rows as ``fit`` takes them, in memory; a frozen model does not look at them."""
        if not isinstance(X, RemoteMatrix) or isinstance(self.estimator, FrozenEstimator):
            return X
        return X.in_memory(
            f"the {X.shape[0]} rows that {type(self.estimator).__name__} is fitted on",
            "Fit it to rows that fit into memory, and pass FrozenEstimator(model) and other rows.",
        )


def some_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a frame or a matrix."""
    return X[rows] if isinstance(X, RemoteMatrix) else _safe_indexing(X, rows)
