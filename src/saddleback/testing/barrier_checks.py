"""The barrier of a dual set: where it is finite, its derivatives, and the inequalities of self-concordance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import EPS
from ..linalg.hessians import as_hessian
from .failures import show
from .gradients import gradient_errors, hessian_errors
from .sampling import BarrierSample
from .self_concordance import BOUND_MARGIN, excess, steepest, third_derivative, whitening

# The largest Newton decrement that the barrier may have at the analytic center.
LARGEST_CENTER_DECREMENT = 1e-6
# Starts of the search for large third derivatives, per point.
N_STARTS = 2
# Points of the set towards which the steps of `full_steps` go, per point.
N_VERTICES = 4
# Multiples of the distance to the boundary at which the barrier must be infinite: just outside, and far away.
OUTSIDE_SHARES = (1.0 + 1e-6, 1.01, 1.5, 3.0, 10.0, 1e3)


def bounded(s: BarrierSample) -> Iterator[str]:
    for edge in s.edges:
        if not np.isfinite(edge.distance):
            yield (
                f"barrier stays finite at any distance from lam = {show(edge.x)} in the direction {show(edge.u)}, "
                "which is parallel to affine_hull: Lambda must be bounded. Return inf outside the set, and give "
                "affine_hull every equation that the set satisfies."
            )


def centered(s: BarrierSample) -> Iterator[str]:
    """The center minimizes the barrier on the affine hull."""
    lam = s.center
    value = s.barrier.barrier(lam)
    if not np.isfinite(value):
        yield f"barrier is {value} at center({s.n}) = {show(lam)}, which must be in the relative interior."
        return
    M = whitening(s.local_norm_matrix(lam), s.hull.Z)
    g = s.barrier.barrier_gradient(lam)
    decrement = np.linalg.norm(s.hull.Z.T @ g) * s.extent if M is None else np.linalg.norm(M.T @ g)
    if not decrement <= LARGEST_CENTER_DECREMENT:
        u = s.hull.along(g)
        yield (
            f"center({s.n}) = {show(lam)} does not minimize the barrier on the affine hull: its gradient has the part "
            f"{show(u)} along the hull (Newton decrement {decrement:.3g}). Return the analytic center "
            "(analytic_center of saddleback.dual_sets.analytic_center finds it), or correct barrier_gradient or hull."
        )


def domain(s: BarrierSample) -> Iterator[str]:
    """Finite inside, inf outside, and the same set as the support function's."""
    for z, lam in zip(s.zs, s.maximizers, strict=True):
        x = s.center + (1.0 - 1e-6) * (lam - s.center)
        value = s.barrier.barrier(x)
        if not np.isfinite(value):
            yield (
                f"barrier is {value} at lam = {show(x)}, between the center and the maximizer that support returns "
                f"for z = {show(z)}: barrier and support describe different sets. Make them agree."
            )
    for edge in s.edges:
        for share in (0.5, 0.99):
            value = s.barrier.barrier(edge.at(share))
            if not np.isfinite(value):
                yield (
                    f"barrier is {value} at lam = {show(edge.at(share))}, but finite before it, at {show(edge.x)}, and "
                    f"beyond it, in the direction {show(edge.u)} at distance {edge.distance:g}: one of them is outside "
                    "Lambda. Return inf outside."
                )
    for x in s.points:
        value = s.barrier.barrier(x)
        if not np.isfinite(value):
            yield f"barrier is {value} at the interior point lam = {show(x)}; it must be finite there."
    for edge in s.edges:
        for share in OUTSIDE_SHARES:
            value = s.barrier.barrier(edge.at(share))
            if value != np.inf:
                yield (
                    f"barrier is {value:g} at lam = {show(edge.at(share))}, which is outside Lambda: from "
                    f"{show(edge.x)} in the direction {show(edge.u)} the boundary is at distance {edge.distance:g}, "
                    f"this point {share:g} times as far. Return inf outside."
                )


def gradient(s: BarrierSample) -> Iterator[str]:
    for x in s.points:
        H = s.local_norm_matrix(x)
        yield from gradient_errors(s, x, H, s.barrier.barrier, s.barrier.barrier_gradient(x), "barrier_gradient")


def hessian(s: BarrierSample) -> Iterator[str]:
    for x in s.points:
        H = s.local_norm_matrix(x)
        yield from hessian_errors(s, x, H, s.barrier.barrier_gradient, H, "barrier_hessian")


