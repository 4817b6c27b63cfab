"""The units of the parameters: in which coordinates a run works, and what counts as near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Vector
from .._validation import finite_vector
from ..capabilities import offers
from ..errors import ProblemError
from ..losses import Losses
from ..losses.base import HasParameterScales
from .evaluation import Evaluation, row_norms
from .oracle import Oracle, visit

# Parameters whose sizes lie within these bounds and differ by no more than this factor keep their own units: the
# user's choice is then as good.
USUAL, ALIKE = (1e-3, 1e3), 100.0
# Curvature is measured over this share of the sizes. Where it bends the losses by more than MOST_BENT times themselves
# the sizes are too large; where they are not defined there, they are divided by SHORTER.
PROBE, MOST_BENT, SHORTER, ROUNDS = 1e-3, 100.0, 10.0, 10
# The least share of the losses that counts as what can be gained.
LEAST_FALL = 1e-3
# Slopes per size of a parameter are at most two to this power.
STEEPEST = 460.0
# No unit is further from one than this: its square is still a number.
EXTREME = 2.0**400


@dataclass(frozen=True, eq=False)
class Units:
    """The method works in v = scale w; its region is measured by |(v - center)/unit|.

    Scales are powers of two, so that the losses at w are the losses at v to the last bit.
    """

    scale: Vector
    unit: Vector
    radius: float | None = None
    """The radius that the caller asked for."""
    metric: bool = False
    """Whether distances are meant in a metric that the caller gave."""

    @property
    def plain(self) -> bool:
        """Whether the method works in the parameters themselves."""
        return bool((self.scale == 1.0).all())

    def semi_axes(self, radius: float, curvature: Vector) -> Vector:
        """How far the region reaches along each parameter; inf along strongly convex ones."""
        if self.radius is not None and (self.unit == self.scale).all():
            axes = np.full(self.scale.size, radius)
        else:
            axes = radius * (self.unit / self.scale)
        axes[curvature > 0.0] = np.inf
        return axes


def units_in_metric(scale: Vector, radius: float | None) -> Units:
    """Those of a metric that the caller gave: steps, distances and the radius are meant in it."""
    return Units(scale, np.ones(scale.size), radius, metric=True)


def natural_units(sizes: Vector, radius: float | None, *, rescaled: bool) -> Units:
    """Those of parameters of the given sizes: the method works in them where it is ``rescaled``.

    A radius that the caller asked for is meant in the parameters themselves.
    """
    scale = 1.0 / sizes if rescaled else np.ones(sizes.size)
    return Units(scale, scale * sizes if radius is None else scale, radius)


def offered_sizes(losses: Losses) -> Vector | None:
    """The sizes of the parameters that the losses know of themselves (``parameter_scales``), as powers of two."""
    d = losses.n_params
    if not offers(losses, HasParameterScales):
        return None
    offer: Any = losses.parameter_scales
    sizes = finite_vector(offer() if callable(offer) else offer, "losses.parameter_scales", d)
    if sizes.min() <= 0:
        raise ProblemError(f"losses.parameter_scales must be positive; got {sizes.min():g}.")
    return _powers_of_two(sizes)


def check_reach(sizes: Vector, curvature: Vector) -> None:
    """Refuse sizes that were cut off: a bound within them would say nothing of where the parameters can be."""
    cut = np.flatnonzero((sizes >= EXTREME) & (curvature == 0.0))
    if cut.size:
        raise ProblemError(
            f"losses.parameter_scales must be below {EXTREME:.2g}, so that squares are numbers; parameter {cut[0]} is "
            "larger. Multiply its column of X by a constant, divide y by one, or drop the column."
        )


def moderated(sizes: Vector, curvature: Vector, at: Evaluation) -> Vector:
    """Sizes within which a strongly convex term, m_i/2 w_i^2, changes by no more than the losses' own size."""
    if not curvature.any():
        return sizes
    with np.errstate(over="ignore", divide="ignore"):
        return _powers_of_two(1.0 / np.hypot(1.0 / sizes, np.sqrt(curvature / (at.size or 1.0))))


