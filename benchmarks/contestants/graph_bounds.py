"""Max-Cut and Lovasz' theta of random graphs: the semidefinite programs of SDPLIB's kinds, with sparse matrices."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import saddleback as sb
from saddleback.linalg import svec

from ..recorder import Array
from .eigenvalue import Failed


@dataclass(frozen=True)
class GraphBound:
    """min over w of the largest eigenvalue of F0 + sum_i w_i F_i: a bound of a graph's cut or independent sets."""

    name: str
    F0: Array
    Fs: list[Any]

    def largest_eigenvalue(self, w: Array) -> float:
        F = self.F0.copy()
        for w_i, F_i in zip(w, self.Fs, strict=True):
            F += w_i * F_i
        return float(np.linalg.eigvalsh(F)[-1])


@dataclass(frozen=True)
class Bound:
    """The objective at the answer and the seconds of the whole call; the result where there is one."""

    value: float
    seconds: float
    result: sb.Result | None = None


def max_cut(k: int, m: int, seed: int = 0) -> GraphBound:
    """k/4 (L + diag u) with sum u = 0, by k - 1 parameters (Delorme and Poljak 1993), for m random edges."""
    i, j = _edges(k, m, seed)
    A = np.zeros((k, k))
    A[i, j] = A[j, i] = 1.0
    ends = [k / 4, -k / 4]
    Fs = [sp.csr_array((ends, ([a, k - 1], [a, k - 1])), shape=(k, k)) for a in range(k - 1)]
    return GraphBound(f"Max-Cut, k = {k}, {m} edges", k / 4 * (np.diag(A.sum(axis=0)) - A), Fs)


def theta(k: int, m: int, seed: int = 0) -> GraphBound:
    """Ones everywhere, free entries at m random edges (Lovasz 1979, Theorem 3)."""
    Fs = [sp.csr_array(([1.0, 1.0], ([a, b], [b, a])), shape=(k, k)) for a, b in zip(*_edges(k, m, seed), strict=True)]
    return GraphBound(f"theta, k = {k}, {m} edges", np.ones((k, k)), Fs)


def by_saddleback(bound: GraphBound, tol: float, time_limit: float) -> Bound:
    """Losses, problem and run."""
    started = time.perf_counter()
    problem = sb.Problem(sb.AffineMatrix(bound.F0, bound.Fs), sb.Spectrahedron())
    with warnings.catch_warnings():
        # The table shows how the run ended.
        warnings.simplefilter("ignore", sb.ConvergenceWarning)
        result = sb.solve(problem, tol=tol, time_limit=time_limit)
    seconds = time.perf_counter() - started
    return Bound(bound.largest_eigenvalue(result.w), seconds, result)


def by_clarabel(bound: GraphBound, tol: float, time_limit: float) -> Bound:
    """t I - F(w) in Clarabel's cone, without a modelling language; setup and solve. It decomposes sparse cones."""
    try:
        clarabel: Any = import_module("clarabel")
    except ImportError as error:
        raise Failed("Clarabel is not installed") from error
    k = len(bound.F0)
    # The order of svec is that of Clarabel's triangles: upper by columns, or lower by rows.
    columns = [_coordinates(F) for F in (-np.eye(k), *bound.Fs)]
    A = sp.csc_matrix(sp.hstack(columns))
    cost = np.zeros(A.shape[1])
    cost[0] = 1.0
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit = False, time_limit
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    P, cones = sp.csc_matrix((cost.size, cost.size)), [clarabel.PSDTriangleConeT(k)]
    started = time.perf_counter()
    solution = clarabel.DefaultSolver(P, cost, A, -np.asarray(svec.pack(bound.F0)), cones, settings).solve()
    seconds = time.perf_counter() - started
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise Failed(f"{solution.status} after {seconds:.0f} s")
    return Bound(bound.largest_eigenvalue(np.array(solution.x)[1:]), seconds)


def by_cvxpy(bound: GraphBound, tol: float) -> Bound:
    """The whole call of CVXPY with Clarabel."""
    try:
        cp: Any = import_module("cvxpy")
    except ImportError as error:
        raise Failed("CVXPY is not installed") from error
    k = len(bound.F0)
    started = time.perf_counter()
    w = cp.Variable(len(bound.Fs))
    entries = sp.hstack([F.reshape((-1, 1)) for F in bound.Fs]).tocsr()
    F = bound.F0 + cp.reshape(entries @ w, (k, k), order="C")
    problem = cp.Problem(cp.Minimize(cp.lambda_max(0.5 * (F + F.T))))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Solution may be inaccurate")
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
    seconds = time.perf_counter() - started
    if w.value is None:
        raise Failed(str(problem.status))
    return Bound(bound.largest_eigenvalue(np.array(w.value)), seconds)


def _coordinates(F: Any) -> Any:
    """svec as a sparse column."""
    return sp.csc_array(np.asarray(svec.pack(F.toarray() if sp.issparse(F) else F))[:, None])


def _edges(k: int, m: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    i, j = np.triu_indices(k, 1)
    chosen = np.random.default_rng(seed).choice(i.size, m, replace=False)
    return i[chosen], j[chosen]
