"""The best feasible point that an inner solver has measured."""

from __future__ import annotations

from math import isfinite

import numpy as np
from scipy.linalg.blas import dasum

from .._types import Vector
from .dual_subproblem import DualSolution, DualSubproblem, Multipliers


class Incumbent:
    """Keeps the point of Lambda with the least measured cross-evaluation gap; solvers return only such points."""

    def __init__(self, subproblem: DualSubproblem, tol: float, start: Vector | None = None) -> None:
        self.subproblem = subproblem
        self.tol = tol
        self.lam: Vector | None = None
        self.gap = np.inf
        self.done = False
        """Whether the gap is at most the tolerance, or the rounding floor where that is larger."""
        self._target = max(tol, subproblem.rounding_floor)
        if start is not None:
            self.offer(start)

    def offer(self, lam: Vector, *, feasible: bool = False) -> float:
        """Restore lam to Lambda, measure its gap, keep it if it is the least so far; inf where lam is not finite.

        A ``feasible`` lam is in Lambda by construction and is not restored.
        """
        # Weights are far from overflow, so their sum of absolute values is finite exactly when all of them are.
        if not isfinite(dasum(lam)):
            return np.inf
        restored = lam if feasible else self.subproblem.adversary.dual_set.restore(lam)
        gap = self.subproblem.cross_evaluation_gap(restored)
        if gap < self.gap:
            self.lam, self.gap, self.done = restored, gap, gap <= self._target
        return gap if gap == gap else np.inf

    def solution(
        self, solver: str, n_iter: int, reason: str = "", multipliers: Multipliers | None = None
    ) -> DualSolution:
        """The result; ``reason`` says why the solver stopped and is reported where the gap exceeds the tolerance."""
        if self.lam is None:
            self.offer(self.subproblem.adversary.dual_set.center(self.subproblem.c.size))
        assert self.lam is not None, "the gap at the center of Lambda is finite"
        rounding_floor = self.subproblem.rounding_floor
        if self.gap <= self.tol:
            return DualSolution(
                self.lam, self.gap, n_iter, True, solver, rounding_floor=rounding_floor, multipliers=multipliers
            )
        if self.done:
            reason = f"gaps below {rounding_floor:.3g} are rounding errors"
        message = f"{solver} reached gap {self.gap:.3g} instead of {self.tol:.3g}: {reason}"
        return DualSolution(self.lam, self.gap, n_iter, False, solver, message, rounding_floor, multipliers)
