"""Probing the Hessian at the best point before a run may end: the decrease that a model with that Hessian predicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dnrm2
from scipy.linalg.lapack import dposv

from .._types import Matrix, Vector
from ..linalg.hessian_models import DenseHessianModel
from .certificates import Region
from .evaluation import Evaluation, StructuredEvaluation, largest_magnitude, row_norms
from .oracle import ROUNDING_UNITS, Oracle
from .probing import random_directions, visit

# The full Hessian, where the losses offer it, is used up to this many parameters and multiplications: about a second.
MOST_PARAMETERS = 2000
MOST_MULTIPLICATIONS = 2e10
# A Hessian costs d multiplications per entry of the data, an evaluation EVALUATION_MULTIPLICATIONS. The Hessian is used
# where it costs at most as much as the run so far, and always up to CHEAP_PARAMETERS.
CHEAP_PARAMETERS = 150
EVALUATION_MULTIPLICATIONS = 8.0
# Differences of Jacobians take one evaluation per direction. All directions are measured up to this many parameters, or
# where the run has taken at least ITERATIONS_PER_PARAMETER iterations per parameter; otherwise N_DIRECTIONS are.
MEASURED_PARAMETERS = 20
ITERATIONS_PER_PARAMETER = 2
N_DIRECTIONS = 6
# The weight of a random unit vector that is added to the first direction, so that it is not zero where the slope is.
RANDOM_SHARE = 0.1
# Eigenvalues below this share of the largest are rounding errors and are raised to it.
LEAST_EIGENVALUE = 1e-12
# A parameter whose diagonal entry is below this share of the largest is left out: its scale would overflow.
LEAST_DIAGONAL = 1e-100
# Where the Hessian is not positive definite, or (D) is not solved, the shift grows by this factor, at most so often.
SHIFT_GROWTH = 100.0
SHIFTS = 8
# A second derivative counts as negative where it is this many times the noise of the differences below zero.
NOISE_MARGIN = 10.0
# With very many losses, the Newton step for the last lam decides where it stays in the region and predicts at most this
# share of the tolerance; its prediction is an upper bound. Otherwise (D) is solved, up to this many entries of G.
FIXED_WEIGHTS_SHARE = 0.5
MOST_ENTRIES = 1 << 22
# (D) is solved to this share of the tolerance.
INNER_ACCURACY = 1e-3
# A decrease below this share of the tolerance is negligible.
NEGLIGIBLE = 1e-2
# A predicted decrease above this share of the tolerance keeps a run going. A quadratic model predicts only a little
# more than half of the possible decrease of a function such as w^12.
PREDICTED_SHARE = 0.5
# Where a squared pivot is below this share of the largest, so is an eigenvalue, and the shift hides the second
# derivative along its vector. There g may fall far beyond the step: steps that grow by FLAT_GROWTH are tried while g
# falls, up to LONGEST_FLAT times the step.
FLAT_SHARE = 1e-9
FLAT_GROWTH = 10.0
LONGEST_FLAT = 1e12
# A predicted decrease is tried at the whole step and at shares of it that fall by this factor, while the share of the
# predicted decrease is not negligible and the share above LEAST_SHARE. Where second derivatives vanish away from here,
# as those of Huber's loss do, the step may be too long by many orders of magnitude.
SHARE_FACTOR = 0.1
LEAST_SHARE = 1e-24


@dataclass(frozen=True, eq=False)
class HessianProbe:
    """The Hessian of <lam, f> at one point, full or along directions, and the decrease that its model predicts."""

    predicted: float
    """The decrease of g that the model predicts from here."""
    length: float
    """The length of its step in the region's scales, along parameters that are not strongly convex."""
    step: Vector | None = None
    hessian: Matrix | None = None
    S: Matrix | None = None
    """Directions, one per row, along which second derivatives were measured."""
    Y: Matrix | None = None
    """sum_j lam_j Hessian f_j times each of them."""
    flat_step: Vector | None = None
    """The part of the step along which second derivatives are below rounding, which may be far too short."""
    violation: str | None = None
    """Why the losses are not convex, where a direction shows it."""


