"""Many losses of few parameters: Chebyshev approximation, filters, least absolute deviations, total variation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

import saddleback as sb

from ..report import Demand, Options, Report, Table
from ..setting import blas_threads
from ..timing import side_by_side
from ..writing import ratio, small

Array = NDArray[np.float64]
# Type checkers do not see the atoms of CVXPY.
cp: Any = cvxpy
D, RHO = 10, 0.1
ROWS = {"tiny": 200, "small": 10_000, "full": 10_000}
TAPS = {"tiny": (11,), "small": (101, 201), "full": (101, 201)}
TV_ROWS = {"tiny": 60, "small": 500, "full": 500}
TOL = 1e-9


@dataclass(frozen=True)
class Affine:
    """The losses A w - b."""

    A: Array
    b: Array

    @property
    def n_losses(self) -> int:
        return len(self.A)

    @property
    def n_params(self) -> int:
        return self.A.shape[1]

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        return self.A @ w - self.b, self.A

    def smoothness(self) -> float:
        return 0.0

    def solve(self, dual_set: sb.DualSet, tol: float) -> sb.Result:
        return sb.solve(sb.Problem(self, dual_set), np.zeros(self.n_params), tol=tol)

    def chebyshev(self) -> float:
        """min over w of max (A w - b), by HiGHS."""
        J, d = self.A.shape
        rows = np.column_stack((self.A, -np.ones(J)))
        return float(linprog(np.append(np.zeros(d), 1.0), rows, self.b, bounds=[(None, None)] * (d + 1)).fun)

    def chebyshev_by_clarabel(self) -> float:
        w = cp.Variable(self.n_params)
        return _clarabel(cp.max(self.A @ w - self.b))

    def deviations_by_clarabel(self) -> float:
        """min over w of the sum of |A w - b|."""
        w = cp.Variable(self.n_params)
        return _clarabel(cp.norm1(self.A @ w - self.b))


@dataclass(frozen=True)
class Squares:
    """(x_i'w - y_i)^2, one loss per row."""

    X: Array
    y: Array

    @property
    def n_losses(self) -> int:
        return len(self.X)

    @property
    def n_params(self) -> int:
        return self.X.shape[1]

    def evaluate(self, w: Array) -> tuple[Array, Array]:
        error = self.X @ w - self.y
        return error**2, 2.0 * error[:, None] * self.X

    def hessian(self, w: Array, lam: Array) -> Array:
        return 2.0 * (self.X.T * lam) @ self.X

    def solve(self) -> sb.Result:
        return sb.solve(sb.Problem(self, sb.TVBall(RHO)), np.zeros(self.n_params), tol=1e-8)

    def by_clarabel(self) -> float:
        """The dual form that the package dro has: rho max + E[(loss - eta)_+] + (1 - rho) eta."""
        w, eta, top = cp.Variable(self.n_params), cp.Variable(), cp.Variable()
        losses = cp.square(self.X @ w - self.y)
        average = cp.sum(cp.pos(losses - eta)) / len(self.y)
        return _clarabel(RHO * top + (1.0 - RHO) * eta + average, [losses <= top])


def _clarabel(objective: Any, constraints: Any = ()) -> float:
    problem = cp.Problem(cp.Minimize(objective), list(constraints))
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


def regression(n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D))
    return X, X @ rng.standard_normal(D) + rng.standard_t(2, n)


def low_pass(taps: int) -> Affine:
    """A filter with linear phase: errors of both signs at 16 frequencies per coefficient."""
    half = 4 * taps
    frequencies = np.concatenate((np.linspace(0, 0.2 * np.pi, half), np.linspace(0.22 * np.pi, np.pi, half)))
    C = np.cos(np.outer(frequencies, np.arange(taps // 2 + 1)))
    wanted = (frequencies <= 0.21 * np.pi).astype(np.float64)
    return Affine(np.vstack((C, -C)), np.concatenate((wanted, -wanted)))


@dataclass(frozen=True)
class Case:
    """One problem: ours, the others by name, and the most that our time may be relative to the best of them."""

    name: str
    ours: Callable[[], sb.Result]
    others: dict[str, Callable[[], float]]
    at_most: float


def cases(options: Options) -> list[Case]:
    n = ROWS[options.scale]
    X, y = regression(n)
    both = Affine(np.vstack((X, -X)), np.concatenate((y, -y)))
    rng = np.random.default_rng(1)
    normals = rng.standard_normal((n, D))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    faces, single = Affine(normals, rng.uniform(0.2, 0.6, n)), Affine(X, y)
    filters = {taps: low_pass(taps) for taps in TAPS[options.scale]}
    m = TV_ROWS[options.scale]
    squares = Squares(X[:m], y[:m])
    simplex, signs = sb.Simplex(), sb.Box(-1.0, 1.0)
    return [
        Case(f"l-infinity regression, {n} rows", lambda: both.solve(simplex, TOL), {"HiGHS": both.chebyshev}, 1.0),
        *(
            Case(f"filter, {taps} taps", lambda f=f: f.solve(simplex, TOL), {"HiGHS": f.chebyshev}, 1.0)  # type: ignore[misc]
            for taps, f in filters.items()
        ),
        Case(
            f"Chebyshev center, {n} faces",
            lambda: faces.solve(simplex, TOL),
            {"HiGHS": faces.chebyshev, "Clarabel": faces.chebyshev_by_clarabel},
            3.0,
        ),
        Case(
            f"least absolute deviations, {n} rows",
            lambda: single.solve(signs, 1e-8 * n),
            # HiGHS takes 30 times as long as Clarabel.
            {"Clarabel": single.deviations_by_clarabel},
            3.0,
        ),
        Case(f"TVBall, {m} rows", squares.solve, {"Clarabel": squares.by_clarabel}, 1.0),
    ]


def measure(options: Options) -> Report:
    rows, demands, data = [], [], {}
    for case in cases(options):
        result = case.ours()
        optimum = min(call() for call in case.others.values())
        times = side_by_side({"saddleback": case.ours, **case.others}, min(options.repeats, 3))
        ours = times["saddleback"]
        best = min(times[name] for name in case.others)
        others = [ratio(times[name], ours) if name in times else "-" for name in ("HiGHS", "Clarabel")]
        # Clarabel's optima are less exact than ours.
        difference = (result.value - optimum) / max(1.0, abs(optimum))
        rows.append(
            (
                case.name,
                result.losses.size,
                *others,
                small(difference),
                small(result.gap),
                str(result.certified),
            )
        )
        demands.append(Demand(f"time over that of the best other, {case.name}", ours / best, at_most=case.at_most))
        data[case.name] = {**times, "difference": difference, "gap": result.gap, "certified": result.certified}
    return Report(
        "Many losses of few parameters",
        f"Whole calls from the arrays on, d = {D}, half of the taps for filters. Tolerances {TOL:g}, of sums 1e-8 "
        "of a row, of TVBall 1e-8. HiGHS is SciPy's linprog, Clarabel is called by CVXPY; for TVBall it solves the "
        f"dual form of the package dro. Threads: BLAS up to {blas_threads()}.",
        [
            Table(
                "times slower than saddleback, difference of values, certified gap",
                ["problem", "losses", "HiGHS", "Clarabel", "our value less theirs", "our gap", "certified"],
                rows,
            )
        ],
        demands,
        data=data,
    )
