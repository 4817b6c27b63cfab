"""Checks of the support function, of support_value and of regret."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Vector
from .failures import show
from .references import path_maximum
from .sampling import BarrierSample, Sample

# Errors relative to |lam| |z|: of <lam, z> computed in two ways, and of a maximum found by iterations.
ROUNDING = 1e-10
MAXIMALITY = 1e-9
# Losses for which the central path is followed.
N_PATHS = 4


def attained(s: Sample) -> Iterator[str]:
    """The value is that of the maximizer, and the maximizer is in Lambda."""
    for z, value, lam in zip(s.zs, s.values, s.maximizers, strict=True):
        if not abs(value - lam @ z) <= ROUNDING * np.abs(lam) @ np.abs(z):
            yield f"support(z) at z = {show(z)} is {value:.12g}, but its maximizer has <lam, z> = {lam @ z:.12g}."
        if not s.dual_set.contains(lam):
            yield (
                f"support(z) at z = {show(z)} returns the maximizer lam = {show(lam)}, which contains refuses. "
                f"{_cause(s, z)}"
            )
        if s.hull.off(lam) > 1e-9:
            yield (
                f"support(z) at z = {show(z)} returns lam = {show(lam)}, which is off the affine hull: E lam = "
                f"{show(s.hull.E @ lam)}, e = {show(s.hull.e)}. Correct affine_hull or support."
            )


def _cause(s: Sample, z: Vector) -> str:
    """Why contains may refuse a maximizer: unless a class has its own, it asks support."""
    # The largest <lam, z> and the largest <lam, -z> add up to the width of the set, which is not negative.
    width = s.dual_set.support(z)[0] + s.dual_set.support(-z)[0]
    if width < -ROUNDING * np.linalg.norm(z) * s.magnitude:
        return (
            "support(z) must be the largest <lam, z>; this one seems to be the least: support(z) + support(-z) = "
            f"{width:.6g} is negative."
        )
    return "support(z) must be the largest <lam, z> of the points that contains accepts."


def maximal(s: Sample) -> Iterator[str]:
    """No point of Lambda is better: no sampled one, and none between a maximizer and the boundary."""
    candidates = s.candidates()
    for z, value in zip(s.zs, s.values, strict=True):
        scores = candidates @ z
        best = int(np.argmax(scores))
        if not scores[best] <= value + MAXIMALITY * np.linalg.norm(z) * s.magnitude:
            yield _beaten(z, value, candidates[best], float(scores[best]))


def path(s: BarrierSample) -> Iterator[str]:
    """The same maximum by an interior-point method that asks only for the barrier."""
    for z, value in list(zip(s.zs, s.values, strict=True))[:N_PATHS]:
        found = path_maximum(s, z)
        if found is None:
            yield (
                f"the central path of <lam, z> for z = {show(z)} was lost: Newton steps on the barrier left the set or "
                "did not converge. Its value, gradient and Hessian must be exact to rounding close to the boundary."
            )
            continue
        reached, bound = found
        if not reached - MAXIMALITY * np.linalg.norm(z) * s.magnitude <= value <= reached + bound:
            yield (
                f"support(z) at z = {show(z)} is {value:.10g}, but the central path of the barrier says between "
                f"{reached:.10g} and {reached + bound:.10g}: support and barrier describe different sets, or the "
                "maximizer is not one."
            )


def sublinear(s: Sample) -> Iterator[str]:
    """h(a z) = a h(z) for a >= 0, and h(z + z') <= h(z) + h(z')."""
    for i, (z, value) in enumerate(zip(s.zs, s.values, strict=True)):
        for a in (1e-3, 1e3):
            scaled = s.dual_set.support_value(a * z)
            if not abs(scaled - a * value) <= MAXIMALITY * a * np.linalg.norm(z) * s.magnitude:
                yield (
                    f"support is not positively homogeneous: it is {value:.10g} at z = {show(z)} and {scaled:.10g} at "
                    f"{a:g} z."
                )
        other = s.zs[(i + 1) % len(s.zs)]
        total = s.dual_set.support_value(z + other)
        limit = value + s.values[(i + 1) % len(s.zs)]
        if not total <= limit + MAXIMALITY * (np.linalg.norm(z) + np.linalg.norm(other)) * s.magnitude:
            yield (
                f"support is not subadditive: it is {total:.10g} at the sum of z = {show(z)} and z' = {show(other)}, "
                f"more than {limit:.10g}, the sum of its values."
            )


def consistent(s: Sample) -> Iterator[str]:
    """support_value and regret agree with support."""
    for z, value in zip(s.zs, s.values, strict=True):
        room = MAXIMALITY * np.linalg.norm(z) * s.magnitude
        alone = s.dual_set.support_value(z)
        if not abs(alone - value) <= room:
            yield f"support_value is {alone:.12g} at z = {show(z)}, but support gives {value:.12g}."
        for lam in (s.center, s.points[-1], s.maximizers[0]):
            regret, expected = s.dual_set.regret(lam, z), value - float(lam @ z)
            if not abs(regret - expected) <= room:
                yield (
                    f"regret is {regret:.12g} at lam = {show(lam)}, z = {show(z)}; expected support(z) - <lam, z> = "
                    f"{expected:.12g}."
                )


def _beaten(z: np.ndarray, value: float, lam: np.ndarray, score: float) -> str:
    return (
        f"support(z) at z = {show(z)} is not maximal: it returns {value:.10g}, but lam = {show(lam)} in Lambda has "
        f"<lam, z> = {score:.10g}."
    )
