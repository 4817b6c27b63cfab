"""Membership: affine hull, center, contains, restore, tangent_part, bounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..dual_sets import DualSet
from ..errors import ProblemError
from .failures import show
from .hull import Hull
from .sampling import Sample

# Allowed rounding errors of equations and distances, relative to their terms.
ROUNDING = 1e-12
# The distance from Lambda of points that contains must refuse, relative to the magnitude of the set.
OUTSIDE = 1e-3
# Relative perturbations that restore must undo, and how many times their length it may move a point.
PERTURBATIONS = (1e-9, 1e-6)
FARTHEST_RESTORED = 1e3


def affine_hull(hull: Hull, n: int) -> Iterator[str]:
    rank = n - hull.dimension
    if rank < len(hull.E):
        yield f"affine_hull({n}) has {len(hull.E)} rows of rank {rank}; it must have full row rank. Drop some rows."


def wrong_size(s: Sample) -> Iterator[str]:
    if s.dual_set.size is None:
        return
    try:
        s.dual_set.validate(s.n + 1)
    except ProblemError:
        return
    yield f"validate({s.n + 1}) accepts, but size is {s.dual_set.size}. Raise a ProblemError for other dimensions."


def center(s: Sample) -> Iterator[str]:
    lam = s.center
    if s.hull.off(lam) > ROUNDING:
        yield (
            f"center({s.n}) = {show(lam)} is off the affine hull: E lam = {show(s.hull.E @ lam)}, e = {show(s.hull.e)}."
        )
    if not s.dual_set.contains(lam):
        yield f"contains refuses center({s.n}) = {show(lam)}."


def contains(s: Sample) -> Iterator[str]:
    inside = [*s.points, *s.maximizers, *(edge.at(share) for edge in s.edges for share in (0.5, 0.999))]
    for lam in inside:
        if not s.dual_set.contains(lam):
            yield f"contains refuses lam = {show(lam)}, a point of Lambda (a convex combination of its points)."
    # The default `contains` is accurate to about 1e-7: points that are outside by less are not tried on it.
    shares = (1.5, 10.0) if type(s.dual_set).contains is DualSet.contains else (1.01, 1.5, 10.0)
    for edge in s.edges:
        for share in shares:
            lam = edge.at(share)
            if s.dual_set.contains(lam):
                yield (
                    f"contains accepts lam = {show(lam)}, outside Lambda: from {show(edge.x)} in the direction "
                    f"{show(edge.u)} the boundary is at distance {edge.distance:.6g}, this point at "
                    f"{share * edge.distance:.6g}."
                )
    for row in s.hull.E:
        lam = s.center + OUTSIDE * max(s.magnitude, OUTSIDE) * row / np.linalg.norm(row)
        if s.dual_set.contains(lam):
            yield f"contains accepts lam = {show(lam)}, which is off the affine hull by the normal {show(row)}."
    for z, maximizer in zip(s.zs, s.maximizers, strict=True):
        if not z.any():
            continue
        lam = maximizer + OUTSIDE * max(s.magnitude, OUTSIDE) * z / np.linalg.norm(z)
        if s.dual_set.contains(lam):
            yield (
                f"contains accepts lam = {show(lam)}, outside Lambda: <lam, z> is larger than support(z) at z = "
                f"{show(z)}."
            )
    far = s.center + (10.0 * s.extent + 1.0) * np.eye(s.n)
    for lam in far:
        if s.dual_set.contains(lam):
            yield f"contains accepts lam = {show(lam)}, farther from the center than any point of Lambda."


def restore(s: Sample) -> Iterator[str]:
    for lams, allowed in ((s.points, 1e-12), (list(s.maximizers), 1e-9)):
        for lam in lams:
            moved = float(np.linalg.norm(s.dual_set.restore(lam.copy()) - lam))
            if not moved <= allowed * max(s.magnitude, 1e-300):
                yield f"restore moves lam = {show(lam)}, a point of Lambda, by {moved:.3g}; it must leave it unchanged."
    for length in [share * s.magnitude for share in PERTURBATIONS]:
        for lam in [*s.points, *s.maximizers, *(edge.at(1.0) for edge in s.edges)]:
            noise = s.rng.standard_normal(s.n)
            almost = lam + length * noise / np.linalg.norm(noise)
            back = s.dual_set.restore(almost.copy())
            if not s.dual_set.contains(back):
                yield (
                    f"restore leaves the set: of the almost feasible lam = {show(almost)} (off by {length:.2g} "
                    f"at most) it makes {show(back)}, which contains refuses. Return a point of Lambda."
                )
            elif not np.linalg.norm(back - lam) <= FARTHEST_RESTORED * length:
                yield (
                    f"restore goes too far: of lam = {show(almost)}, at distance {length:.2g} from a point of "
                    f"Lambda, it makes {show(back)}. Return a point next to it."
                )


def tangent_part(s: Sample) -> Iterator[str]:
    for z in s.zs:
        tangent = s.dual_set.tangent_part(z.copy())
        removed = s.hull.along(z - tangent)
        if not np.linalg.norm(removed) <= 1e-10 * (np.linalg.norm(z) + np.linalg.norm(tangent)):
            yield (
                f"tangent_part removes more than a normal of the affine hull from z = {show(z)}: it returns "
                f"{show(tangent)}, which differs along the hull by {show(removed)}. Subtract a combination of the "
                "rows of E only."
            )


def bounds(s: Sample) -> Iterator[str]:
    lower, upper = s.dual_set.bounds(s.n)
    room = 1e-9 * max(s.magnitude, 1e-300)
    for lam in s.candidates():
        below, above = lower - lam, lam - upper
        if not max(below.max(), above.max()) <= room:
            i = int(np.argmax(np.maximum(below, above)))
            yield (
                f"bounds({s.n}) do not contain lam = {show(lam)}: coordinate {i} is {lam[i]:.8g}, its bounds are "
                f"[{lower[i]:.8g}, {upper[i]:.8g}]."
            )
    largest = s.dual_set.largest_weight(s.n)
    farthest = s.candidates()[np.argmax(np.abs(s.candidates()).max(axis=1))]
    if np.abs(farthest).max() > largest + room:
        yield f"largest_weight({s.n}) = {largest:.8g} is less than the largest weight in lam = {show(farthest)}."
    for i, unit in enumerate(np.eye(s.n)):
        least, most = -s.dual_set.support_value(-unit), s.dual_set.support_value(unit)
        if not (lower[i] <= least + room and upper[i] >= most - room):
            yield (
                f"bounds({s.n}) do not contain Lambda: coordinate {i} has [{lower[i]:.8g}, {upper[i]:.8g}], the "
                f"support function goes from {least:.8g} to {most:.8g}."
            )
    if s.dual_set.takes_matrices:
        # The weights of a matrix are its eigenvalues.
        return
    least, most = s.dual_set.weight_range(s.n)
    if lower.min() < 0:
        largest = max(float(np.abs(lam).sum()) for lam in s.candidates())
        if least > 0 or most < largest - s.n * room:
            yield (
                f"weight_range({s.n}) is ({least:.8g}, {most:.8g}); with negative weights it must be at most 0, "
                f"as no strong convexity is left, and at least {largest:.8g}, the largest sum of |lam|."
            )
        return
    for lam in s.candidates():
        if not least - s.n * room <= lam.sum() <= most + s.n * room:
            yield (
                f"weight_range({s.n}) = ({least:.8g}, {most:.8g}) is wrong at lam = {show(lam)}, whose weights sum to "
                f"{lam.sum():.8g}."
            )
