"""One point of the path between the average model and the worst-group model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..._types import Vector
from ..._validation import finite_vector, number
from ...errors import ProblemError

Prior = float | Vector
"""A number from 0, the groups' shares of the rows, to 1, equal weights of all groups; or a weight for each group."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """(1 - worst_weight) <prior, f> + worst_weight max_j f_j, with the penalty l2/2 |w|^2 in every f_j."""

    worst_weight: float
    prior: Prior
    l2: float

    @property
    def has_shares(self) -> bool:
        """Whether the prior is the groups' shares of the rows."""
        return isinstance(self.prior, float) and self.prior == 0.0

    @property
    def is_average(self) -> bool:
        """Whether this is the ordinary model, with the least average loss of all rows."""
        return self.worst_weight == 0.0 and self.has_shares

    def weights(self, shares: Vector, present: Any = slice(None)) -> Vector:
        """The prior of the groups that are present, positive and of sum 1."""
        if isinstance(self.prior, float):
            return (1.0 - self.prior) * shares + self.prior / shares.size
        weights = self.prior[present]
        return weights / weights.sum()


@dataclass(frozen=True, eq=False)
class NoCorrection(Candidate):
    """w = 0 and b = 0, as by an infinite penalty on both: the offsets of the rows are the margins."""

    worst_weight: float = 0.0
    prior: Prior = 0.0
    l2: float = inf

    @property
    def is_average(self) -> bool:
        return False


def read_share(value: Any, name: str) -> float:
    """A number between 0 and 1."""
    share = number(value, name, minimum=0.0)
    if share > 1.0:
        raise ProblemError(f"{name} must be between 0 and 1; got {share:g}.")
    return share


def read_prior(prior: Any, names: list[Any]) -> Prior:
    """ "shares", "balanced", a number between them, or one positive weight per group, in order or by name."""
    if isinstance(prior, str):
        known = {"shares": 0.0, "balanced": 1.0}
        if prior not in known:
            raise ProblemError(f"prior must be 'shares', 'balanced', a number or weights; got {prior!r}.")
        return known[prior]
    if np.ndim(prior) == 0 and not isinstance(prior, Mapping):
        return read_share(prior, "prior")
    if isinstance(prior, Mapping):
        missing = [name for name in names if name not in prior]
        if missing or len(prior) > len(names):
            known_names = ", ".join(map(repr, names[:10]))
            raise ProblemError(f"prior must have one weight for each of the groups {known_names}; got {prior!r}.")
        prior = [prior[name] for name in names]
    weights = finite_vector(prior, "prior", len(names))
    if weights.min() <= 0:
        raise ProblemError(f"prior must be positive; got {weights.min():g}. Drop the rows of groups without weight.")
    return weights / weights.sum()
