"""All dual sets at a given size, random dual subproblems (D) on them, and losses for any of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import saddleback as sb
from saddleback.adversary import Adversary
from saddleback.subproblem import DualSolution, DualSubproblem, InnerSolver

from ..recorder import Array

RANK = 50
# A quick solve is timed this often, because the first is slowed down by cold caches.
MOST_RUNS, QUICK_RUNS = 3, 0.05


@dataclass(frozen=True)
class Geometry:
    """A set, and the number of losses on it."""

    name: str
    build: Callable[[], sb.DualSet]
    n: int

    def adversary(self) -> Adversary:
        return Adversary(self.build(), sb.Zero(), self.n)


def geometries(J: int, k: int) -> list[Geometry]:
    """One of each kind for J losses; for k x k matrices on the spectrahedron."""
    plain: dict[str, Callable[[], sb.DualSet]] = {
        "Simplex()": sb.Simplex,
        "CappedSimplex(0.3)": lambda: sb.CappedSimplex(0.3),
        "Contamination(0.3)": lambda: sb.Contamination(0.3),
        "Box(0, 1)": lambda: sb.Box(0.0, 1.0),
        "Ball(0, 1)": lambda: sb.Ball(0.0, 1.0),
        "Chi2Ball(1)": lambda: sb.Chi2Ball(1.0),
        "KLBall(0.5)": lambda: sb.KLBall(0.5),
        "TVBall(0.3)": lambda: sb.TVBall(0.3),
        "Polytope: simplex, 10 cuts": lambda: cut_simplex(J, 10),
        "Product: simplex, box": lambda: sb.Product((sb.Simplex(), sb.Box(0.0, 1.0)), (J // 2, J - J // 2)),
    }
    matrices = Geometry(f"Spectrahedron(), k = {k}", sb.Spectrahedron, k * (k + 1) // 2)
    return [*(Geometry(name, build, J) for name, build in plain.items()), matrices]


def cut_simplex(J: int, cuts: int) -> sb.Polytope:
    """The simplex and random half-spaces that hold its center."""
    A = np.random.default_rng(0).standard_normal((cuts, J))
    b = A.mean(axis=1) + 0.1
    return sb.Polytope(np.vstack((-np.eye(J), A)), np.concatenate((np.zeros(J), b)), np.ones((1, J)), np.ones(1))


def random_subproblem(adversary: Adversary, seed: int) -> DualSubproblem:
    """Q = G G' with standard normal G / sqrt(RANK), singular for J > RANK; standard normal c."""
    n = adversary.n
    rng = np.random.default_rng((n, seed))
    G = rng.standard_normal((n, RANK)) / np.sqrt(RANK)
    return DualSubproblem(G @ G.T, rng.standard_normal(n), adversary)


@dataclass(frozen=True)
class Solves:
    """Medians and maxima over several (D)."""

    seconds: float
    steps: float
    most_steps: int
    largest_gap: float
    reached: int
    count: int


def summary(runs: Sequence[tuple[float, DualSolution, float]], tol: float) -> Solves:
    """The summary of seconds, solutions and gaps, the gaps measured outside the solver."""
    seconds, solutions, gaps = zip(*runs, strict=True)
    steps = [solution.n_iter for solution in solutions]
    reached = sum(gap <= tol for gap in gaps)
    return Solves(float(np.median(seconds)), float(np.median(steps)), max(steps), max(gaps), reached, len(runs))


def solve_timed(solver: InnerSolver, subproblem: DualSubproblem, tol: float) -> tuple[float, DualSolution, float]:
    """Seconds, the solution and its gap, measured here."""
    times: list[float] = []
    while len(times) < MOST_RUNS and sum(times) < QUICK_RUNS:
        started = time.perf_counter()
        solution = solver.solve(subproblem, tol)
        times.append(time.perf_counter() - started)
    return min(times), solution, subproblem.cross_evaluation_gap(solution.lam)


@dataclass(frozen=True, eq=False)
class Quadratics:
    """f_j(w) = 1/2 w'H_j w + b_j'w + c_j, with eigenvalues from 1 to 10."""

    H: Array
    b: Array
    c: Array

    @property
    def n_losses(self) -> int:
        return len(self.b)

    @property
    def n_params(self) -> int:
        return self.b.shape[1]

    @property
    def strong_convexity(self) -> float:
        return 1.0

    def values(self, w: Array) -> Array:
        return self.evaluate(w)[0]

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        Hw = self.H @ w
        return 0.5 * Hw @ w + self.b @ w + self.c, Hw + self.b


def random_quadratics(J: int, d: int, seed: int = 0) -> Quadratics:
    """Random axes, centers and heights."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((J, d, d)))[0]
    H = (U * rng.uniform(1.0, 10.0, (J, 1, d))) @ U.transpose(0, 2, 1)
    return Quadratics(0.5 * (H + H.transpose(0, 2, 1)), rng.standard_normal((J, d)), rng.standard_normal(J))
