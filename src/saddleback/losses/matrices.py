"""Losses that are the svec coordinates of a symmetric matrix F(w), for its largest eigenvalue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .._types import Matrix, Vector
from .._validation import finite_vector, symmetric
from ..errors import IncompatibleError, ProblemError
from ..linalg import svec
from ..linalg.sparse_jacobian import SparseJacobian
from .base import HasLinearization
from .sparse_matrices import sparse_columns


class AffineMatrix:
    """F(w) = F0 + sum_i w_i Fs[i]: affine losses for `Spectrahedron`, with g(w) the largest eigenvalue of F(w).

    Parameters
    ----------
    F0 : (k, k) array or sparse matrix
        Symmetric.
    Fs : (d, k, k) array, or d matrices, dense or sparse
        Symmetric, one per parameter. Where they are large and most entries are zero, only the others are kept.

    The k(k+1)/2 losses are svec(F(w)), so that <svec Lam, svec F> = tr(Lam F).

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> losses = sb.AffineMatrix([[1, 0], [0, -1]], [[[1, 0], [0, -1]]])
    >>> round(sb.solve(sb.Problem(losses, sb.Spectrahedron())).value, 6)
    0.0
    """

    def __init__(self, F0: Any, Fs: Any) -> None:
        constant = symmetric(F0, "F0")
        k = self.matrix_size = len(constant)
        columns = sparse_columns(Fs, k) if constant.ndim == 2 else None
        self._constant = np.asarray(svec.pack(constant))
        self._jacobian: Matrix | SparseJacobian = _dense_columns(Fs, k) if columns is None else SparseJacobian(columns)
        self.n_losses, self.n_params = self._jacobian.shape

    def __repr__(self) -> str:
        return f"AffineMatrix(k={self.matrix_size}, d={self.n_params})"

    @property
    def convex(self) -> bool:
        """True: the losses are affine."""
        return True

    def smoothness(self) -> float:
        """Zero: the losses are affine."""
        return 0.0

    @property
    def n_entries(self) -> float:
        """How many numbers an evaluation reads."""
        G = self._jacobian
        return float(G.matrix.nnz if isinstance(G, SparseJacobian) else G.size)

    def lacks(self, capability: type) -> str | None:
        if capability is HasLinearization and not isinstance(self._jacobian, SparseJacobian):
            return "AffineMatrix keeps its Jacobian as an array where few entries are zero, or there are few of them"
        return None

    def values(self, w: Vector) -> Vector:
        G = self._jacobian
        return self._constant + (G.change(w) if isinstance(G, SparseJacobian) else G @ w)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        G = self._jacobian
        return self.values(w), G.dense() if isinstance(G, SparseJacobian) else G

    def linearize(self, w: Vector) -> tuple[Vector, SparseJacobian]:
        """f(w), and the Jacobian as a sparse array; offered where most entries of the Fs are zero."""
        if not isinstance(self._jacobian, SparseJacobian):
            raise IncompatibleError(f"linearize needs sparse matrices; {self.lacks(HasLinearization)}.")
        return self.values(w), self._jacobian

    def matrix(self, w: Any) -> Matrix:
        """F(w)."""
        return svec.unpack(self.values(finite_vector(w, "w", self.n_params)))


@dataclass(frozen=True, eq=False)
class MatrixFunctions:
    """F(w) and its derivative as functions; see `from_matrix_functions`."""

    fun: Callable[[Vector], Any]
    jac: Callable[[Vector], Any]
    matrix_size: int
    n_params: int

    @property
    def n_losses(self) -> int:
        return svec.length(self.matrix_size)

    @property
    def values_first(self) -> bool:
        """True: F and then its derivative at the same point cost no more than both at once."""
        return True

    def values(self, w: Vector) -> Vector:
        F = symmetric(self.fun(w.copy()), "F(w)", finite=False)
        if len(F) != self.matrix_size:
            raise ProblemError(f"F(w) must have shape {2 * (self.matrix_size,)} at every w; got {F.shape}.")
        return svec.pack(F)

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        f = self.values(w)
        derivative = symmetric(self.jac(w.copy()), "the derivative of F", finite=False)
        shape = (self.n_params, self.matrix_size, self.matrix_size)
        if derivative.shape != shape:
            raise ProblemError(f"the derivative of F must have shape (d, k, k) = {shape}; got {derivative.shape}.")
        return f, svec.pack(derivative).T


def from_matrix_functions(fun: Callable[[Vector], Any], w0: Any, jac: Callable[[Vector], Any]) -> MatrixFunctions:
    """Matrix losses from plain functions, for `Spectrahedron`.

    Parameters
    ----------
    fun : callable
        ``fun(w) -> (k, k)``: a symmetric matrix F(w), convex in the Loewner order: <x, F(w) x> is convex for every x.
    w0 : (d,) array
        Where fun is called once to learn k.
    jac : callable
        ``jac(w) -> (d, k, k)``: the derivative of F by each parameter, a symmetric matrix each.

    Examples
    --------
    >>> import numpy as np
    >>> import saddleback as sb
    >>> A, B = np.diag([1.0, 2.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> losses = sb.from_matrix_functions(lambda w: w[0] ** 2 * A + w[0] * B, [1.0], lambda w: [2 * w[0] * A + B])
    >>> result = sb.solve(sb.Problem(losses, sb.Spectrahedron()), [1.0])
    >>> result.losses.shape, result.dual.shape
    ((2, 2), (2, 2))
    """
    for name, function in (("fun", fun), ("jac", jac)):
        if not callable(function):
            raise ProblemError(f"{name} must be callable; got {type(function).__name__}.")
    w0 = finite_vector(w0, "w0")
    F = symmetric(fun(w0.copy()), "F(w0)")
    if F.ndim != 2:
        raise ProblemError(f"F(w0) must be one matrix; got shape {F.shape}.")
    return MatrixFunctions(fun, jac, len(F), w0.size)


def _dense_columns(Fs: Any, k: int) -> Matrix:
    """The svec coordinates of the matrices as columns."""
    matrices = _stacked(Fs)
    if matrices.shape[1:] != (k, k):
        raise ProblemError(f"Fs must hold matrices of shape {(k, k)}, as F0; got {matrices.shape[1:]}.")
    G: Matrix = np.ascontiguousarray(svec.pack(matrices).T)
    # Read-only, because every evaluation returns this array.
    G.flags.writeable = False
    return G


def _stacked(Fs: Any) -> Matrix:
    """All matrices in one array (d, k, k), from any mixture of dense and sparse ones."""
    if issparse(Fs):
        raise ProblemError("Fs must be a sequence of matrices, one per parameter; got one sparse matrix.")
    if isinstance(Fs, list | tuple) and any(issparse(F) for F in Fs):
        Fs = [symmetric(F, f"Fs[{i}]") for i, F in enumerate(Fs)]
        if len({F.shape for F in Fs}) > 1:
            raise ProblemError(f"Fs must hold matrices of one shape; got {sorted({F.shape for F in Fs})}.")
    stacked = symmetric(Fs, "Fs")
    if stacked.ndim != 3:
        raise ProblemError(f"Fs must hold one matrix per parameter, shape (d, k, k); got shape {stacked.shape}.")
    return stacked
