"""What a quadratic regularizer adds to (D)."""

from __future__ import annotations

from typing import cast

from .._types import Vector
from ..regularizers import QuadraticForm, Zero
from .dual_subproblem import DualSubproblem


def quadratic_part(subproblem: DualSubproblem) -> tuple[Vector | None, Vector]:
    """(H, b) with S + R = 1/2 lam' (Q + diag H) lam - b' lam + constant on Lambda; None for H = 0."""
    adversary = subproblem.adversary
    if isinstance(adversary.regularizer, Zero):
        return None, subproblem.c_tangent
    H, linear = cast("QuadraticForm", adversary.regularizer).quadratic_form(subproblem.c.size)
    return H, adversary.dual_set.tangent_part(subproblem.c - linear)
