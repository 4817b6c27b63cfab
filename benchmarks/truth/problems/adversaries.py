"""Pairs (Lambda, R) with a lam that is the best response to losses c, by construction and not by a solver.

lam maximizes <lam, c> - R(lam) over a convex set exactly when c - grad R(lam) is in the set's normal cone at lam. So
lam is chosen first, on a face or inside, then a normal, and c = grad R(lam) + normal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import saddleback as sb
from saddleback.dual_sets import DualSet
from saddleback.regularizers import Regularizer

Array = NDArray[np.float64]
Random = np.random.Generator

# The share of multipliers that are zero although they might be positive: complementarity that is not strict.
WEAK = 0.15


@dataclass(frozen=True, eq=False)
class Face:
    """A set, a point of it and a vector of its normal cone there."""

    dual_set: DualSet
    lam: Array
    normal: Array
    distributions: bool = False
    """Whether weights sum to one, so that c may be shifted by a constant."""


@dataclass(frozen=True, eq=False)
class Saddle:
    """(Lambda, R) with lam the best response to c, and h(c) = <lam, c> - R(lam)."""

    dual_set: DualSet
    regularizer: Regularizer
    lam: Array
    c: Array
    value: float
    distributions: bool
    nonnegative: NDArray[np.bool_]
    """The losses whose weight is never negative; the others must be affine."""


def draw_saddle(rng: Random, kind: str, J: int, unit: float = 1.0, *, strong: bool = False) -> Saddle:
    """A set of a kind with one of the regularizers that apply to it; losses and R in multiples of ``unit``.

    ``strong`` asks for an R that is strongly convex.
    """
    smooth = str(rng.choice(["zero", "quadratic", "entropy"], p=[0.0, 0.6, 0.4] if strong else [0.5, 0.3, 0.2]))
    if smooth == "entropy" and kind in SIGNED:
        smooth = "quadratic"
    face = FACES[kind](rng, J, smooth == "entropy")
    lam, J = face.lam, face.lam.size
    gamma = unit * 10 ** rng.uniform(-2, 1)
    regularizer: Regularizer = sb.Zero()
    gradient, value = np.zeros(J), 0.0
    if smooth == "quadratic":
        center = rng.dirichlet(np.ones(J)) if face.distributions else lam + 0.3 * rng.standard_normal(J)
        regularizer = sb.Quadratic(gamma, center)
        gradient, value = gamma * (lam - center), 0.5 * gamma * float((lam - center) @ (lam - center))
    elif smooth == "entropy":
        prior = rng.dirichlet(np.full(J, 3.0)) if rng.random() < 0.5 else None
        p = np.full(J, 1.0 / J) if prior is None else prior
        regularizer = sb.Entropy(gamma, prior)
        gradient, value = gamma * (np.log(lam / p) + 1.0), gamma * float(lam @ np.log(lam / p))
    c = gradient + unit * face.normal
    nonnegative = np.zeros(J, dtype=bool) if kind in SIGNED else np.ones(J, dtype=bool)
    return Saddle(face.dual_set, regularizer, lam, c, float(lam @ c) - value, face.distributions, nonnegative)


def multipliers(rng: Random, size: int) -> Array:
    """Positive numbers, and some zeros."""
    return rng.exponential(1.0, size) * (rng.random(size) >= WEAK)


def _distribution(rng: Random, J: int, interior: bool) -> Array:
    """Weights that sum to one, some of them zero unless all must be positive."""
    lam = rng.dirichlet(np.full(J, 1.5)) + 1e-3
    if not interior:
        zero = rng.random(J) < 0.5
        zero[int(rng.integers(J))] = False
        lam[zero] = 0.0
    lam /= lam.sum()
    return lam


def _outward(rng: Random, lam: Array) -> Array:
    """A normal of the simplex: a constant, minus multipliers where weights are zero."""
    normal: Array = rng.standard_normal() - multipliers(rng, lam.size) * (lam == 0)
    return normal


def simplex(rng: Random, J: int, interior: bool) -> Face:
    lam = _distribution(rng, J, interior)
    return Face(sb.Simplex(), lam, _outward(rng, lam), True)


def capped_simplex(rng: Random, J: int, interior: bool) -> Face:
    prior = rng.dirichlet(np.full(J, 3.0)) if rng.random() < 0.5 else None
    alpha = float(rng.uniform(0.1, 1.0))
    caps = (np.full(J, 1.0 / J) if prior is None else prior) / alpha
    v = _distribution(rng, J, interior)
    if caps[v > 0].sum() < 1.05:
        v = _distribution(rng, J, True)
    total = float(caps[v > 0].sum())
    # t such that the capped weights sum to one.
    top = float((caps[v > 0] / v[v > 0]).max())
    t = brentq(lambda t: float(np.minimum(t * v, caps).sum()) - 1.0, 0.0, top) if total > 1.0 else top
    lam = np.minimum(t * v, caps)
    free = (lam > 0) & (lam < caps)
    if free.any():
        lam[free] *= (1.0 - lam[~free].sum()) / lam[free].sum()
    normal = _outward(rng, lam) + multipliers(rng, J) * (lam == caps)
    return Face(sb.CappedSimplex(alpha, prior), lam, normal, True)


def contamination(rng: Random, J: int, interior: bool) -> Face:
    """lam at its floor where q is zero: multipliers are for these weights, also where the floor is positive."""
    prior = rng.dirichlet(np.full(J, 3.0)) if rng.random() < 0.5 else None
    p = float(rng.choice([rng.uniform(0.0, 1.0), 10 ** rng.uniform(-6, 0)]))
    q = _distribution(rng, J, False)
    lam = (1.0 - p) * (np.full(J, 1.0 / J) if prior is None else prior) + p * q
    return Face(sb.Contamination(p, prior), lam, _outward(rng, q), True)


def chi2_ball(rng: Random, J: int, interior: bool) -> Face:
    return _ball_of_distributions(
        rng,
        J,
        interior,
        sb.Chi2Ball,
        lambda lam, p: float(((lam - p) ** 2 / p).sum()),
        lambda lam, p: 2 * (lam - p) / p,
    )


def kl_ball(rng: Random, J: int, interior: bool) -> Face:
    return _ball_of_distributions(
        rng, J, True, sb.KLBall, lambda lam, p: float(lam @ np.log(lam / p)), lambda lam, p: np.log(lam / p) + 1
    )


def tv_ball(rng: Random, J: int, interior: bool) -> Face:
    return _ball_of_distributions(
        rng,
        J,
        interior,
        sb.TVBall,
        lambda lam, p: 0.5 * float(np.abs(lam - p).sum()),
        lambda lam, p: 0.5 * np.sign(lam - p),
    )


def _ball_of_distributions(
    rng: Random,
    J: int,
    interior: bool,
    kind: type[DualSet],
    divergence: Callable[[Array, Array], float],
    gradient: Callable[[Array, Array], Array],
) -> Face:
    """{lam in the simplex: D(lam, p) <= rho}, with rho = D at the chosen lam, or above it."""
    prior = rng.dirichlet(np.full(J, 3.0)) if rng.random() < 0.5 else None
    p = np.full(J, 1.0 / J) if prior is None else prior
    lam = _distribution(rng, J, interior)
    D = divergence(lam, p)
    make: Callable[..., DualSet] = kind
    normal = _outward(rng, lam)
    if D > 1e-6 and rng.random() < 0.7:
        return Face(make(D, prior), lam, normal + rng.exponential() * gradient(lam, p), True)
    return Face(make(1.5 * D + 0.01, prior), lam, normal, True)


def box(rng: Random, J: int, interior: bool) -> Face:
    return _box(rng, J, rng.uniform(0.05, 1.0, J) if interior else rng.uniform(0.0, 1.0, J) * (rng.random(J) < 0.5))


def signed_box(rng: Random, J: int, interior: bool) -> Face:
    return _box(rng, J, -rng.uniform(0.1, 1.0, J))


def _box(rng: Random, J: int, lower: Array) -> Face:
    upper = lower + rng.uniform(0.1, 2.0, J)
    where = rng.integers(0, 3, J)
    lam = np.where(where == 0, lower, np.where(where == 1, upper, lower + rng.uniform(0.1, 0.9, J) * (upper - lower)))
    normal = multipliers(rng, J) * np.where(where == 0, -1.0, np.where(where == 1, 1.0, 0.0))
    return Face(sb.Box(lower, upper), lam, normal)


def ball(rng: Random, J: int, interior: bool) -> Face:
    radius = float(rng.uniform(0.1, 1.0))
    return _ball(rng, J, radius * rng.uniform(1.05, 3.0, J), radius)


def signed_ball(rng: Random, J: int, interior: bool) -> Face:
    return _ball(rng, J, 0.3 * rng.standard_normal(J), float(rng.uniform(0.1, 2.0)))


def _ball(rng: Random, J: int, center: Array, radius: float) -> Face:
    u = rng.standard_normal(J)
    u /= np.linalg.norm(u)
    if rng.random() < 0.7:
        return Face(sb.Ball(center, radius), center + radius * u, rng.exponential() * u)
    return Face(sb.Ball(center, radius), center + 0.7 * radius * u, np.zeros(J))


def polytope(rng: Random, J: int, interior: bool) -> Face:
    return _polytope(rng, J, rng.uniform(0.05, 1.0, J) * ((rng.random(J) < 0.7) | interior), 0.0)


def signed_polytope(rng: Random, J: int, interior: bool) -> Face:
    return _polytope(rng, J, rng.uniform(-0.9, 1.0, J), -1.0)


def _polytope(rng: Random, J: int, lam: Array, lowest: float) -> Face:
    """lowest <= lam <= 2, random inequalities, some of which hold with equality at lam, and sometimes a fixed sum."""
    rows = rng.standard_normal((int(rng.integers(1, 5)), J))
    active = rng.random(len(rows)) < 0.5
    A = np.vstack([rows, -np.eye(J), np.eye(J)])
    b = np.concatenate(
        [rows @ lam + np.where(active, 0.0, rng.uniform(0.1, 1.0, len(rows))), np.full(J, -lowest), np.full(J, 2.0)]
    )
    normal = (multipliers(rng, len(rows)) * active) @ rows - multipliers(rng, J) * (lam == lowest)
    if J > 1 and rng.random() < 0.4:
        return Face(sb.Polytope(A, b, np.ones((1, J)), np.array([lam.sum()])), lam, normal + rng.standard_normal())
    return Face(sb.Polytope(A, b), lam, normal)


def product(rng: Random, J: int, interior: bool) -> Face:
    """A product of two or three other sets."""
    parts = [
        FACES[SIMPLE[int(rng.integers(len(SIMPLE)))]](rng, max(1, J // 2), interior)
        for _ in range(2 + (rng.random() < 0.3))
    ]
    dual_set = sb.Product([part.dual_set for part in parts], [part.lam.size for part in parts])
    lam, normal = (np.concatenate([getattr(part, name) for part in parts]) for name in ("lam", "normal"))
    return Face(dual_set, lam, normal)


FACES: dict[str, Callable[[Random, int, bool], Face]] = {
    "Simplex": simplex,
    "CappedSimplex": capped_simplex,
    "Contamination": contamination,
    "Box": box,
    "Box with negative weights": signed_box,
    "Ball": ball,
    "Ball with negative weights": signed_ball,
    "Polytope": polytope,
    "Polytope with negative weights": signed_polytope,
    "Chi2Ball": chi2_ball,
    "TVBall": tv_ball,
    "KLBall": kl_ball,
    "Product": product,
}
SIGNED = {kind for kind in FACES if kind.endswith("negative weights")}
SIMPLE = ("Simplex", "CappedSimplex", "Contamination", "Box", "Ball", "Chi2Ball", "TVBall", "KLBall")
