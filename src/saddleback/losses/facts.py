"""Facts about losses: plain attributes that losses may declare, with the defaults where they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Vector
from .base import Losses


@dataclass(frozen=True, eq=False)
class LossFacts:
    """The optional attributes of losses, read once; `saddleback.Losses` defines each of them."""

    convex: bool
    """False unless declared: convexity is then checked during the run."""
    bounded_below: bool
    """False unless declared: a run then searches for rays on which g is unbounded below."""
    values_first: bool
    """False unless declared: trial points are then evaluated with their Jacobian at once."""
    exact_jacobian: bool
    """True unless declared otherwise."""
    n_entries: float
    """J d unless declared."""
    n_outputs: int
    """1 unless declared."""
    matrix_size: int | None
    """None for losses that are not the entries of a matrix."""
    strong_convexity: float | Vector
    """Zero unless declared; not checked here."""

    @classmethod
    def of(cls, losses: Losses) -> LossFacts:
        """The facts of any object with the members of `Losses`. Only ``strong_convexity`` is called, if it is a
        method."""
        n_entries, n_outputs = getattr(losses, "n_entries", None), getattr(losses, "n_outputs", None)
        strong_convexity: Any = getattr(losses, "strong_convexity", None)
        if callable(strong_convexity):
            strong_convexity = strong_convexity()
        return cls(
            convex=_declares(losses, "convex", False),
            bounded_below=_declares(losses, "bounded_below", False),
            values_first=_declares(losses, "values_first", False),
            exact_jacobian=_declares(losses, "exact_jacobian", True),
            n_entries=float(losses.n_losses * losses.n_params if n_entries is None else n_entries),
            n_outputs=1 if n_outputs is None else int(n_outputs),
            matrix_size=getattr(losses, "matrix_size", None),
            strong_convexity=0.0 if strong_convexity is None else strong_convexity,
        )


def _declares(losses: Losses, name: str, default: bool) -> bool:
    """A boolean attribute; the default where it is anything else, such as a method of that name."""
    value = getattr(losses, name, default)
    return bool(value) if isinstance(value, bool | np.bool_) else default
