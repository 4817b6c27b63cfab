"""A look around before a run may end: whether there is more to gain, and whether the losses are convex there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
from scipy.linalg.blas import dnrm2
from scipy.linalg.lapack import dposv

from .._types import Matrix, Vector
from ..linalg.hessian_models import DenseHessianModel
from .certificates import Minorant, Region
from .convexity import ConvexityWatch
from .evaluation import Evaluation, Point
from .oracle import Oracle, visit

# The Hessian of losses that offer one is looked at as a whole up to this many parameters, and this many
# multiplications: about a second.
WHOLE = 2000
AFFORDABLE = 2e10
# A Hessian costs d multiplications for each entry of the data, an evaluation a few. It is looked at where it takes no
# more than the run so far, and up to so many parameters in any case.
CHEAP, FLOPS = 150, 8.0
# It is measured by differences of Jacobians, one evaluation for each parameter, up to this many or where the run so far
# took as many times more iterations; for more parameters along a few directions only.
MEASURED = 12
SPENT = 2
DIRECTIONS = 6
# The share of a random direction in the first one: a slope that vanishes points nowhere.
RANDOM = 0.1
# Curvatures below this share of the largest are taken to be that: rounding would decide about them.
LEAST = 1e-12
# A parameter with less than this share of the largest curvature has none.
NONE = 1e-100
# (D) is solved to this share of the tolerance.
ACCURACY = 1e-3
# The share of the tolerance that is not worth another step.
NEGLIGIBLE = 1e-2
# A promise is tried at these shares of its step.
SHARES = (1.0, 0.1, 0.01)
# How far the points lie at which convexity is looked at, in radii of the region: along the way of the run, and on
# random rays in pairs, so that a function of few variables is seen on both sides.
BEYOND = 0.6
RAYS = (1.0, -0.75, 0.5, -0.3)


@dataclass(frozen=True, eq=False)
class Look:
    """What a model with the curvature that was found says about one point."""

    promise: float
    """The decrease that it still promises."""
    length: float
    """The length of its step in the region's units, along parameters that are not strongly convex."""
    step: Vector | None = None
    hessian: Matrix | None = None
    S: Matrix | None = None
    """Directions, one per row, along which the curvature was measured."""
    Y: Matrix | None = None
    """sum_j lam_j Hessian f_j times each of them."""
    violation: str | None = None
    """Why the losses are not convex, where a direction shows it."""


def sees_all(oracle: Oracle, n_iter: int) -> bool:
    """Whether a look after so many iterations sees the curvature in every direction."""
    return _looks_whole(oracle) or _measures_all(oracle, n_iter)


def _looks_whole(oracle: Oracle) -> bool:
    """Whether the Hessian of losses that offer one costs little beside what the run has cost so far."""
    return affords_hessian(oracle) and oracle.problem.n_params <= max(CHEAP, FLOPS * oracle.n_evals)


