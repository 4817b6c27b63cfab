"""The inner solver of (D) on the spectrahedron for many losses of few parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..._types import EPS, Matrix, Vector
from ..._validation import whole
from ...adversary import Adversary
from ...capabilities import Needs
from ...dual_sets import Spectrahedron
from ...linalg import svec
from ...linalg.blas_threads import one_blas_thread
from ...regularizers import Zero
from ..dual_subproblem import DualSolution, DualSubproblem, PrimalPoint
from ..factored_subproblem import FactoredSubproblem, SparseSubproblem, low_rank_factor
from ..incumbent import Incumbent
from .interior_point import InteriorPoint, Iterate
from .pencil import pencil_of


@dataclass(frozen=True)
class SemidefiniteProgramControl:
    """The numbers of `SemidefiniteProgram`."""

    share_of_gap: float = 0.5
    """The method goes on to this share of the requested gap: one more step, as each divides the gap by about ten."""
    patience: int = 5
    reduction: float = 0.5
    """Stop after this many steps that have not reduced the gap by this factor."""
    least_losses: int = 3
    """From this many losses on, k = 11, it is faster than path following, as measured."""


CONTROL = SemidefiniteProgramControl()


@dataclass(frozen=True)
class SemidefiniteProgram:
    """min over u in R^r of lambda_max(C + sum_i u_i F_i) + 1/2 |u|^2, whose multiplier is the lam of (D) with Q = F F'.

    A primal-dual interior-point method, `InteriorPoint`: about 12 systems of r unknowns for any k, O(k^3 + |S|^2 + r^3)
    flops each, where the F_i are zero outside of |S| positions. Besides lam, the solution has u with the gap of the
    pair (docs/mathematics.md, 8), which is far more accurate than u = -F' lam where Q is large.
    """

    name: ClassVar[str] = "sdp"
    needs: ClassVar[Needs] = Needs(dual_set=(Spectrahedron,), regularizer=(Zero,))
    max_iter: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_iter", whole(self.max_iter, "max_iter of SemidefiniteProgram"))

    def square_matrices(self, adversary: Adversary, d: int) -> int:
        return 0 if d < adversary.n else 2

    def is_fastest(self, subproblem: DualSubproblem) -> bool:
        """Whether this is the fastest solver: enough losses, and fewer parameters. Assumes that its needs are met."""
        if not isinstance(subproblem, FactoredSubproblem):
            return False
        return self.gives_primal(subproblem.adversary, subproblem.n_columns)

    def gives_primal(self, adversary: Adversary, d: int) -> bool:
        return CONTROL.least_losses <= adversary.n > d

    def solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> DualSolution:
        with one_blas_thread():
            return self._solve(subproblem, tol, start)

    def _solve(self, subproblem: DualSubproblem, tol: float, start: Vector | None) -> DualSolution:
        if subproblem.magnitude == 0:
            # Without Q the best response to c is the solution.
            start = subproblem.adversary.dual_set.support(subproblem.c_tangent)[1]
        incumbent = Incumbent(subproblem, tol, start)
        if incumbent.gap <= tol or subproblem.magnitude == 0:
            return incumbent.solution(self.name, 0)
        # Not the start, which may have a smaller gap of its own, but none with u.
        incumbent = Incumbent(subproblem, tol)
        form = _Form(subproblem)
        clock = subproblem.adversary.clock
        target = CONTROL.share_of_gap * max(tol, subproblem.primal_rounding_floor) / form.scale
        best: Iterate | None = None
        least, reduced, improved, n_iter = np.inf, np.inf, 0, 0
        reason = "no progress beyond rounding errors"
        try:
            for n_iter, iterate in enumerate(form.problem.iterates()):
                gap = form.problem.gap(iterate)
                if gap < CONTROL.reduction * reduced:
                    reduced, improved = gap, n_iter
                if gap < least:
                    best, least = iterate, gap
                if least <= target:
                    break
                if n_iter - improved >= CONTROL.patience:
                    reason = f"no progress in {CONTROL.patience} steps"
                    break
                if n_iter >= self.max_iter:
                    reason = f"max_iter = {self.max_iter} steps"
                    break
                clock.check(form.problem.system_flops)
        except np.linalg.LinAlgError as error:
            reason = str(error)
        if best is None:
            return incumbent.solution(self.name, n_iter, reason)
        incumbent.offer(np.asarray(svec.pack(best.X)))
        return incumbent.solution(self.name, n_iter, reason, primal=form.primal(best, incumbent.lam))


class _Form:
    """(D) divided by its scale, with F_i of norm one: u_i = sqrt(scale) p_i/norm_i and a_i = 1/norm_i^2."""

    def __init__(self, subproblem: DualSubproblem) -> None:
        self._has_factor = isinstance(subproblem, FactoredSubproblem)
        if isinstance(subproblem, FactoredSubproblem):
            self._subproblem = subproblem
        else:
            factor = np.sqrt(subproblem.scale or 1.0) * low_rank_factor(subproblem)
            self._subproblem = FactoredSubproblem(factor, subproblem.c, subproblem.adversary)
        # The largest eigenvalue above their mean; if all are equal, Q alone sets the scale.
        spread = subproblem.adversary.dual_set.support(subproblem.c_tangent)[0]
        self.scale = spread if spread > EPS * subproblem.scale else subproblem.scale or 1.0
        positions, F = _coordinates(self._subproblem)
        self._norms = np.sqrt((F * F).sum(axis=0) / self.scale)
        self._kept = np.flatnonzero(self._norms > 0)
        norms = self._norms[self._kept]
        B: Matrix = F[:, self._kept] / (norms * np.sqrt(self.scale))
        k = svec.order(subproblem.c.size)
        assert k is not None, "the spectrahedron refuses dimensions other than k(k+1)/2"
        C = svec.unpack(subproblem.c_tangent / self.scale)
        self.problem = InteriorPoint(C, pencil_of(k, positions, B), norms**-2.0)

    def primal(self, at: Iterate, lam: Vector | None) -> PrimalPoint | None:
        """u, with its gap against lam; None where (D) came without a factor: u belongs to one that was made here."""
        if lam is None or not self._has_factor:
            return None
        u = np.zeros(self._norms.size)
        u[self._kept] = np.sqrt(self.scale) * at.p / self._norms[self._kept]
        return PrimalPoint(u, self._subproblem.pair_gap(lam, u))


def _coordinates(subproblem: FactoredSubproblem) -> tuple[NDArray[np.intp], Matrix]:
    """The rows of F that are not zero, and F there."""
    if isinstance(subproblem, SparseSubproblem):
        sparse = subproblem.jacobian.matrix
        rows = np.flatnonzero(np.diff(sparse.indptr))
        return rows, sparse[rows].toarray()
    rows = np.flatnonzero(subproblem.factor.any(axis=1))
    return rows, subproblem.factor[rows]
