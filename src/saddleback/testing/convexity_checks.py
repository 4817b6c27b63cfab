"""Convexity of a regularizer, its modulus, and its compatibility with the barrier."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import EPS, Matrix, Vector
from .derivatives import ERROR_MARGIN
from .failures import show
from .regularizer_sample import RegularizerSample
from .self_concordance import BOUND_MARGIN, steepest, third_derivative, whitening

# The multiples c of c R + B, relative to the c for which R and B have equal second derivatives.
MULTIPLES = np.logspace(-6, 6, 49)
# Those for which a direction with a large third derivative is searched.
SEARCHED_MULTIPLES = (1e-3, 1e-1, 1.0, 10.0, 1e3)
ROUNDING = 1e-11


def convex(r: RegularizerSample) -> Iterator[str]:
    """The Hessian is positive semidefinite on the hull, and R lies below its chords."""
    for x in r.s.points if r.s.hull.dimension else []:
        M = whitening(r.s.local_norm_matrix(x), r.s.hull.Z)
        if M is None:
            continue
        values, vectors = np.linalg.eigh(M.T @ r.matrix(x) @ M)
        if values[0] < -1e-8 * np.abs(values).max():
            u = M @ vectors[:, 0]
            u /= np.linalg.norm(u)
            yield (
                f"R is not convex at lam = {show(x)}: in the direction {show(u)} its Hessian has the quadratic form "
                f"{float(u @ r.matrix(x) @ u):.6g}."
            )
    yield from _above_chords(r, 0.0, "R is not convex")


def strongly_convex(r: RegularizerSample) -> Iterator[str]:
    """R - gamma/2 |lam|^2 is convex on Lambda."""
    gamma = r.R.strong_convexity
    if gamma == 0.0:
        return
    for x in r.s.points if r.s.hull.dimension else []:
        values, vectors = np.linalg.eigh(r.s.hull.Z.T @ r.matrix(x) @ r.s.hull.Z)
        if values[0] < gamma * (1.0 - 1e-8) - 1e-12 * np.abs(values).max():
            yield (
                f"strong_convexity = {gamma:g} is too large: at lam = {show(x)} in the direction "
                f"{show(r.s.hull.Z @ vectors[:, 0])} R curves by {values[0]:.6g} only."
            )
    yield from _above_chords(r, gamma, f"strong_convexity = {gamma:g} is too large")


def _above_chords(r: RegularizerSample, gamma: float, verdict: str) -> Iterator[str]:
    lams = np.vstack((*r.s.points, r.s.maximizers))
    for lam, mu in zip(lams, np.roll(lams, 1, axis=0), strict=True):
        middle, ends = r.R.value(0.5 * (lam + mu)), (r.R.value(lam), r.R.value(mu))
        if not np.isfinite([middle, *ends]).all():
            yield (
                f"R is not finite on Lambda: it is {ends[0]:.10g} at lam = {show(lam)}, {ends[1]:.10g} at mu = "
                f"{show(mu)} and {middle:.10g} between them. A regularizer is finite on the whole set, its boundary "
                "included."
            )
            return
        limit = 0.5 * sum(ends) - 0.125 * gamma * float((lam - mu) @ (lam - mu))
        # Rounding errors of R and of its arguments are allowed: along the chord, and those of each point across the
        # hull, of which a chord sees nothing.
        length = max(float(np.linalg.norm(lam - mu)), 1e-300)
        steepness = max(abs(end - middle) for end in ends) / length + gamma * length
        rounding = EPS * (32.0 * r.s.magnitude * steepness + 4.0 * r.steepness)
        if not middle <= limit + ROUNDING * max(map(abs, (middle, *ends))) + rounding:
            yield (
                f"{verdict}: between lam = {show(lam)} and mu = {show(mu)}, R is {middle:.10g} in the middle, and "
                f"at most {limit:.10g} is allowed."
            )


def compatible(r: RegularizerSample) -> Iterator[str]:
    """|c R''' + B'''| <= 2 (c R'' + B'')^(3/2) for all c >= 0, along lines where the left side is large."""
    for k, x in enumerate(r.s.points):
        HB, HR = r.s.local_norm_matrix(x), r.matrix(x)
        M = whitening(HB, r.s.hull.Z)
        if M is None:
            continue
        alike = float(np.trace(M.T @ HR @ M)) / M.shape[1]
        c = SEARCHED_MULTIPLES[k % len(SEARCHED_MULTIPLES)] / alike if alike > 0 else 1.0
        total = whitening(HB + c * HR, r.s.hull.Z)
        starts: list[Vector] = [np.asarray(M @ r.s.rng.standard_normal(M.shape[1]))]
        if total is not None:

            def hessian(y: Vector, c: float = c) -> Matrix:
                return r.s.local_norm_matrix(y) + c * r.matrix(y)

            starts.append(steepest(hessian, x, total, r.s.rng))
            starts.append(steepest(r.matrix, x, M, r.s.rng))
        for h in starts:
            yield from _along(r, x, h / np.sqrt(float(h @ HB @ h)))


def _along(r: RegularizerSample, x: Vector, h: Vector) -> Iterator[str]:
    """The inequality for all multiples along h, whose length in the barrier's local norm is 1."""
    R2 = float(h @ r.matrix(x) @ h)
    R3, B3 = third_derivative(r.matrix, x, h), third_derivative(r.s.local_norm_matrix, x, h)
    c = MULTIPLES / R2 if R2 > 0 else MULTIPLES
    third = np.abs(c * R3.value + B3.value)
    limit = 2.0 * (1.0 + BOUND_MARGIN) * np.maximum(c * R2 + 1.0, 0.0) ** 1.5
    over = third - ERROR_MARGIN * (c * R3.error + B3.error) - limit
    worst = int(np.argmax(over / limit))
    if over[worst] > 0:
        yield (
            f"R is not compatible with the barrier at lam = {show(x)}: in the direction {show(_unit(h))}, c R + B with "
            f"c = {c[worst]:.4g} has |D3| = {third[worst]:.6g}, more than 2 D2^(3/2) = {limit[worst]:.6g}. Add to the "
            "barrier what bounds R's third derivative, or choose another regularizer."
        )


def _unit(v: Vector) -> Vector:
    return np.asarray(v / np.linalg.norm(v))
