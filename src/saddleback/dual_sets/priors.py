"""Priors: the distribution around which a set of distributions is built."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Vector
from .._validation import finite_vector
from ..errors import ProblemError


def checked_prior(prior: Any, owner: str) -> Vector | None:
    """The prior as a positive vector that sums to one exactly; None for the uniform one."""
    if prior is None:
        return None
    p = finite_vector(prior, f"prior of {owner}")
    if p.min() <= 0 or abs(p.sum() - 1.0) > 1e-8:
        raise ProblemError(
            f"prior of {owner} must be positive and sum to one; got least entry {p.min():g}, sum {p.sum():g}. "
            "Normalize it, and drop the losses that have no weight."
        )
    return p / p.sum()


def prior_of(prior: Vector | None, n: int) -> Vector:
    """The prior in R^n: uniform unless given."""
    return np.full(n, 1.0 / n) if prior is None else prior


def check_prior_length(prior: Vector | None, n: int, owner: str) -> None:
    if n < 1:
        raise ProblemError(f"{owner} in R^{n} is empty; expected at least one loss.")
    if prior is not None and prior.size != n:
        raise ProblemError(f"prior of {owner} has {prior.size} entries for {n} losses; pass one per loss.")
