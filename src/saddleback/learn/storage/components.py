"""Losses, dual sets, regularizers and methods of this package in files: by the name of their class and their fields.

A name in a file is looked up here and nowhere else, so that no file can name another class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ...dual_sets import (
    Ball,
    Box,
    CappedSimplex,
    Chi2Ball,
    Contamination,
    KLBall,
    Polytope,
    Product,
    Simplex,
    TVBall,
)
from ...losses.grouped.pointwise_losses import Huber, Logistic, Poisson, Quantile, Softmax, Squared, SquaredHinge
from ...methods import (
    APGD,
    LBFGSB,
    Accelerated,
    AlgorithmOne,
    Extragradient,
    FixedPoint,
    InteriorPoint,
    Newton,
    Optimistic,
    ProxLinear,
    QuasiNewton,
)
from ...regularizers import Entropy, Quadratic, Zero
from ...storage import Unreadable

LOSSES = (Huber, Logistic, Poisson, Quantile, Softmax, Squared, SquaredHinge)
SETS = (Ball, Box, CappedSimplex, Chi2Ball, Contamination, KLBall, Polytope, Product, Simplex, TVBall)
REGULARIZERS = (Entropy, Quadratic, Zero)
METHODS = (
    APGD,
    LBFGSB,
    Accelerated,
    AlgorithmOne,
    Extragradient,
    FixedPoint,
    InteriorPoint,
    Newton,
    Optimistic,
    ProxLinear,
    QuasiNewton,
)
COMPONENTS: Mapping[str, Any] = {kind.__name__: kind for kind in (*LOSSES, *SETS, *REGULARIZERS, *METHODS)}

MOST_ENTRIES = 100_000
"""Entries of the matrices of a Polytope in a file: linear programs are solved when it is read."""


def describe(value: Any) -> tuple[str, dict[str, Any]] | None:
    """The name of a component's class and its fields; None for anything else, subclasses of users included."""
    name = type(value).__name__
    if COMPONENTS.get(name) is not type(value):
        return None
    if isinstance(value, Ball):
        middle = value._middle
        return name, {"center": middle if middle.ndim else float(middle), "radius": value.radius}
    values = {member.name: getattr(value, member.name) for member in fields(value) if member.init}
    return None if _is_too_large(name, values) else (name, values)


def make(name: str, values: dict[str, Any]) -> Any:
    """The component of this name with these fields; Unreadable where it refuses them."""
    kind = COMPONENTS.get(name)
    if kind is None:
        raise Unreadable(f"it holds an object of the unknown class {name[:60]!r}")
    if _is_too_large(name, values):
        raise Unreadable(f"it holds a Polytope of more than {MOST_ENTRIES} entries")
    try:
        return kind(**values)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise Unreadable(f"it holds a {name} that is none ({' '.join(str(error).split())[:200]})") from None


def _is_too_large(name: str, values: dict[str, Any]) -> bool:
    entries = sum(value.size for value in values.values() if isinstance(value, np.ndarray))
    return name == Polytope.__name__ and entries > MOST_ENTRIES