def covers_all_directions(oracle: Oracle, n_iter: int) -> bool:
    """Whether a probe after this many iterations measures second derivatives in every direction."""
    return _uses_whole_hessian(oracle) or _measures_all(oracle, n_iter)


def _uses_whole_hessian(oracle: Oracle) -> bool:
    """Whether the losses offer a Hessian that costs at most as much as the run so far."""
    most = max(CHEAP_PARAMETERS, EVALUATION_MULTIPLICATIONS * oracle.n_evals)
    return affords_hessian(oracle) and oracle.problem.n_params <= most


def _measures_all(oracle: Oracle, n_iter: int) -> bool:
    return oracle.problem.n_params <= max(MEASURED_PARAMETERS, n_iter // ITERATIONS_PER_PARAMETER)


def affords_hessian(oracle: Oracle) -> bool:
    """Whether the losses offer a Hessian that costs about a second or less."""
    d = oracle.problem.n_params
    return oracle.offers_hessian and d <= MOST_PARAMETERS and oracle.n_entries * d <= MOST_MULTIPLICATIONS


def probe_hessian(
    oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float, n_iter: int = 0
) -> HessianProbe:
    """Measure the Hessian of <lam, f> at a point and predict how far g can still decrease.

    The full Hessian where the losses offer it and it is cheap; otherwise its products with a few directions, by
    differences of Jacobians: the Lanczos vectors started at the slope G' lam, which find flat directions early.
    """
    if _uses_whole_hessian(oracle):
        return _by_whole_hessian(oracle, at, lam, region, threshold)
    count = at.w.size if _measures_all(oracle, n_iter) else N_DIRECTIONS
    return _by_differences(oracle, at, lam, region, threshold, count)


def _by_whole_hessian(oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float) -> HessianProbe:
    H = oracle.hessian(at.w, lam)
    # Scaled to a diagonal of ones, so that LEAST_EIGENVALUE does not depend on the units of the parameters.
    diagonal = H.diagonal()
    used = diagonal > LEAST_DIAGONAL * diagonal.max()
    scales = np.zeros(diagonal.size)
    scales[used] = 1.0 / np.sqrt(diagonal[used])
    if not used.all():
        scales[~used] = _scales_by_slopes(at)[~used]
    if isinstance(at, StructuredEvaluation):
        fixed = _for_fixed_weights(oracle, at, lam, region, scales[:, None] * H * scales, scales)
        if fixed.predicted <= FIXED_WEIGHTS_SHARE * threshold and fixed.length <= region.radius:
            return fixed
        if at.f.size * at.w.size > MOST_ENTRIES:
            return HessianProbe(fixed.predicted, fixed.length)
    G = (at.jacobian.dense() if isinstance(at, StructuredEvaluation) else at.G) * scales
    hessian_model = DenseHessianModel(scales[:, None] * H * scales)
    factors: list[Matrix] = []

    def solve(sigma: float) -> ModelStep | None:
        system = hessian_model.system(G, sigma)
        if system is None:
            return None
        solution = oracle.dual_step(None, at.f, INNER_ACCURACY * threshold, lam, factor=system.factor)
        step = scales * system.direction(solution.lam)
        factors.append(system.L)
        return ModelStep(step, _predicted(oracle, at, solution.lam, step), solution.gap)

    found = _resolved(solve, LEAST_EIGENVALUE, threshold)
    if found is None:
        return HessianProbe(inf, inf)
    step, flat_step = found.step, _flat_part(factors[0], hessian_model.matrix, found.step, scales)
    length = region.length(step, oracle.strong_convexity)
    return HessianProbe(found.predicted, length, step, hessian=H, flat_step=flat_step)


class ModelStep(NamedTuple):
    """The minimum of the model with a shift, by (D)."""

    step: Vector
    predicted: float
    """The decrease of the model."""
    gap: float
    """Of (D): the model may fall by as much more."""


def _resolved(solve: Callable[[float], ModelStep | None], shift: float, threshold: float) -> ModelStep | None:
    """The step with the least shift with which (D) is solved to a negligible gap, or predicts a relevant decrease.

    With a smaller shift the numbers of (D) are so large that its rounding errors hide the decrease. Where no shift
    helps, the last step; None where the Hessian is not positive definite with any.
    """
    found = None
    for _ in range(SHIFTS):
        solution = solve(shift)
        if solution is not None:
            found = solution
            if solution.predicted > PREDICTED_SHARE * threshold or solution.gap <= NEGLIGIBLE * threshold:
                return found
        shift *= SHIFT_GROWTH
    return found


def _flat_part(L: Matrix, H: Matrix, step: Vector, scales: Vector) -> Vector | None:
    """The step's part along eigenvectors of the scaled Hessian with negligible eigenvalues; None without any."""
    pivots = np.abs(L.diagonal())
    if pivots.min() ** 2 >= FLAT_SHARE * pivots.max() ** 2:
        return None
    values, vectors = np.linalg.eigh(H)
    flat = vectors[:, values < FLAT_SHARE * values[-1]]
    part = flat.dot(np.divide(step, scales, out=np.zeros_like(step), where=scales > 0.0).dot(flat))
    return scales * part


def _scales_by_slopes(at: Evaluation) -> Vector:
    """sqrt(magnitude)/|G_i|: for parameters without second derivatives, of which the shift limits the step."""
    steepest = at.largest_derivatives()
    scales = np.zeros(steepest.size)
    np.divide(np.sqrt(at.magnitude or 1.0), steepest, out=scales, where=steepest > 0.0)
    return scales


def _for_fixed_weights(
    oracle: Oracle, at: Evaluation, lam: Vector, region: Region, H: Matrix, scales: Vector
) -> HessianProbe:
    """The Newton step on <lam, f> alone, by which weak duality bounds the predicted decrease from above.

    It is no step of descent of g where other losses matter; ``H`` is the Hessian in the given scales.
    """
    slope, sigma = at.slope(lam) * scales, LEAST_EIGENVALUE
    L, x, info = dposv(H + sigma * np.eye(len(H)), slope)
    while info != 0 and sigma < 1.0:
        sigma *= SHIFT_GROWTH
        L, x, info = dposv(H + sigma * np.eye(len(H)), slope)
    if info != 0:
        return HessianProbe(inf, inf)
    predicted = oracle.adversary.gap(lam, at.f) + 0.5 * float(slope.dot(x))
    step = -scales * x
    length, flat_step = region.length(step, oracle.strong_convexity), _flat_part(L, H, step, scales)
    return HessianProbe(predicted, length, step, flat_step=flat_step)


def _by_differences(
    oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float, count: int
) -> HessianProbe:
    d = at.w.size
    # The region's scales were estimated at w0. Differences are taken over at most |w_i| + |w0_i|.
    seen = np.abs(at.w) + np.abs(oracle.w0)
    scales = np.where(seen > 0.0, np.minimum(region.scales, seen), region.scales)
    slopes = at.G * scales
    here = at.slope(lam)
    slope = here * scales
    q = slope / (dnrm2(slope) or 1.0) + RANDOM_SHARE * random_directions(d, d, 1)[0]
    # This distance balances the error of the Jacobian against the change of the second derivatives over it.
    distance = oracle.jacobian_precision ** (1 / 3)
    noise = 4 * oracle.jacobian_precision * float(np.abs(lam).dot(np.abs(slopes)).sum()) / distance
    # A slope is a sum of terms that may cancel, as at a minimum: their rounding errors are those of the losses.
    cancellation = 4 * oracle.jacobian_precision * float(np.abs(lam).sum()) * at.magnitude / distance
    V, HV = np.empty((count, d)), np.empty((count, d))
    k, violation = 0, None
    while k < count:
        # Orthogonalize twice: one pass leaves rounding errors.
        found = V[:k]
        for _ in range(2 if k else 0):
            q = q - found.T.dot(found.dot(q))
        length = float(dnrm2(q))
        if not length > 0.0:
            break
        q = q / length
        Hq = _hessian_times(oracle, at, lam, here, scales, q, distance)
        if Hq is None:
            break
        # Where all slopes are zero, there is still the rounding error of the second derivatives.
        noise = max(noise, oracle.jacobian_precision * float(dnrm2(Hq)))
        violation = violation or _negative(q, Hq, max(noise, cancellation))
        V[k], HV[k] = q, Hq
        k, q = k + 1, Hq
    if k == 0:
        return HessianProbe(inf, inf)
    V, HV = V[:k], HV[:k]
    if not HV.any():
        return _without_second_derivatives(oracle, at, lam, region, threshold)
    T = V.dot(HV.T)
    # Hessians are symmetric, so the asymmetry of T shows how much the Hessian changes over the difference distance.
    error = largest_magnitude(T - T.T)
    T = 0.5 * (T + T.T)
    if violation is None:
        # By weak duality any lam bounds the predicted decrease from above. If this bound is negligible, (D) need not be
        # solved.
        steepest = largest_magnitude(row_norms(slopes)) ** 2
        trace = float(np.add.reduce(T.diagonal()))
        least = max(noise, error, LEAST_EIGENVALUE * trace, LEAST_EIGENVALUE * steepest / (at.magnitude or 1.0))
        own = V.dot(slope)
        shifted = T.copy()
        shifted.ravel()[:: k + 1] -= least
        _, x, info = dposv(shifted, own)
        predicted = oracle.adversary.gap(lam, at.f) + 0.5 * float(own.dot(x))
        if info == 0 and predicted <= NEGLIGIBLE * threshold:
            return HessianProbe(predicted, region.length(scales * x.dot(V), oracle.strong_convexity))
    values, vectors = np.linalg.eigh(T)
    if violation is None and values[0] < -max(noise, cancellation):
        # T was made symmetric: only a difference along the eigenvector itself proves negative curvature.
        q = V.T @ vectors[:, 0]
        Hq = _hessian_times(oracle, at, lam, here, scales, q, distance)
        violation = None if Hq is None else _negative(q, Hq, max(noise, cancellation))
    directions = (V * scales).T @ vectors
    S, Y = directions.T, ((HV / scales).T @ vectors).T
    slopes = at.G @ directions
    steepest = float(np.abs(slopes).max())
    if steepest == 0.0:
        return HessianProbe(0.0, 0.0, S=S, Y=Y, violation=violation)
    # The last term is for directions without second derivative: with it, one step decreases the model by at most about
    # 1/LEAST_EIGENVALUE times the magnitude of the losses.
    least = max(
        noise, error, LEAST_EIGENVALUE * float(values[-1]), LEAST_EIGENVALUE * steepest**2 / (at.magnitude or 1.0)
    )

    def solve(least: float) -> ModelStep:
        root = np.sqrt(np.maximum(values, least))
        factor = slopes / root
        solution = oracle.dual_step(None, at.f, INNER_ACCURACY * threshold, lam, factor=factor)
        step = -directions @ ((solution.lam @ factor) / root)
        return ModelStep(step, _predicted(oracle, at, solution.lam, step), solution.gap)

    best = _resolved(solve, least, threshold)
    assert best is not None
    length = region.length(best.step, oracle.strong_convexity)
    return HessianProbe(best.predicted, length, best.step, S=S, Y=Y, violation=violation)


def _without_second_derivatives(
    oracle: Oracle, at: Evaluation, lam: Vector, region: Region, threshold: float
) -> HessianProbe:
    """The probe where all measured second derivatives are zero, as those of affine losses: all directions are flat."""
    scales = np.broadcast_to(np.asarray(region.scales), at.w.shape)
    slopes = at.G * scales
    steepest = largest_magnitude(slopes)
    if steepest == 0.0:
        return HessianProbe(0.0, 0.0)

    least = LEAST_EIGENVALUE * steepest**2 / (at.magnitude or 1.0)
    slope = at.slope(lam) * scales
    # By weak duality g falls by no more than the gap of lam and this term. Where they are within the tolerance, (D)
    # need not be solved.
    by_slope = 0.5 * float(slope.dot(slope)) / least
    if by_slope <= NEGLIGIBLE * threshold and oracle.adversary.gap(lam, at.f) + by_slope <= threshold:
        return HessianProbe(by_slope, region.length(scales * slope / least, oracle.strong_convexity))

    def solve(shift: float) -> ModelStep:
        factor = slopes / np.sqrt(shift)
        solution = oracle.dual_step(None, at.f, INNER_ACCURACY * threshold, lam, factor=factor)
        step = -scales * (solution.lam @ slopes) / shift
        return ModelStep(step, _predicted(oracle, at, solution.lam, step), solution.gap)

    found = _resolved(solve, least, threshold)
    assert found is not None
    S = np.diag(scales) if scales.size <= MEASURED_PARAMETERS else None
    Y = None if S is None else np.zeros_like(S)
    return HessianProbe(found.predicted, region.length(found.step, oracle.strong_convexity), found.step, S=S, Y=Y)


def _hessian_times(
    oracle: Oracle, at: Evaluation, lam: Vector, slope: Vector, scales: Vector, q: Vector, distance: float
) -> Vector | None:
    """The Hessian of <lam, f> times q, by a difference of slopes; None where the losses are not defined."""
    there = visit(oracle, at.w + distance * (scales * q))
    return None if there is None else (there.slope(lam) - slope) * scales / distance


def _negative(q: Vector, Hq: Vector, noise: float) -> str | None:
    """The violation of convexity where the second derivative along q is negative beyond noise."""
    second_derivative = float(q.dot(Hq))
    if second_derivative >= -NOISE_MARGIN * noise:
        return None
    return f"the curvature of the losses is {second_derivative:.3g} along a direction, so they are not convex"


def _predicted(oracle: Oracle, at: Evaluation, lam: Vector, step: Vector) -> float:
    """g(w) - [h(f + G p) + 1/2 p'Pp], with p'Pp = -<lam, G p> at a solution of (D)."""
    change = at.change(step)
    return at.value - oracle.adversary.value(at.f + change) + 0.5 * float(lam.dot(change))


def decrease_is_real(oracle: Oracle, at: Evaluation, probe: HessianProbe, least: float) -> bool:
    """Whether g falls by more than ``least`` along the step of a probe, whose Hessian may be inaccurate."""
    if probe.step is None:
        return True
    share = 1.0
    while share > LEAST_SHARE and share * 2.0 * probe.predicted > least:
        there = visit(oracle, at.w + share * probe.step)
        if there is not None and at.value - there.value > least:
            return True
        share *= SHARE_FACTOR
    return False


def lower_along_flat_step(oracle: Oracle, at: Evaluation, probe: HessianProbe, negligible: float) -> Evaluation:
    """The lowest of points beyond the step of a probe and beyond its flat part, of lengths that grow while g falls.

    One loss falls along the flat part alone. With several, the rest of the step keeps the active ones equal. The first
    rise does not end the search where it is ``negligible``, but more than the losses round: far from w = 0 rounding
    errors of w may exceed the decrease of the first lengths.
    """
    lowest, rounding = at, ROUNDING_UNITS * oracle.precision * at.magnitude
    for ray in () if probe.step is None or probe.flat_step is None else (probe.flat_step, probe.step):
        t, before, passed = 1.0, at.value, False
        while t <= LONGEST_FLAT:
            there = visit(oracle, at.w + t * ray)
            if there is None:
                break
            rise = there.value - before
            if rise < 0.0:
                before = there.value
            elif passed or not rounding < rise <= negligible:
                break
            else:
                passed = True
            t *= FLAT_GROWTH
            lowest = there if there.value < lowest.value else lowest
    return lowest