def positive_definite(s: BarrierSample) -> Iterator[str]:
    for x in s.points:
        H = s.local_norm_matrix(x)
        if whitening(H, s.hull.Z) is None:
            values, vectors = np.linalg.eigh(s.hull.Z.T @ H @ s.hull.Z)
            u = s.hull.Z @ vectors[:, 0]
            yield (
                f"barrier_hessian is not positive definite on the hull at lam = {show(x)}: in the direction {show(u)} "
                f"its quadratic form is {values[0]:.6g}. A barrier of a bounded set curves in every direction of it."
            )
            continue
        # Solvers eliminate the hull's equations by systems with the whole matrix.
        rows = s.hull.Z.T
        solved = as_hessian(s.barrier.barrier_hessian(x)).solve(rows @ H)
        # The rounding error of the product alone is the condition number of H times EPS.
        rounding = 100 * EPS * float(np.linalg.cond(H))
        if not np.allclose(solved, rows, rtol=0.0, atol=max(1e-5, rounding)):
            yield (
                f"barrier_hessian at lam = {show(x)} cannot be solved with: H^-1 H u is off by "
                f"{np.abs(solved - rows).max():.3g}. It must be positive definite in every direction of R^{s.n}, not "
                "only on the hull (add a multiple of E'E, which is zero on it), and a structured Hessian's "
                "solve must invert its dense matrix."
            )


def parameter(s: BarrierSample) -> Iterator[str]:
    """<grad B, h>^2 <= nu h'B''h for all h: the Newton decrement is at most sqrt(nu)."""
    nu = s.barrier.barrier_parameter(s.n)
    if not (np.isfinite(nu) and nu > 0):
        yield f"barrier_parameter({s.n}) is {nu}; expected a positive number."
        return
    for x in s.points:
        g = s.barrier.barrier_gradient(x)
        M = whitening(s.local_norm_matrix(x), s.hull.Z)
        if M is None:
            continue
        h = M @ (M.T @ g)
        squared = float(g @ h)
        if squared > nu * (1.0 + BOUND_MARGIN):
            yield (
                f"barrier_parameter({s.n}) = {nu:g} is too small: at lam = {show(x)} in the direction "
                f"{show(h / np.linalg.norm(h))} the barrier has <gradient, h>^2 = {squared:.6g} h'Hh. "
                f"nu must be at least {squared:.6g}."
            )


def self_concordant(s: BarrierSample) -> Iterator[str]:
    for x in s.points:
        M = whitening(s.local_norm_matrix(x), s.hull.Z)
        if M is None:
            continue
        for _ in range(N_STARTS):
            h = steepest(s.local_norm_matrix, x, M, s.rng)
            third = third_derivative(s.local_norm_matrix, x, h)
            if excess(third, 1.0) > 0.0:
                yield (
                    f"barrier is not self-concordant at lam = {show(x)}: in the direction "
                    f"{show(h / np.linalg.norm(h))} |D3| = {abs(third.value):.6g} D2^(3/2), and at most 2 is allowed. "
                    f"Multiply the barrier and its parameter by {0.25 * float(third.value) ** 2:.4g} or more, or "
                    "choose another one."
                )


def dikin(s: BarrierSample) -> Iterator[str]:
    """The unit ball of the local norm lies in the set."""
    for x in s.points:
        M = whitening(s.local_norm_matrix(x), s.hull.Z)
        if M is None:
            continue
        # Random directions, and those in which the boundary is closest: against the gradient and along it.
        ys = [*s.rng.standard_normal((4, M.shape[1])), M.T @ s.barrier.barrier_gradient(x)]
        for y in ys:
            size = np.linalg.norm(y)
            for sign in (1.0, -1.0):
                h = sign * (M @ y) / size if size > 0 else M[:, 0]
                if not np.isfinite(s.barrier.barrier(x + 0.999 * h)):
                    yield (
                        f"the Dikin ellipsoid at lam = {show(x)} leaves the set in the direction "
                        f"{show(h / np.linalg.norm(h))}: it reaches {np.linalg.norm(h):.6g}, the set less. "
                        "barrier_hessian is too small there, or the barrier is not self-concordant."
                    )


def full_steps(s: BarrierSample) -> Iterator[str]:
    """The inequality of ``proves_gaps``, where the set declares it."""
    if not s.dual_set.proves_gaps:
        return
    nu = s.barrier.barrier_parameter(s.n)
    for x in s.points:
        H, g = s.local_norm_matrix(x), s.barrier.barrier_gradient(x)
        M = whitening(H, s.hull.Z)
        if M is None:
            continue
        towards = [M.T @ (H @ (lam - x)) for lam in s.maximizers[:N_VERTICES]]
        for y in (*towards, M.T @ g, *s.rng.standard_normal((2, M.shape[1]))):
            for size in (1.0, -1.0, -0.5):
                p = size * (M @ y) / max(float(np.linalg.norm(y)), 1e-300)
                residual = g + H @ p
                value = s.dual_set.regret(x + p, residual)
                if value > nu * (1.0 + BOUND_MARGIN):
                    yield (
                        f"proves_gaps is wrong: at mu = {show(x)} with the step p = {show(p)} of local length "
                        f"{abs(size):g}, <B' + B''p, lam - mu - p> = {value:.6g} for some lam, more than nu = {nu:g}. "
                        "Leave proves_gaps out, or correct the barrier and its parameter."
                    )
