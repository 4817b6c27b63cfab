"""Checks of second derivatives of losses: hessian, sampled_hessian, smoothness, strong_convexity, convexity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from .._types import Matrix, Vector
from ..capabilities import offers
from ..losses.base import HasHessian, HasHessianSample, HasSampledHessian, HasSampledLossHessians, HasSmoothness
from .derivatives import along, worst_direction
from .failures import show
from .losses_sample import LossesSample

# Points at which Hessians are compared with differences.
N_HESSIAN_POINTS = 3
# Estimates may be computed in single precision.
ESTIMATE_ASYMMETRY = 1e-4
# The assumed errors of Jacobians, as a share of the allowed ones.
NOISE_SHARE = 0.03
# Power iterations for the largest second derivative, and their step relative to the scale of w.
POWER_STEPS = 6
POWER_STEP = 1e-3
# Half the lengths of the segments, relative to the scale of w.
HALF_LENGTHS = (0.03, 0.3, 1.0)


def hessian(s: LossesSample) -> Iterator[str]:
    if not offers(s.losses, HasHessian):
        return
    formula = s.losses.hessian
    verified, tried = False, 0
    for w in s.points[:N_HESSIAN_POINTS]:
        lam = s.random_weights()
        H = np.asarray(formula(w.copy(), lam.copy()), dtype=np.float64)
        where = f"at w = {show(w)}, lam = {show(lam)}"
        if H.shape != (s.d, s.d):
            yield f"hessian has shape {H.shape}; expected {(s.d, s.d)}."
            return
        asymmetry = asymmetry_of(H)
        if asymmetry:
            yield f"hessian is not symmetric {where}: {asymmetry}."
            continue
        compared = compare_with_differences(s, w, lam, H)
        tried, verified = tried + 1, verified or compared.verified
        if compared.wrong is not None:
            yield f"hessian is wrong {where}: {compared.wrong}"
    if tried and not verified:
        yield "hessian cannot be verified: finite differences of the Jacobian converge in no direction at any point."


class Compared(NamedTuple):
    """A Hessian compared with differences of the Jacobian."""

    verified: bool
    """Whether the differences converge in some direction."""
    wrong: str | None
    """The worst direction in words; None where all agree."""


def compare_with_differences(s: LossesSample, w: Vector, lam: Vector, H: Matrix) -> Compared:
    """Whether H is the Hessian of <lam, f> at w, in the directions of the sample."""
    verified = False
    wrong: tuple[float, Vector, Vector] | None = None
    columns: dict[int, Vector] = {}
    noise = NOISE_SHARE * s.precision * float(np.linalg.norm(np.abs(lam) @ np.abs(s.jacobian(w))))
    for u in s.directions():
        slope = s.slope(along(partial(_weighted, s, lam), w, u), noise)
        got = H @ u
        scale = max(float(np.abs(H).max()), float(slope.variation.max()))
        if not (slope.rough(scale) <= 0).all():
            continue
        verified = True
        ratio = np.abs(got - slope.value) / np.maximum(slope.tolerance(scale) + 10 * s.precision * scale, 1e-300)
        if np.count_nonzero(u) == 1:
            columns[int(np.argmax(u))] = slope.value
        if not ratio.max() <= 1.0 and (wrong is None or ratio.max() > wrong[0]):
            wrong = (float(ratio.max()), u, slope.value)
    return Compared(verified, None if wrong is None else _worst(s, H, wrong[1], wrong[2], columns))


def _weighted(s: LossesSample, lam: Vector, w: Vector) -> Vector:
    """The gradient of <lam, f>."""
    return np.asarray(lam @ s.jacobian(w))


def _worst(s: LossesSample, H: Matrix, u: Vector, Hu: Vector, columns: dict[int, Vector]) -> str:
    if len(columns) == s.d:
        truth = np.array([columns[i] for i in range(s.d)]).T
        u, _ = worst_direction(H - truth)
        Hu = truth @ u
    miss = H @ u - Hu
    worst = int(np.argmax(np.abs(miss)))
    return (
        f"in the direction {show(u)} finite differences of the Jacobian give the quadratic form {float(u @ Hu):.8g}, "
        f"the formula {float(u @ H @ u):.8g}. The worst coordinate of H u is {worst}: expected {Hu[worst]:.8g}, got "
        f"{float(H[worst] @ u):.8g}."
    )


def asymmetry_of(H: Matrix, tolerance: float = 1e-8) -> str | None:
    off = np.abs(H - H.T)
    if off.max() <= tolerance * np.abs(H).max():
        return None
    i, j = np.unravel_index(int(np.argmax(off)), off.shape)
    return f"entry ({i}, {j}) is {H[i, j]:.8g}, entry ({j}, {i}) is {H[j, i]:.8g}"


def sampled_hessian(s: LossesSample) -> Iterator[str]:
    if not offers(s.losses, HasSampledHessian):
        return
    formula = s.losses.sampled_hessian
    w, lam = s.points[0], s.random_weights()
    V = s.rng.standard_normal((min(3, s.d), s.d))
    for name, directions, k in (("V of 1 row", V[:1], 1), (f"V of {len(V)} rows", V, len(V)), ("V = None", None, s.d)):
        H = np.asarray(formula(w.copy(), lam.copy(), directions))
        if H.shape != (k, k):
            yield f"sampled_hessian with {name} has shape {H.shape}; expected {(k, k)}."
        elif directions is None and np.isnan(H).all():
            # There is no estimate of the whole Hessian.
            continue
        elif not np.isfinite(H).all():
            yield f"sampled_hessian with {name} is not finite at w = {show(w)}, lam = {show(lam)}."
        elif asymmetry := asymmetry_of(H, ESTIMATE_ASYMMETRY):
            yield f"sampled_hessian with {name} is not symmetric at w = {show(w)}, lam = {show(lam)}: {asymmetry}."
    if offers(s.losses, HasHessianSample):
        yield from _parts(s.losses, w, lam, V)
    if offers(s.losses, HasSampledLossHessians):
        yield from _of_losses(s.losses, w, s.J, s.d)


def _of_losses(losses: HasSampledLossHessians, w: Vector, J: int, d: int) -> Iterator[str]:
    """Shape and symmetry, and the sum of equal weights as ``sampled_hessian`` has it."""
    H = np.asarray(losses.sampled_loss_hessians(w.copy(), np.arange(J)))
    if H.shape != (J, d, d):
        yield f"sampled_loss_hessians with {J} numbers has shape {H.shape}; expected {(J, d, d)}."
    elif not np.isnan(H).all():
        for j, of_loss in enumerate(H):
            if asymmetry := asymmetry_of(of_loss, ESTIMATE_ASYMMETRY):
                yield f"the estimate of loss {j} in sampled_loss_hessians is not symmetric: {asymmetry}."
        whole = np.asarray(losses.sampled_hessian(w.copy(), np.full(J, 1.0 / J), None))
        if not np.abs(H.mean(axis=0) - whole).max() <= ESTIMATE_ASYMMETRY * np.abs(H).max():
            yield f"the mean of sampled_loss_hessians is not sampled_hessian with equal weights at w = {show(w)}."


def _parts(losses: HasHessianSample, w: Vector, lam: Vector, V: Matrix) -> Iterator[str]:
    H = np.asarray(losses.sampled_hessian(w.copy(), lam.copy(), V))
    T = np.asarray(losses.sampled_margins(V))
    if T.ndim != 2 or len(T) != len(V):
        yield f"sampled_margins has shape {T.shape}; expected one row for each of {len(V)} directions."
        return
    sum_of_parts = np.asarray(losses.hessian_on_margins(w.copy(), lam.copy(), T))
    sum_of_parts = sum_of_parts + lam.sum() * (V * losses.penalty_diagonal()) @ V.T
    if not np.abs(sum_of_parts - H).max() <= ESTIMATE_ASYMMETRY * np.abs(H).max():
        yield (
            "hessian_on_margins(w, lam, sampled_margins(V)) + sum(lam) V diag(penalty_diagonal()) V' is not "
            f"sampled_hessian(w, lam, V) at w = {show(w)}, lam = {show(lam)}."
        )


def smoothness(s: LossesSample) -> Iterator[str]:
    """|grad f_j(v) - grad f_j(w)| <= L |v - w|, along directions that power iterations find."""
    if not offers(s.losses, HasSmoothness):
        return
    L = s.losses.smoothness()
    if not (np.isfinite(L) and L >= 0):
        yield f"smoothness() is {L}; expected a number >= 0. Leave the method out where there is no bound."
        return
    weights = list(s.weights())
    rows = np.array([lam for _, lam in weights])
    t = POWER_STEP * s.scale
    for w in s.points:
        G = rows @ s.jacobian(w)
        u = s.rng.standard_normal(s.d)
        for _ in range(POWER_STEPS):
            u = u / np.linalg.norm(u)
            change = (rows @ s.jacobian(w + t * u) - G) / t
            ratio = np.linalg.norm(change, axis=1)
            room = 1e-6 * L + s.precision * np.linalg.norm(G, axis=1) / t
            j = int(np.argmax(ratio - room))
            if not ratio[j] <= L + room[j]:
                yield (
                    f"smoothness() = {L:.6g} is too small: at w = {show(w)} in the direction {show(u)} the gradient of "
                    f"{weights[j][0]} changes by {ratio[j]:.6g} per unit."
                )
                break
            if not change[j].any():
                break
            u = change[j]


def strong_convexity(s: LossesSample) -> Iterator[str]:
    """f_j(middle) <= the mean of the ends less sum_i m_i (v_i - w_i)^2 / 8, for every loss."""
    claim = getattr(s.losses, "strong_convexity", None)
    if claim is None:
        return
    m = np.broadcast_to(np.asarray(claim, dtype=np.float64), np.shape(claim) or (s.d,))
    if m.shape != (s.d,) or not (np.isfinite(m) & (m >= 0)).all():
        yield f"strong_convexity is {claim}; expected a number >= 0, or one per parameter ({s.d})."
        return
    if not m.any():
        return
    weights = list(s.weights())
    rows = np.array([lam for _, lam in weights])
    for w, u, half, bend, room in _segments(s):
        needed = 0.5 * half**2 * float(m @ u**2)
        short = needed - rows @ bend - np.abs(rows) @ room
        j = int(np.argmax(short))
        if short[j] > 1e-9 * needed:
            yield (
                f"strong_convexity = {claim if np.ndim(claim) == 0 else show(m)} is too large: at w = {show(w)} in the "
                f"direction {show(u)} {weights[j][0]} curves by {2.0 * float(rows[j] @ bend) / half**2:.6g} only, and "
                f"{float(m @ u**2):.6g} is claimed."
            )


def convex(s: LossesSample) -> Iterator[str]:
    """<lam, f> is convex for the lam in Lambda that is worst, on segments, and where there are Hessians, at points."""
    for w, u, half, bend, room in _segments(s):
        value, lam = s.dual_set.support(-bend)
        if value > float(np.abs(lam) @ room):
            yield (
                f"{_named(s, lam, -bend)} is not convex: from w = {show(w - half * u)} to {show(w + half * u)}, "
                f"that is at {show(w)} in the direction {show(u)}, it lies {value:.4g} above its chord in the middle "
                f"(weights lam = {show(lam)})."
            )
    if not offers(s.losses, HasHessian):
        return
    formula = s.losses.hessian
    for w in s.points[:N_HESSIAN_POINTS]:
        for name, lam in list(s.weights())[:10]:
            if getattr(s.losses, "matrix_size", None) is None and not s.dual_set.contains(lam):
                lam = s.random_weights()
                name = f"<lam, f> for lam = {show(lam)}"
            H = np.asarray(formula(w.copy(), lam.copy()), dtype=np.float64)
            if H.shape != (s.d, s.d):
                return
            values, vectors = np.linalg.eigh(0.5 * (H + H.T))
            if values[0] < -1e-7 * np.abs(values).max():
                yield (
                    f"{name} is not convex at w = {show(w)}: in the direction {show(vectors[:, 0])} hessian has the "
                    f"quadratic form {values[0]:.6g}."
                )


def _named(s: LossesSample, lam: Vector, excess: Vector) -> str:
    if getattr(s.losses, "matrix_size", None) is not None:
        return "a direction of the matrix of losses"
    return f"loss {int(np.argmax(lam * excess))}"


def _segments(s: LossesSample) -> Iterator[tuple[Vector, Vector, float, Vector, Vector]]:
    """Middle, unit direction, half the length, how far each loss is below the mean of its ends there, and rounding."""
    for k, w in enumerate(s.points):
        middle = s.values(w)
        directions = list(s.directions())
        directions += [(v - w) / np.linalg.norm(v - w) for v in s.points[:k] if (v != w).any()]
        for i, u in enumerate(directions):
            half = HALF_LENGTHS[(i + k) % len(HALF_LENGTHS)] * s.scale
            ends = s.values(w + half * u), s.values(w - half * u)
            if not (np.isfinite(ends[0]).all() and np.isfinite(ends[1]).all()):
                continue
            size = np.abs(middle) + np.abs(ends[0]) + np.abs(ends[1])
            yield w, u, half, 0.5 * (ends[0] + ends[1]) - middle, 1e-12 * size + 3.0 * s.noise
