"""The scales of the parameters: declared by the losses, or estimated from slopes and second differences at w0."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Vector
from .._validation import finite_vector
from ..capabilities import offers
from ..errors import ProblemError
from ..losses import Losses
from ..losses.base import HasParameterScales
from .evaluation import Evaluation
from .oracle import Oracle
from .probing import visit

# Scales within these bounds that differ by at most the factor ORDINARY_RATIO are replaced by ones: the user's own
# coordinates are then good enough.
ORDINARY_LEAST, ORDINARY_LARGEST, ORDINARY_RATIO = 1e-3, 1e3, 100.0
# Second differences are taken over this share of the scales.
PROBE_SHARE = 1e-3
# Scales over which the second-order change of the losses exceeds this many times their magnitude are reduced.
LARGEST_CHANGE = 100.0
# Scales are divided by this where the losses are not defined at the probe.
REDUCTION = 10.0
MOST_PROBES = 10
# The attainable decrease of the losses is assumed to be at least this share of their magnitude.
LEAST_DECREASE = 1e-3
# The slope times the scale of a parameter is at most two to this power, so that its square does not overflow.
LARGEST_SLOPE_EXPONENT = 460.0
# Scales lie between 1/EXTREME and EXTREME, so that their squares do not overflow.
EXTREME = 2.0**400


def declared_scales(losses: Losses) -> Vector | None:
    """The scales that the losses offer (``parameter_scales``), as powers of two; None where they offer none."""
    n_params = losses.n_params
    if not offers(losses, HasParameterScales):
        return None
    offer: Any = losses.parameter_scales
    scales = finite_vector(offer() if callable(offer) else offer, "losses.parameter_scales", n_params)
    if scales.min() <= 0:
        raise ProblemError(f"losses.parameter_scales must be positive; got {scales.min():g}.")
    return _powers_of_two(scales)


def refuse_extreme(scales: Vector, strong_convexity: Vector) -> None:
    """Refuse declared scales above EXTREME, which were clipped: the region of a certificate would be too small."""
    clipped = np.flatnonzero((scales >= EXTREME) & (strong_convexity == 0.0))
    if clipped.size:
        raise ProblemError(
            f"losses.parameter_scales must be below {EXTREME:.2g}, so that squares do not overflow; parameter "
            f"{clipped[0]} has a larger one. Multiply its column of X by a constant, divide y by one, or drop the "
            "column."
        )


def refuse_large(w: Vector) -> None:
    """Refuse a point above EXTREME: a region that is guessed from it would be far smaller than the point itself."""
    sizes = np.abs(w)
    if sizes.item(sizes.argmax()) > EXTREME:
        raise ProblemError(
            f"parameters must be below {EXTREME:.2g}, so that squares do not overflow; got {sizes.max():.3g} for "
            f"parameter {sizes.argmax()}. Divide it by a constant, in the functions and in w0, or give a radius."
        )


def reduced_by_strong_convexity(scales: Vector, strong_convexity: Vector, at: Evaluation) -> Vector:
    """Scales over which the term m_i/2 w_i^2 changes by at most the magnitude of the losses."""
    if not strong_convexity.any():
        return scales
    with np.errstate(over="ignore", divide="ignore"):
        return _powers_of_two(1.0 / np.hypot(1.0 / scales, np.sqrt(strong_convexity / (at.magnitude or 1.0))))


def guessed_scales(at: Evaluation) -> Vector:
    """Scales from one evaluation, as powers of two; ones where they are ordinary.

    |column i of G|/|w_i| estimates a second derivative, and |f| over it the square of a scale. Where w_i = 0, the scale
    is |f|/|column i of G|, over which the linearized losses change by their own magnitude. A parameter for which
    neither is finite gets the geometric mean of the others.
    """
    scales = _guessed(at)
    return np.ones(at.w.size) if ordinary(scales) else _powers_of_two(scales)


def measured_scales(oracle: Oracle, at: Evaluation) -> Vector:
    """Guessed scales, corrected by second differences where they are not ordinary: slopes may be small by chance.

    Over the scale of a parameter, the second-order change of the losses should be at most their magnitude. All
    parameters are moved a little at once, and the scales of those with the largest second-order change are reduced
    until none is too large: a few evaluations. Where the losses can decrease only by less than their magnitude along
    every parameter, as losses with a large constant do, that decrease is used instead of the magnitude.
    """
    scales = _guessed(at)
    if ordinary(scales):
        return np.ones(scales.size)
    signs = np.where(np.random.default_rng(scales.size).random(scales.size) < 0.5, -1.0, 1.0)
    magnitude, changes = at.magnitude or 1.0, np.zeros(scales.size)
    with np.errstate(all="ignore"):
        for _ in range(MOST_PROBES):
            there = visit(oracle, at.w + PROBE_SHARE * scales * signs)
            if there is None:
                scales = scales / REDUCTION
                continue
            changes = at.largest_weight * np.abs(there.G - at.G).max(axis=0) * scales / (PROBE_SHARE * magnitude)
            worst = float(changes.max())
            if not worst > LARGEST_CHANGE:
                break
            # All parameters were moved at once, so the worst ones may also cause the changes along the others. Only the
            # worst are reduced.
            too_long = changes > max(LARGEST_CHANGE, worst / LARGEST_CHANGE)
            scales = np.where(too_long, scales / np.sqrt(changes), scales)
        decreases = (at.largest_weight * at.column_norms() * scales) ** 2 / (changes * magnitude)
    decrease = float(decreases.max(initial=0.0, where=~np.isnan(decreases)))
    scales = scales * np.sqrt(min(1.0, max(decrease / magnitude, LEAST_DECREASE)))
    return np.ones(scales.size) if ordinary(scales) else _powers_of_two(scales)


def ordinary(scales: Vector) -> bool:
    """Whether all scales are moderate and differ little."""
    least, largest = float(scales.min()), float(scales.max())
    return least >= ORDINARY_LEAST and largest <= min(ORDINARY_LARGEST, ORDINARY_RATIO * least)


def _guessed(at: Evaluation) -> Vector:
    columns, magnitude, own = at.largest_weight * at.column_norms(), at.magnitude, np.abs(at.w)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        lengths = magnitude / columns
        scales = np.where(own > 0.0, np.sqrt(own * lengths), lengths)
        if ordinary(scales):
            return scales
        logs = np.log2(magnitude) - np.log2(columns)
        logs = np.where(own > 0.0, 0.5 * (logs + np.log2(own)), logs)
        logs = np.minimum(logs, LARGEST_SLOPE_EXPONENT - np.log2(columns))
    known = np.isfinite(logs)
    if not known.any():
        return np.ones(own.size)
    if min(logs[known].min(), np.log2(magnitude)) > np.log2(EXTREME):
        raise ProblemError(
            f"losses of magnitude {magnitude:.3g} must be steep enough to change within {EXTREME:.2g}; their slopes "
            f"are at most {columns.max():.3g}. Divide the losses, or their arguments, by a constant."
        )
    logs[~known] = logs[known].mean()
    return np.exp2(np.clip(logs, -400, 400))


def _powers_of_two(scales: Vector) -> Vector:
    return np.exp2(np.rint(np.log2(np.clip(scales, 1.0 / EXTREME, EXTREME))))
