"""The best point of Lambda that an inner solver has seen."""

from __future__ import annotations

from math import isfinite

import numpy as np
from scipy.linalg.blas import dasum

from .._types import Vector
from .dual_subproblem import DualSolution, DualSubproblem, Multipliers


class Incumbent:
    """Keeps the feasible point of least measured cross-evaluation gap: what a solver returns is always such a point."""

    def __init__(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> None:
        self.subproblem = subproblem
        self.tol = tol
        self.lam: Vector | None = None
        self.gap = np.inf
        # As asked, or as small as rounding lets a gap be measured.
        self._enough = max(tol, subproblem.resolution)
        if start is not None:
            self.offer(start)

    def offer(self, lam: Vector, *, feasible: bool = False) -> float:
        """Restore lam to Lambda, measure its gap, keep it when it is the best; the gap, or inf where there is none.

        A ``feasible`` lam is in Lambda by construction and need not be restored.
        """
        # The sum of the sizes is finite exactly when they all are: lam is of size one.
        if not isfinite(dasum(lam)):
            return np.inf
        restored = lam if feasible else self.subproblem.adversary.dual_set.restore(lam)
        gap = self.subproblem.cross_evaluation_gap(restored)
        if gap < self.gap:
            self.lam, self.gap = restored, gap
        return gap if gap == gap else np.inf

    @property
    def done(self) -> bool:
        """Whether the gap is as asked, or as small as rounding lets it be measured."""
        return self.gap <= self._enough

    def solution(
        self, solver: str, n_iter: int, reason: str = "", multipliers: Multipliers | None = None
    ) -> DualSolution:
        """The result; ``reason`` says why the solver stopped, in case the gap is not as asked."""
        if self.lam is None:
            self.offer(self.subproblem.adversary.dual_set.center(self.subproblem.c.size))
        assert self.lam is not None, "the gap at the center of Lambda is finite"
        resolution = self.subproblem.resolution
        if self.gap <= self.tol:
            return DualSolution(
                self.lam, self.gap, n_iter, True, solver, resolution=resolution, multipliers=multipliers
            )
        if self.done:
            reason = f"rounding hides gaps below {resolution:.3g}"
        message = f"{solver} reached gap {self.gap:.3g} instead of {self.tol:.3g}: {reason}"
        return DualSolution(self.lam, self.gap, n_iter, False, solver, message, resolution, multipliers)
