"""Checks of the best response, and of gap, difference and quadratic_form against value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..capabilities import offers
from ..regularizers import QuadraticForm
from .failures import show
from .references import path_maximum
from .regularizer_sample import RegularizerSample
from .sampling import BarrierSample

# Errors relative to the terms of the value: of a number computed in two ways, of a best response found by iterations,
# and of its first-order condition.
ROUNDING = 1e-10
OPTIMALITY = 1e-9
FIRST_ORDER = 1e-7
# The same for best responses of the inner solver, where R has no formula.
SOLVER_ACCURACY = 1e-6
# Gradients are evaluated this share of the way to another point, and to the center.
STEP_SHARE, CENTER_SHARE = 1e-6, 1e-9
# Losses for which the central path is followed.
N_PATHS = 4


def attained(r: RegularizerSample) -> Iterator[str]:
    """The best response is in Lambda, and h(z) is its value; from the inner solver, little more."""
    for z, (value, lam) in zip(r.s.zs, r.responses, strict=True):
        if not r.s.dual_set.contains(lam):
            yield f"{_source(r)} at z = {show(z)} returns lam = {show(lam)}, which is not in Lambda (contains)."
        size = r.rounding(z)
        above = ROUNDING if r.exact else SOLVER_ACCURACY
        for name, told in (("respond", value), ("conjugate", r.adversary.value(z))):
            if not -ROUNDING * size <= told - r.score(lam, z) <= above * size:
                yield (
                    f"{name} says h(z) = {told:.12g} at z = {show(z)}, but the best response has <lam, z> - R(lam) = "
                    f"{r.score(lam, z):.12g}."
                )


def optimal(r: RegularizerSample) -> Iterator[str]:
    """No sampled point of Lambda is better, and the first-order condition holds."""
    candidates = r.s.candidates()
    costs = np.array([r.R.value(lam) for lam in candidates])
    accuracy, slack = (OPTIMALITY, FIRST_ORDER) if r.exact else (SOLVER_ACCURACY, 10.0 * SOLVER_ACCURACY)
    for z, (_, lam) in zip(r.s.zs, r.responses, strict=True):
        scores = candidates @ z - costs
        best = int(np.argmax(scores))
        size = r.rounding(z)
        own = r.score(lam, z)
        if not scores[best] <= own + accuracy * size:
            yield (
                f"{_source(r)} at z = {show(z)} is not the best: it returns lam = {show(lam)} with <lam, z> - R(lam) "
                f"= {own:.10g}, but lam = {show(candidates[best])} has {scores[best]:.10g}."
            )
            continue
        ascent = z - r.R.gradient(lam)
        if not np.isfinite(ascent).all():
            continue
        towards = r.s.dual_set.support(ascent)[1]
        # Not at lam itself: at the boundary gradients may be steep, and as inexact as lam.
        onward = lam + STEP_SHARE * (towards - lam) + CENTER_SHARE * (r.s.center - lam)
        gain = float((towards - lam) @ (z - r.R.gradient(onward)))
        if not gain <= slack * (size + float(np.linalg.norm(ascent)) * r.s.magnitude):
            yield (
                f"{_source(r)} at z = {show(z)} is not the best: at lam = {show(lam)}, <lam, z> - R(lam) still "
                f"increases towards {show(towards)}, with slope {gain:.4g}."
            )


def _source(r: RegularizerSample) -> str:
    return "best_response" if r.exact else "the best response that the inner solver finds"


def gap(r: RegularizerSample) -> Iterator[str]:
    """h(z) - <lam, z> + R(lam), and never negative; without a formula for the best response, an upper bound of it."""
    for k, (z, (value, best)) in enumerate(zip(r.s.zs, r.responses, strict=True)):
        for lam in (r.s.points[k % len(r.s.points)], r.s.maximizers[k], best):
            got = r.gap(lam, z)
            expected = value - r.score(lam, z)
            size = r.rounding(z)
            if not got >= -OPTIMALITY * size:
                yield f"gap is negative, {got:.4g}, at lam = {show(lam)}, z = {show(z)}: lam beats the best response."
            elif not (
                abs(got - expected) <= OPTIMALITY * size if r.exact else got >= expected - SOLVER_ACCURACY * size
            ):
                yield (
                    f"gap is {got:.10g} at lam = {show(lam)}, z = {show(z)}; expected h(z) - <lam, z> + R(lam) = "
                    f"{expected:.10g}{'' if r.exact else ' or more'}."
                )


def difference(r: RegularizerSample) -> Iterator[str]:
    lams = np.vstack((*r.s.points, r.s.maximizers))
    for lam, mu in zip(lams, np.roll(lams, 1, axis=0), strict=True):
        got, ends = r.R.difference(lam, mu), (r.R.value(lam), r.R.value(mu))
        if not abs(got - (ends[0] - ends[1])) <= ROUNDING * max(abs(ends[0]), abs(ends[1])):
            yield (
                f"difference is {got:.10g} at lam = {show(lam)}, mu = {show(mu)}; expected value(lam) - value(mu) = "
                f"{ends[0] - ends[1]:.10g}."
            )


def quadratic_form(r: RegularizerSample) -> Iterator[str]:
    owner: object = r.R
    if not offers(owner, QuadraticForm):
        return
    H, q = owner.quadratic_form(r.s.n)

    def form(lam: np.ndarray) -> float:
        return float(0.5 * lam @ (H * lam if H.ndim == 1 else H @ lam) + q @ lam)

    lams = np.vstack((*r.s.points, r.s.maximizers))
    for lam in lams[1:]:
        got, expected = form(lam) - form(lams[0]), r.R.value(lam) - r.R.value(lams[0])
        size = abs(form(lam)) + abs(form(lams[0])) + abs(r.R.value(lam)) + abs(r.R.value(lams[0]))
        if not abs(got - expected) <= ROUNDING * size:
            yield (
                f"quadratic_form({r.s.n}) is another function than R: between the center and lam = {show(lam)} it "
                f"increases by {got:.10g}, value by {expected:.10g}."
            )


def path(r: RegularizerSample) -> Iterator[str]:
    """The same maximum by an interior-point method that asks only for derivatives; on sets with a barrier."""
    assert isinstance(r.s, BarrierSample)
    for z in r.s.zs[:N_PATHS]:
        found = path_maximum(r.s, z, r.R)
        if found is None:
            yield (
                f"the central path of <lam, z> - R(lam) for z = {show(z)} was lost: Newton steps left the set or did "
                "not converge. Derivatives must be exact to rounding close to the boundary."
            )
            continue
        (reached, bound), value = found, r.adversary.value(z)
        room = (OPTIMALITY if r.exact else SOLVER_ACCURACY) * r.rounding(z)
        if not reached - room <= value <= reached + bound + room:
            yield (
                f"h(z) at z = {show(z)} is {value:.10g}, but the central path says between {reached:.10g} and "
                f"{reached + bound:.10g}: the best response is not one."
            )
