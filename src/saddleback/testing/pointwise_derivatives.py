"""The derivatives of a pointwise loss, and what it declares of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .._types import Vector
from .derivatives import Slope, slope
from .pointwise_sample import PointwiseSample

# Steps of differences, relative to the margin where it is above 1: small, because curvatures may jump nearby.
STEP, LEVELS, RATIO = 1e-3, 4, 4.0
# Slopes of convex losses increase, and curvatures keep their bound, up to this share of the largest of them.
ROUNDING = 1e-9
# The share of pairs (eta, y) at which differences must converge.
VERIFIED = 0.5
# A loss that falls by more than 1 between each two of these margins, or of their negatives, falls without bound.
FALLING = 10.0 ** np.array([2, 4, 8, 16])


def slope_of_value(s: PointwiseSample) -> Iterator[str]:
    """The slope is the derivative of the value."""
    yield from _derivative(s, s.values, s.slopes(s.eta), "slope", "value")


def curvature(s: PointwiseSample) -> Iterator[str]:
    """The curvature is the derivative of the slope."""
    if s.loss.has_curvature:
        yield from _derivative(s, s.slopes, s.loss.curvature(s.eta, s.y), "curvature", "slope")


def convex(s: PointwiseSample) -> Iterator[str]:
    """Slopes increase with the margin, and curvatures are not negative."""
    if not s.loss.convex:
        return
    slopes = s.table(s.slopes(s.eta))
    fall = slopes[:-1] - slopes[1:]
    i, j = np.unravel_index(int(np.argmax(fall)), fall.shape)
    if fall[i, j] > ROUNDING * np.abs(slopes).max():
        yield (
            f"the loss declares convex = True, but for y = {s.responses[j]:.6g} its slope falls from "
            f"{slopes[i, j]:.8g} at eta = {s.margins[i]:.6g} to {slopes[i + 1, j]:.8g} at eta = "
            f"{s.margins[i + 1]:.6g}. Leave convex out, or correct the loss."
        )
    elif s.loss.has_curvature:
        h = s.loss.curvature(s.eta, s.y)
        k = int(np.argmin(h))
        if h[k] < -ROUNDING * np.abs(h).max():
            yield f"the loss declares convex = True, but its curvature {s.where(k)} is {h[k]:.8g}."


def bounded_below(s: PointwiseSample) -> Iterator[str]:
    """The loss does not fall without bound on either side."""
    if not s.loss.bounded_below:
        return
    for y in s.responses:
        for sign in (-1.0, 1.0):
            value = s.loss.value_and_slope(sign * FALLING, np.full(FALLING.size, y))[0]
            if (np.diff(value) < -1.0).all():
                yield (
                    f"the loss declares bounded_below = True, but for y = {y:.6g} it falls to {value[-2]:.6g} at eta = "
                    f"{sign * FALLING[-2]:g} and to {value[-1]:.6g} at eta = {sign * FALLING[-1]:g}. Leave "
                    "bounded_below out, or correct the loss."
                )


def curvature_bound(s: PointwiseSample) -> Iterator[str]:
    """|ell''| and the difference quotients of the slope stay below the bound."""
    bound = s.loss.curvature_bound
    if bound is None:
        return
    slopes = s.table(s.slopes(s.eta))
    steps = np.diff(s.margins)[:, None]
    quotients = np.abs(np.diff(slopes, axis=0)) / np.where(steps > 0, steps, np.inf)
    i, j = np.unravel_index(int(np.argmax(quotients)), quotients.shape)
    remedy = "Raise the bound, or leave it out."
    if s.loss.has_curvature:
        h = np.abs(s.loss.curvature(s.eta, s.y))
        k = int(np.argmax(h))
        if h[k] > bound * (1.0 + ROUNDING):
            yield f"curvature_bound is {bound:.8g}, but |curvature| {s.where(k)} is {h[k]:.8g}. {remedy}"
            return
    # A quotient of close margins has the rounding errors of the slopes.
    rounding = ROUNDING * np.abs(slopes).max() / steps[i, 0] if steps[i, 0] > 0 else 0.0
    if quotients[i, j] > bound * (1.0 + ROUNDING) + rounding:
        yield (
            f"curvature_bound is {bound:.8g}, but for y = {s.responses[j]:.6g} the slope changes by "
            f"{quotients[i, j]:.8g} per unit between eta = {s.margins[i]:.6g} and {s.margins[i + 1]:.6g}. {remedy}"
        )


def _derivative(
    s: PointwiseSample, function: Callable[[Vector], Vector], formula: Vector, name: str, of: str
) -> Iterator[str]:
    steps = STEP * np.maximum(1.0, np.abs(s.eta))
    found: Slope = slope(lambda t: function(s.eta + t * steps), 1.0, levels=LEVELS, ratio=RATIO)
    expected, formula = found.value, formula * steps
    scale = np.maximum(np.abs(formula), found.variation)
    clear = (found.rough(scale) <= 0) & (found.kink <= found.tolerance(scale))
    if np.count_nonzero(clear) < VERIFIED * clear.size:
        yield (
            f"the {name} cannot be verified: differences of the {of} do not converge at {np.count_nonzero(~clear)} of "
            f"{clear.size} pairs (eta, y). The {of} jumps, or has large errors."
        )
        return
    ratio = np.abs(formula - expected) / np.maximum(found.tolerance(scale), 1e-300)
    wrong = np.flatnonzero(clear & ~(ratio <= 1.0))
    if wrong.size:
        i = int(wrong[np.argmax(ratio[wrong])])
        yield (
            f"the {name} is not the derivative of the {of} {s.where(i)}: got {formula[i] / steps[i]:.8g}, expected "
            f"{expected[i] / steps[i]:.8g} by differences. It is wrong at {wrong.size} of {s.eta.size} pairs (eta, y)."
        )
