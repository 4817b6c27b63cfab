"""A primal-dual interior-point method for (D) on the spectrahedron, with as many unknowns as parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dnrm2, dsymv
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dsygst

from ..._types import Matrix, Vector
from ...linalg.regularized_cholesky import regularized_cholesky
from .least_eigenvalue import least_eigenvalue
from .pencil import Pencil, Scaling


@dataclass(frozen=True)
class InteriorPointControl:
    """The numbers of `InteriorPoint`, for C of spread one.

    On Max-Cut, theta and random problems of 10 to 250 rows, the number of systems changes by at most two with half or
    twice any of them.
    """

    first_distance: float = 0.5
    """t starts this far above the largest eigenvalue of C."""
    least_share: float = 0.9
    most_share: float = 0.99
    """A step takes between these shares of the way to the boundary, the more the longer the predictor's step is."""
    short_predictor: float = 0.1
    """Where the predictor's step is shorter, mu is reduced only by the ratio that it attains, not by its cube."""
    least_centering: float = 1e-6
    """The least factor by which a step reduces mu."""
    residual_share: float = 0.1
    """X and Z take the same step length where different ones would leave a residual above this share of <X, Z>."""
    backtracking: float = 0.8
    most_backtracks: int = 5
    """Steps are shortened by this where, by rounding errors, they have crossed the boundary, at most so often."""
    regularizations: tuple[float, ...] = (0.0, 1e-15, 1e-13, 1e-11, 1e-9)
    """Multiples of I that are added in turn to the Schur complement, which has a unit diagonal, until it has a Cholesky
    factor; refinement makes up for them."""


CONTROL = InteriorPointControl()


@dataclass(frozen=True, eq=False)
class Iterate:
    """X > 0, p and t with Z = t I - C - sum_i p_i F_i > 0."""

    X: Matrix
    p: Vector
    t: float
    Z: Matrix
    X_factor: Matrix
    Z_factor: Matrix

    @cached_property
    def scaling(self) -> Scaling:
        lower = np.tril(dpotri(self.Z_factor, lower=1)[0])
        return Scaling(self.X, self.X_factor, self.Z_factor, lower + np.tril(lower, -1).T)

    @property
    def mu(self) -> float:
        """<X, Z>/k, which tends to zero."""
        return float(np.vdot(self.X, self.Z)) / len(self.X)


class Step(NamedTuple):
    """The changes of p, t, X and Z."""

    p: Vector
    t: float
    X: Matrix
    Z: Matrix


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """min over p and t of t + 1/2 sum_i a_i p_i^2 subject to Z = t I - C - sum_i p_i F_i >= 0.

    The multiplier X of Z solves (D). A step linearizes X Z = mu I as X + dX = mu Z^-1 - sym(X dZ Z^-1) (Helmberg,
    Rendl, Vanderbei and Wolkowicz 1996), with Mehrotra's predictor and corrector. Its system has the Schur complement
    M_ij = <F_i, X F_j Z^-1> + a_i [i = j], bordered by the row of t: no matrix of order k(k+1)/2 is formed. Z > 0 at
    every iterate; tr X = 1 and <F_i, X> + a_i p_i = 0 hold in the limit.
    """

    C: Matrix
    """Without its trace, and of spread one."""
    pencil: Pencil
    a: Vector

    @property
    def system_flops(self) -> float:
        """About how many flops one step takes."""
        return self.pencil.schur_flops + (self.pencil.n + 1) ** 3 / 3 + 20.0 * len(self.C) ** 3

    def gap(self, at: Iterate) -> float:
        """An upper bound of the duality gap of p and X/tr X, and of the fall of <X, .> over a step as long as p.

        t bounds the largest eigenvalue. The second part is that of a certificate (docs/mathematics.md, 5).
        """
        trace = float(at.X.trace())
        residual = self.a * at.p + self.pencil.inner(at.X) / trace
        fall = max(1.0, float(dnrm2(at.p))) * float(dnrm2(residual))
        return float(np.vdot(at.X, at.Z)) / trace + max(fall, 0.5 * float(residual.dot(residual / self.a)))

    def iterates(self) -> Iterator[Iterate]:
        """The start, then one iterate per Schur complement, until rounding errors leave no step."""
        at = self._start()
        while at is not None:
            yield at
            at = self._next(at)

    def _start(self) -> Iterate | None:
        k = len(self.C)
        largest = -least_eigenvalue(-self.C)
        return self._at(np.eye(k) / k, np.zeros(self.pencil.n), largest + CONTROL.first_distance)

    def _at(self, X: Matrix, p: Vector, t: float) -> Iterate | None:
        """The iterate; None where X or Z is not positive definite."""
        Z = -self.C - self.pencil.matrix(p)
        Z.ravel()[:: len(Z) + 1] += t
        X_factor, X_info = dpotrf(X, lower=1)
        Z_factor, Z_info = dpotrf(Z, lower=1)
        return Iterate(X, p, t, Z, X_factor, Z_factor) if X_info == 0 and Z_info == 0 else None

    def _next(self, at: Iterate) -> Iterate | None:
        system = _System(self, at)
        with np.errstate(all="ignore"):
            predictor = system.solve(0.0)
            X_length, Z_length = _lengths(at, predictor, 1.0)
            mu = at.mu
            reached = float(np.vdot(at.X + X_length * predictor.X, at.Z + Z_length * predictor.Z)) / len(at.X)
            ratio = min(1.0, max(0.0, reached / mu))
            shortest = min(X_length, Z_length)
            centering = ratio**3 if shortest > CONTROL.short_predictor else ratio
            step = system.solve(max(centering, CONTROL.least_centering) * mu, predictor)
            share = CONTROL.least_share + (CONTROL.most_share - CONTROL.least_share) * shortest
            X_length, Z_length = _lengths(at, step, share)
            # Lengths that differ leave a residual of <F_i, X> + a_i p_i where the a_i are not small.
            if abs(X_length - Z_length) * dnrm2(self.a * step.p) > CONTROL.residual_share * mu * len(at.X):
                X_length = Z_length = min(X_length, Z_length)
            for _ in range(CONTROL.most_backtracks):
                if not np.isfinite(X_length + Z_length + step.t):
                    return None
                X, p, t = at.X + X_length * step.X, at.p + Z_length * step.p, at.t + Z_length * step.t
                after = self._at(X, p, t)
                if after is not None:
                    return after
                X_length, Z_length = CONTROL.backtracking * X_length, CONTROL.backtracking * Z_length
        return None