def _measures_all(oracle: Oracle, n_iter: int) -> bool:
    return oracle.problem.n_params <= max(MEASURED, n_iter // SPENT)


def affords_hessian(oracle: Oracle) -> bool:
    """Whether the losses offer a Hessian that costs little beside a run."""
    d = oracle.problem.n_params
    return oracle.offers_hessian and d <= WHOLE and oracle.n_entries * d <= AFFORDABLE


def look(oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float, n_iter: int = 0) -> Look:
    """Measure the curvature of <lam, f> at a point and ask its model what is left.

    The whole Hessian where the losses offer it and it is small; else the curvature along a few directions, those of
    Lanczos from the slope G' lam, where a flat direction shows first.
    """
    d = at.w.size
    if _looks_whole(oracle):
        return _whole(oracle, at, lam, region, threshold)
    return _along_directions(oracle, at, lam, region, threshold, d if _measures_all(oracle, n_iter) else DIRECTIONS)


def _whole(oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float) -> Look:
    H = oracle.hessian(at.w, lam)
    # In units in which the diagonal is one, so that the least curvatures that count do not depend on units.
    diagonal = H.diagonal()
    curved = diagonal > NONE * diagonal.max()
    unit = np.zeros(diagonal.size)
    unit[curved] = 1.0 / np.sqrt(diagonal[curved])
    model, sigma = DenseHessianModel(unit[:, None] * H * unit), LEAST
    system = model.system(at.G * unit, sigma)
    while system is None and sigma < 1.0:
        sigma *= 100
        system = model.system(at.G * unit, sigma)
    if system is None:
        return Look(inf, inf)
    solution = oracle.dual_step(None, at.f, ACCURACY * threshold, lam, factor=system.factor)
    step = unit * system.direction(solution.lam)
    return Look(_promise(oracle, at, solution.lam, step), region.length(step, oracle.curvature), step, hessian=H)


def _along_directions(
    oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float, count: int
) -> Look:
    d = at.w.size
    # Sizes are guesses from the start: curvature is measured within what the parameters are and were.
    seen = np.abs(at.w) + np.abs(oracle.w0)
    unit = np.where(seen > 0.0, np.minimum(region.unit, seen), region.unit)
    slopes = at.G * unit
    slope = lam.dot(slopes)
    q = slope / (dnrm2(slope) or 1.0) + RANDOM * _random_rays(d, d, 1)[0]
    # The step that balances the error of the Jacobian against the change of the curvature.
    reach = oracle.jacobian_precision ** (1 / 3)
    noise = 4 * oracle.jacobian_precision * float(np.abs(lam).dot(np.abs(slopes)).sum()) / reach
    V, HV = np.empty((count, d)), np.empty((count, d))
    k, violation = 0, None
    while k < count:
        # Twice, as one pass leaves what rounding makes of it.
        for _ in range(2 if k else 0):
            q = q - V[:k].T.dot(V[:k].dot(q))
        length = float(dnrm2(q))
        if not length > 0.0:
            break
        q = q / length
        Hq = _times(oracle, at, lam, unit, q, reach)
        if Hq is None:
            break
        violation = violation or _falling(q, Hq, noise)
        V[k], HV[k] = q, Hq
        k, q = k + 1, Hq
    if k == 0:
        return Look(inf, inf)
    V, HV = V[:k], HV[:k]
    T = V.dot(HV.T)
    # Hessians are symmetric: what is not was the change of curvature over the distance of the differences.
    error = float(np.abs(T - T.T).max())
    T = 0.5 * (T + T.T)
    if violation is None:
        # By weak duality any lam bounds the promise of (D) from above: where that is negligible, (D) is not solved.
        steepest = (slopes * slopes).sum(axis=1).max()
        least = max(noise, error, LEAST * np.trace(T), LEAST * steepest / (at.size or 1.0))
        own = V.dot(slope)
        _, x, info = dposv(T - least * np.eye(k), own)
        promise = oracle.adversary.gap(lam, at.f) + 0.5 * float(own.dot(x))
        if info == 0 and promise <= NEGLIGIBLE * threshold:
            return Look(promise, region.length(unit * x.dot(V), oracle.curvature))
    values, vectors = np.linalg.eigh(T)
    if violation is None and values[0] < -noise:
        # Differences are not symmetric: only the slope along the direction itself proves that it falls.
        q = V.T @ vectors[:, 0]
        Hq = _times(oracle, at, lam, unit, q, reach)
        violation = None if Hq is None else _falling(q, Hq, noise)
    directions = (V * unit).T @ vectors
    S, Y = directions.T, ((HV / unit).T @ vectors).T
    slopes = at.G @ directions
    steepest = float(np.abs(slopes).max())
    if steepest == 0.0:
        return Look(0.0, 0.0, S=S, Y=Y, violation=violation)
    # Without any curvature, that of a quadratic which falls to zero in one step, as flat as rounding allows.
    least = max(noise, error, LEAST * float(values[-1]), LEAST * steepest**2 / (at.size or 1.0))
    root = np.sqrt(np.maximum(values, least))
    factor = slopes / root
    solution = oracle.dual_step(None, at.f, ACCURACY * threshold, lam, factor=factor)
    step = -directions @ ((solution.lam @ factor) / root)
    length = region.length(step, oracle.curvature)
    return Look(_promise(oracle, at, solution.lam, step), length, step, S=S, Y=Y, violation=violation)


def _times(oracle: Oracle, at: Evaluation, lam: Vector, unit: Vector, q: Vector, step: float) -> Vector | None:
    """The Hessian of <lam, f> times q, by a difference of Jacobians; None where the losses are not defined."""
    there = visit(oracle, at.w + step * (unit * q))
    return None if there is None else (lam.dot(there.G) - lam.dot(at.G)) * unit / step


def _falling(q: Vector, Hq: Vector, noise: float) -> str | None:
    """The slope of a convex function does not fall along any direction."""
    curvature = float(q.dot(Hq))
    if curvature >= -10 * noise:
        return None
    return f"the curvature of the losses is {curvature:.3g} along a direction, so they are not convex"


def _promise(oracle: Oracle, at: Evaluation, lam: Vector, step: Vector) -> float:
    """g(w) - [h(f + G p) + 1/2 p'Pp], with p'Pp = -<lam, G p> at a solution of (D)."""
    change = at.G.dot(step)
    return at.value - oracle.adversary.value(at.f + change) + 0.5 * float(lam.dot(change))


def keeps_promise(oracle: Oracle, at: Evaluation, found: Look, least: float) -> bool:
    """Whether g falls by ``least`` along the step of a look, whose curvature may be rounding or a wrong Hessian."""
    if found.step is None:
        return True
    for share in SHARES:
        there = visit(oracle, at.w + share * found.step)
        if there is not None and at.value - there.value > least:
            return True
    return False


@dataclass(frozen=True, eq=False)
class Survey:
    """What a handful of points across the region shows about convexity."""

    violation: str | None
    lowest: Point | None
    """The lowest point that was met, where it is lower than the one in the middle."""


def survey(oracle: Oracle, best: Point, bound: Minorant | None, region: Region) -> Survey:
    """Compare the linearizations at points across the region with the answer's, and the losses with the lower bound.

    The losses at the answer are asked for once more: one wrong answer of theirs must not become the run's.
    """
    at = oracle.evaluate(best.w, watch=False)
    steepest = float(at.steepness.max())
    watch = ConvexityWatch(oracle.adversary.dual_set, oracle.curvature, exact_jacobian=oracle.exact_jacobian)
    watch.trust(oracle.precision)
    lowest: Point | None = None
    for v in _across(oracle, at, region):
        there = visit(oracle, v)
        if there is None:
            continue
        if watch.violation is None:
            watch.compare(at, there)
        if bound is not None and watch.violation is None:
            below = bound.at(v) - there.value
            slopes = steepest * float(dnrm2(v - at.w))
            if below > watch.tolerance * (abs(there.value) + abs(at.value) + at.size + slopes):
                watch.violation = f"the objective lies {below:.3g} below a lower bound, so the losses are not convex"
        if there.value < min(at.value, inf if lowest is None else lowest.value):
            lowest = there.point
    again = visit(oracle, best.w, anew=True)
    for other in (at, again):
        if other is None or not _agree(other.f, best.f, watch.tolerance):
            return Survey("the losses have other values when they are asked again at the same point", None)
    return Survey(watch.violation, lowest)


def _agree(f: Vector, known: Vector, tolerance: float) -> bool:
    return bool((np.abs(f - known) <= tolerance * (np.abs(known) + np.abs(known).max())).all())


def _across(oracle: Oracle, at: Evaluation, region: Region) -> list[Vector]:
    """On along the way of the run, and on random rays on both sides."""
    d = at.w.size
    way = (at.w - oracle.w0) / region.unit
    length = float(dnrm2(way))
    radius = region.radius if np.isfinite(region.radius) else max(1.0, length)
    points = [at.w + BEYOND * radius / length * (region.unit * way)] if length > 0.0 else []
    rays = _random_rays(d, d + 1, len(RAYS) // 2)
    points += [at.w + t * radius * (region.unit * rays[k // 2]) for k, t in enumerate(RAYS)]
    return points


def _random_rays(d: int, seed: int, count: int) -> Matrix:
    """Random directions of length one, the same ones in every run."""
    return _drawn(d, seed, count) if d <= WHOLE else _drawn.__wrapped__(d, seed, count)


@lru_cache(maxsize=16)
def _drawn(d: int, seed: int, count: int) -> Matrix:
    rays = np.random.default_rng(seed).standard_normal((count, d))
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    rays.flags.writeable = False
    return rays
