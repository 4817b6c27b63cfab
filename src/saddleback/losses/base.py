"""The interface of the losses f, and their optional capabilities."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from .._types import Indices, Matrix, Vector
from ..linalg.jacobians import StructuredJacobian


@runtime_checkable
class Losses(Protocol):
    """J convex losses of d parameters.

    Optional members, found by name:

    ``values(w) -> (J,)``
        The losses without their gradients, where that is cheaper.
    ``hessian(w, lam) -> (d, d)``
        sum_j lam_j Hessian f_j(w).
    ``loss_hessians(w, which) -> (len(which), d, d)``
        The Hessians of the single losses whose numbers are in the integer array ``which``.
    ``sampled_hessian(w, lam, V) -> (k, k)``
        An estimate of V (sum_j lam_j Hessian f_j(w)) V' for k directions that is cheap compared with an evaluation;
        with V = None, of the whole Hessian, (d, d), cheap compared with ``hessian``, or NaN where there is none.
    ``sampled_loss_hessians(w, which) -> (len(which), d, d)``
        Such estimates for the single losses, cheap compared with ``loss_hessians``, or NaN.
    ``sampled_margins(V) -> (k, r)``
        The part of that estimate which is linear in V, and is computed once for each direction.
    ``hessian_on_margins(w, lam, T) -> (k, k)``
        The estimate for directions with T = sampled_margins(V), without penalties.
    ``penalty_diagonal() -> (d,)``
        The Hessian m of the penalty that all losses share: sum(lam) V diag(m) V' is added to ``hessian_on_margins``.
    ``smoothness() -> float``
        An upper bound on L: every f_j is L-smooth.
    ``strong_convexity``
        m >= 0 such that every f_j - m/2 |w|^2 is convex; or one m_i per coordinate.
    ``convex``
        True where every f_j is convex by construction, and need not be monitored; for ``matrix_size`` losses, <Lam, F>
        for every positive semidefinite Lam. It says nothing about weights below zero, which some dual sets have.
    ``bounded_below``
        True where every f_j is bounded below by construction: no search for a ray on which it is unbounded.
    ``parameter_scales() -> (d,)``
        The typical magnitude of each parameter, > 0: w_i -> u w_i multiplies it by u. Distances between parameters are
        measured in these scales unless the problem has a metric.
    ``values_first``
        True where ``values`` and then the Jacobian at the same point cost no more than both at once.
    ``n_entries``
        How many numbers of data one evaluation reads: its cost, for ``method="auto"``.
    ``n_outputs``
        How many margins one evaluation computes from each of them, as softmax of several classes does; 1 by default.
    ``matrix_size``
        k, where the losses are the k(k+1)/2 svec coordinates of a symmetric matrix, for `Spectrahedron`; ``smoothness``
        and ``strong_convexity`` are then those of <Lam, F> for every Lam of trace one.
    ``exact_jacobian``
        False where the Jacobian has more than rounding errors, as finite differences have.
    ``jacobian_error(w) -> (J, d)``
        A bound on the errors of such a Jacobian at w, entry by entry; None for one that is exact.
    """

    @property
    def n_losses(self) -> int:
        """J."""

    @property
    def n_params(self) -> int:
        """d."""

    def evaluate(self, w: Vector) -> tuple[Vector, Matrix]:
        """f(w), of shape (J,), and the Jacobian G(w), of shape (J, d)."""


class HasValues(Protocol):
    """``values(w)``: the losses without their gradients, (J,), where that is cheaper."""

    def values(self, w: Vector) -> Vector: ...


class HasHessian(Protocol):
    """``hessian(w, lam)``: sum_j lam_j Hessian f_j(w), (d, d)."""

    def hessian(self, w: Vector, lam: Vector) -> Matrix: ...


class HasLossHessians(Protocol):
    """``loss_hessians(w, which)``: the Hessians of the losses with the numbers ``which``, (len(which), d, d)."""

    def loss_hessians(self, w: Vector, which: Indices) -> Matrix: ...


class HasLinearization(Protocol):
    """``linearize(w)``: f(w) and a Jacobian that is applied, not stored, for very many losses."""

    def linearize(self, w: Vector) -> tuple[Vector, StructuredJacobian]: ...


class HasSampledHessian(Protocol):
    """``sampled_hessian(w, lam, V)``: a cheap estimate of V (sum_j lam_j Hessian f_j(w)) V'; V = None stands for I."""

    def sampled_hessian(self, w: Vector, lam: Vector, V: Matrix | None = None) -> Matrix: ...


class HasSampledLossHessians(HasSampledHessian, Protocol):
    """``sampled_loss_hessians(w, which)``: cheap estimates of ``loss_hessians``, (len(which), d, d)."""

    def sampled_loss_hessians(self, w: Vector, which: Indices) -> Matrix: ...


class HasHessianSample(HasSampledHessian, Protocol):
    """``sampled_hessian`` in two parts: one is linear in V, so that it is computed once for each direction.

    sampled_hessian(w, lam, V) = hessian_on_margins(w, lam, T) + sum(lam) V diag(m) V' with T = sampled_margins(V) and
    m = penalty_diagonal().
    """

    def sampled_margins(self, V: Matrix) -> Matrix:
        """Margins of the sampled rows for each row of V, (k, r)."""

    def hessian_on_margins(self, w: Vector, lam: Vector, T: Matrix) -> Matrix:
        """The estimate for directions with margins T, without penalties, (k, k)."""

    def penalty_diagonal(self) -> Vector:
        """The Hessian of the penalty, which all losses share and which is diagonal, (d,)."""


class HasSmoothness(Protocol):
    """``smoothness()``: an L such that every f_j is L-smooth."""

    def smoothness(self) -> float: ...


class HasParameterScales(Protocol):
    """``parameter_scales()``: the typical magnitude of each parameter, (d,)."""

    def parameter_scales(self) -> Vector: ...


class HasJacobianError(Protocol):
    """``jacobian_error(w)``: a bound on the errors of the Jacobian, entry by entry, (J, d)."""

    def jacobian_error(self, w: Vector) -> Matrix | None: ...
