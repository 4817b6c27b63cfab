"""The argument ``features``: the columns that a correction may use."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ...errors import ProblemError
from ...losses.grouped.input.frames import columns_of
from ..data.features import as_numbers, at_positions
from ..data.remote import RemoteMatrix
from ..groups import take_columns
from .user_model import has_method

REMEDY = (
    "The correction needs numbers, whatever the estimator takes: name the columns that it may use by features=[...], "
    "or pass a transformer that makes numbers as features, such as a ColumnTransformer with OneHotEncoder."
)


class FeatureColumns:
    """x in o + x'w + b: all columns of X, some of them, or what a transformer makes of them.

    A transformer is fitted without y, so that the targets of held-out rows do not get into the features.
    """

    def __init__(self, features: Any, dropped: list[Any]) -> None:
        self.transformer: Any = None
        self._names: Any = None
        if features is None:
            return
        if has_method(features, "transform"):
            if isinstance(features, type):
                raise ProblemError(
                    f"features must be a transformer; got the class {features.__name__}. Pass an object of it: "
                    f"{features.__name__}()."
                )
            self.transformer = clone(features)
            return
        self._names = features
        named = [features] if isinstance(features, str) else features
        lost = [name for name in dropped if isinstance(named, list | tuple) and name in named]
        if lost:
            raise ProblemError(
                f"features must not name columns of group_by, which are dropped; got {lost[0]!r}. Keep them by "
                "keep_group_columns=True."
            )

    def read(self, X: Any, input_: Any, *, fit: bool) -> Any:
        """A matrix of numbers, dense or in CSR format. X is the user's, ``input_`` what the estimator is given."""
        if isinstance(input_, RemoteMatrix):
            if self.transformer is not None or self._names is not None:
                raise ProblemError(
                    "features must be all columns where rows are in files or on a cluster; got some of them, or a "
                    "transformer. Make these columns of X, or leave the argument out."
                )
            return input_
        if self.transformer is not None:
            return as_numbers(self.transformer.fit_transform(input_) if fit else self.transformer.transform(input_))
        chosen = input_ if self._names is None else self._columns(X)
        try:
            return as_numbers(chosen, 1 + fit, REMEDY)
        except ValueError as error:
            if "NaN" not in str(error) or REMEDY in str(error):
                raise
            raise ProblemError(f"{error} {REMEDY}") from error

    def _columns(self, X: Any) -> Any:
        taken, columns = take_columns(X, self._names, argument="features"), columns_of(X)
        position = None if columns is None else {name: j for j, (name, _) in enumerate(columns)}
        return at_positions(X, [name if position is None else position[name] for name in taken])