class _System:
    """The linear system of the steps from one iterate."""

    def __init__(self, problem: InteriorPoint, at: Iterate) -> None:
        self._problem, self._at = problem, at
        pencil, W, n = problem.pencil, at.scaling.Z_inverse, problem.pencil.n
        # -I, the matrix of t, is the last one. LAPACK reads the lower triangle by columns.
        H = np.zeros((n + 1, n + 1), order="F")
        H[:n, :n] = pencil.schur(at.scaling)
        H.ravel(order="K")[: n * (n + 2) : n + 2] += problem.a
        H[n, :n] = -pencil.inner(_symmetric(at.X @ W))
        H[n, n] = np.vdot(at.X, W)
        self._scale = 1.0 / np.sqrt(H.diagonal())
        H *= self._scale
        H *= self._scale[:, None]
        self._H = H
        self._factor = regularized_cholesky(H, CONTROL.regularizations)

    def solve(self, mu: float, predictor: Step | None = None) -> Step:
        """The step to X Z = mu I, with the second-order term of the predictor where there is one."""
        problem, at = self._problem, self._at
        pencil, W = problem.pencil, at.scaling.Z_inverse
        target = mu * W
        if predictor is not None:
            target -= _symmetric(predictor.X @ (predictor.Z @ W))
        r = np.append(-(problem.a * at.p + pencil.inner(target)), target.trace() - 1.0)
        y = self._solved(r)
        p, t = y[:-1], float(y[-1])
        Z = -pencil.matrix(p)
        Z.ravel()[:: len(Z) + 1] += t
        return Step(p, t, target - _symmetric(at.X @ (Z @ W)) - at.X, Z)

    def _solved(self, r: Vector) -> Vector:
        r = self._scale * r
        y = dpotrs(self._factor, r, lower=1)[0]
        y += dpotrs(self._factor, r - dsymv(1.0, self._H, y, lower=1), lower=1)[0]
        return np.asarray(self._scale * y)


def _lengths(at: Iterate, step: Step, share: float) -> tuple[float, float]:
    """The share of the ways to the boundary along X and along Z, at most one each."""
    return (
        min(1.0, share * _to_boundary(at.X_factor, step.X)),
        min(1.0, share * _to_boundary(at.Z_factor, step.Z)),
    )


def _to_boundary(factor: Matrix, change: Matrix) -> float:
    """The largest s with L L' + s change >= 0."""
    relative, _ = dsygst(change, factor, itype=1, lower=1)
    least = least_eigenvalue(relative)
    return np.inf if least >= 0 else -1.0 / least


def _symmetric(A: Matrix) -> Matrix:
    return 0.5 * (A + A.T)
