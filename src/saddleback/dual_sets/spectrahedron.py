"""The spectrahedron: density matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dsyevd

from .._types import EPS, Matrix, Vector
from .._validation import finite_vector, n_axes, symmetric
from ..errors import ProblemError
from ..linalg import svec
from ..linalg.hessians import Spectral
from .base import DualSet
from .simplex import Simplex


@dataclass(frozen=True)
class Spectrahedron(DualSet):
    """{Lam symmetric, positive semidefinite, tr Lam = 1}: the adversary picks a direction, or a mixture of them.

    Without a regularizer, h(F) for a matrix F of losses is its largest eigenvalue. lam is svec(Lam), so that
    <lam, f> = tr(Lam F); results show matrices. Barrier -log det Lam, nu = k - 1 for k x k matrices, on the affine
    hull (docs/mathematics.md, 8); in the basis of eigenvectors of Lam its Hessian is diagonal.
    """

    @property
    def takes_matrices(self) -> bool:
        return True

    @property
    def proves_gaps(self) -> bool:
        return True

    def validate(self, n: int) -> None:
        if svec.order(n) is None:
            raise ProblemError(
                f"the spectrahedron has k(k+1)/2 coordinates for k x k matrices; got {n}. Its losses are matrices: "
                "AffineMatrix, or from_matrix_functions."
            )

    def to_user(self, lam: Vector) -> Matrix:
        return svec.unpack(lam)

    def from_user(self, z: Any, name: str, n: int) -> Vector:
        if n_axes(z) < 2:
            return finite_vector(z, name, n)
        k = _order(n)
        if np.shape(z) != (k, k):
            raise ProblemError(f"{name} must be a symmetric matrix of shape {(k, k)}; got shape {np.shape(z)}.")
        return svec.pack(symmetric(z, name))

    def barrier_parameter(self, n: int) -> float:
        return _order(n) - 1.0

    def barrier(self, lam: Vector) -> float:
        factor, info = dpotrf(svec.unpack(lam), lower=1, clean=0)
        return -2.0 * float(np.log(factor.diagonal()).sum()) if info == 0 else np.inf

    def barrier_gradient(self, lam: Vector) -> Vector:
        values, U = interior_spectrum(lam)
        return svec.pack(-(U / values) @ U.T)

    def barrier_hessian(self, lam: Vector) -> Spectral:
        values, U = interior_spectrum(lam)
        return Spectral(U, 1.0 / np.outer(values, values))

    def affine_hull(self, n: int) -> tuple[Matrix, Vector]:
        return svec.pack(np.eye(_order(n)))[None, :], np.ones(1)

    def center(self, n: int) -> Vector:
        k = _order(n)
        return svec.pack(np.eye(k) / k)

    def weight_range(self, n: int) -> tuple[float, float]:
        """The trace: constants of matrix losses hold for <Lam, F> with Lam of trace one."""
        return 1.0, 1.0

    def largest_weight(self, n: int) -> float:
        return 1.0

    def bounds(self, n: int) -> tuple[Vector, Vector]:
        diagonal = svec.pack(np.eye(_order(n)))
        largest = np.where(diagonal > 0, 1.0, svec.ROOT_TWO / 2)
        return np.where(diagonal > 0, float(n == 1), -largest), largest

    def tangent_part(self, z: Vector) -> Vector:
        """z less its mean eigenvalue."""
        k = _order(z.size)
        identity = svec.pack(np.eye(k))
        return z - (float(identity.dot(z)) / k) * identity

    def support(self, z: Vector) -> tuple[float, Vector]:
        """The largest eigenvalue, and the projection on its eigenvector."""
        values, U = spectrum(z)
        u = U[:, -1]
        return values.item(-1), svec.pack(np.outer(u, u))

    def regret(self, lam: Vector, z: Vector) -> float:
        values, U = spectrum(self.tangent_part(z))
        # tr Lam (top - Z) is a sum of nonnegative terms, exactly zero for equal eigenvalues.
        weights = np.einsum("ij,ij->j", U, svec.unpack(lam) @ U)
        return float(weights.dot(values[-1] - values))

    def contains(self, lam: Vector, tol: float = 1e-12) -> bool:
        k = _order(lam.size)
        return bool(abs(svec.unpack(lam).trace() - 1.0) <= tol * k and spectrum(lam).values[0] >= -tol)

    def restore(self, lam: Vector) -> Vector:
        A = svec.unpack(lam)
        if dpotrf(A, lower=1, clean=0)[1] != 0:
            values, U = spectrum(lam)
            A = (U * np.maximum(values, 0.0)) @ U.T
        trace = float(A.trace())
        return svec.pack(A / trace) if np.isfinite(trace) and trace > 0 else self.center(lam.size)

    def project(self, x: Vector) -> Vector:
        """The eigenvalues projected on the simplex."""
        values, U = spectrum(self.tangent_part(x))
        return of_spectrum(Simplex().project(values), U)


class Spectrum(NamedTuple):
    """Eigenvalues in ascending order, and the eigenvectors as columns."""

    values: Vector
    U: Matrix


def spectrum(x: Vector) -> Spectrum:
    """The spectrum of the matrix with svec coordinates x; the last 16 are cached."""
    return _spectrum(np.ascontiguousarray(x, dtype=np.float64).tobytes())


@lru_cache(maxsize=16)
def _spectrum(coordinates: bytes) -> Spectrum:
    A = svec.unpack(np.frombuffer(coordinates))
    values, U, info = dsyevd(A, lower=1)
    if not np.isfinite(A).all():
        # LAPACK does not always report nan.
        values, U = np.full_like(values, np.nan), np.full_like(A, np.nan)
    elif info != 0:
        raise np.linalg.LinAlgError("the eigenvalues of a matrix were not found")
    values.flags.writeable = U.flags.writeable = False
    return Spectrum(values, U)


def interior_spectrum(lam: Vector) -> Spectrum:
    """The spectrum of a positive definite matrix; eigenvalues that rounding made negative are raised to 0.1 EPS times
    the largest."""
    values, U = spectrum(lam)
    return Spectrum(np.maximum(values, 0.1 * EPS * values.item(-1)), U)


def of_spectrum(values: Vector, U: Matrix) -> Vector:
    """svec of U diag(values) U'."""
    return svec.pack((U * values) @ U.T)


def _order(n: int) -> int:
    k = svec.order(n)
    assert k is not None, "validate refuses dimensions other than k(k+1)/2"
    return k
