"""Losses in other coordinates: a diagonal metric on the parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Matrix, Vector
from .._validation import loss_pair
from .base import Losses


@dataclass(frozen=True, eq=False)
class RescaledLosses:
    """v -> f(v / scale): in the norm |w|_P^2 = sum_i P_i w_i^2, with scale = sqrt(P), |v| = |w|_P.

    Every method works in v with the Euclidean norm, and so in w with the metric P: Q = G P^-1 G'.
    """

    losses: Losses
    scale: Vector

    @property
    def n_losses(self) -> int:
        return self.losses.n_losses

    @property
    def n_params(self) -> int:
        return self.losses.n_params

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f, G = loss_pair(self.losses.evaluate(w / self.scale))
        return f, G / self.scale

    def __getattr__(self, name: str) -> object:
        # A capability exists here exactly when the losses have it.
        if name.startswith("_") or name not in _CAPABILITIES:
            raise AttributeError(name)
        return _CAPABILITIES[name](self.scale, getattr(self.losses, name))


def _divided(offer: Any, by: Any) -> Any:
    """A capability's value in the new coordinates; None stays None, for losses that have it but not here."""
    value = offer() if callable(offer) else offer
    return None if value is None else value / by


def _unchanged(scale: Vector, offer: object) -> object:
    return offer


# Every capability of `Losses`, by name: what the scale makes of it. One that is not here would be lost.
_CAPABILITIES: dict[str, Callable[..., object]] = {
    "values": lambda scale, values: lambda v: values(v / scale),
    "hessian": lambda scale, hessian: lambda v, lam: hessian(v / scale, lam) / np.outer(scale, scale),
    "sampled_hessian": lambda scale, sampled: (
        lambda v, lam, V: (
            sampled(v / scale, lam, None) / np.outer(scale, scale) if V is None else sampled(v / scale, lam, V / scale)
        )
    ),
    "smoothness": lambda scale, L: lambda: _divided(L, float(np.min(scale)) ** 2),
    "strong_convexity": lambda scale, m: _divided(m, scale**2),
    "parameter_scales": lambda scale, sizes: lambda: sizes() * scale,
    "convex": _unchanged,
    "bounded_below": _unchanged,
    "values_first": _unchanged,
    "n_entries": _unchanged,
    "matrix_size": _unchanged,
    "exact_jacobian": _unchanged,
    "jacobian_error": lambda scale, error: lambda v: _divided(error(v / scale), scale),
}
