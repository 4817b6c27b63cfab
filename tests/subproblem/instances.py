"""Random instances of (D) with explicit seeds: every kind of Q, of c and of R, in every size the suite uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from saddleback.adversary import Adversary
from saddleback.dual_sets import Simplex
from saddleback.regularizers import Entropy, Quadratic, Regularizer, Zero
from saddleback.subproblem import DualSubproblem

KINDS = ("full", "rank-one", "zero", "tiny", "huge")
REGULARIZERS = ("zero", "quadratic", "entropy")


@dataclass(frozen=True)
class Instance:
    """One (D), its kind, and the gap to ask of a solver."""

    subproblem: DualSubproblem
    kind: str
    regularizer: str
    seed: int

    @property
    def tol(self) -> float:
        """1e-9 relative to the scale of c, and at least the rounding floor."""
        return max(1e-9 * float(np.ptp(self.subproblem.c)), self.subproblem.rounding_floor)

    @property
    def label(self) -> str:
        return f"{self.kind}/{self.regularizer}"


def quadratic_part(rng: np.random.Generator, kind: str, n: int) -> np.ndarray:
    """Q = G G' of the kind that is asked; "tiny" and "huge" are full or rank-one times 1e-8 and 1e8."""
    if kind == "zero":
        return np.zeros((n, n))
    rank = 1 if kind == "rank-one" or (kind in ("tiny", "huge") and rng.random() < 0.5) else n + 3
    G = rng.standard_normal((n, rank)) * 10 ** rng.uniform(-1, 1)
    Q = G @ G.T
    return Q * {"tiny": 1e-8, "huge": 1e8}.get(kind, 1.0)


def losses(rng: np.random.Generator, n: int) -> np.ndarray:
    """c: plain, with ties among its largest entries, all equal, or on top of a large common value."""
    c = rng.standard_normal(n) * 10 ** rng.uniform(-1, 1)
    shape = rng.integers(4)
    if shape == 1:
        c[rng.permutation(n)[: max(1, n // 3)]] = c.max()
    elif shape == 2:
        c = np.round(c, 1)
    elif shape == 3:
        c += 10.0
    return c


def regularizer_of(rng: np.random.Generator, name: str, n: int) -> Regularizer:
    gamma = 10 ** rng.uniform(-3, 1)
    if name == "quadratic":
        return Quadratic(gamma)
    if name == "entropy":
        return Entropy(gamma, prior=rng.dirichlet(np.full(n, 5.0)) if rng.random() < 0.5 else None)
    return Zero()


def instance(seed: int, n: int | None = None, kind: str | None = None, regularizer: str | None = None) -> Instance:
    """The instance of this seed; what is not asked for is drawn."""
    rng = np.random.default_rng(seed)
    drawn = (int(np.exp(rng.uniform(0, np.log(100.999)))), str(rng.choice(KINDS)), str(rng.choice(REGULARIZERS)))
    n, kind, regularizer = n or drawn[0], kind or drawn[1], regularizer or drawn[2]
    Q, c = quadratic_part(rng, kind, n), losses(rng, n)
    adversary = Adversary(Simplex(), regularizer_of(rng, regularizer, n), n)
    return Instance(DualSubproblem(Q, c, adversary), kind, regularizer, seed)


def instances(count: int, first: int = 0) -> Iterator[Instance]:
    return (instance(seed) for seed in range(first, first + count))


def scaled(subproblem: DualSubproblem, factor: float) -> DualSubproblem:
    """The same problem in other units: Q, c and R times ``factor``."""
    adversary = subproblem.adversary
    R: Regularizer = adversary.regularizer
    if isinstance(R, Quadratic):
        R = Quadratic(R.gamma * factor, R.center)
    elif isinstance(R, Entropy):
        R = Entropy(R.gamma * factor, R.prior)
    return DualSubproblem(subproblem.Q * factor, subproblem.c * factor, Adversary(adversary.dual_set, R, adversary.n))


def plain_gap(subproblem: DualSubproblem, lam: np.ndarray) -> float:
    """h(ell) - <lam, ell> + R(lam) on the simplex, from the definitions, without code of the library."""
    ell, R = subproblem.c - subproblem.Q @ lam, subproblem.adversary.regularizer
    if isinstance(R, Quadratic):
        u = R.center + (ell - ell.max()) / R.gamma
        low, high = u.min() - 1.0, u.max()
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.maximum(u - middle, 0).sum() > 1 else (low, middle)
        mu = np.maximum(u - high, 0)
        mu = mu / mu.sum()
        penalty = 0.5 * R.gamma * (np.sum((lam - R.center) ** 2) - np.sum((mu - R.center) ** 2))
        return float((mu - lam) @ ell + penalty)
    if isinstance(R, Entropy):
        top = ell.max()
        h = top + R.gamma * np.log(np.sum(R.prior * np.exp((ell - top) / R.gamma)))
        positive = lam > 0
        penalty = R.gamma * np.sum(lam[positive] * np.log(lam[positive] / R.prior[positive]))
        return float(h - lam @ ell + penalty)
    return float(ell.max() - lam @ ell)


def rounding(subproblem: DualSubproblem) -> float:
    """The error of ``plain_gap``: unlike the library's formula it does not cancel what all losses share."""
    size = np.abs(subproblem.c).max() + np.abs(subproblem.Q).max() + subproblem.adversary.regularizer.strong_convexity
    return 32 * float(np.finfo(float).eps) * float(size) * np.log2(2 + subproblem.c.size)
