"""Checks of the optional capabilities of a dual set: project, tilt, linear_constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import rel_entr

from .._types import Vector
from ..capabilities import offers
from ..dual_sets import HasProjection, HasTilt, Polyhedral
from ..errors import IncompatibleError
from .failures import show
from .references import cvxpy_maximum, has_cvxpy, linprog_maximum
from .sampling import Sample

# First-order conditions of maximizers that may come from iterations, relative to their terms.
OPTIMALITY = 1e-8
# The gradient is evaluated this share of the way to a better point.
STEP_SHARE = 1e-6
# Rounding errors relative to the magnitude of the set.
ROUNDING = 1e-13
# The relative accuracy of interior-point methods.
CLARABEL_ACCURACY = 1e-6
# Losses for which linear programs are solved.
N_PROGRAMS = 6


def project(s: Sample) -> Iterator[str]:
    """P(x) in Lambda, <x - P(x), lam - P(x)> <= 0 for all lam in Lambda, P(P(x)) = P(x)."""
    owner: object = s.dual_set
    if not offers(owner, HasProjection):
        return
    operator = owner.project
    near = [s.center + scale * s.extent * s.rng.standard_normal(s.n) for scale in (0.01, 0.1, 1.0, 1.0, 10.0, 10.0)]
    for x in [*near, *s.points[:3], *s.maximizers[:3]]:
        p = operator(x.copy())
        if not s.dual_set.contains(p):
            yield f"project(x) at x = {show(x)} returns {show(p)}, which contains refuses."
            continue
        away = x - p
        candidates = np.vstack((s.candidates(), s.dual_set.support(away)[1]))
        slack = (candidates - p) @ away
        worst = int(np.argmax(slack))
        if not slack[worst] <= (OPTIMALITY * np.linalg.norm(away) + ROUNDING * s.magnitude) * s.magnitude:
            yield (
                f"project(x) at x = {show(x)} returns {show(p)}, which is not the nearest point of Lambda: "
                f"towards lam = {show(candidates[worst])} the distance decreases (<x - P(x), lam - P(x)> = "
                f"{slack[worst]:.4g}, expected <= 0)."
            )
        moved = float(np.linalg.norm(operator(p.copy()) - p))
        if not moved <= OPTIMALITY * s.magnitude:
            yield f"project is not idempotent: it moves its own value {show(p)} by {moved:.3g}."


def tilt(s: Sample) -> Iterator[str]:
    """Optimality of argmax <lam, z> - sum lam log(lam / prior)."""
    owner: object = s.dual_set
    if not offers(owner, HasTilt):
        return
    operator = owner.tilt
    for scale in (0.0, 0.1, 1.0, 3.0):
        z, prior = scale * s.rng.standard_normal(s.n), s.rng.uniform(0.5, 2.0, s.n)
        try:
            lam = operator(prior.copy(), z.copy())
        except IncompatibleError:
            return
        if not s.dual_set.contains(lam):
            yield f"tilt(prior, z) at z = {show(z)} returns {show(lam)}, which contains refuses."
            continue
        candidates = s.candidates()
        candidates = candidates[(candidates >= 0).all(axis=1)]
        value = float(lam @ z - rel_entr(lam, prior).sum())
        scores = candidates @ z - rel_entr(candidates, prior).sum(axis=1)
        room = OPTIMALITY * (1.0 + np.linalg.norm(z)) * (1.0 + s.magnitude)
        best = int(np.argmax(scores))
        if not scores[best] <= value + room:
            yield _not_tilted(prior, z, lam, candidates[best], float(scores[best] - value))
        elif lam.min() > 0:
            ascent = z - np.log(lam / prior) - 1.0
            better = s.dual_set.support(ascent)[1]
            # Not at lam itself: at the boundary the gradient is steep, and as inexact as lam.
            onward = lam + STEP_SHARE * (better - lam)
            gain = float((better - lam) @ (z - np.log(onward / prior) - 1.0))
            if not gain <= room * (1.0 + np.abs(ascent).max()):
                yield _not_tilted(prior, z, lam, better, gain)


def _not_tilted(prior: Vector, z: Vector, lam: Vector, better: Vector, gain: float) -> str:
    return (
        f"tilt(prior, z) at prior = {show(prior)}, z = {show(z)} returns lam = {show(lam)}, which does not maximize "
        f"<lam, z> - sum lam log(lam/prior): towards {show(better)} it gains {gain:.4g}. The prior need not sum to one."
    )


def linear_constraints(s: Sample) -> Iterator[str]:
    """The polyhedron is Lambda: it contains all sampled points, and its linear programs have the same values."""
    owner: object = s.dual_set
    if not offers(owner, Polyhedral):
        return
    c = owner.linear_constraints(s.n)
    for lam in s.candidates():
        room = 1e-8 * max(s.magnitude, 1e-300)
        residuals = {"E lam = e": np.abs(c.E @ lam - c.e) / np.maximum(1.0, np.abs(c.E).sum(axis=1))}
        residuals |= {"lower": c.lower - lam, "upper": lam - c.upper}
        if c.A is not None and c.b is not None:
            residuals["A lam <= b"] = (c.A @ lam - c.b) / np.maximum(1.0, np.abs(c.A).sum(axis=1))
        for name, residual in residuals.items():
            if residual.size and not residual.max() <= room:
                yield (
                    f"linear_constraints({s.n}) exclude lam = {show(lam)}, a point of Lambda: '{name}', row "
                    f"{int(np.argmax(residual))}, is violated by {residual.max():.4g}."
                )
                break
    solvers = [("scipy.optimize.linprog", linprog_maximum, OPTIMALITY)]
    if has_cvxpy():
        solvers.append(("CVXPY with Clarabel", cvxpy_maximum, CLARABEL_ACCURACY))
    for name, solve, accuracy in solvers:
        for z, value in list(zip(s.zs, s.values, strict=True))[:N_PROGRAMS]:
            # Solvers have absolute tolerances.
            length = np.linalg.norm(z)
            found = solve(c, z / length)
            if found is None or not abs(found * length - value) <= accuracy * length * max(s.magnitude, 1.0):
                told = "finds none" if found is None else f"is {found * length:.10g} ({name})"
                yield (
                    f"linear_constraints({s.n}) describe another set than support: the maximum of <lam, z> at z = "
                    f"{show(z)} {told}, support gives {value:.10g}."
                )