def guessed_sizes(at: Evaluation) -> Vector:
    """The sizes of the parameters as one point shows them, as powers of two; ones where they are usual.

    |column i of G|/|w_i| is a curvature, and |f| over it the square of a length. Where w_i = 0, the length over which
    the linearized losses change by themselves, |f|/|column i of G|. A parameter that shows neither is as large as the
    others are on average.
    """
    sizes = _guessed(at)
    return np.ones(at.w.size) if usual(sizes) else _powers_of_two(sizes)


def measured_sizes(oracle: Oracle, at: Evaluation) -> Vector:
    """The same, where unusual guesses are compared with curvature: a slope may be small by chance.

    Over its size a parameter bends the losses by their own size at most. All parameters are moved a little at once, and
    those that bend the losses the most are shortened, until none does too much: a few evaluations. Where the losses
    fall by less than their size along every parameter, as those with a large constant do, that fall is what counts.
    """
    sizes = _guessed(at)
    if usual(sizes):
        return np.ones(sizes.size)
    signs = np.where(np.random.default_rng(sizes.size).random(sizes.size) < 0.5, -1.0, 1.0)
    size, bends = at.size or 1.0, np.zeros(sizes.size)
    with np.errstate(all="ignore"):
        for _ in range(ROUNDS):
            there = visit(oracle, at.w + PROBE * sizes * signs)
            if there is None:
                sizes = sizes / SHORTER
                continue
            bends = at.largest_weight * np.abs(there.G - at.G).max(axis=0) * sizes / (PROBE * size)
            worst = float(bends.max())
            if not worst > MOST_BENT:
                break
            # All parameters moved at once: the bend along the others may come from these, so only these are shortened.
            long = bends > max(MOST_BENT, worst / MOST_BENT)
            sizes = np.where(long, sizes / np.sqrt(bends), sizes)
        falls = (at.largest_weight * row_norms(at.G.T) * sizes) ** 2 / (bends * size)
    fall = float(falls.max(initial=0.0, where=~np.isnan(falls)))
    sizes = sizes * np.sqrt(min(1.0, max(fall / size, LEAST_FALL)))
    return np.ones(sizes.size) if usual(sizes) else _powers_of_two(sizes)


def _guessed(at: Evaluation) -> Vector:
    columns, size, own = at.largest_weight * row_norms(at.G.T), at.size, np.abs(at.w)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        lengths = size / columns
        sizes = np.where(own > 0.0, np.sqrt(own * lengths), lengths)
        if usual(sizes):
            return sizes
        logs = np.log2(size) - np.log2(columns)
        both = np.where(own > 0.0, 0.5 * (logs + np.log2(own)), logs)
        # The slope per size must not overflow when it is squared.
        both = np.minimum(both, STEEPEST - np.log2(columns))
    known = np.isfinite(both)
    if not known.any():
        return np.ones(own.size)
    if min(both[known].min(), np.log2(size)) > np.log2(EXTREME):
        raise ProblemError(
            f"losses of size {size:.3g} must be steep enough to change within {EXTREME:.2g}; their slopes are at most "
            f"{columns.max():.3g}. Divide the losses, or their arguments, by a constant."
        )
    both[~known] = both[known].mean()
    return np.exp2(np.clip(both, -400, 400))


def usual(sizes: Vector) -> bool:
    """Whether sizes are moderate, and much alike."""
    least, most = float(sizes.min()), float(sizes.max())
    return USUAL[0] <= least and most <= min(USUAL[1], ALIKE * least)


def _powers_of_two(sizes: Vector) -> Vector:
    return np.exp2(np.rint(np.log2(np.clip(sizes, 1.0 / EXTREME, EXTREME))))
