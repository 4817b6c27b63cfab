"""Every pair (Lambda, R) that the library offers, with random parameters over orders of magnitude."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import saddleback as sb
from saddleback.linalg import svec
from saddleback.subproblem import DualSubproblem, FactoredSubproblem, adversary_of

Rng = np.random.Generator

KINDS = ("full", "rank one", "zero", "half rank", "tiny", "huge")
SIZES = (2, 50)
ORDERS = (2, 20)


def magnitude(rng: Rng, low: float, high: float) -> float:
    """10 to a power that is uniform between low and high."""
    return float(10 ** rng.uniform(low, high))


def prior(rng: Rng, n: int) -> np.ndarray | None:
    """Uniform, or a random distribution whose entries differ by one or two orders of magnitude."""
    if rng.random() < 0.4:
        return None
    p = rng.dirichlet(np.full(n, 2.0)) + 0.02 / n
    return p / p.sum()


def _distributions(rng: Rng, n: int) -> sb.Polytope:
    """A slice of the simplex: an equation, the bounds lam >= 0, and rows around an interior point."""
    m = n + 3
    rows = rng.standard_normal((m, n))
    b = rows @ rng.dirichlet(np.ones(n)) + rng.uniform(0.01, 0.3, m)
    return sb.Polytope(np.vstack((-np.eye(n), rows)), np.concatenate((np.zeros(n), b)), np.ones((1, n)), [1.0])


def _general(rng: Rng, n: int) -> sb.Polytope:
    """General rows cut out of a box around a point that need not be positive, with or without an equation."""
    point, size = rng.standard_normal(n), magnitude(rng, -1, 1)
    rows = rng.standard_normal((5, n))
    A = np.vstack((np.eye(n), -np.eye(n), rows))
    b = A @ point + size * rng.uniform(0.1, 1.0, len(A))
    if rng.random() < 0.5:
        return sb.Polytope(A, b)
    E = rng.standard_normal((1, n))
    return sb.Polytope(A, b, E, E @ point)


def _parts(rng: Rng, n: int) -> sb.Product:
    """Two or three different sets of non-negative weights."""
    first = n // 2
    choices = [
        lambda: sb.Product([sb.Simplex(), sb.CappedSimplex(rng.uniform(0.2, 0.9))], [first, n - first]),
        lambda: sb.Product([sb.Contamination(rng.uniform(0.1, 0.9)), sb.Simplex()], [first, n - first]),
        lambda: sb.Product([sb.Chi2Ball(magnitude(rng, -2, 0)), sb.Box(0.0, 1.0)], [n - 1, 1]),
        lambda: sb.Product([sb.KLBall(0.3, prior(rng, first)), sb.TVBall(0.2)], [first, n - first]),
        lambda: sb.Product([sb.Simplex(), sb.Simplex(), sb.Box(0.5, 2.0)], [1, max(1, n - 2), 1]),
    ]
    return choices[rng.integers(4 if n < 3 else 5)]()


def _mixed_parts(rng: Rng, n: int) -> sb.Product:
    """Sets inside and outside of the orthant, one of them a set of matrices where there is room."""
    if n >= 8:
        return sb.Product([sb.Spectrahedron(), sb.Ball(0.0, 2.0), sb.Simplex()], [6, 1, n - 7])
    return sb.Product([sb.Ball(rng.standard_normal(n - 1), magnitude(rng, -1, 1)), sb.Box(-1.0, 2.0)], [n - 1, 1])


@dataclass(frozen=True)
class SetFamily:
    """A set with random parameters in R^n."""

    make: Callable[[Rng, int], sb.DualSet]
    regularizers: tuple[str, ...] = ("zero", "quadratic", "entropy")
    largest: int = SIZES[1]
    matrices: bool = False


SIGNED = ("zero", "quadratic")

SETS: dict[str, SetFamily] = {
    "simplex": SetFamily(lambda rng, n: sb.Simplex()),
    "capped simplex": SetFamily(lambda rng, n: sb.CappedSimplex(1 - magnitude(rng, -3, -0.1), prior(rng, n))),
    "small share": SetFamily(lambda rng, n: sb.CappedSimplex(magnitude(rng, -3, 0), prior(rng, n))),
    "contamination": SetFamily(lambda rng, n: sb.Contamination(magnitude(rng, -4, 0), prior(rng, n))),
    "chi2 ball": SetFamily(lambda rng, n: sb.Chi2Ball(magnitude(rng, -4, 2), prior(rng, n))),
    "TV ball": SetFamily(lambda rng, n: sb.TVBall(magnitude(rng, -3, 0), prior(rng, n))),
    "KL ball": SetFamily(lambda rng, n: sb.KLBall(magnitude(rng, -4, 1), prior(rng, n))),
    "positive box": SetFamily(lambda rng, n: sb.Box(rng.uniform(0, 0.1, n), rng.uniform(0.2, 2, n))),
    "box": SetFamily(lambda rng, n: sb.Box(-rng.uniform(0.1, 1), magnitude(rng, -1, 1.3)), SIGNED),
    "positive ball": SetFamily(lambda rng, n: sb.Ball(rng.uniform(1, 2, n), magnitude(rng, -3, -0.01))),
    "ball": SetFamily(lambda rng, n: sb.Ball(rng.standard_normal(n), magnitude(rng, -2, 2)), SIGNED),
    "polytope of distributions": SetFamily(_distributions, largest=20),
    "polytope": SetFamily(_general, SIGNED, largest=20),
    "product": SetFamily(_parts),
    "mixed product": SetFamily(_mixed_parts, SIGNED),
    "spectrahedron": SetFamily(lambda rng, n: sb.Spectrahedron(), ("zero", "quadratic", "von Neumann"), matrices=True),
}


def _quadratic(rng: Rng, dual_set: sb.DualSet, n: int) -> sb.Quadratic:
    """Centered where the set is, or somewhere else."""
    center = None if rng.random() < 0.5 else dual_set.center(n) + 0.3 * rng.standard_normal(n)
    return sb.Quadratic(magnitude(rng, -4, 1), center)


REGULARIZERS: dict[str, Callable[[Rng, sb.DualSet, int], sb.Regularizer]] = {
    "zero": lambda rng, dual_set, n: sb.Zero(),
    "quadratic": _quadratic,
    "entropy": lambda rng, dual_set, n: sb.Entropy(magnitude(rng, -3, 1), prior(rng, n)),
    "von Neumann": lambda rng, dual_set, n: sb.VonNeumann(magnitude(rng, -3, 1)),
}

PAIRS = [(s, r) for s, family in SETS.items() for r in family.regularizers]


@dataclass(frozen=True, eq=False)
class Instance:
    """One (D) and its label."""

    subproblem: DualSubproblem
    label: str

    @property
    def tol(self) -> float:
        return 1e-9 * self.subproblem.scale

    @property
    def independent(self) -> DualSubproblem:
        """The same (D) with nothing remembered, and Q formed."""
        D = self.subproblem
        return DualSubproblem(D.Q.copy(), D.c.copy(), D.adversary)


def size(rng: Rng, family: SetFamily, largest: int | None = None) -> int:
    if family.matrices:
        return svec.length(int(rng.integers(ORDERS[0], min(ORDERS[1], largest or ORDERS[1]) + 1)))
    return int(rng.integers(SIZES[0], min(family.largest, largest or SIZES[1]) + 1))


def losses(rng: Rng, n: int, index: int) -> np.ndarray:
    """c over orders of magnitude; every seventh has all entries equal, every fifth has ties at the top."""
    c = rng.standard_normal(n) * magnitude(rng, -2, 2)
    if index % 7 == 0:
        c[:] = c[0]
    elif index % 5 == 0:
        c[rng.permutation(n)[: max(1, n // 3)]] = c.max()
    return c


def factor(rng: Rng, n: int, kind: str) -> np.ndarray:
    """F of Q = F F'; "tiny" and "huge" make Q smaller and larger by 1e4 than "full"."""
    rank = {"rank one": 1, "half rank": max(1, n // 2)}.get(kind, n)
    F = rng.standard_normal((n, rank)) * magnitude(rng, -1, 1)
    return F * {"zero": 0.0, "tiny": 1e-2, "huge": 1e2}.get(kind, 1.0)


def instance(set_name: str, regularizer_name: str, seed: int, index: int, largest: int | None = None) -> Instance:
    """The (D) of a pair that seed and index determine; ``largest`` bounds J, or the order of the matrices."""
    rng = np.random.default_rng([seed, index, PAIRS.index((set_name, regularizer_name))])
    family = SETS[set_name]
    n = size(rng, family, largest)
    dual_set = family.make(rng, n)
    adversary = adversary_of(dual_set, REGULARIZERS[regularizer_name](rng, dual_set, n), n)
    kind = KINDS[index % len(KINDS)]
    F, c = factor(rng, n, kind), losses(rng, n, index)
    D = FactoredSubproblem(F, c, adversary) if rng.random() < 0.5 else DualSubproblem(F @ F.T, c, adversary)
    return Instance(D, f"{set_name}/{regularizer_name}, seed {seed}, index {index}, J = {n}, {kind}")


def instances(set_name: str, regularizer_name: str, count: int, seed: int = 0) -> Iterator[Instance]:
    return (instance(set_name, regularizer_name, seed, index) for index in range(count))
